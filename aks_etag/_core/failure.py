# SPDX-License-Identifier: MIT
"""Why an operation failed, by the codes of its error and of the details inside; and what to do about it.

The outer code is often a wrapper ("CreateVMSSAgentPoolFailed") around the one that tells. The codes are those of AKS's
troubleshooting pages; one that no line names is of no category.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Category: TypeAlias = Literal[
    "preempted", "canceled", "quota", "capacity", "subnet", "policy", "drain", "network", "internal"
]


@dataclass(frozen=True, slots=True)
class Kind:
    """One category: which codes are of it, and what to do."""

    category: Category
    codes: str
    hint: str


KINDS: Final = (
    Kind(
        "preempted",
        r"originaletagnotexpect|(aks)?operationpreempted(bydelete)?",
        "another write won the race: read it, and decide anew",
    ),
    Kind("canceled", r"cancell?ed|.*aborted", "somebody stopped it, maybe on purpose: ask before writing again"),
    Kind("quota", r".*quota.*|.*limit(exceeded|reached)", "ask for more quota, or for fewer or smaller nodes"),
    Kind(
        "capacity",
        r".*allocationfailed|overconstrained.*|skunotavailable|.*notavailableforsubscription|.*capacity.*",
        "the region has none left: try another VM size or zone, or try later",
    ),
    Kind(
        "subnet",
        r"subnetisfull|insufficientsubnetsize|.*insufficient.*(subnet|ip).*|.*ipaddress(es)?exhausted",
        "the subnet has too few addresses for nodes and pods",
    ),
    Kind("policy", r"requestdisallowedbypolicy|.*policyviolation.*", "a policy forbids it: ask whoever assigned it"),
    Kind("drain", r".*drain.*|unsatisfiablepdb", "a node could not be drained: look at its PodDisruptionBudgets"),
    Kind(
        "network",
        r".*(conn|dnslookup)fail.*|.*vmextension.*|.*outbound.*",
        "the nodes could not reach what they need: check egress rules, DNS and the API server",
    ),
    Kind("internal", r"internal(server|operation)?error|.*timeout|.*throttl.*", "the service failed: try again later"),
)


def kind_of(codes: Iterable[str]) -> Kind | None:
    """Return the category that one of the codes is of, in the order of the table; ``None`` where none is known."""
    given = [code.casefold() for code in codes if code]
    return next((kind for kind in KINDS if any(re.fullmatch(kind.codes, code) for code in given)), None)
