# SPDX-License-Identifier: MIT
"""The client of a ``kube`` command: a kubeconfig, or an address and a token."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ._config import needed
from ._lean import without_extras
from ._pace import pace
from ._progress import Progress

if TYPE_CHECKING:
    import ssl

    from ..kubernetes import KubernetesClient

F = TypeVar("F", bound=Callable[..., Any])

_WHERE = ("kubeconfig", "context", "server", "certificate_authority", "timeout", "verbose", "quiet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Which API server, and how loud."""

    kubeconfig: str | None
    context: str | None
    server: str | None
    certificate_authority: str | None
    timeout: float
    verbose: bool
    quiet: bool


def where(command: F) -> F:
    """Add which API server to speak to, given to the command as one value."""

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        return command(where=Cluster(**{name: given.pop(name) for name in _WHERE}), **given)

    options = [
        click.option("--kubeconfig", metavar="FILE", help="Default: KUBECONFIG, or ~/.kube/config."),
        click.option("--context", metavar="NAME", help="Another context of the kubeconfig."),
        click.option("--server", metavar="URL", help="An API server without a kubeconfig; token: AKS_ETAG_KUBE_TOKEN."),
        click.option("--certificate-authority", metavar="FILE", help="The CA of --server."),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0),
            default=60.0,
            show_default=True,
            metavar="SECONDS",
            help="Give up reading or writing an object after this.",
        ),
        click.option("-v", "--verbose", is_flag=True, help="Say each step."),
        click.option("--quiet", is_flag=True, help="Say nothing but errors."),
    ]
    for option in reversed(options):
        called = option(called)
    return called  # type: ignore[return-value]


def which(command: F) -> F:
    """Add which object."""
    for option in (
        click.option("-n", "--namespace", metavar="NAMESPACE", help="Its namespace; none for kinds that live in none."),
        click.argument("name", metavar="NAME"),
        click.argument("kind", metavar="KIND"),
        click.argument("api_version", metavar="API-VERSION"),
    ):
        command = option(command)
    return command


@contextmanager
def session(where: Cluster) -> Iterator[tuple[KubernetesClient, Progress]]:
    """Open a client, and a progress that it tells what happens."""
    with Progress(verbose=where.verbose, quiet=where.quiet) as progress:
        with _client(where, progress) as kube:
            yield kube, progress


def _client(where: Cluster, progress: Progress) -> KubernetesClient:
    without_extras()
    from .. import ConflictRetry
    from ..kubernetes import KubernetesClient

    patience = ConflictRetry(deadline=where.timeout)
    settings: dict[str, Any] = {"conflict_retry": patience, "on_event": progress.tell, **pace()}
    if where.server is None:
        _refuse_lone(where.certificate_authority)
        return KubernetesClient.from_kubeconfig(where.kubeconfig, where.context, **settings)
    if where.kubeconfig is not None or where.context is not None:
        raise click.UsageError("--server stands for a kubeconfig: leave out --kubeconfig and --context")
    server = needed(where.server, None, "--server", "")
    token = os.environ.get("AKS_ETAG_KUBE_TOKEN")
    verify = True if where.certificate_authority is None else _trusting(where.certificate_authority)
    try:
        return KubernetesClient(server, token=token, verify=verify, **settings)
    except ValueError as error:
        raise click.UsageError(str(error).replace("base_url=", "--server ")) from None


def _trusting(authority: str) -> ssl.SSLContext:
    import ssl

    try:
        return ssl.create_default_context(cafile=authority)
    except OSError as error:
        raise click.UsageError(f"--certificate-authority {authority}: {error.strerror or error}") from None


def _refuse_lone(authority: str | None) -> None:
    if authority is not None:
        raise click.UsageError("--certificate-authority goes with --server; a kubeconfig names its own")
