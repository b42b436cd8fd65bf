# SPDX-License-Identifier: MIT
"""Record a shared write in each of the calls that share it."""

from __future__ import annotations

from typing import Any

from .._core.messages import Body, Request, Response
from .._flows.effects import Flow, Seal, Send
from .._flows.group import Group
from ._recorder import Call, path_of


def written_for(flow: Flow[None], group: Group) -> Flow[None]:
    """Let the flow of a shared write be recorded in each call that shares it, with what that call asked for."""
    reply: Any = None
    seen: dict[str, Body] = {}
    sharers: list[Call] = []
    while True:
        try:
            effect = flow.send(reply)
        except StopIteration:
            return
        group = effect.group if isinstance(effect, Seal) else group
        sent = effect.request if isinstance(effect, Send) else None
        if sent is not None and sent.is_write:
            sharers = _told(sent, group, seen)
        reply = yield effect
        if sent is None:
            continue
        for call in sharers:
            call.told(call.answered, sent, reply)
        if "://" not in sent.url and isinstance(reply, Response) and isinstance(reply.body, dict):
            seen[path_of(sent)] = reply.body if reply.status == 200 else {}


def _told(sent: Request, group: Group, seen: dict[str, Body]) -> list[Call]:
    """Note a write that is about to leave, in the order of the changes; return the calls that it is for."""
    sharers: list[Call] = []
    for member in group.members:
        if member.part is not None and isinstance(member.noted, Call):
            member.noted.seen.update(seen)
            member.noted.told(member.noted.sending, sent, member.part, len(sharers))
            sharers.append(member.noted)
    return sharers
