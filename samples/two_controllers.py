# SPDX-License-Identifier: MIT
"""Two controllers race on one ConfigMap: every increment counts, each write being bound to the version it came from."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aks_etag import ConflictRetry
from aks_etag.kubernetes import KubernetesClient
from aks_etag.mock import MockKubernetes

ROUNDS = 25


def count(body: dict[str, Any]) -> None:
    """Add one to however many there are."""
    body["data"]["count"] = str(int(body["data"]["count"]) + 1)


def controller(url: str) -> int:
    """Count to twenty-five, whoever else counts; return how often somebody was faster."""
    patient = ConflictRetry(attempts=1000)
    with KubernetesClient(url, token="t", conflict_retry=patient, polling_interval=0) as kube:
        config = kube.object("v1", "ConfigMap", "default", "counter")
        return sum(config.update(count).conflicts for _ in range(ROUNDS))


def main() -> None:
    """Let two of them loose on a server on loopback."""
    server = MockKubernetes()
    server.add(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "counter", "namespace": "default"},
            "data": {"count": "0"},
        }
    )
    with server.serve() as url, ThreadPoolExecutor(2) as controllers:
        conflicts = sum(controllers.map(controller, [url, url]))
    print(f"{conflicts} conflicts were met")
    seen = server.object("v1", "ConfigMap", "default", "counter")
    print(f"the counter says {seen['data']['count'] if seen else 'nothing'}")


if __name__ == "__main__":
    main()
