# SPDX-License-Identifier: MIT
"""``mock serve``: an AKS for tests, on this machine only."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ._documents import document

if TYPE_CHECKING:
    from ..mock import MockAks

EXAMPLES = """\
\b
Examples:
  aks-etag mock serve --port 8080 --seed clusters.json
  aks-etag mock serve --operation-polls 5 > where.json &
"""


@click.command(epilog=EXAMPLES)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@click.option("--seed", metavar="FILE|-", help='What is there at the start: {"RG": {"NAME": {"np1": {"count": 3}}}}.')
@click.option("--subscription", metavar="ID", help="The subscription that it serves.")
@click.option(
    "--operation-polls",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="How often an operation is looked at before it is over.",
)
def serve(port: int, seed: str | None, subscription: str | None, operation_polls: int) -> None:
    """Serve an AKS in memory on 127.0.0.1; its endpoint and subscription are the first line of the output.

    It takes any token, forgets all when it stops, and stops on SIGTERM or Ctrl-C with exit code 0.
    """
    from ..mock import MockAks

    settings: dict[str, Any] = {} if subscription is None else {"subscription_id": subscription}
    fake = MockAks(operation_polls=operation_polls, **settings)
    if seed is not None:
        _sow(fake, document(seed, "--seed", dict), seed)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    try:
        with fake.serve(port=port) as url:
            click.echo(json.dumps({"endpoint": url, "subscription": fake.subscription_id}))
            stopped.wait()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise click.UsageError(f"--port {port}: {error.strerror}") from None


def _sow(fake: MockAks, there: Mapping[str, Any], seed: str) -> None:
    for group, clusters in there.items():
        fake.add_resource_group(group)
        for name, pools in _mapping(clusters, f"{seed}: {group}").items():
            for pool, properties in _mapping(pools, f"{seed}: {group}/{name}").items():
                _mapping(properties, f"{seed}: {group}/{name}/{pool}")
            fake.add_cluster(group, name, pools=pools or None)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        shape = '{"RG": {"NAME": {"np1": {"count": 3}}}}'
        raise click.UsageError(f"--seed {where} is no object; write it like {shape}")
    return value
