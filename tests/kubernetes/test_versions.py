# SPDX-License-Identifier: MIT
"""Versions are opaque: compared for equality only, and one that locks nothing is never sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from aks_etag import InvalidPreconditionError, MissingETagError, PreconditionFailedError
from aks_etag.kubernetes import KubernetesClient, Object, json_patch, merge_patch
from aks_etag.kubernetes.migration import migrate_storage
from aks_etag.mock import MockKubernetes

from ..migration.stage import NAME, NEW, Stage, Writers
from .test_client import CONFIG, one_more, taken

Spell = Callable[[str], str]


def plain(version: str) -> str:
    return version


def hashed(version: str) -> str:
    """Spell a version as no number, in no order."""
    return f"v.{hashlib.sha256(version.encode()).hexdigest()[:12]}"


def falling(version: str) -> str:
    """Spell a version as a number that falls where the server's rises."""
    return str(10**9 - int(version)) if version.isdigit() else version


class Scrambled(httpx.BaseTransport):
    """Stands between client and server, and spells every version in another way."""

    def __init__(self, server: MockKubernetes, spell: Spell) -> None:
        self.inner = server.httpx_transport()
        self.spell = spell
        self.known: dict[str, str] = {}
        self.sent: list[tuple[str, str]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = request.read()
        if body:
            body = json.dumps(self._walked(json.loads(body), lambda shown: self.known.get(shown, shown))).encode()
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        answer = self.inner.handle_request(httpx.Request(request.method, request.url, headers=headers, content=body))
        self.sent.append((request.method, str(answer.status_code)))
        content = answer.read()
        try:
            shown = self._walked(json.loads(content), self._told)
        except ValueError:
            return httpx.Response(answer.status_code, headers=answer.headers, content=content)
        kept = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return httpx.Response(answer.status_code, headers=kept, content=json.dumps(shown).encode())

    def _told(self, version: str) -> str:
        shown = self.spell(version)
        self.known[shown] = version
        return shown

    def _walked(self, value: Any, spell: Spell) -> Any:
        if isinstance(value, list):
            return [self._walked(each, spell) for each in value]
        if not isinstance(value, dict):
            return value
        if value.get("path") == "/metadata/resourceVersion":
            return {**value, "value": spell(value["value"])}
        return {
            name: spell(child) if name == "resourceVersion" and child else self._walked(child, spell)
            for name, child in value.items()
        }


def story(spell: Spell) -> tuple[list[Any], list[tuple[str, str]]]:
    """Do what a client can do, overtaken now and then; return what came of it, and what was sent."""
    server = MockKubernetes()
    server.add(CONFIG)
    wire = Scrambled(server, spell)
    came: list[Any] = []
    with KubernetesClient(server.url, token="t", transport=wire, clock=server.clock) as kube:
        handle: Object = kube.object("v1", "ConfigMap", "default", "cm")
        server.before_write(lambda: server.edit("v1", "ConfigMap", "default", "cm", taken), times=1)
        result = handle.update(one_more)
        came += [result.outcome, result.conflicts, handle.update(merge_patch({"data": {"k": "theirs"}})).outcome]
        server.inject("PUT", phase="after")
        came.append(handle.update(merge_patch({"data": {"m": "1"}})).outcome)
        seen = handle.get()
        came.append(handle.patch(merge_patch({"data": {"p": "1"}}), if_match=seen).outcome)
        for change in (merge_patch({"data": {"q": "1"}}), json_patch([{"op": "add", "path": "/data/r", "value": "1"}])):
            with pytest.raises(PreconditionFailedError):
                handle.patch(change, if_match=seen)
        with pytest.raises(PreconditionFailedError):
            handle.delete(if_match=seen)
        came.append(handle.delete(if_match=handle.get()).outcome)
        came.append([each.name for each in kube.objects("v1", "ConfigMap")])
    return came, wire.sent


@pytest.mark.parametrize("spell", [hashed, falling])
def test_a_client_does_the_same_whatever_versions_look_like(spell: Spell) -> None:
    came, sent = story(spell)
    assert (came, sent) == story(plain)
    assert came == ["updated", 1, "unchanged", "updated", "updated", "deleted", []]


@pytest.mark.parametrize("spell", [hashed, falling])
def test_a_migration_does_the_same_whatever_versions_look_like(spell: Spell) -> None:
    ends = []
    for chosen in (spell, plain):
        stage = Stage(30, flip_race=4)
        Writers(stage)
        wire = Scrambled(stage.server, chosen)
        with KubernetesClient(stage.server.url, token="t", transport=wire, clock=stage.server.clock) as kube:
            report = migrate_storage(kube, NAME, to=NEW, chunk=7)
        assert (report.finished, report.left, stage.left()) == (True, 0, [])
        ends.append((report, wire.sent))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("version", [None, "", "0", 7])
@pytest.mark.parametrize("verb", ["update", "merge", "json"])
def test_a_version_that_locks_nothing_is_refused_before_anything_is_written(version: Any, verb: str) -> None:
    server = MockKubernetes()
    server.add(CONFIG)
    wire = Scrambled(server, lambda _: version)
    with KubernetesClient(server.url, token="t", transport=wire, clock=server.clock) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "cm")
        patches = {"merge": merge_patch({"data": {"k": "1"}}), "json": json_patch([])}
        with pytest.raises(MissingETagError, match="no resourceVersion to lock by"):
            handle.update(one_more) if verb == "update" else handle.patch(patches[verb])
    assert {method for method, _ in wire.sent} == {"GET"}


@pytest.mark.parametrize("version", ["", "0"])
def test_a_pin_that_locks_nothing_is_refused_before_anything_is_sent(version: str) -> None:
    server = MockKubernetes()
    server.add(CONFIG)
    with KubernetesClient(server.url, token="t", transport=server.httpx_transport(), clock=server.clock) as kube:
        handle = kube.object("v1", "ConfigMap", "default", "cm")
        with pytest.raises(InvalidPreconditionError):
            handle.update(one_more, if_match=version)
        with pytest.raises(InvalidPreconditionError):
            handle.delete(if_match=version)
        with pytest.raises(InvalidPreconditionError):
            handle.apply({"metadata": {"resourceVersion": version}, "data": {"k": "1"}}, "me")
    assert {entry.method for entry in server.journal} <= {"GET"}
