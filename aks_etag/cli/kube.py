# SPDX-License-Identifier: MIT
"""``kube``: objects inside a cluster."""

from __future__ import annotations

from typing import Final

from ._app import Lazy

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "apply": ("_kube_objects", "Apply a manifest as one field manager."),
    "check-storage": ("_kube_storage", "Say whether a version of a CRD may be removed."),
    "get": ("_kube_objects", "Show an object."),
    "migrate-storage": ("_kube_storage", "Move the stored objects of a CRD to another version."),
    "owners": ("_kube_objects", "List who owns which fields of an object."),
    "patch": ("_kube_objects", "Patch an object, locked by its version."),
    "update": ("_kube_objects", "Change an object without losing anybody's update."),
}

kube = Lazy(
    name="kube",
    table=COMMANDS,
    package=__package__,
    help="Objects inside a cluster.",
    epilog="\b\nExample:\n  aks-etag kube update v1 ConfigMap settings -n default --set data.level=debug",
)
