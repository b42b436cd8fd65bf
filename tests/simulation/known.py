# SPDX-License-Identifier: MIT
"""What histories have shown to be wrong, and nobody has mended yet: test_known.py has the trace that shows each alone.

Whoever mends one drops it here: from then on a history that shows it fails again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.history import Anomaly

from .world import World


def _claims_too_much(world: World, anomaly: Anomaly) -> bool:
    end = _end(world, anomaly)
    return anomaly.kind == "phantom" and "Operation" in end.get("error", "") and end.get("applied") is True


def _parent_was_absent(world: World, anomaly: Anomaly) -> bool:
    """Whether a map that the change fills was not there at all, before it or when it was looked at again."""
    if anomaly.kind != "needless unknown" or "untouched" not in anomaly.lines[-1]:
        return False
    attempts = [line for line in world.lines if line["line"] == "attempt" and line["op"] == anomaly.op]
    bodies = {commit.base_tag: commit.body_before for commit in world.mock.commits}
    bodies |= {commit.new_tag: commit.body_after for commit in world.mock.commits}
    looked_at = [bodies.get(each["read"]) for each in attempts] + [bodies.get(_end(world, anomaly).get("tag"))]
    parents = {path.rpartition("/")[0] for each in attempts for path in each["changes"]}
    return any(not _map_at(body, parent) for body in looked_at for parent in parents)


def _removes_twice(world: World, anomaly: Anomaly) -> bool:
    return (
        anomaly.kind in ("lost", "doubled", "re-asserted")
        and anomaly.lines[0].startswith("update_tags")
        and "PUT" in str(anomaly)
    )


def _hides_what_is_pending(world: World, anomaly: Anomaly) -> bool:
    """Whether a later write was accepted, so that the error speaks of that one's operation only."""
    sent = [line for line in world.lines if line["line"] == "attempt" and line["op"] == anomaly.op]
    about = _end(world, anomaly).get("error") in ("OperationFailedError", "DeadlineExceededError", "ThrottledError")
    return anomaly.kind == "falsely failed" and about and len(sent) > 1 and "came after it" in str(anomaly)


KNOWN: Final[Mapping[str, Callable[[World, Anomaly], bool]]] = {
    "a failed operation claims that it was applied, since somebody else wrote the same": _claims_too_much,
    "a key counts as touched because the map around it was not there": _parent_was_absent,
    "an accepted write hides an older one that is still under way": _hides_what_is_pending,
    "update_tags removes again what somebody has set anew": _removes_twice,
}


def known(world: World, anomaly: Anomaly) -> str | None:
    """Return what an anomaly is known as."""
    return next((name for name, fits in KNOWN.items() if fits(world, anomaly)), None)


def _end(world: World, anomaly: Anomaly) -> Mapping[str, Any]:
    return next((line for line in world.lines if line["line"] == "end" and line["op"] == anomaly.op), {})


def _map_at(body: Any, pointer: str) -> Any:
    for name in pointer.split("/")[1:]:
        body = body.get(name) if isinstance(body, Mapping) else None
    return body
