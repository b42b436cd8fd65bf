# SPDX-License-Identifier: MIT
"""The way of a request to the service and back, and what can become of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from aks_etag._core.messages import NoResponse, Request, Response

if TYPE_CHECKING:
    from .task import Task
    from .world import World

PATIENCE: Final = 100.0
_BUSY: Final = {
    "code": "OperationNotAllowed",
    "message": "Operation is not allowed: Another operation (Updating) is in progress, please wait",
}
_RACED: Final = {"code": "EtagMismatch", "message": "Another operation is in progress"}


def carry(world: World, task: Task, request: Request) -> None:
    """Carry a request to the service after a while, and its answer back after another, unless a fault comes between."""
    there, back = task.dice.expovariate(4.0), task.dice.expovariate(4.0)
    fault = world.fault(task, request)
    kind, seconds = fault or ("", 0.0)
    world.note(f"w{task.writer.number} {told(request)}" + (f" [{kind} {seconds:g}]" if kind else ""))
    patience = PATIENCE if request.timeout is None else request.timeout
    match kind:
        case "":
            _through(world, task, request, there, back, patience)
        case "lost before":
            world.after(min(there + seconds, patience), task, lost())
        case "lost after" | "slow":
            # A slow answer is one that comes when nobody waits for it any more, if it takes longer than that.
            slow = seconds if kind == "slow" else patience
            _through(world, task, request, there, back + slow, patience if kind == "slow" else there + back)
        case "late":
            # The caller is told at once that there is no answer; the request is still on its way.
            world.at(world.now + there + seconds, lambda: _arrive(world, request))
            world.after(min(there + back, patience), task, lost())
        case "unsent":
            world.after(back, task, NoResponse(error=ConnectionRefusedError("refused"), sent=False))
        case _:
            if kind.endswith("after"):
                world.at(world.now + there, lambda: _arrive(world, request))
            world.after(there + back, task, refusal(kind, seconds, world.time()))


def _through(world: World, task: Task, request: Request, there: float, back: float, patience: float) -> None:
    """Deliver a request; the caller waits for the answer only so long."""

    def arrives() -> None:
        answer = world.deliver(request)
        if there + back <= patience:
            world.after(back, task, answer)

    world.at(world.now + there, arrives)
    if there + back > patience:
        world.after(patience, task, lost())


def _arrive(world: World, request: Request) -> None:
    world.deliver(request)


def lost() -> NoResponse:
    return NoResponse(error=TimeoutError("no answer"))


def refusal(kind: str, seconds: float, now: float) -> Response:
    """Return the answer that a fault puts in the place of the real one."""
    status, _, _ = kind.partition(" ")
    if status == "page":
        # A proxy answers in the place of the service, and calls it a success.
        return Response(status=200, garbled=True, received_at=now)
    if status in ("raced", "busy"):
        return Response(status=409, body=_RACED if status == "raced" else _BUSY, received_at=now)
    headers = {"retry-after": str(max(1, int(seconds)))} if kind == "429 asks" else {}
    body: Any = {"error": {"code": "Broken", "message": kind}}
    return Response(status=int(status), headers=headers, body=body, received_at=now)


def told(request: Request) -> str:
    """Write a request down in a few words."""
    path = request.url.partition("?")[0].rsplit("/", 2)
    conditions = [f"{name}={value}" for name, value in request.headers.items()]
    return " ".join(
        [request.method, "/".join(path[1:]), *conditions, *([request.request_id] if request.is_write else [])]
    )
