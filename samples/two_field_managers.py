# SPDX-License-Identifier: MIT
"""Server-side apply with two field managers: each owns what it says, and a contradiction names the owner."""

from aks_etag import MergeConflictError
from aks_etag.kubernetes import KubernetesClient
from aks_etag.mock import MockKubernetes


def main() -> None:
    """Let a platform team and an application team configure one object."""
    server = MockKubernetes()
    with KubernetesClient(server.url, token="t", transport=server.httpx_transport(), clock=server.clock) as kube:
        config = kube.object("v1", "ConfigMap", "default", "settings")
        print(config.apply({"data": {"log-level": "info", "region": "eu"}}, "platform").outcome)
        print(config.apply({"data": {"greeting": "hello"}}, "application").outcome)
        try:
            config.apply({"data": {"greeting": "hello", "log-level": "debug"}}, "application")
        except MergeConflictError as error:
            print(f"refused: {error.conflicts}")
        config.apply({"data": {"greeting": "hello", "log-level": "debug"}}, "application", force=True)
        print(config.get().body["data"])


if __name__ == "__main__":
    main()
