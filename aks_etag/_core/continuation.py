# SPDX-License-Identifier: MIT
"""An accepted write as a token: enough to follow it from another process, which only reads.

A token holds a signed URL: whoever has it can look at the operation, so that it is kept like a secret. Of what was sent
it holds digests only, salted with the request id, to tell after a failure whether it is stored.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, get_args

from . import document
from .document import Path
from .messages import Body
from .operation import Link
from .snapshot import Outcome

FORMAT: Final = 1
_NOT_ONE: Final = "this is no continuation token of aks-etag, or only a part of one"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A write that was accepted, or that is over already; ``outcome`` is what it comes to if its operation succeeds.

    ``url`` is where its operation answers, ``None`` where only the state of the resource tells. ``older`` has the ids
    of requests that were undecided beside it.
    """

    resource_id: str
    outcome: Outcome
    over: bool = False
    url: str | None = field(default=None, repr=False)
    is_location: bool = False
    tag: str | None = None
    request_id: str = ""
    older: tuple[str, ...] = ()
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
        written = content.pop("aks-etag")
        told = tuple((tuple(path), text) for path, text in content["digests"])
        found = Continuation(**{**content, "digests": told, "older": tuple(content["older"])})
        sound = _sound(found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError(_NOT_ONE) from None
    if written != FORMAT:
        raise ValueError("this continuation token is of another version of aks-etag: use the one that made it")
    if not sound:
        raise ValueError(_NOT_ONE)
    return found


def _sound(found: Continuation) -> bool:
    """Whether each field is of its kind: a token may have passed through anybody's hands."""
    optional = (text for text in (found.url, found.tag) if text is not None)
    texts = (found.resource_id, found.request_id, *found.older, *optional)
    flags = (found.over, found.is_location)
    paths = (name for path, text in found.digests for name in (*path, text))
    given: tuple[object, ...] = texts
    words = all(isinstance(text, str) and _CONTROL.search(text) is None for text in given)
    kinds = all(isinstance(flag, bool) for flag in flags) and all(isinstance(name, str) for name in paths)
    return words and kinds and any(found.outcome == each for each in get_args(Outcome))
