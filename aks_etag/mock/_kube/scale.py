# SPDX-License-Identifier: MIT
"""The scale of a deployment: another view of the same object and the same version."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

_SHOWN: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Show an object as its scale."""
    metadata = {name: body["metadata"][name] for name in _SHOWN if name in body["metadata"]}
    labels = (body["spec"].get("selector") or {}).get("matchLabels") or {}
    selector = ",".join(f"{name}={value}" for name, value in sorted(labels.items()))
    status = {"replicas": (body.get("status") or {}).get("replicas", 0), "selector": selector}
    spec = {"replicas": body["spec"].get("replicas", 0)}
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}


def scaled(live: Mapping[str, Any], scale: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object with the replicas, and the preconditions, of a scale."""
    body: dict[str, Any] = copy.deepcopy(dict(live))
    sent = scale.get("metadata") or {}
    body["metadata"].pop("resourceVersion", None)
    body["metadata"].update({name: sent[name] for name in ("name", "uid", "resourceVersion") if name in sent})
    body["spec"]["replicas"] = (scale.get("spec") or {}).get("replicas", 0)
    return body
