# SPDX-License-Identifier: MIT
"""The door for respx: a router for programs that build their httpx client themselves."""

from __future__ import annotations

from typing import Final

import httpx
import respx

from aks_etag.mock._core.service import Service
from aks_etag.mock.httpx_door import answer_httpx

HOST: Final = "management.azure.com"


def respx_router(core: Service) -> respx.MockRouter:
    """Build a router that answers for Azure Resource Manager and lets nothing reach the network."""
    router = respx.MockRouter(assert_all_called=False, assert_all_mocked=True)

    def answer(request: httpx.Request) -> httpx.Response:
        return answer_httpx(core, request)

    router.route(scheme="https", host=HOST).mock(side_effect=answer)
    return router
