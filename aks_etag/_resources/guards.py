# SPDX-License-Identifier: MIT
"""A guard for pipelines: changes that take no nodes away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from .._core.changes import Change, applied
from .._core.document import at
from .._core.messages import JSON, Body
from .._core.places import Key, Place, by, named
from ..errors import ScaleDownRefusedError
from .arm import properties

# Where, how many, and whether it counts as none where it is left out.
Asked: TypeAlias = tuple[str, int, bool]


def no_scale_down(change: Change) -> Change:
    """Guard a change: where its result lowers ``count`` or ``minCount`` of a pool, it raises, and nothing is sent.

    It compares with the fresh body each time it runs, so that it also stops an older ``count`` that would undo what an
    autoscaler did. It looks at an agent pool, at the inline pools of a cluster where the result has them, and at each
    VM size of a pool of virtual machines. A ``count``, size or inline pool left out counts as lowered, since the
    service's default is one node; switching the autoscaler off may leave out ``minCount``.

    Raises:
        ScaleDownRefusedError: by the change; ``paths`` says where.
    """

    def guarded(body: dict[str, Any]) -> dict[str, Any]:
        after = applied(change, body)
        lowered = _lowered(body, after)
        if lowered:
            name = body.get("id")
            raise ScaleDownRefusedError(
                f"the change takes nodes away ({', '.join(lowered.values())}), which no_scale_down does not allow; "
                "nothing was sent",
                paths=tuple(lowered),
                resource_id=name if isinstance(name, str) else None,
            )
        return after

    return guarded


def _lowered(before: Body, after: Body) -> dict[str, str]:
    left: dict[str, int] = {}
    for path, number, _ in _numbers(after):
        left[path] = min(number, left.get(path, number))
    # Inline pools that the result leaves out altogether are not sent, and the service keeps them.
    inline = "agentPoolProfiles" in properties(after)
    return {
        path: f"{path}: {number} -> {left.get(path, '(absent)')}"
        for path, number, needed in _numbers(before, inline=inline)
        if left.get(path, 0 if needed else number) < number
    }


def _numbers(body: Body, *, inline: bool = True) -> Iterator[Asked]:
    """List the numbers of nodes that a body asks for."""
    place = Place().member("properties")
    yield from _of_pool(properties(body), place)
    if inline:
        profiles = properties(body).get("agentPoolProfiles")
        for where, profile in _elements(profiles, by("name"), place.member("agentPoolProfiles")):
            yield from _of_pool(profile, where)


def _of_pool(pool: Body, place: Place) -> Iterator[Asked]:
    yield from _number(pool, "count", place)
    yield from _number(pool, "minCount", place, needed=False)
    scale = place.member("virtualMachinesProfile").member("scale")
    for kind, name in (("manual", "count"), ("autoscale", "minCount")):
        sizes = at(pool, ("virtualMachinesProfile", "scale", kind))
        for where, size in _elements(sizes, by("size"), scale.member(kind)):
            yield from _number(size, name, where)


def _elements(value: JSON, key: Key, place: Place) -> Iterator[tuple[Place, Body]]:
    for name, element in (named(value, key) or {}).items():
        yield place.element(name), element


def _number(holder: Body, name: str, place: Place, *, needed: bool = True) -> Iterator[Asked]:
    # Azure reads names without case.
    for key, value in holder.items():
        if key.casefold() == name.casefold() and isinstance(value, int | float) and not isinstance(value, bool):
            yield place.member(name).text, int(value), needed
