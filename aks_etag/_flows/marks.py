# SPDX-License-Identifier: MIT
"""Where the marker of ``exactly_once`` lives in a body: hidden from changes, and put in again before a write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .._core import document
from .._core.marker import Mark, Registry, founded, nonce_of, registry
from .._core.messages import Body
from .._resources import Resource
from ..errors import InvalidPreconditionError
from .options import Options, Writers


@dataclass(slots=True, kw_only=True)
class Marks:
    """The marker in the bodies of one call. Without ``writers`` nothing is noted, and what others noted is kept.

    A note put back into a newer body would say of their writes what is not so: it travels with its version, always.
    """

    resource: Resource
    writers: Writers | None
    writer: str = ""
    hiding: bool = False
    noted: bool = False

    @classmethod
    def of(cls, resource: Resource, options: Options) -> Marks:
        """Return the marker of a call; an id is taken before anything is read.

        Two calls that read the same note and wrote under one id could not tell which of them has changed it.

        Raises:
            InvalidPreconditionError: a marker is asked for, and this kind of thing has no place for one.
        """
        writers = options.exactly_once
        if writers is not None and resource.marker is None:
            raise InvalidPreconditionError(
                f"{resource.id}: exactly_once=True needs a place for a tag, and this has none", resource_id=resource.id
            )
        writer = "" if writers is None else writers.take(resource.id, ())
        return cls(resource=resource, writers=writers, writer=writer, hiding=writers is not None)

    def text(self, body: Body) -> str | None:
        """Return what stands in a body."""
        if self.resource.marker is None:
            return None
        tags = document.at(body, self.resource.marker.path)
        found = tags.get(_spelled(tags, self.resource.marker.name)) if isinstance(tags, Mapping) else None
        return found if isinstance(found, str) else None

    def origin(self, body: Body) -> Body:
        """Return a body that was read without the marker, as a change is to see it."""
        self.hiding = self.writers is not None or registry(self.text(body)) is not None
        return self.bare(body)

    def bare(self, body: Body) -> Body:
        """Return what came of such a body, without a marker that somebody has put into it."""
        if not self.hiding or self.resource.marker is None:
            return body
        name = self.resource.marker.name
        return _edited(body, self.resource.marker.path, lambda tags: _without(tags, name))

    def signed(self, origin: Body, desired: Body, request_id: str) -> tuple[Body, Mark | None]:
        """Return a body that notes the write with this request id, and the note; ``origin`` is what it was made from.

        Raises:
            InvalidPreconditionError: there is no room for it, or something else in its place.
        """
        text = self.text(origin) if self.hiding else None
        if self.writers is None:
            return (desired if text is None else self._with(desired, text)), None
        known = registry(text)
        self._check(text, known is None, desired)
        known = known or founded(request_id)
        self._be_alone(known)
        nonce = nonce_of(request_id)
        noted = str(known.noted(self.writer, nonce))
        return self._with(desired, noted), Mark(writer=self.writer, nonce=nonce, before=text)

    def release(self, *, decided: bool) -> None:
        """End the call; the id is used again only if nothing that was written under it is left in doubt."""
        if self.writers is not None and self.writer and decided:
            self.writers.give_back(self.resource.id, self.writer)
        self.writer = ""

    def _be_alone(self, known: Registry) -> None:
        """Take another id if a stranger has drawn the same one."""
        assert self.writers is not None
        if (
            not self.noted
            and self.writer in known.writers
            and not self.writers.has_written(self.resource.id, self.writer)
        ):
            self.writer = self.writers.take(self.resource.id, known.writers)
        self.noted = True

    def _with(self, body: Body, text: str) -> Body:
        assert self.resource.marker is not None
        name = self.resource.marker.name
        return _edited(body, self.resource.marker.path, lambda tags: {**(_without(tags, name) or {}), name: text})

    def _check(self, text: str | None, unknown: bool, desired: Body) -> None:
        assert self.resource.marker is not None
        place = self.resource.marker
        if text is not None and unknown:
            raise InvalidPreconditionError(
                f'{self.resource.id}: its tag "{place.name}" is not one that exactly_once=True can read: it is kept, '
                "and nothing was written; remove it, or write without exactly_once",
                resource_id=self.resource.id,
            )
        tags = document.at(desired, place.path)
        held = len(tags) if isinstance(tags, Mapping) else 0
        if place.most is not None and held >= place.most:
            raise InvalidPreconditionError(
                f"{self.resource.id} has {held} tags, so that there is no room for the one of exactly_once=True; "
                "nothing was written",
                resource_id=self.resource.id,
            )


def _spelled(tags: Mapping[str, Any], name: str) -> str:
    """Return the name as it stands there: those of Azure's tags have no case."""
    return next((key for key in tags if key.casefold() == name), name)


def _without(tags: Any, name: str) -> Any:
    if not isinstance(tags, Mapping):
        return tags
    # Where nothing else is there, it is as if there were no tags at all.
    return {key: value for key, value in tags.items() if key.casefold() != name} or None


def _edited(body: Body, path: tuple[str, ...], edit: Callable[[Any], Any]) -> Body:
    """Return a copy in which what is at a path is another; what becomes ``None`` goes, if it was there."""
    name, *rest = path
    inner = body.get(name)
    if rest:
        changed = _edited(inner if isinstance(inner, Mapping) else {}, tuple(rest), edit)
        return body if not changed and inner is None else {**body, name: changed}
    changed = edit(inner)
    kept = {key: value for key, value in body.items() if key != name or changed is not None}
    return {**kept, name: changed} if changed is not None else kept
