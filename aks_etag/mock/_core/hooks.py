# SPDX-License-Identifier: MIT
"""The hook that lets another writer in, just before a write is evaluated."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from aks_etag._core.messages import Request

Hook: TypeAlias = Callable[..., Any]

_inside: Final[ContextVar[bool]] = ContextVar("aks_etag_mock_inside_hook", default=False)


class Hooks:
    """Holds one hook and calls it for writes that are not its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hook: Hook | None = None
        self._left: int | None = None
        self._running = 0

    def set(self, hook: Hook | None, times: int | None) -> None:
        """Exchange the hook; None removes it."""
        with self._lock:
            self._hook, self._left = hook, times

    def run(self, request: Callable[[], Request], *, remote: bool) -> None:
        """Call the hook for one write, unless the hook itself is the writer."""
        hook = self._take(remote)
        if hook is None:
            return
        token = _inside.set(True)
        try:
            hook(request()) if _wants_request(hook) else hook()
        finally:
            _inside.reset(token)
            with self._lock:
                self._running -= 1

    def _take(self, remote: bool) -> Hook | None:
        with self._lock:
            # A write that the hook sends over a socket arrives in another thread, so there the count decides.
            own = _inside.get() or (remote and self._running > 0)
            if self._hook is None or own or self._left == 0:
                return None
            self._left = None if self._left is None else self._left - 1
            self._running += 1
            return self._hook


def _wants_request(hook: Hook) -> bool:
    try:
        parameters = inspect.signature(hook).parameters.values()
    except ValueError:  # Some built-in callables have no signature.
        return True
    # An optional parameter is a value that the hook carries along, as in ``lambda tag=tag: ...``.
    return any(each.kind is each.VAR_POSITIONAL or _is_required(each) for each in parameters)


def _is_required(parameter: inspect.Parameter) -> bool:
    positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    return positional and parameter.default is parameter.empty
