# SPDX-License-Identifier: MIT
"""ARM ids: parsed and compared without case; what could change the path of a URL is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aks_etag._core.resource_id import ResourceId, check_name, check_windows_pool, parse
from aks_etag.errors import InvalidResourceIdError

S = "00000000-0000-0000-0000-000000000000"
CLUSTER = f"/subscriptions/{S}/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/aks1"
POOL = f"{CLUSTER}/agentPools/np1"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(CLUSTER, ResourceId(S, "rg1", "aks1"), id="cluster"),
        pytest.param(POOL, ResourceId(S, "rg1", "aks1", "np1"), id="pool"),
        pytest.param(f"{POOL}/", ResourceId(S, "rg1", "aks1", "np1"), id="trailing-slash"),
        pytest.param(CLUSTER.replace("resourceGroups", "resourcegroups"), ResourceId(S, "rg1", "aks1"), id="as-sent"),
        pytest.param(
            CLUSTER.replace("managedClusters", "ManagedClusters"), ResourceId(S, "rg1", "aks1"), id="other-case"
        ),
        pytest.param(CLUSTER.replace("rg1", "Gruppe-(ä)_1.x"), ResourceId(S, "Gruppe-(ä)_1.x", "aks1"), id="odd-group"),
    ],
)
def test_an_id_is_parsed_whatever_its_case(text: str, found: ResourceId) -> None:
    assert parse(text) == found


@pytest.mark.parametrize("text", [CLUSTER, POOL])
def test_an_id_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(text)) == text


def test_names_and_parents() -> None:
    cluster, pool = parse(CLUSTER), parse(POOL)
    assert (cluster.name, pool.name) == ("aks1", "np1")
    assert (pool.parent, cluster.parent, cluster.agent_pool("np1")) == (cluster, cluster, pool)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [(CLUSTER, CLUSTER.upper(), True), (CLUSTER, POOL, False), (CLUSTER, CLUSTER + "2", False)],
)
def test_ids_have_no_case(left: str, right: str, same: bool) -> None:
    assert parse(left).same(parse(right)) is same


@pytest.mark.parametrize(
    "text",
    [
        "",
        "aks1",
        "/subscriptions/s1",
        f"/subscriptions/{S}/resourceGroups/rg1",
        CLUSTER + "/agentPools",
        CLUSTER + "/agentPools/np1/machines/m1",
        CLUSTER.replace("ContainerService", "Compute"),
        "https://management.azure.com" + CLUSTER,
        CLUSTER + "?api-version=2020-01-01",
        CLUSTER + "#x",
        CLUSTER + "\n",
        CLUSTER.replace("rg1", "../rg1"),
        CLUSTER.replace("/rg1/", "//"),
        CLUSTER.replace("aks1", "aks1%2F.."),
        CLUSTER.replace("Microsoft.Container", "MicrosoftXContainer"),
    ],
)
def test_what_is_no_id_of_ours_is_refused(text: str) -> None:
    with pytest.raises(InvalidResourceIdError):
        parse(text)


@pytest.mark.parametrize("text", ["", "aks1", CLUSTER + "/agentPools", "https://management.azure.com" + CLUSTER])
def test_what_has_not_the_shape_of_an_id_is_refused_even_if_listed(text: str) -> None:
    with pytest.raises(InvalidResourceIdError, match="is not the ARM id"):
        parse(text, listed=True)


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("value", [None, 7, b"/subscriptions/s1", [CLUSTER], ResourceId("s1", "rg1", "aks1")], ids=repr)
def test_what_is_no_text_is_no_id(value: Any, listed: bool) -> None:
    with pytest.raises(InvalidResourceIdError, match="is not the ARM id"):
        parse(value, listed=listed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("np1", "NP-1", id="pool"),
        pytest.param("np1", "a" * 13, id="pool-too-long"),
        pytest.param("aks1", "aks.1-", id="cluster"),
        pytest.param("rg1", "rg.", id="group"),
        pytest.param(S, "s_1", id="subscription"),
    ],
)
def test_a_name_that_the_service_itself_listed_is_taken_as_it_is(old: str, new: str) -> None:
    odd = POOL.replace(old, new)
    assert str(parse(odd, listed=True)) == odd
    with pytest.raises(InvalidResourceIdError, match="is not a valid"):
        parse(odd)


def test_where_an_id_came_from_is_no_part_of_it() -> None:
    assert parse(POOL, listed=True) == parse(POOL)


@pytest.mark.parametrize(
    ("what", "name", "fine"),
    [
        ("subscription id", S, True),
        ("subscription id", "s1", True),
        ("subscription id", "", False),
        ("subscription id", "-s1", False),
        ("subscription id", "s1/..", False),
        ("subscription id", "a" * 65, False),
        ("resource group name", "rg.1", True),
        ("resource group name", "r" * 90, True),
        ("resource group name", "r" * 91, False),
        ("resource group name", "rg.", False),
        ("resource group name", "..", False),
        ("resource group name", ".", False),
        ("resource group name", "a b", False),
        ("resource group name", "a%2Fb", False),
        ("resource group name", "rg1\n", False),
        ("cluster name", "a", True),
        ("cluster name", "a-_b", True),
        ("cluster name", "a" * 63, True),
        ("cluster name", "a" * 64, False),
        ("cluster name", "a-", False),
        ("cluster name", "_a", False),
        ("cluster name", "a.b", False),
        ("cluster name", "ä", False),
        ("cluster name", "a?b", False),
        ("cluster name", "a\r", False),
        ("agent pool name", "np1", True),
        ("agent pool name", "a" * 12, True),
        ("agent pool name", "a" * 13, False),
        ("agent pool name", "1np", False),
        ("agent pool name", "NP1", False),
        ("agent pool name", "n-p", False),
        ("agent pool name", "", False),
        ("agent pool name", "np1\n", False),
        ("agent pool name", None, False),
        ("agent pool name", 7, False),
    ],
)
def test_names_keep_to_the_rules_of_the_service(what: str, name: Any, fine: bool) -> None:
    if fine:
        check_name(what, name)
        return
    with pytest.raises(InvalidResourceIdError, match=what):
        check_name(what, name)


@pytest.mark.parametrize(
    "names", [("s1", "rg1", "a/b"), ("s1", "..", "a"), ("s/1", "rg1", "a"), ("s1", "rg1", "a", "..")]
)
def test_an_id_cannot_be_built_from_path_tricks(names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidResourceIdError):
        ResourceId(*names)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=12))
def test_what_is_accepted_cannot_leave_its_path(group: str, cluster: str, pool: str) -> None:
    try:
        found = ResourceId("s1", group, cluster, pool)
    except InvalidResourceIdError:
        return
    parts = str(found).split("/")
    assert len(parts) == 11
    assert not {"", ".", ".."} & set(parts[1:])
    assert not set("?#%\\ \r\n\t") & set(str(found))


@pytest.mark.parametrize(
    ("name", "os_type", "fine"),
    [
        ("win123", "Windows", True),
        ("win1234", "Windows", False),
        ("win1234", "windows", False),
        ("linux1234", "Linux", True),
        ("linux1234", None, True),
        ("linux1234", 7, True),
    ],
)
def test_a_windows_pool_name_has_six_characters(name: str, os_type: Any, fine: bool) -> None:
    if fine:
        check_windows_pool(name, os_type)
        return
    with pytest.raises(InvalidResourceIdError, match="at most 6"):
        check_windows_pool(name, os_type)


@pytest.mark.parametrize("name", ["a?x", "..", ".", "a#b", "a%2fb", "a b", "a\n"])
def test_a_listed_name_cannot_change_the_path_either(name: str) -> None:
    with pytest.raises(InvalidResourceIdError):
        parse(
            f"/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/{name}",
            listed=True,
        )


def test_what_belongs_to_a_listed_one_is_listed() -> None:
    path = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/Odd_"
    odd = parse(f"{path}/agentPools/NP1", listed=True)
    assert (str(odd.parent), str(odd.parent.agent_pool("np2"))) == (path, f"{path}/agentPools/np2")
