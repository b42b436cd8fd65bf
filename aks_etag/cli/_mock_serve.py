# SPDX-License-Identifier: MIT
"""``mock serve``: an AKS for tests, on this machine only."""

from __future__ import annotations

import json
import signal
import threading
from typing import TYPE_CHECKING, Any

import click

from ._documents import document

if TYPE_CHECKING:
    from ..mock import MockAks

EXAMPLES = """\
\b
Examples:
  aks-etag mock serve --port 8080 --seed clusters.json
  az aks show -g RG -n NAME -o json | aks-etag mock serve --seed -
  aks-etag mock serve --operation-polls 5 > where.json &
  aks-etag mock serve --tls-ca ca.pem --require-token --switch busy_first=true
"""


@click.command(epilog=EXAMPLES)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@click.option(
    "--seed",
    metavar="FILE|-",
    help="What is there at the start: output of az aks show, list or nodepool list, ARM's bodies, or "
    '{"RG": {"NAME": {"np1": {"count": 3}}}}.',
)
@click.option("--subscription", metavar="ID", help="The subscription that it serves.")
@click.option(
    "--operation-polls",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="How often an operation is looked at before it is over.",
)
@click.option("--tls-ca", metavar="FILE", help="Serve https, and write the CA to trust for it to FILE.")
@click.option("--require-token", is_flag=True, help="Answer 401 to a request without a bearer token.")
@click.option(
    "--switch", "switches", multiple=True, metavar="NAME=VALUE", help="Turn a switch of the mock: see docs/testing.md."
)
def serve(
    port: int,
    seed: str | None,
    subscription: str | None,
    operation_polls: int,
    tls_ca: str | None,
    require_token: bool,
    switches: tuple[str, ...],
) -> None:
    """Serve an AKS in memory on 127.0.0.1; its endpoint and subscription are the first line of the output.

    It takes any token, forgets all when it stops, and stops on SIGTERM or Ctrl-C with exit code 0. What it has, and
    every request with the rule that decided it, is shown on the page /_mock/ of the endpoint.
    """
    from ..mock import MockAks
    from ..mock._fits import check

    settings: dict[str, Any] = {} if subscription is None else {"subscription_id": subscription}
    settings |= dict(map(_switch, switches))
    try:
        fake = MockAks(operation_polls=operation_polls, require_token=require_token, **settings)
        check(settings, MockAks.__init__)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--switch: {str(error).partition('() ')[2] or error}") from None
    if seed is not None:
        _sow(fake, document(seed, "--seed", object), seed)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    try:
        with fake.serve(port, tls_ca=tls_ca) as url:
            click.echo(json.dumps({"endpoint": url, "subscription": fake.subscription_id}))
            stopped.wait()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        where = f"--port {port}" if error.filename is None else f"--tls-ca {tls_ca}"
        raise click.UsageError(f"{where}: {error.strerror}") from None


def _switch(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not equals:
        raise click.UsageError(f"--switch {given} has no value: write it like busy_first=true")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _sow(fake: MockAks, there: Any, seed: str) -> None:
    try:
        fake.seed(there)
    except ValueError as error:
        raise click.UsageError(f"--seed {seed}: {error}") from None
