# SPDX-License-Identifier: MIT
"""What a guarded change may not do: take nodes away."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from aks_etag import InvalidPreconditionError, ScaleDownRefusedError, merge_patch, no_scale_down
from aks_etag._core.changes import applied


def sizes(kind: str, **numbers: int) -> dict[str, Any]:
    field = "count" if kind == "manual" else "minCount"
    return {"virtualMachinesProfile": {"scale": {kind: [{"size": size, field: n} for size, n in numbers.items()]}}}


def inline(**counts: int) -> dict[str, Any]:
    return {"agentPoolProfiles": [{"name": name, "count": count} for name, count in counts.items()]}


SCALE = "properties.virtualMachinesProfile.scale"
# The properties before and after, and what is said of them.
TABLE: dict[str, tuple[Any, Any, list[str]]] = {
    "same": ({"count": 3}, {"count": 3}, []),
    "up": ({"count": 3, "minCount": 1}, {"count": 5, "minCount": 2}, []),
    "down": ({"count": 3}, {"count": 2}, ["properties.count: 3 -> 2"]),
    "to-none": ({"count": 3}, {"count": 0}, ["properties.count: 3 -> 0"]),
    "left-out": ({"count": 3}, {}, ["properties.count: 3 -> (absent)"]),
    "null": ({"count": 3}, {"count": None}, ["properties.count: 3 -> (absent)"]),
    "nothing-to-lose": ({"count": 0}, {}, []),
    "new": ({}, {"count": 1}, []),
    "minimum-down": ({"minCount": 3}, {"minCount": 2}, ["properties.minCount: 3 -> 2"]),
    "autoscaler-off": ({"count": 3, "minCount": 3, "maxCount": 9}, {"count": 3}, []),
    "maximum-down": ({"count": 3, "maxCount": 9}, {"count": 3, "maxCount": 5}, []),
    "no-properties": ({"count": 3}, None, ["properties.count: 3 -> (absent)"]),
    "inline-same": (inline(np1=3, np2=1), inline(np2=1, np1=3), []),
    "inline-down": (inline(np1=3, np2=1), inline(np1=2, np2=1), ["properties.agentPoolProfiles[np1].count: 3 -> 2"]),
    "inline-gone": (inline(np1=3, np2=1), inline(np1=3), ["properties.agentPoolProfiles[np2].count: 1 -> (absent)"]),
    "inline-new": (inline(np1=3), inline(np1=3, np2=1), []),
    "inline-not-sent": (inline(np1=3), {}, []),
    "inline-odd": (inline(np1=3), {"agentPoolProfiles": "x"}, [
        "properties.agentPoolProfiles[np1].count: 3 -> (absent)"]),
    "size-same": (sizes("manual", S1=3), sizes("manual", S1=3, S2=1), []),
    "size-down": (sizes("manual", S1=3, S2=1), sizes("manual", S1=2, S2=2), [f"{SCALE}.manual[S1].count: 3 -> 2"]),
    "size-gone": (sizes("manual", S1=3), sizes("manual", S2=3), [f"{SCALE}.manual[S1].count: 3 -> (absent)"]),
    "minimum-of-size": (sizes("autoscale", S1=3), sizes("autoscale", S1=1), [
        f"{SCALE}.autoscale[S1].minCount: 3 -> 1"]),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_a_guarded_change_takes_no_nodes_away(case: str) -> None:
    before, after, said = TABLE[case]
    body, wanted = {"id": "/p", "properties": before}, {"properties": after}
    change = no_scale_down(lambda body: wanted)
    if not said:
        assert applied(change, body) == wanted
        return
    with pytest.raises(ScaleDownRefusedError) as raised:
        applied(change, body)
    assert ", ".join(said) in str(raised.value)
    assert raised.value.paths == tuple(each.partition(":")[0] for each in said)
    assert raised.value.resource_id == "/p"
    assert isinstance(raised.value, InvalidPreconditionError)
    assert pickle.loads(pickle.dumps(raised.value)).paths == raised.value.paths


def test_a_guarded_change_may_edit_in_place_and_need_not_have_an_id() -> None:
    def edit(body: dict[str, Any]) -> None:
        body["properties"]["count"] -= 1

    with pytest.raises(ScaleDownRefusedError) as raised:
        applied(no_scale_down(edit), {"properties": {"count": 3}})
    assert raised.value.resource_id is None
    assert applied(no_scale_down(merge_patch({"tags": {}})), {"properties": {"count": 3}})["tags"] == {}
