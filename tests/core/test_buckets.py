# SPDX-License-Identifier: MIT
"""Which budget a request is paid from, and what is known of it."""

from __future__ import annotations

import pytest

from aks_etag._core.buckets import Account, Bucket, Rate, account_of

SCOPE = "/subscriptions/s1"
AKS = "/providers/Microsoft.ContainerService"
GROUP = f"{SCOPE}/resourceGroups/rg1"
CLUSTER = f"{GROUP}{AKS}/managedClusters/aks1"
POOL = f"{CLUSTER}/agentPools/np1"
OPERATION = f"{SCOPE}{AKS}/locations/westeurope/operations/op1"
REST = Account("everything else", "", SCOPE)
PUTS, READS = Rate(20, 1 / 60), Rate(60, 1.0)


def own(kind: str, method: str, path: str) -> Account:
    return Account(kind, method, path.casefold())


@pytest.mark.parametrize(
    ("method", "url", "account", "rate"),
    [
        pytest.param("PUT", CLUSTER, own("cluster", "PUT", CLUSTER), PUTS, id="put-cluster"),
        pytest.param("PUT", POOL, own("pool", "PUT", POOL), PUTS, id="put-pool"),
        pytest.param("GET", CLUSTER, own("cluster", "GET", CLUSTER), READS, id="get-cluster"),
        pytest.param("GET", OPERATION, own("operation", "GET", SCOPE), Rate(200, 2.0), id="operation"),
        pytest.param(
            "GET", f"{SCOPE}{AKS}/managedClusters",
            own("clusters of a subscription", "GET", f"{SCOPE}{AKS}/managedClusters"), Rate(500, 1.0),
            id="list-subscription",
        ),
        pytest.param(
            "GET", f"{GROUP}{AKS}/managedClusters",
            own("clusters of a group", "GET", f"{GROUP}{AKS}/managedClusters"), READS, id="list-group",
        ),
        pytest.param("GET", POOL, REST, READS, id="get-pool"),
        pytest.param("GET", f"{CLUSTER}/agentPools", REST, READS, id="list-pools"),
        pytest.param("PATCH", CLUSTER, REST, READS, id="patch"),
        pytest.param("DELETE", POOL, REST, READS, id="delete"),
        pytest.param("POST", f"{CLUSTER}/listClusterUserCredential", REST, READS, id="post"),
        pytest.param("GET", OPERATION.replace("operations", "operationresults"), REST, READS, id="operation-result"),
    ],
)  # fmt: skip
def test_a_request_is_paid_from_one_budget(method: str, url: str, account: Account, rate: Rate) -> None:
    spellings = [url, f"{url}?api-version=2026-08-01", f"{url}/", f"https://management.azure.com{url}?t=SIGNED"]
    assert {account_of(method, spelling) for spelling in [*spellings, url.upper(), url.lower()]} == {account}
    assert account.rate == rate


@pytest.mark.parametrize(
    "url", [GROUP, f"{GROUP}/providers/Microsoft.Network/virtualNetworks/v", "/apis/apps/v1/deployments", "/x", ""]
)
def test_what_is_not_of_aks_has_none(url: str) -> None:
    assert account_of("PUT", url) is None


def test_each_resource_has_its_own_and_reads_and_writes_are_apart() -> None:
    accounts = {account_of(method, url) for method in ("PUT", "GET") for url in (CLUSTER, f"{CLUSTER}2")}
    accounts |= {account_of("PUT", url) for url in (POOL, f"{POOL}2")}
    assert len(accounts) == 6


def bucket(level: float, *, learned: bool = True, rate: Rate = PUTS) -> Bucket:
    return Bucket(rate=rate, level=level, since=100.0, learned=learned)


@pytest.mark.parametrize(
    ("level", "reserve", "passed", "wait"),
    [
        pytest.param(20.0, 0, 0.0, 0.0, id="full"),
        pytest.param(1.0, 0, 0.0, 0.0, id="one"),
        pytest.param(0.0, 0, 0.0, 60.0, id="none"),
        pytest.param(0.0, 0, 45.0, 15.0, id="soon"),
        pytest.param(0.0, 0, 60.0, 0.0, id="again"),
        pytest.param(1 - 1e-9, 0, 0.0, 0.0, id="one-but-for-rounding"),
        pytest.param(5.0, 5, 0.0, 60.0, id="all-of-them-reserved"),
        pytest.param(6.0, 5, 0.0, 0.0, id="one-beside-the-reserve"),
        pytest.param(-1.0, 0, 0.0, 120.0, id="less-than-none"),
    ],
)
def test_the_next_token_comes_in_time(level: float, reserve: int, passed: float, wait: float) -> None:
    assert bucket(level).wait(100.0 + passed, reserve) == pytest.approx(wait, abs=1e-6)


def test_it_never_holds_more_than_its_size() -> None:
    assert Bucket.full(PUTS, 0.0).left(1e9) == 20.0
    assert bucket(20.0).returned().left(100.0) == 20.0


def test_what_is_spent_comes_back_with_time() -> None:
    spent = bucket(3.0).spent(100.0).spent(130.0)
    assert spent.left(130.0) == pytest.approx(1.5)
    assert spent.left(220.0) == pytest.approx(3.0)
    assert spent.returned().left(130.0) == pytest.approx(2.5)


def test_what_goes_out_although_none_seemed_left_is_no_debt() -> None:
    assert bucket(0.2, learned=False).spent(100.0).left(100.0) == 0.0


@pytest.mark.parametrize(
    ("rate", "retry_after", "wait"),
    [
        pytest.param(PUTS, 36.0, 36.0, id="less-than-a-token"),
        pytest.param(PUTS, 600.0, 600.0, id="more-than-a-token"),
        pytest.param(PUTS, None, 60.0, id="no-hint"),
        pytest.param(READS, 9.0, 9.0, id="read"),
        pytest.param(READS, None, 1.0, id="read-without-a-hint"),
    ],
)
def test_a_429_says_when_there_is_a_token(rate: Rate, retry_after: float | None, wait: float) -> None:
    taught = bucket(17.0, learned=False, rate=rate).refused(200.0, retry_after)
    assert taught.learned
    assert taught.wait(200.0) == pytest.approx(wait)
    assert taught.wait(200.0 + wait) == 0.0
    assert taught.spent(200.0 + wait).wait(200.0 + wait) == pytest.approx(1 / rate.refill)
