# SPDX-License-Identifier: MIT
"""From an AKS cluster to its API server: ``listClusterUserCredential``, and a token of an azure-identity credential.

The exec plugin that AKS puts into the kubeconfig of an Entra ID cluster is never run: nobody named it here.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from .._core.messages import Request, Response
from .._core.verdict import Verdict, judge_write
from .._flows import failures
from .._flows.budget import Budget
from .._flows.effects import Flow, send
from .._flows.options import Options
from ._config import Access, KubeconfigError, from_text, without_exec

# The AKS server application of Entra ID, the same in every tenant.
SCOPE: Final = "6dae42f8-4368-4678-94ff-3960e28e3630/.default"
MARGIN: Final = 300.0


def kubeconfig(cluster_id: str, api_version: str, options: Options) -> Flow[str]:
    """Ask Azure for the kubeconfig of a cluster user; nothing is changed by it, so that it may be asked again."""
    budget = yield from Budget.start(cluster_id, options)
    url = f"{cluster_id}/listClusterUserCredential?api-version={api_version}"
    tries = 0
    while True:
        tries += 1
        outcome = yield from send((yield from budget.allowed(Request(method="POST", url=url), "a kubeconfig")))
        verdict = judge_write(outcome)
        if verdict is Verdict.ACCEPTED and isinstance(outcome, Response):
            return _decoded(outcome)
        if verdict is Verdict.THROTTLED:
            yield from budget.throttled(outcome)
        elif verdict in (Verdict.UNSURE, Verdict.NOT_SENT, Verdict.BUSY):
            yield from budget.back_off(tries, "a kubeconfig", cause=outcome)
        else:
            raise failures.refusal(cluster_id, verdict, outcome)


def _decoded(answer: Response) -> str:
    try:
        return base64.b64decode(answer.body["kubeconfigs"][0]["value"], validate=True).decode()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise KubeconfigError("Azure answered without a kubeconfig: the cluster has no user credential") from error


def access(text: str, credential: Any) -> Access:
    """Return the way into the cluster: certificates or a token of the kubeconfig, else a token of the credential."""
    plain = without_exec(text)
    found = from_text(plain or text, None, base=Path.cwd())
    if plain is None:
        return found
    return Access(base_url=found.base_url, token=entra_token(credential), verify=found.verify)


def entra_token(credential: Any) -> Callable[[bool], Any]:
    """Return what gives a token for the API server of any AKS cluster, and keeps it until it is about to run out."""
    held: list[Any] = []

    def fresh(renew: bool) -> bool:
        return not renew and bool(held) and held[0].expires_on - time.time() > MARGIN

    async def awaited(coming: Any) -> str:
        held[:] = [await coming]
        return str(held[0].token)

    def token(renew: bool) -> Any:
        if not fresh(renew):
            given = credential.get_token(SCOPE)
            if hasattr(given, "__await__"):
                return awaited(given)
            held[:] = [given]
        return str(held[0].token)

    return token
