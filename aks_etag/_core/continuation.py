# SPDX-License-Identifier: MIT
"""An accepted write as a token: enough to follow it from another process, which only reads.

A token holds a signed URL: whoever has it can look at the operation, so that it is kept like a secret. Of what was sent
it holds digests only, salted with the request id, to tell after a failure whether it is stored.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from . import document
from .document import Path
from .messages import Body
from .operation import Link
from .snapshot import Outcome

FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A write that was accepted, or that is over already; ``outcome`` is what it comes to if its operation succeeds.

    ``url`` is where its operation answers, ``None`` where only the state of the resource tells.
    """

    resource_id: str
    outcome: Outcome
    over: bool = False
    url: str | None = field(default=None, repr=False)
    is_location: bool = False
    tag: str | None = None
    request_id: str = ""
    digests: tuple[tuple[Path, str], ...] = field(default=(), repr=False)

    @property
    def link(self) -> Link | None:
        """Where its operation answers."""
        return None if self.url is None else Link(self.url, is_location=self.is_location)

    def landed(self, body: Body) -> bool:
        """Whether everything that was sent is in a body."""
        found = digests(self.request_id, body, (path for path, _ in self.digests))
        return bool(self.digests) and found == self.digests

    def token(self) -> str:
        """Spell it as one word."""
        content = {"aks-etag": FORMAT, **asdict(self)}
        return base64.urlsafe_b64encode(json.dumps(content, separators=(",", ":")).encode()).decode().rstrip("=")


def digests(salt: str, body: Body, paths: Iterable[Path]) -> tuple[tuple[Path, str], ...]:
    """Return the digests of what a body has at some paths; what is absent has one as well."""
    return tuple((path, _digest(salt, path, document.at(body, path))) for path in paths)


def _digest(salt: str, path: Path, value: Any) -> str:
    shown = "absent" if value is document.MISSING else json.dumps(_canonical(value), sort_keys=True)
    return hashlib.sha256("\0".join([salt, *path, shown]).encode()).hexdigest()[:32]


def _canonical(value: Any) -> Any:
    """Spell 5.0 as 5: as JSON they are equal."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _canonical(child) for name, child in value.items()}
    return [_canonical(each) for each in value] if isinstance(value, list) else value


def leaves(body: Body, path: Path = ()) -> Iterable[Path]:
    """List the paths of everything in a body that is no map; an empty map is a leaf, too."""
    for name, value in body.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name)


def continuation(token: object) -> Continuation:
    """Read a token.

    Raises:
        ValueError: it is none, or one of another version of this library; the message does not show it.
    """
    try:
        content = json.loads(base64.urlsafe_b64decode(str(token) + "=" * (-len(str(token)) % 4)))
        known = content.pop("aks-etag") == FORMAT
        found = Continuation(**{**content, "digests": tuple((tuple(path), text) for path, text in content["digests"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError("this is no continuation token of aks-etag, or only a part of one") from None
    if not known:
        raise ValueError("this continuation token is of another version of aks-etag: use the one that made it")
    return found
