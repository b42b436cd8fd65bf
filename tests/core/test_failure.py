# SPDX-License-Identifier: MIT
"""Why operations fail: the codes that AKS documents, wrapped or not."""

from __future__ import annotations

import pytest

from aks_etag._core.failure import KINDS, kind_of

CODES = {
    "preempted": [
        "OriginalEtagNotExpect",
        "AKSOperationPreempted",
        "AKSOperationPreemptedByDelete",
        "OperationPreempted",
    ],
    "canceled": ["Canceled", "Cancelled", "OperationAborted"],
    "quota": ["QuotaExceeded", "ErrCode_InsufficientVCPUQuota", "PublicIPCountLimitReached"],
    "capacity": [
        *("AllocationFailed", "ZonalAllocationFailed", "OverconstrainedZonalAllocationRequest", "SkuNotAvailable"),
        "NotAvailableForSubscription",
    ],
    "subnet": ["SubnetIsFull", "InsufficientSubnetSize", "IPAddressExhausted", "InsufficientPrivateIPs"],
    "policy": ["RequestDisallowedByPolicy"],
    "drain": ["PodDrainFailure", "UnsatisfiablePDB", "NodeDrainError"],
    "network": [
        *("K8SAPIServerConnFailVMExtensionError", "OutboundConnFailVMExtensionError", "VMExtensionProvisioningError"),
        "K8SAPIServerDNSLookupFailVMExtensionError",
    ],
    "internal": ["InternalServerError", "InternalOperationError", "InternalError", "GatewayTimeout"],
}


@pytest.mark.parametrize(("category", "code"), [(name, code) for name, codes in CODES.items() for code in codes])
def test_a_documented_code_is_of_its_category_also_inside_of_a_wrapper(category: str, code: str) -> None:
    for codes in ([code], [code.upper()], ["CreateVMSSAgentPoolFailed", "", code]):
        found = kind_of(codes)
        assert found is not None
        assert found.category == category
        assert found.hint


@pytest.mark.parametrize(
    "codes",
    [
        [],
        [""],
        ["BadRequest"],
        ["SubnetNotFound"],
        ["InUseSubnetCannotBeDeleted"],
        ["CreateVMSSAgentPoolFailed", "Unspecified"],
    ],
)
def test_what_nobody_knows_is_of_no_category(codes: list[str]) -> None:
    assert kind_of(codes) is None


def test_every_category_has_a_code_that_proves_it() -> None:
    assert [kind.category for kind in KINDS] == list(CODES)
