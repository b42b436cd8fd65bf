# SPDX-License-Identifier: MIT
"""Who blocks a write, as far as the text of the 409 says it.

The texts are the recorded and published ones; none of them decides anything (``verdict`` does that by code), they only
say what is waited for, and a text that nobody knows yet merely says less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TIME: Final = r"(?P<since>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"
_NAME: Final = r"[0-9A-Za-z][0-9A-Za-z_-]{0,80}"
_BARE: Final = r"[0-9a-z]{1,12}"
_LONGEST: Final = 2000
# The first that matches wins, from the most to the least that can be said.
TEXTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "… an in progress update managed cluster operation (operation ID: …) on the managed cluster started on UTC …"
        rf"in[ -]progress (?P<kind>[a-z ]{{1,60}}?) operation \(operation ID: (?P<operation>[0-9A-Za-z-]{{1,80}})\)"
        rf"(?: on the (?:managed cluster|agent ?pool(?: '(?P<pool>{_NAME})'| (?P<bare>{_BARE})(?= started on))?))?"
        rf"(?:.{{0,200}}?started on (?:UTC )?{_TIME})?",
        # "Unable to perform 'Scaling' operation on 'np2' since deletion was issued on 'np2'. … started at '…'"
        rf"since (?P<kind>deletion) was issued on '(?P<pool>{_NAME})'(?:.{{0,300}}?started at '{_TIME}')?",
        # "Another agentpool operation (np2 - Creating) is in progress", "Another operation (nodepool1 - Updating) …"
        rf"another (?:agentpool )?operation \((?P<pool>{_NAME}) - (?P<kind>\w+)\) is in progress",
        # "Another operation (Updating) is in progress"
        r"another operation \((?P<kind>\w+)\) is in progress",
        r"in[ -]progress (?P<kind>[a-z]+)\b",
        r"provisioning ?state\s*\(\s*(?P<kind>\w+ing)\s*\)",
        rf"started (?:at|on) (?:UTC )?'?{_TIME}",
    )
)
# In words, as they stand in the texts, and what people call it.
_KINDS: Final = {"deletion": "Deleting"}


@dataclass(frozen=True, slots=True)
class Blocker:
    """What is known of the operation that blocks: what it does, on which pool, its id and when it began.

    Each is ``None`` where the text does not say it; a ``pool`` of ``None`` may well be the cluster.
    """

    kind: str | None = None
    pool: str | None = None
    operation: str | None = None
    since: str | None = None

    def __str__(self) -> str:
        what = f"the operation in progress ({self.kind})" if self.kind else "the operation in progress"
        on = f" on {self.pool}" if self.pool else ""
        named = f", operation {self.operation}" if self.operation else ""
        return f"{what}{on}{named}{f', since {self.since}' if self.since else ''}"


def blocker(message: str) -> Blocker:
    """Read the text of a 409; what it does not say stays ``None``."""
    for text in TEXTS:
        found = text.search(message[:_LONGEST])
        if found is not None:
            said = found.groupdict()
            kind = said.get("kind")
            return Blocker(
                kind=_KINDS.get(kind.casefold(), kind) if kind else None,
                pool=said.get("pool") or said.get("bare"),
                operation=said.get("operation"),
                since=said.get("since"),
            )
    return Blocker()
