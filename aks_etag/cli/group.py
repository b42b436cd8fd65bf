# SPDX-License-Identifier: MIT
"""``group``: resource groups."""

from __future__ import annotations

from ._app import Lazy

group = Lazy(
    name="group",
    table={"create": ("_group_create", "Create a resource group, or find it there.")},
    package=__package__,
    help="Resource groups.",
    epilog="\b\nExample:\n  aks-etag group create -n RG -l westeurope",
)
