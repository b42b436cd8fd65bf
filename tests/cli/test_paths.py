# SPDX-License-Identifier: MIT
"""The generic updates of az: ``--set``, ``--add``, ``--remove``."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from aks_etag.cli._arguments import gathered
from aks_etag.cli._changes import Edits
from aks_etag.cli._steps import BadPathError, steps

BODY: dict[str, Any] = {
    "id": "/x",
    "name": "prod",
    "tags": {"team": "red", "x.io/y": "1"},
    "sku": {"name": "Base", "tier": "Free"},
    "properties": {
        "dnsPrefix": "p",
        "agentPoolProfiles": [
            {"name": "np1", "count": 3, "nodeTaints": ["a=b:NoSchedule"]},
            {"name": "np2", "count": 1},
        ],
        "apiServerAccessProfile": {"authorizedIPRanges": ["10.0.0.0/8"]},
        "identityProfile": None,
    },
}


def changed(*words: str, pool: bool = False, body: dict[str, Any] = BODY) -> dict[str, Any]:
    """Return what options on the command line make of a body."""
    said: dict[str, list[str]] = {"--set": [], "--add": [], "--remove": []}
    text = "--force-string" in words
    joined = gathered([word for word in words if word != "--force-string"])
    for option, value in zip(joined[::2], joined[1::2], strict=True):
        said[option].append(value)
    edits = Edits(
        sets=tuple(said["--set"]), adds=tuple(said["--add"]), removes=tuple(said["--remove"]), force_string=text
    )
    result: dict[str, Any] = edits.change(pool=pool)(deepcopy(body))
    return result


def at(body: Any, *path: Any) -> Any:
    """Look up a place."""
    for step in path:
        body = body[step]
    return body


P = "properties"
POOLS = (P, "agentPoolProfiles")


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        pytest.param(["--set", "dnsPrefix=q"], [P, "dnsPrefix"], "q", id="a-property"),
        pytest.param(["--set", "sku.tier=Standard"], ["sku", "tier"], "Standard", id="beside-the-properties"),
        pytest.param(["--set", "agentPoolProfiles[0].count=5"], [*POOLS, 0, "count"], 5, id="by-index"),
        pytest.param(["--set", "agentPoolProfiles[-1].count=5"], [*POOLS, 1, "count"], 5, id="from-the-end"),
        pytest.param(["--set", "agentPoolProfiles[name=np2].count=5"], [*POOLS, 1, "count"], 5, id="by-name"),
        pytest.param(["--set", "enableRBAC=true"], [P, "enableRBAC"], True, id="json-bool"),
        pytest.param(["--set", "x=null"], [P, "x"], None, id="json-null"),
        pytest.param(["--set", 'x={"a": [1]}'], [P, "x"], {"a": [1]}, id="json-object"),
        pytest.param(["--set", "x=1.35"], [P, "x"], 1.35, id="json-number"),
        pytest.param(["--set", "x=1.35", "--force-string"], [P, "x"], "1.35", id="force-string"),
        pytest.param(["--set", 'x="1.35"'], [P, "x"], "1.35", id="json-text"),
        pytest.param(["--set", "x=NaN"], [P, "x"], "NaN", id="nan-is-no-json"),
        pytest.param(["--set", "x="], [P, "x"], "", id="empty"),
        pytest.param(["--set", "x=a=b"], [P, "x"], "a=b", id="the-first-equals-parts"),
        pytest.param(["--set", "a.b.c=1"], [P, "a", "b", "c"], 1, id="parents-are-made"),
        pytest.param(["--set", "identityProfile.a=1"], [P, "identityProfile", "a"], 1, id="null-is-no-parent"),
        pytest.param(["--set", "tags.cost=42"], ["tags", "cost"], "42", id="tags-are-text"),
        pytest.param(["--set", "tags.Team=blue"], ["tags", "Team"], "blue", id="tags-are-anybodys-names"),
        pytest.param(["--set", "tags.'x.io/y'=2"], ["tags", "x.io/y"], "2", id="a-name-in-quotes"),
        pytest.param(["--set", "tags['x.io/y']=2"], ["tags", "x.io/y"], "2", id="a-name-in-brackets"),
        pytest.param(["--add", "apiServerAccessProfile.authorizedIPRanges", "1.2.3.4", "5.6.7.8"],
                     [P, "apiServerAccessProfile", "authorizedIPRanges"], ["10.0.0.0/8", "1.2.3.4", "5.6.7.8"],
                     id="add"),
        pytest.param(["--add", "agentPoolProfiles[0].nodeTaints", "c=d:NoSchedule"],
                     [*POOLS, 0, "nodeTaints"], ["a=b:NoSchedule", "c=d:NoSchedule"], id="add-what-looks-like-a-pair"),
        pytest.param(["--add", "agentPoolProfiles[1].nodeTaints", "c=d:NoSchedule"],
                     [*POOLS, 1, "nodeTaints"], ["c=d:NoSchedule"], id="add-to-a-list-that-is-not-there"),
        pytest.param(["--add", "agentPoolProfiles", "name=np3", "count=2"],
                     [*POOLS, 2], {"name": "np3", "count": 2}, id="add-pairs-as-one-object"),
        pytest.param(["--add", "x", "a=1", "b=2", "{}", "c=3"],
                     [P, "x"], [{"a": 1, "b": 2}, {}, {"c": 3}], id="add-mix"),
        pytest.param(["--add", "tags", "a=1", "b=2"],
                     ["tags"], {"team": "red", "x.io/y": "1", "a": "1", "b": "2"}, id="add-to-tags"),
        pytest.param(["--remove", "tags.team"], ["tags"], {"x.io/y": "1"}, id="remove"),
        pytest.param(["--remove", "agentPoolProfiles", "0"], [*POOLS, 0, "name"], "np2", id="remove-an-element"),
        pytest.param(["--remove", "agentPoolProfiles", "-1"], [*POOLS, -1, "name"], "np1", id="the-last"),
        pytest.param(["--remove", "agentPoolProfiles", "0", "1"], [*POOLS], [], id="remove-two"),
        pytest.param(["--remove", "agentPoolProfiles[1]"], [*POOLS, -1, "name"], "np1", id="remove-by-path"),
    ],
)  # fmt: skip
def test_a_change_is_made_where_it_was_said(words: list[str], path: list[Any], value: Any) -> None:
    assert at(changed(*words), *path) == value


def test_the_rest_stays_as_it_is() -> None:
    after = changed("--set", "tags.a=1", "dnsPrefix=q", "--remove", "sku")
    assert after.pop("tags") == {**BODY["tags"], "a": "1"}
    assert after["properties"].pop("dnsPrefix") == "q"
    expected = {name: value for name, value in BODY.items() if name not in ("tags", "sku")}
    assert after == {**expected, "properties": {k: v for k, v in BODY["properties"].items() if k != "dnsPrefix"}}


def test_a_pool_has_its_tags_and_its_type_inside() -> None:
    pool = {"name": "np1", "type": "t/agentPools", "properties": {"type": "VirtualMachineScaleSets", "count": 1}}
    after = changed("--set", "tags.a=1", "count=2", pool=True, body=pool)
    assert after == {**pool, "properties": {"type": "VirtualMachineScaleSets", "count": 2, "tags": {"a": "1"}}}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "dnsPrefix"], "is not PATH=VALUE"),
        (["--set", "=5"], "is not PATH=VALUE"),
        (["--set", "a..b=5"], "is no path"),
        (["--set", "a[=5"], "is not PATH=VALUE"),
        (["--set", "properties.dnsPrefix=q"], "has no 'properties'"),
        (["--set", "DNSPrefix=q"], "did you mean 'dnsPrefix'?"),
        (["--set", "agentpoolprofiles[0].count=1"], "did you mean 'agentPoolProfiles'?"),
        (["--set", "agentPoolProfiles[0].Count=1"], "did you mean 'count'?"),
        (["--set", "agentPoolProfiles[2].count=1"], "there is no [2] there"),
        (["--set", "agentPoolProfiles[name=np9].count=1"], "there is no [name=np9] there"),
        (["--set", "agentPoolProfiles.count=1"], "there is no 'count' there"),
        (["--set", "dnsPrefix.x=1"], "there is no 'x' there"),
        (["--set", "agentPoolProfiles[99999999999999999999]=1"], "is no path"),
        (["--add", "dnsPrefix", "x"], "that is no list and no map"),
        (["--add", "tags", "x"], "it is a map, so give KEY=VALUE"),
        (["--add", "x"], "what is to be added?"),
        (["--remove", "tags.nope"], "there is no 'nope' there"),
        (["--remove", "tags", "0"], "there is no such element"),
        (["--remove", "agentPoolProfiles", "2"], "there is no such element"),
        (["--remove", "agentPoolProfiles", "x"], "there is no such element"),
        (["--remove", "agentPoolProfiles", "١"], "there is no such element"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(BadPathError) as raised:
        changed(*words)
    assert said in str(raised.value)


def test_an_empty_path_is_none() -> None:
    with pytest.raises(BadPathError, match="an empty path"):
        steps("")
