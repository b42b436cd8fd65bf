# SPDX-License-Identifier: MIT
"""A credential that the mock believes."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, AccessTokenInfo

BEARER: Final = "fake"
FAR_FUTURE: Final = 253402300799  # The last second of the year 9999.


class FakeCredential:
    """Hand out one token; azure-core awaits only what is awaitable, so it suits both kinds of clients."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        """Return the token for any scope."""
        from azure.core.credentials import AccessToken

        return AccessToken(BEARER, FAR_FUTURE)

    def get_token_info(self, *_scopes: str, **_options: Any) -> AccessTokenInfo:
        """Return the token for any scope, in azure-core's newer shape."""
        from azure.core.credentials import AccessTokenInfo

        return AccessTokenInfo(BEARER, FAR_FUTURE)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def __enter__(self) -> FakeCredential:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None = None,
        exception: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> FakeCredential:
        return self

    async def __aexit__(
        self,
        exception_type: type[BaseException] | None = None,
        exception: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.close()
