# SPDX-License-Identifier: MIT
"""What users have of their clusters, in each shape they have it, as the state that a mock begins with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from aks_etag.mock._core.address import Address, parse_path
from aks_etag.mock._core.backstage import Backstage
from aks_etag.mock._core.records import Cluster, Pool
from aks_etag.mock._core.seeds import FIXTURE_POOL
from aks_etag.mock._core.store import Store

# What ARM has beside "properties"; everything else that az prints at the top is inside of it.
_TOP: Final = frozenset(
    {
        *("id", "name", "type", "location", "tags", "identity", "sku", "kind", "extendedLocation", "systemData"),
        *("managedBy", "plan", "zones", "eTag", "etag"),
    }
)
_SHAPE: Final = '{"RG": {"NAME": {"np1": {"count": 3}}}}'
_STATE: Final = frozenset({"provisioningState", "agentPoolProfiles", "eTag", "etag", "name"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One cluster or pool in ARM's shape, and where it belongs."""

    address: Address
    body: Mapping[str, Any]


def sow(store: Store, backstage: Backstage, source: Any) -> list[str]:
    """Put clusters and pools into a mock; return their ARM ids.

    Raises:
        ValueError: something is neither, or says not where it belongs; the message names its place.
    """
    given = json.loads(Path(source).read_text("utf-8-sig")) if isinstance(source, str | Path) else source
    if isinstance(given, Mapping) and _by_name(given):
        return list(_named(backstage, given))
    seeds = list(_seeds(given))
    # Pools may come before the cluster that they belong to.
    seeds.sort(key=lambda seed: bool(seed.address.pool))
    return [(_pool if each.address.pool else _cluster)(store, backstage, each) for each in seeds]


def _by_name(given: Mapping[str, Any]) -> bool:
    return not given.keys() & {"id", "name", "properties", "value"}


def _named(backstage: Backstage, there: Mapping[str, Any]) -> Iterator[str]:
    for group, clusters in there.items():
        backstage.add_group(group)
        for name, pools in _mapping(clusters, group).items():
            for pool, properties in _mapping(pools, f"{group}/{name}").items():
                _mapping(properties, f"{group}/{name}/{pool}")
            yield backstage.add_cluster(group, name, None, pools or None)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is no object; write it like {_SHAPE}")
    return value


def _seeds(given: Any) -> Iterator[Seed]:
    several = given.get("value") if isinstance(given, Mapping) and "id" not in given else given
    listed = several if isinstance(several, Sequence) and not isinstance(several, str) else [given]
    for n, each in enumerate(listed):
        yield _seed(_plain(each), f"item {n}" if len(listed) > 1 else "it")


def _plain(given: Any) -> Any:
    """Turn a model of the SDK into what it is on the wire."""
    for method, options in (("serialize", {"keep_readonly": True}), ("as_dict", {})):
        if hasattr(given, method):
            return getattr(given, method)(**options)
    return given


def _seed(given: Any, where: str) -> Seed:
    place = given.get("id") if isinstance(given, Mapping) else None
    address = parse_path(place) if isinstance(place, str) else None
    if address is None or address.kind not in ("cluster", "pool"):
        raise ValueError(f"{where} has no id of a cluster or agent pool; or write it by name, like {_SHAPE}")
    present = _present(given)
    return Seed(address=address, body=present if "properties" in present else _deep(present, pool=bool(address.pool)))


def _deep(shown: Mapping[str, Any], *, pool: bool) -> dict[str, Any]:
    """Return ARM's shape of what az prints."""
    outside = _TOP - ({"tags", "eTag", "etag"} if pool else set())
    top = {name: value for name, value in shown.items() if name in outside}
    inner = {name: value for name, value in shown.items() if name not in outside and name != "resourceGroup"}
    if "typePropertiesType" in inner:
        inner["type"] = inner.pop("typePropertiesType")
    return {**top, "properties": inner}


def _present(value: Any) -> Any:
    """Leave out what is null: az prints so what is not there."""
    if isinstance(value, Mapping):
        return {name: _present(each) for name, each in value.items() if each is not None}
    return [_present(each) for each in value] if isinstance(value, list) else value


def _cluster(store: Store, backstage: Backstage, seed: Seed) -> str:
    address, body = seed.address, seed.body
    profiles = body["properties"].get("agentPoolProfiles")
    made = backstage.add_cluster(address.group, address.cluster, body, None if profiles else {"np1": {}})
    with store.lock:
        cluster = store.clusters[address.cluster_key]
        for profile in profiles or ():
            found = cluster.pools[profile["name"].lower()]
            cluster = cluster.with_pool(_as_given(found, profile))
        store.keep(_shown(cluster, body))
    return made


def _shown(cluster: Cluster, body: Mapping[str, Any]) -> Cluster:
    """Lay what only the service writes over what it would have written here."""
    properties = {**cluster.document["properties"], **_without_state(body["properties"])}
    top = {name: value for name, value in body.items() if name not in {*_STATE, "properties", "id", "type"}}
    document = {**cluster.document, **top, "properties": properties}
    return replace(cluster, document=document, etag=_tag(body) or cluster.etag)


def _as_given(pool: Pool, properties: Mapping[str, Any]) -> Pool:
    shown = {**pool.properties, **_without_state(properties)}
    return replace(pool, properties=shown, etag=_tag(properties) or pool.etag)


def _pool(store: Store, backstage: Backstage, seed: Seed) -> str:
    address, properties = seed.address, seed.body["properties"]
    if address.cluster_key not in store.clusters:
        backstage.add_cluster(address.group, address.cluster, None, {address.pool: {**FIXTURE_POOL}})
    if address.pool_key not in store.clusters[address.cluster_key].pools:
        backstage.add_pool(address.group, address.cluster, address.pool, _without_state(properties))
    with store.lock:
        cluster = store.clusters[address.cluster_key]
        pool = _as_given(cluster.pools[address.pool_key], properties)
        store.keep(cluster.with_pool(pool))
        return cluster.pool_id(pool)


def _without_state(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in _STATE}


def _tag(body: Mapping[str, Any]) -> str | None:
    return body.get("eTag") or body.get("etag")
