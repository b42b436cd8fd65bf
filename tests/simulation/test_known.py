# SPDX-License-Identifier: MIT
"""The shortest trace of each defect that histories have shown: mend one, and its test says so."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import merge_patch
from aks_etag._core.messages import Response
from aks_etag._flows.budget import Budget
from aks_etag._flows.compose import update_tags
from aks_etag._flows.effects import Flow
from aks_etag._flows.options import Options
from aks_etag._resources import ClusterTags
from tests.flows.harness import ARM, CLUSTER, LOST, accepted, cluster, more, polled, pool, trace, traced

TAGS = ClusterTags(address=CLUSTER.address, arm=ARM)


@pytest.mark.xfail(strict=True, reason="four nodes are there, but not by us: nothing tells whose they are")
def test_a_failed_increment_does_not_claim_what_somebody_else_did() -> None:
    done = traced(more, pool("t1", count=3), accepted(), polled("Canceled"), pool("t2", count=4))
    assert done.ended == "OperationFailedError"
    assert done.error.applied is None


@pytest.mark.xfail(strict=True, reason="the second write failed, and the first can still land under that version")
def test_a_failed_operation_does_not_hide_an_older_write_that_is_still_under_way() -> None:
    seen = pool("t1", count=3)
    done = traced(more, seen, LOST, seen, accepted(), polled("Failed", code="QuotaExceeded"), seen)
    assert (done.ended, done.error.pending) == ("WriteOutcomeUnknownError", True)


@pytest.mark.xfail(strict=True, reason="the label is untouched, but there were no labels at all before")
def test_a_key_is_untouched_although_the_map_around_it_is_new() -> None:
    mine = merge_patch({"properties": {"nodeLabels": {"mine": "1"}}})
    bare, others = pool("t1", nodeLabels=None), pool("t2", nodeLabels={"theirs": "1"})
    done = traced(mine, bare, LOST, others, accepted(), polled(), pool("t3", nodeLabels={"theirs": "1", "mine": "1"}))
    assert done.ended == "updated"


@pytest.mark.xfail(
    strict=True, reason="the answer of the PATCH showed that the tag was gone; what came later is not ours"
)
def test_update_tags_does_not_remove_what_somebody_has_set_anew() -> None:
    def flow() -> Flow[Any]:
        budget = yield from Budget.start(CLUSTER.id, Options())
        return (yield from update_tags(TAGS, CLUSTER, merge_patch({"tags": {"mode": None}}), Options(), budget))

    seen, gone, anew = (_tagged(*each) for each in (("t1", {"mode": "a"}), ("t2", {}), ("t3", {"mode": "a"})))
    done = trace(flow(), seen, gone, anew)
    assert [step.split()[0] for step in done.steps if step.startswith(("GET", "PATCH", "PUT"))] == [
        "GET",
        "PATCH",
        "GET",
    ]


def _tagged(tag: str, tags: dict[str, str]) -> Response:
    shown = cluster(tag)
    return Response(status=200, body={**shown.body, "tags": tags}, received_at=shown.received_at)
