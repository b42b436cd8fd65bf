# SPDX-License-Identifier: MIT
"""aiohttp sends PUT and DELETE again after a lost connection, even with all retries off: keep it from doing so.

The second copy would be answered with a 412 that looks like somebody else's write. A client middleware, given with each
call, sees the lost connection before aiohttp's own retry does, and renames it to an error that is not retried.
"""

from __future__ import annotations

import inspect
from typing import Any


def make() -> Any:
    """Return azure-core's transport over aiohttp.

    Raises:
        ImportError: aiohttp is not installed, or too old to be kept from sending twice.
    """
    try:
        import aiohttp
    except ImportError as error:
        raise ImportError('transport="aiohttp" needs aiohttp: pip install "aks-etag[aio]"') from error
    if not _takes_middlewares(aiohttp):
        raise ImportError(f"aiohttp {aiohttp.__version__} cannot be kept from sending a write twice: 3.12 or newer can")
    from azure.core.pipeline.transport import AioHttpTransport

    return AioHttpTransport()


def options(transport: object) -> dict[str, Any] | None:
    """Return the options that make a call send once, or ``None`` where nothing can be promised of a transport."""
    if not _is_aiohttp(transport):
        return None
    import aiohttp

    session: Any = getattr(transport, "session", None)
    # What a session of the caller's does in middlewares of its own, nobody knows.
    own = getattr(session, "_middlewares", None)
    if own or not _takes_middlewares(aiohttp):
        return None
    return {"middlewares": (_no_second_copy,)}


async def _no_second_copy(request: Any, handler: Any) -> Any:
    import aiohttp

    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise aiohttp.ClientConnectionError(f"the connection was lost: {error!r}") from error


def never_sent(error: Exception) -> bool:
    """Whether it is proved that the request never left: no connection was made."""
    inner = getattr(error, "inner_exception", None)
    return type(inner).__module__.startswith("aiohttp.") and "Connector" in type(inner).__name__


def _is_aiohttp(transport: object) -> bool:
    kind = type(transport)
    # Not isinstance: a subclass may send as it likes.
    return kind.__name__ == "AioHttpTransport" and kind.__module__.startswith("azure.core.")


def _takes_middlewares(aiohttp: Any) -> bool:
    return "middlewares" in inspect.signature(aiohttp.ClientSession.__init__).parameters
