# SPDX-License-Identifier: MIT
"""The built-in kinds: what they fill in, and what they refuse."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from aks_etag.mock._kube.refusals import Cause

LARGEST_DATA: Final = 1 << 20
LARGEST_NAME: Final = 253
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")

CONTAINER: Final[Mapping[str, Any]] = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}
POD_SPEC: Final[Mapping[str, Any]] = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
DEPLOYMENT_SPEC: Final[Mapping[str, Any]] = {
    "replicas": 1,
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
    "revisionHistoryLimit": 10,
    "progressDeadlineSeconds": 600,
}
SERVICE_SPEC: Final[Mapping[str, Any]] = {"type": "ClusterIP", "sessionAffinity": "None"}
# What a fresh object shows as its status.
BORN: Final[Mapping[str, Any]] = {
    "Deployment": {},
    "Namespace": {"phase": "Active"},
    "Pod": {"phase": "Pending"},
    "Service": {"loadBalancer": {}},
}


def fill(kind: str, body: dict[str, Any]) -> None:
    """Fill in the defaults of a built-in kind, in place."""
    filler = _FILLERS.get(kind)
    if filler is not None:
        filler(body)


def broken_name(name: Any) -> list[Cause]:
    """Check the name of an object."""
    if not name:
        said = "Required value: name or generateName is required"
        return [Cause(reason="FieldValueRequired", field="metadata.name", message=said)]
    if isinstance(name, str) and _NAME.fullmatch(name) and len(name) <= LARGEST_NAME:
        return []
    said = f'Invalid value: "{name}": must be a lowercase RFC 1123 subdomain'
    return [Cause(reason="FieldValueInvalid", field="metadata.name", message=said)]


def broken_rules(kind: str, live: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[Cause]:
    """Check a built-in object against the few rules that are imitated."""
    checker = _CHECKERS.get(kind)
    return checker(live, new) if checker else []


def _fill_pod_spec(spec: dict[str, Any]) -> None:
    for container in [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]:
        for name, value in CONTAINER.items():
            container.setdefault(name, value)
    for name, value in POD_SPEC.items():
        spec.setdefault(name, value)


def _fill_deployment(body: dict[str, Any]) -> None:
    spec = body.setdefault("spec", {})
    for name, value in DEPLOYMENT_SPEC.items():
        spec.setdefault(name, value)
    _fill_pod_spec(spec.setdefault("template", {}).setdefault("spec", {}))


def _fill_service(body: dict[str, Any]) -> None:
    spec = body.setdefault("spec", {})
    for name, value in SERVICE_SPEC.items():
        spec.setdefault(name, value)
    for port in spec.get("ports") or []:
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))


def _fill_secret(body: dict[str, Any]) -> None:
    plain = body.pop("stringData", None) or {}
    if plain:
        encoded = {name: base64.b64encode(value.encode()).decode() for name, value in plain.items()}
        body["data"] = {**(body.get("data") or {}), **encoded}
    body.setdefault("type", "Opaque")


def _fill_namespace(body: dict[str, Any]) -> None:
    body.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    labels = body["metadata"].setdefault("labels", {})
    labels.setdefault("kubernetes.io/metadata.name", body["metadata"].get("name"))


def _fill_definition(body: dict[str, Any]) -> None:
    spec = body.setdefault("spec", {})
    spec.setdefault("conversion", {"strategy": "None"})
    names = spec.get("names") or {}
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")


def _check_data(live: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[Cause]:
    data = [*(new.get("data") or {}).values(), *(new.get("binaryData") or {}).values()]
    if sum(len(str(value).encode()) for value in data) > LARGEST_DATA:
        said = f"Too long: may not be more than {LARGEST_DATA} bytes"
        return [Cause(reason="FieldValueTooLong", field="[]", message=said)]
    if not live or not live.get("immutable"):
        return []
    changed = [name for name in ("immutable", "data", "binaryData") if (live.get(name) or {}) != (new.get(name) or {})]
    said = "Forbidden: field is immutable when `immutable` is set"
    return [Cause(reason="FieldValueForbidden", field=name, message=said) for name in changed]


def _check_deployment(live: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[Cause]:
    spec, causes = new["spec"], []
    if isinstance(spec.get("replicas"), int) and spec["replicas"] < 0:
        said = f"Invalid value: {spec['replicas']}: must be greater than or equal to 0"
        causes.append(Cause(reason="FieldValueInvalid", field="spec.replicas", message=said))
    wanted = (spec.get("selector") or {}).get("matchLabels") or {}
    labels = (spec["template"].get("metadata") or {}).get("labels") or {}
    if not wanted.items() <= labels.items():
        said = "Invalid value: `selector` does not match template `labels`"
        causes.append(Cause(reason="FieldValueInvalid", field="spec.template.metadata.labels", message=said))
    if live and live["spec"].get("selector") != spec.get("selector"):
        said = "Invalid value: field is immutable"
        causes.append(Cause(reason="FieldValueInvalid", field="spec.selector", message=said))
    return causes


_FILLERS: Final[Mapping[str, Callable[[dict[str, Any]], None]]] = {
    "CustomResourceDefinition": _fill_definition,
    "Deployment": _fill_deployment,
    "Namespace": _fill_namespace,
    "Pod": lambda body: _fill_pod_spec(body.setdefault("spec", {})),
    "Secret": _fill_secret,
    "Service": _fill_service,
}
_CHECKERS: Final[Mapping[str, Callable[[Mapping[str, Any] | None, Mapping[str, Any]], list[Cause]]]] = {
    "ConfigMap": _check_data,
    "Deployment": _check_deployment,
    "Secret": _check_data,
}
