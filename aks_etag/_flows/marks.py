# SPDX-License-Identifier: MIT
"""Where the marker of ``exactly_once`` lives in a body: hidden from changes, and put in again before a write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core import document
from .._core.marker import Mark, founded, nonce_of, registry
from .._core.messages import Body
from .._resources import Resource
from .._resources.protocol import MarkerPlace
from ..errors import InvalidPreconditionError
from .options import Options, Writers


@dataclass(slots=True, kw_only=True)
class Marks:
    """The marker in the bodies of one call; one without ``writers`` leaves them as they are."""

    resource: Resource
    writers: Writers | None
    writer: str = ""

    @classmethod
    def of(cls, resource: Resource, options: Options) -> Marks:
        """Return the marker of a call.

        Raises:
            InvalidPreconditionError: a marker is asked for, and this kind of thing has no place for one.
        """
        if options.exactly_once is not None and resource.marker is None:
            raise InvalidPreconditionError(
                f"{resource.id}: exactly_once=True needs a place for a tag, and this has none", resource_id=resource.id
            )
        return cls(resource=resource, writers=options.exactly_once)

    def text(self, body: Body) -> str | None:
        """Return what stands in a body."""
        if self.writers is None:
            return None
        found = document.at(body, (*self._place.path, self._place.name))
        return found if isinstance(found, str) else None

    def bare(self, body: Body) -> Body:
        """Return a body without the marker, as a change is to see it."""
        if self.writers is None:
            return body
        return _edited(body, self._place.path, lambda tags: _without(tags, self._place.name))

    def signed(self, origin: Body, desired: Body, request_id: str) -> tuple[Body, Mark | None]:
        """Return a body that notes the write with this request id, and the note; ``origin`` is what it was made from.

        Raises:
            InvalidPreconditionError: there is no room for it, or something else in its place.
        """
        if self.writers is None:
            return desired, None
        text = self.text(origin)
        known = registry(text)
        self._check(text, known is None, desired)
        known = known or founded(request_id)
        if not self.writer:
            self.writer = self.writers.take(self.resource.id, known.writers)
        nonce = nonce_of(request_id)
        noted = str(known.noted(self.writer, nonce))
        name = self._place.name
        body = _edited(desired, self._place.path, lambda tags: {**(tags or {}), name: noted})
        return body, Mark(writer=self.writer, nonce=nonce, before=text)

    def release(self, *, decided: bool) -> None:
        """End the call; the id is used again only if nothing that was written under it is left in doubt."""
        if self.writers is not None and self.writer and decided:
            self.writers.give_back(self.resource.id, self.writer)
        self.writer = ""

    @property
    def _place(self) -> MarkerPlace:
        assert self.resource.marker is not None
        return self.resource.marker

    def _check(self, text: str | None, unknown: bool, desired: Body) -> None:
        name = self._place.name
        if text is not None and unknown:
            raise InvalidPreconditionError(
                f'{self.resource.id}: its tag "{name}" is not one that exactly_once=True can read: it is kept, and '
                "nothing was written; remove it, or write without exactly_once",
                resource_id=self.resource.id,
            )
        tags = document.at(desired, self._place.path)
        held = len(tags) if isinstance(tags, Mapping) else 0
        if self._place.most is not None and held >= self._place.most:
            raise InvalidPreconditionError(
                f"{self.resource.id} has {held} tags, so that there is no room for the one of exactly_once=True; "
                "nothing was written",
                resource_id=self.resource.id,
            )


def _without(tags: Any, name: str) -> Any:
    if not isinstance(tags, Mapping) or name not in tags:
        return tags
    # Where nothing else is there, it is as if there were no tags at all.
    return {key: value for key, value in tags.items() if key != name} or None


def _edited(body: Body, path: tuple[str, ...], edit: Any) -> Body:
    """Return a copy in which what is at a path is another; what becomes ``None`` goes, if it was there."""
    name, *rest = path
    inner = body.get(name)
    if rest:
        changed = _edited(inner if isinstance(inner, Mapping) else {}, tuple(rest), edit)
        return body if not changed and inner is None else {**body, name: changed}
    changed = edit(inner)
    if changed is inner:
        return body
    kept = {key: value for key, value in body.items() if key != name or changed is not None}
    return {**kept, name: changed} if changed is not None else kept
