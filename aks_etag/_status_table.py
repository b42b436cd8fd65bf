# SPDX-License-Identifier: MIT
"""The status table of the AKS eTag article, as data: 20 rows and both 400s. Tests, demo and docs read this one.

Source: Microsoft Learn, "Use eTags for enhanced concurrency control in AKS", and ARM's RPC contract. Where the service
is known to answer in another way, ``practice`` says how: DELETE runs as a long operation, agent pools have no PATCH.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Tag: TypeAlias = Literal["", "*", "current", "stale"]
Kind: TypeAlias = Literal["cluster", "pool"]

NO_PATCH: Final = 405


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One request and the status it is answered with; ``line`` is the cell of the article's table, 1 to 20."""

    line: int
    method: Literal["PUT", "PATCH", "DELETE"]
    if_match: Tag = ""
    if_none_match: str = ""
    exists: bool
    documented: int
    practice: int | None = None

    @property
    def name(self) -> str:
        """A name for people and test ids."""
        match = {"": "", "*": ", If-Match *", "current": ", If-Match current", "stale": ", If-Match stale"}[
            self.if_match
        ]
        none_match = f", If-None-Match {self.if_none_match}" if self.if_none_match else ""
        return f"{self.method}{match}{none_match}, {'exists' if self.exists else 'absent'}"

    def status(self, kind: Kind) -> int:
        """Return the status to expect for this kind of resource."""
        if self.method == "PATCH" and kind == "pool":
            return NO_PATCH
        return self.documented if self.practice is None else self.practice

    def headers(self, current: str) -> Mapping[str, str]:
        """Return the headers of the request, given the tag that the resource has now."""
        tags = {"": "", "*": "*", "current": current, "stale": "00000000-dead-4000-8000-000000000000"}
        headers = {"If-Match": tags[self.if_match], "If-None-Match": self.if_none_match}
        return {name: value for name, value in headers.items() if value}


ROWS: Final = (
    Row(line=1, method="PUT", exists=False, documented=201),
    Row(line=2, method="PUT", exists=True, documented=200),
    Row(line=3, method="PUT", if_match="*", exists=False, documented=412),
    Row(line=4, method="PUT", if_match="*", exists=True, documented=200),
    Row(line=5, method="PUT", if_match="stale", exists=False, documented=412),
    Row(line=6, method="PUT", if_match="current", exists=True, documented=200),
    Row(line=6, method="PUT", if_match="stale", exists=True, documented=412),
    Row(line=7, method="PUT", if_none_match="*", exists=False, documented=201),
    Row(line=8, method="PUT", if_none_match="*", exists=True, documented=412),
    Row(line=9, method="PATCH", exists=False, documented=404),
    Row(line=10, method="PATCH", exists=True, documented=200),
    Row(line=11, method="PATCH", if_match="*", exists=False, documented=404),
    Row(line=12, method="PATCH", if_match="*", exists=True, documented=200),
    Row(line=13, method="PATCH", if_match="stale", exists=False, documented=404),
    Row(line=14, method="PATCH", if_match="current", exists=True, documented=200),
    Row(line=14, method="PATCH", if_match="stale", exists=True, documented=412),
    Row(line=15, method="DELETE", exists=False, documented=204),
    Row(line=16, method="DELETE", exists=True, documented=200, practice=202),
    Row(line=17, method="DELETE", if_match="*", exists=False, documented=204),
    Row(line=18, method="DELETE", if_match="*", exists=True, documented=200, practice=202),
    Row(line=19, method="DELETE", if_match="stale", exists=False, documented=204),
    Row(line=20, method="DELETE", if_match="current", exists=True, documented=200, practice=202),
    Row(line=20, method="DELETE", if_match="stale", exists=True, documented=412),
)

# Refused before the resource is looked at. Line 0: they stand beside the table, not in it.
PREFLIGHT: Final = (
    Row(line=0, method="PUT", if_none_match="xyz", exists=True, documented=400),
    Row(line=0, method="PUT", if_match="current", if_none_match="*", exists=True, documented=400),
)
