# SPDX-License-Identifier: MIT
"""Who waits for a shared write, and how far it is: one room for all calls that may go out together.

A room has a worker of its own, so that no caller who goes away takes the write of the others with him.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import TypeAlias

from ._core.events import Doubt, Event
from ._core.pacing import WRITE_PATIENCE
from ._flows.effects import Accepted, Answer, Flow, Gather, Join, Seal, Shared, Undecided
from ._flows.group import Ended, Group, Late, Member
from .errors import AksEtagError, WriteOutcomeUnknownError

Post: TypeAlias = Callable[[Event | Ended], object]


class Groups:
    """The rooms of one client; thread-safe."""

    def __init__(self) -> None:
        self._begin()

    def entered(self, join: Join, post: Post) -> tuple[Room, bool]:
        """Take a place in a room; true for the first one, who has to start its worker."""
        if os.getpid() != self._process:
            # The workers of the process that this one was forked from are not here.
            self._begin()
        with self._lock:
            room = self._rooms.get(join.key)
            first = room is None
            if room is None:
                room = self._rooms[join.key] = Room(self._lock, join.begin, lambda: self._rooms.pop(join.key))
            room.posts[join.member] = post
            room.queue.append(join.member)
            return room, first

    def serving(self, join: Join, worker: object) -> bool:
        """Whether it is the worker of that very room who wants to enter it: nobody would be left to write."""
        with self._lock:
            room = self._rooms.get(join.key)
            return room is not None and room.worker == worker

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._rooms: dict[Hashable, Room] = {}


class Room:
    """Calls that may go out together: who waits, who is in the write that is out, and what is known of that."""

    def __init__(self, lock: threading.Lock, begin: Callable[[Group], Flow[None]], close: Callable[[], object]) -> None:
        self.begin = begin
        self.worker: object = None
        self.posts: dict[Member, Post] = {}
        self.queue: list[Member] = []
        self._lock = lock
        self._close = close
        self._sealed: frozenset[Member] = frozenset()
        self._undecided: Undecided | None = None
        self._accepted: Accepted | None = None
        self._touched: set[object] = set()
        self._leaving = False

    def more(self) -> bool:
        """Begin anew, if somebody waits; if not, the room is closed, and whoever comes next opens another one."""
        with self._lock:
            self._sealed, self._touched, self._undecided, self._accepted = frozenset(), set(), None, None
            self._leaving = False
            if not self.queue:
                self._close()
            return bool(self.queue)

    def answer(self, effect: Shared | Undecided | Accepted) -> bool | None:
        """Answer what the flow of a shared write asks for."""
        match effect:
            case Gather(group):
                self._gather(group)
            case Seal(group):
                return self._seal(group)
            case Answer(member, ended):
                with self._lock:
                    post = self.posts.pop(member, None)
                if post is not None:
                    post(ended)
            case Undecided():
                self._leaving = False
                self._note(effect, self._accepted)
            case Accepted():
                self._note(self._undecided, effect)
        return None

    def tell(self, event: Event) -> None:
        """Pass an event on to all whose changes are being written."""
        if isinstance(event, Doubt):
            self._note(self._undecided, None)
        with self._lock:
            posts = [post for member, post in self.posts.items() if member not in self.queue]
        for post in posts:
            post(event)

    def leave(self, member: Member) -> Undecided | None:
        """Let a call go before it is answered; what it leaves in doubt is returned."""
        with self._lock:
            ids = self._left(member)
            return Undecided(self._undecided.resource_id, ids) if self._undecided is not None and ids else None

    def late(self, member: Member, now: float) -> Late | None:
        """Let a call go whose time is up; ``None`` where it is not, or an answer is there already.

        As long as a write of it has no answer, it has as much time more as the write.
        """
        with self._lock:
            late = self._fate(member)
            patience = WRITE_PATIENCE if late is None or late.pending else 0.0
            if member not in self.posts or late is None or now < member.until + patience:
                return None
            self._left(member)
            return late

    def stop(self, reason: BaseException) -> None:
        """Close the room because its worker was stopped, and tell everybody what that means for him."""
        with self._lock:
            posts, self.posts, self.queue = self.posts, {}, []
            left = {member: self._open_ids(member) if member in self._sealed else () for member in posts}
            self._close()
        for member, post in posts.items():
            post(Ended(error=_stopped(left[member], reason)))

    def _gather(self, group: Group) -> None:
        with self._lock:
            # A write may have been called off after all; what is in doubt of older ones is still known.
            self._leaving = False
            if self._undecided is None or not self._undecided.request_ids:
                self._sealed = frozenset()
            group.members = [member for member in group.members if member in self.posts]
            if not group.closed:
                group.members += self.queue
                self.queue = []

    def _seal(self, group: Group) -> bool:
        with self._lock:
            there = [member for member in group.members if member in self.posts]
            whole = len(there) == len(group.members)
            group.members = there
            if whole:
                # Until it is told what leaves, nobody knows what of it is whose.
                self._sealed, self._accepted, self._leaving = frozenset(there), None, True
            return whole

    def _note(self, undecided: Undecided | None, accepted: Accepted | None) -> None:
        with self._lock:
            self._undecided, self._accepted = undecided, accepted
            if undecided is not None:
                self._touched |= {sharer for sharers in undecided.sharers for sharer in sharers}
            if undecided is not None and undecided.refused:
                self._sealed, self._touched = frozenset(), set()

    def _fate(self, member: Member) -> Late | None:
        """Say what is known of a member's change; ``None`` where that is just being found out."""
        if member not in self._sealed:
            return Late()
        if self._leaving:
            return None
        if self._undecided is None or not self._undecided.request_ids:
            return self._over(member)
        mine = self._open_ids(member)
        if self._accepted is not None and self._accepted.attempt.request_id in mine:
            link = self._accepted.link
            return Late(applied=None, operation=None if link is None else link.name)
        return Late(applied=None, pending=mine) if mine else Late()

    def _over(self, member: Member) -> Late | None:
        """The same where nothing is undecided any more: what was accepted was carried out; or nothing has left yet."""
        if self._accepted is None:
            return None
        if any(sharer is member for sharer, _ in self._accepted.attempt.parts):
            return Late(applied=True)
        # A write before that one may have been carried out, too.
        return Late(applied=None if member in self._touched else False)

    def _open_ids(self, member: Member) -> tuple[str, ...]:
        """List the writes that are undecided and that a member has a part in."""
        if self._undecided is None:
            return ()
        pairs = zip(self._undecided.request_ids, self._undecided.sharers, strict=True)
        return tuple(request_id for request_id, sharers in pairs if member in sharers)

    def _left(self, member: Member) -> tuple[str, ...]:
        self.posts.pop(member, None)
        if member in self.queue:
            self.queue.remove(member)
        return self._open_ids(member) if member in self._sealed else ()


def _stopped(ids: tuple[str, ...], reason: BaseException) -> AksEtagError:
    why = f"the worker that wrote for several calls was stopped ({type(reason).__name__})"
    if not ids:
        return AksEtagError(f"nothing was written for this call: {why}", applied=False)
    return WriteOutcomeUnknownError(
        f"a write may still be applied: {why}; read the resource before writing again "
        f"(x-ms-client-request-id {', '.join(ids)})",
        pending=True,
        request_ids=ids,
    )
