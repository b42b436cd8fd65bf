# SPDX-License-Identifier: MIT
"""``mock serve``: an AKS for tests, on this machine only."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import click

from ._documents import document


@click.command(epilog="\b\nExample:\n  aks-etag mock serve --port 8080 --seed clusters.json")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@click.option("--seed", metavar="FILE", help='What is there at the start: {"RG": {"NAME": {"np1": {"count": 3}}}}.')
@click.option("--subscription", metavar="ID", help="The subscription that it serves.")
@click.option(
    "--operation-polls", type=click.IntRange(min=0), default=1, show_default=True, help="Polls of an operation."
)
def serve(port: int, seed: str | None, subscription: str | None, operation_polls: int) -> None:
    """Serve an AKS in memory on 127.0.0.1; its address and subscription are the first line of the output."""
    from ..mock import MockAks

    settings: dict[str, Any] = {} if subscription is None else {"subscription_id": subscription}
    fake = MockAks(operation_polls=operation_polls, **settings)
    there: dict[str, Any] = {} if seed is None else document(seed, "--seed", dict)
    for group, clusters in there.items():
        fake.add_resource_group(group)
        for name, pools in clusters.items():
            fake.add_cluster(group, name, pools=pools)
    with fake.serve(port=port) as url:
        click.echo(json.dumps({"endpoint": url, "subscription": fake.subscription_id}))
        sys.stdout.flush()
        threading.Event().wait()
