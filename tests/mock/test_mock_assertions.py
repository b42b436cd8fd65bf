# SPDX-License-Identifier: MIT
"""What a test may demand of what has happened, and what it reads where that does not hold."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag.mock import MockAks

from .conftest import Client

BODY = {"vmSize": "Standard_DS2_v2", "mode": "System", "osType": "Linux", "maxPods": 250}


def write(aks: Client, count: int, request_id: str = "r", **headers: str) -> int:
    answer = aks.ask(
        "PUT", aks.np1, {"properties": {**BODY, "count": count}}, x_ms_client_request_id=request_id, **headers
    )
    if answer.status_code < 300:
        aks.settle(answer)
    return answer.status_code


def tag(mock: MockAks) -> str:
    return str(mock.body("rg1", "aks1", "np1")["properties"]["eTag"])


def failure(demand: Any, *args: Any, **options: Any) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        demand(*args, **options)
    return str(caught.value).splitlines()


class TestNoUnconditionalWrites:
    def test_a_tag_is_a_condition(self, mock: MockAks, aks: Client) -> None:
        write(aks, 4, If_Match=tag(mock))
        aks.ask("PUT", aks.np2, {"properties": {"count": 1, "vmSize": "x"}}, If_None_Match="*")
        aks.ask("GET", aks.np1)
        aks.ask("PUT", aks.group, {"location": "region1"})
        aks.ask("POST", f"{aks.cluster}/stop")
        mock.assert_no_unconditional_writes()

    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_none_is_none(self, method: str, mock: MockAks, aks: Client) -> None:
        aks.ask(method, aks.np1, {} if method == "PUT" else None)
        said = failure(mock.assert_no_unconditional_writes)
        assert said[0] == "1 writes without a condition that protects anybody:"
        assert said[1].startswith(f"  {method} np1 -> 20")
        assert "no header, exists" in said[1]

    def test_an_asterisk_protects_nobody(self, mock: MockAks, aks: Client) -> None:
        write(aks, 4, If_Match="*")
        assert failure(mock.assert_no_unconditional_writes)[1].startswith("  PUT np1 If-Match: * -> 200")
        mock.assert_no_unconditional_writes(allow_any=True)

    def test_a_write_that_was_refused_counts_as_well(self, mock: MockAks, aks: Client) -> None:
        mock.inject("PUT", effect=503)
        write(aks, 4)
        assert len(failure(mock.assert_no_unconditional_writes)) == 2


class TestNoLostUpdates:
    def test_an_old_body_loses_what_others_wrote(self, mock: MockAks, aks: Client) -> None:
        mock.edit("rg1", "aks1", "np1", lambda body: body["properties"].update(count=9))
        write(aks, 3, "mine")
        said = failure(mock.assert_no_lost_updates)
        assert said == [
            "1 updates are lost:",
            "  np1: somebody else changed properties.count from 3 to 9, and PUT mine put it back",
        ]
        mock.assert_no_lost_updates(ignore=["mine"])

    def test_under_a_newer_tag_as_well(self, mock: MockAks, aks: Client) -> None:
        write(aks, 9, "theirs", If_Match=tag(mock))
        write(aks, 3, "mine", If_Match=tag(mock))
        assert (
            "PUT theirs changed properties.count from 3 to 9, and PUT mine" in failure(mock.assert_no_lost_updates)[1]
        )

    def test_inline_pools_of_a_cluster_lose_what_pools_wrote(self, mock: MockAks, aks: Client) -> None:
        stale = mock.body("rg1", "aks1")
        mock.edit("rg1", "aks1", change=lambda body: body.update(tags={"a": "1"}))
        aks.settle(aks.ask("PUT", aks.cluster, stale, x_ms_client_request_id="mine"))
        assert (
            "changed tags.a from 'nothing' to '1', and PUT mine put it back" in failure(mock.assert_no_lost_updates)[1]
        )

    def test_other_values_and_other_places_are_nobodys_loss(self, mock: MockAks, aks: Client) -> None:
        mock.edit("rg1", "aks1", "np1", lambda body: body["properties"].update(count=9))
        write(aks, 10)
        mock.edit("rg1", "aks1", "np1", lambda body: body["properties"].update(nodeLabels={"a": "1"}, count=11))
        write(aks, 12)
        mock.add_pool("rg1", "aks1", "np2", {"count": 9})
        mock.edit("rg1", "aks1", "np2", lambda body: body["properties"].update(count=3))
        mock.assert_no_lost_updates()

    def test_the_client_loses_nothing(self, mock: MockAks) -> None:
        theirs = lambda: mock.edit("rg1", "aks1", "np1", lambda body: body["properties"].update(count=9))  # noqa: E731
        mock.before_write(theirs, times=1)
        with mock.client() as client:
            pool = client.cluster("rg1", "aks1").agent_pool("np1")
            pool.update(lambda body: body["properties"].update(nodeLabels={"a": "1"}))
        mock.assert_no_lost_updates()
        mock.assert_no_unconditional_writes()
        mock.assert_requests(["GET np1", "PUT np1 If-Match -> 412", "GET np1", "PUT np1 If-Match -> 200", "GET np1"])


class TestRequests:
    def test_what_is_left_out_is_not_compared(self, mock: MockAks, aks: Client) -> None:
        aks.ask("GET", aks.cluster)
        write(aks, 4, If_Match=tag(mock))
        mock.inject("DELETE", effect="reset")
        with pytest.raises(Exception, match="dropped"):
            aks.ask("DELETE", aks.np1)
        aks.ask("GET", f"{aks.cluster}/agentPools")
        mock.assert_requests(["GET aks1", "PUT np1", "DELETE np1", "GET aks1/agentPools"])
        mock.assert_requests(
            ["GET aks1 -> 200", "PUT np1 If-Match -> 200", "DELETE np1 -> no answer", "GET aks1/agentPools"]
        )
        polled = ["GET aks1", "PUT np1", "GET operation -> 200", "DELETE np1", "GET aks1/agentPools"]
        mock.assert_requests(polled, polls=True)

    @pytest.mark.parametrize(
        ("expected", "marks"),
        [
            (["GET np1", "PUT np1 -> 412"], " !"),
            (["GET np1", "PUT np1 If-None-Match"], " !"),
            (["PUT np1", "PUT np1"], "! "),
            (["GET aks1", "PUT np1"], "! "),
            (["GET np1"], " !"),
            (["GET np1", "PUT np1", "GET np1"], "  !"),
            ([], "!!"),
        ],
    )
    def test_a_failure_shows_both_side_by_side(
        self, expected: list[str], marks: str, mock: MockAks, aks: Client
    ) -> None:
        aks.ask("GET", aks.np1)
        write(aks, 4, If_Match=tag(mock))
        said = failure(mock.assert_requests, expected)
        assert "".join(line[2] for line in said[1:]) == marks
        assert f"expected {len(expected)} requests, and there were 2:" == said[0]
