# SPDX-License-Identifier: MIT
"""The mock beside a model that a reader can check by eye: after each request they agree on all that can be seen."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from aks_etag.mock import MockAks

from .model import Condition, Group, Key, Model, Operation, Place

SUBSCRIPTIONS = ("00000000-0000-0000-0000-000000000000", "11111111-1111-1111-1111-111111111111")
TERMINAL = {"Succeeded", "Failed", "Canceled"}

# The same names in another group and in another subscription.
KEYS = [
    (SUBSCRIPTIONS[0], "rg1", "aks1"),
    (SUBSCRIPTIONS[0], "rg1", "aks2"),
    (SUBSCRIPTIONS[0], "rg2", "aks1"),
    (SUBSCRIPTIONS[1], "rg1", "aks1"),
]

keys = st.sampled_from(KEYS)
groups = keys.map(lambda key: key[:2])
names = st.sampled_from(["np1", "np2", "np3"])
pools = st.none() | names
# Twice as often what succeeds, so that there is something to refuse.
conditions = st.sampled_from([*Condition, Condition.NONE, Condition.CURRENT])
spellings = st.sampled_from(["{}", '"{}"', 'W/"{}"'])


class Agreement(RuleBasedStateMachine):
    """Ask both, and compare."""

    @initialize(polls=st.integers(0, 3), there=st.sets(keys, min_size=1))
    def begin(self, polls: int, there: set[Key]) -> None:
        self.mock = MockAks(SUBSCRIPTIONS[0], operation_polls=polls)
        self.fronts = {SUBSCRIPTIONS[0]: self.mock, SUBSCRIPTIONS[1]: self.mock.add_subscription(SUBSCRIPTIONS[1])}
        self.model = Model(polls)
        self.operations: list[tuple[str, Operation]] = []
        self.old_tags = ["22222222-2222-4222-8222-222222222222"]
        for key in sorted(there):
            self.put_group(key[:2])
            self.put_cluster(key, Condition.NONE, "{}")

    @rule(group=groups)
    def put_group(self, group: Group) -> None:
        self.compare("PUT", self.path(group), {}, self.model.put_group(group))

    @rule(group=groups)
    def delete_group(self, group: Group) -> None:
        self.compare("DELETE", self.path(group), None, self.model.delete_group(group))

    @rule(key=keys, condition=conditions, spelling=spellings)
    def put_cluster(self, key: Key, condition: Condition, spelling: str) -> None:
        new = {"np1": 3, "np2": 1}
        body: dict[str, Any] = {"location": "region1"}
        if key not in self.model.clusters:
            body["properties"] = {"agentPoolProfiles": [{"name": name, "count": new[name]} for name in new]}
        headers = self.headers(key, None, condition, spelling)
        self.compare_begun("PUT", self.path(key), body, self.model.put_cluster(key, condition, new), key, headers)

    @rule(key=keys, condition=conditions, spelling=spellings)
    def patch_cluster(self, key: Key, condition: Condition, spelling: str) -> None:
        headers = self.headers(key, None, condition, spelling)
        self.compare("PATCH", self.path(key), {"tags": {"a": "b"}}, self.model.patch_cluster(key, condition), headers)

    @rule(key=keys, pool=names, condition=conditions, spelling=spellings, count=st.integers(0, 9))
    def put_pool(self, key: Key, pool: str, condition: Condition, spelling: str, count: int) -> None:
        headers = self.headers(key, pool, condition, spelling)
        said = self.model.put_pool(key, pool, condition, count)
        self.compare_begun("PUT", self.path(key, pool), {"properties": {"count": count}}, said, key, headers)

    @rule(key=keys, pool=pools, condition=conditions, spelling=spellings)
    def delete(self, key: Key, pool: str | None, condition: Condition, spelling: str) -> None:
        headers = self.headers(key, pool, condition, spelling)
        self.compare_begun("DELETE", self.path(key, pool), None, self.model.delete(key, pool, condition), key, headers)

    @rule(key=keys, power=st.sampled_from(["Running", "Stopped"]))
    def switch(self, key: Key, power: str) -> None:
        path = f"{self.path(key)}/{'start' if power == 'Running' else 'stop'}"
        self.compare_begun("POST", path, None, self.model.switch(key, power), key, {})

    @rule(key=keys, pool=pools)
    def abort(self, key: Key, pool: str | None) -> None:
        self.compare("POST", f"{self.path(key, pool)}/abort", None, self.model.abort(key, pool))

    @rule(key=keys, pool=pools)
    def get(self, key: Key, pool: str | None) -> None:
        self.compare("GET", self.path(key, pool), None, self.model.get(key, pool))

    @rule(subscription=st.sampled_from(SUBSCRIPTIONS))
    def list(self, subscription: str) -> None:
        path = f"/subscriptions/{subscription}/providers/Microsoft.ContainerService/managedClusters?api-version=1"
        self.compare("GET", path, None, self.model.list(subscription))

    @rule(data=st.data())
    def poll(self, data: st.DataObject) -> None:
        if self.operations:
            link, operation = data.draw(st.sampled_from(self.operations))
            said = 200, self.model.poll(operation)
            told = self.compare("GET", link, None, said)
            assert (json.loads(told)["status"] in TERMINAL) is not self.model.runs(operation)

    @invariant()
    def what_is_there_is_the_same(self) -> None:
        found = {place: body["properties"] for place, body in self.bodies().items()}
        assert set(found) == {place for key in self.model.clusters for place in self.model.whole(key)}
        for (key, pool), properties in found.items():
            cluster = self.model.clusters[key]
            busy = any(each.pool in (None, pool) for each in cluster.running)
            assert (properties["provisioningState"] not in TERMINAL) is busy
            if pool is not None:
                assert properties["count"] == cluster.pools[pool]

    def compare_begun(
        self, method: str, path: str, body: Any, said: tuple[int, set[Place], bool], key: Key, headers: dict[str, str]
    ) -> None:
        """Compare a write that may begin an operation, and remember its link."""
        status, moved, begun = said
        self.compare(method, path, body, (status, moved), headers)
        assert ("Azure-AsyncOperation" in self.answered) is begun
        if begun and key in self.model.clusters and self.model.clusters[key].running:
            self.operations.append((self.answered["Azure-AsyncOperation"], self.model.clusters[key].running[-1]))

    def compare(
        self, method: str, path: str, body: Any, said: tuple[int, set[Place]], headers: dict[str, str] | None = None
    ) -> bytes:
        """Ask the mock, and hold its answer against what the model has said."""
        before = self.tags()
        url = path if path.startswith("http") else f"https://h{path}{'' if '?' in path else '?api-version=1'}"
        content = b"" if body is None else json.dumps(body).encode()
        answer = self.mock.core.handle(method, url, headers or {}, content)
        after = self.tags()
        moved = {place for place in {*before, *after} if before.get(place) != after.get(place)}
        assert (answer.status, moved) == said
        self.answered = answer.headers
        self.old_tags += [before[place] for place in moved if place in before]
        return answer.body

    def headers(self, key: Key, pool: str | None, condition: Condition, spelling: str) -> dict[str, str]:
        """Spell a condition; of what is not there, every tag is an old one."""
        old = self.old_tags[-1]
        current = self.tags().get((key, pool), old)
        spelled = {
            Condition.NONE: {},
            Condition.ANY: {"If-Match": "*"},
            Condition.CURRENT: {"If-Match": spelling.format(current)},
            Condition.STALE: {"If-Match": spelling.format(old)},
            Condition.NEW: {"If-None-Match": "*"},
            Condition.JUNK: {"If-None-Match": spelling.format(current)},
            Condition.BOTH: {"If-Match": current, "If-None-Match": "*"},
        }
        return spelled[condition]

    def tags(self) -> dict[Place, str]:
        return {place: str(body.get("eTag") or body["properties"].get("eTag")) for place, body in self.bodies().items()}

    def bodies(self) -> dict[Place, Any]:
        found: dict[Place, Any] = {}
        for subscription, front in self.fronts.items():
            for group, name in front.clusters():
                body = front.body(group, name)
                key = (subscription, group, name)
                found[key, None] = body
                for profile in body["properties"]["agentPoolProfiles"]:
                    found[key, profile["name"]] = {"eTag": profile["eTag"], "properties": profile}
        return found

    def path(self, key: Group | Key, pool: str | None = None) -> str:
        path = f"/subscriptions/{key[0]}/resourceGroups/{key[1]}"
        path += "".join(f"/providers/Microsoft.ContainerService/managedClusters/{name}" for name in key[2:])
        return path if pool is None else f"{path}/agentPools/{pool}"


TestTheMockAndTheModelAgree = Agreement.TestCase
