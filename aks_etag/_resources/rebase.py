# SPDX-License-Identifier: MIT
"""Three-way merge of clusters and agent pools, as a change."""

from __future__ import annotations

from typing import Any, get_args

from .._core.changes import Change, plain_body
from .._core.merge import MergeConflict, OnConflict, merge
from .._core.messages import Body
from .._core.snapshot import Snapshot
from ..errors import MergeConflictError
from .arm import properties
from .model import RULES, body_of


def rebase(base: Body | Snapshot, desired: Body | Snapshot, on_conflict: OnConflict = "raise") -> Change:
    """Build a change that replays on a fresh body what ``desired`` changed since ``base`` (a three-way merge).

    It is for a body that was decided on some time ago: one from a file, a form, or an approved plan. Only what differs
    between ``base`` and ``desired`` is a change; what others did since stays, above all the ``count`` that an
    autoscaler has set. (A plain change that returns a whole older body without its eTag asks for each of its values,
    its old count included: nothing tells that from a wish to scale.)

    Maps merge by key, so labels and tags do; lists whose elements have names (pools and profiles, taints by key and
    effect, sets of texts) merge by name, in the order that is there, additions last; any other list is one value. What
    the service owns stays as it is there, the eTag, too; what it keeps by itself (``nodeImageVersion``, ``powerState``)
    stays unless ``base`` and ``desired`` both have it and differ. A ``desired`` without ``agentPoolProfiles`` says
    nothing about pools. To delete what others edited is a conflict, too. ``on_conflict`` settles each conflict for the
    ``desired`` body ("ours") or the fresh one ("theirs").

    Raises:
        MergeConflictError: by the change, which may meet another body each time it runs; nothing is sent.
        TypeError: ``base`` or ``desired`` is no body.
        ValueError: ``on_conflict`` is another word.
    """
    if on_conflict not in get_args(OnConflict):
        raise ValueError(f"on_conflict={on_conflict!r} is not one of {', '.join(get_args(OnConflict))}")
    known, wanted = body_of(base), body_of(desired)
    if "agentPoolProfiles" not in properties(wanted):
        known = _without_pools(known)

    def change(body: dict[str, Any]) -> dict[str, Any]:
        merged, conflicts = merge(known, wanted, body, RULES, ours_first=on_conflict == "ours")
        if conflicts and on_conflict == "raise":
            raise _conflict(conflicts, body)
        return plain_body(merged)

    return change


def _without_pools(body: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in properties(body).items() if name != "agentPoolProfiles"}
    return {**body, "properties": kept} if "properties" in body else body


def _conflict(conflicts: tuple[MergeConflict, ...], body: Body) -> MergeConflictError:
    found = body.get("id")
    paths = ", ".join(conflict.path for conflict in conflicts)
    return MergeConflictError(
        f"both sides changed {paths} since the base, each to something else; nothing was sent: decide again on what is "
        'there now, or say on_conflict="ours" or "theirs"',
        resource_id=found if isinstance(found, str) else None,
        conflicts=conflicts,
    )
