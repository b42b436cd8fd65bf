# SPDX-License-Identifier: MIT
"""Resource groups, as far as clusters need them."""

from __future__ import annotations

from typing import Any

from aks_etag.mock._core import errors
from aks_etag.mock._core.answers import Answer, RefusalError, answer
from aks_etag.mock._core.call import Call
from aks_etag.mock._core.records import see
from aks_etag.mock._core.store import Store


def put_group(store: Store, call: Call) -> Answer:
    """Create a resource group, or leave it as it is."""
    location = call.json_object().get("location", store.switches.location)
    if not isinstance(location, str):
        raise RefusalError(errors.bad_field("location", "a text"))
    created = add_group(store, call.target.group, location)
    status = 201 if created else 200
    return answer(status, _body(store, call.target.group_key), row=f"PUT group -> {status}")


def get_group(store: Store, call: Call) -> Answer:
    """Show a resource group."""
    store.require_group(call.target)
    return answer(200, _body(store, call.target.group_key), row="GET group, exists -> 200")


def head_group(store: Store, call: Call) -> Answer:
    """Say whether a resource group exists."""
    status = 204 if call.target.group_key in store.groups else 404
    return answer(status, row=f"HEAD group -> {status}")


def delete_group(store: Store, call: Call) -> Answer:
    """Delete a resource group with its clusters, at once."""
    store.require_group(call.target)
    key = call.target.group_key
    for cluster in [each for each in store.clusters.values() if each.key[0] == key]:
        store.finish_all(cluster.key)
        gone = store.clusters.pop(cluster.key, None)
        store.commit(call.method, call.request_id, see(gone) if gone else None, None)
    del store.groups[key]
    return answer(200, row="DELETE group -> 200")


def add_group(store: Store, name: str, location: str) -> bool:
    """Create a resource group; False where it exists already."""
    if name.lower() in store.groups:
        return False
    store.groups[name.lower()] = (name, location)
    return True


def _body(store: Store, key: str) -> dict[str, Any]:
    name, location = store.groups[key]
    return {
        "id": f"/subscriptions/{store.subscription}/resourceGroups/{name}",
        "name": name,
        "type": "Microsoft.Resources/resourceGroups",
        "location": location,
        "properties": {"provisioningState": "Succeeded"},
    }
