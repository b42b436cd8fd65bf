# SPDX-License-Identifier: MIT
"""``kube get``, ``update``, ``patch``, ``apply`` and ``owners``."""

from __future__ import annotations

from typing import Any, Final

import click

from ._arguments import split
from ._config import needed
from ._kube_manifest import manifest
from ._kube_session import Cluster, session, where, which
from ._lean import without_extras
from ._options import output
from ._output import show

OBJECT = "v1 ConfigMap settings -n default"
dry_run = click.option("--dry-run", is_flag=True, help="Let the server check it, and change nothing.")


@click.command(epilog=f"\b\nExample:\n  aks-etag kube get {OBJECT} -o yaml")
@which
@click.option("--show-managed-fields", is_flag=True, help="Show who owns what, as the server stores it.")
@output
@where
def get(
    where: Cluster,
    api_version: str,
    kind: str,
    name: str,
    namespace: str | None,
    show_managed_fields: bool,
    shown: str,
    query: str | None,
) -> None:
    """Show an object."""
    with session(where) as (kube, _):
        found = kube.object(api_version, kind, namespace, name).get()
    show(dict(found.body) if show_managed_fields else _plain(found), shown, query)


@click.command(epilog=f"\b\nExample:\n  aks-etag kube update {OBJECT} --set data.level=debug --remove data.old")
@which
@click.option("--set", "sets", multiple=True, metavar="PATH=VALUE...", help="Set values.")
@click.option("--add", "adds", multiple=True, metavar="PATH VALUE...", help="Append to a list.")
@click.option("--remove", "removes", multiple=True, metavar="PATH [INDEX]", help="Remove a value.")
@dry_run
@output
@where
def update(
    where: Cluster,
    api_version: str,
    kind: str,
    name: str,
    namespace: str | None,
    sets: tuple[str, ...],
    adds: tuple[str, ...],
    removes: tuple[str, ...],
    dry_run: bool,
    shown: str,
    query: str | None,
) -> None:
    """Change an object: read, change, write under uid and version, again until nobody was faster."""
    from ._paths import add, put, remove

    if not (sets or adds or removes):
        raise click.UsageError("nothing to change: give --set, --add or --remove")

    def change(body: dict[str, Any]) -> None:
        for assignment in (each for said in sets for each in split(said)):
            put(body, assignment)
        for path, *values in map(split, adds):
            add(body, path, values)
        for path, *indices in map(split, removes):
            remove(body, path, indices)

    with session(where) as (kube, progress):
        result = kube.object(api_version, kind, namespace, name).with_options(dry_run=dry_run).update(change)
        if result.outcome == "unchanged":
            progress.say("unchanged: nothing to do")
    show(_plain(result.snapshot), shown, query)


# The kinds of patches, and what each is made from.
KINDS: Final[dict[str, type]] = {"merge": dict, "json": list, "strategic": dict}


@click.command(epilog=f"\b\nExample:\n  aks-etag kube patch {OBJECT} --patch change.json --if-match 4711")
@which
@click.option("--patch", "file", metavar="FILE|-", required=True, help="The patch.")
@click.option(
    "--type", "kind_of_patch", type=click.Choice(sorted(KINDS)), default="merge", show_default=True, help="Its kind."
)
@click.option("--if-match", metavar="VERSION", help="Patch only this resourceVersion.")
@click.option("--unlocked", is_flag=True, help="Without a lock: the last writer wins, without a warning.")
@dry_run
@output
@where
def patch(
    where: Cluster,
    api_version: str,
    kind: str,
    name: str,
    namespace: str | None,
    file: str,
    kind_of_patch: str,
    if_match: str | None,
    unlocked: bool,
    dry_run: bool,
    shown: str,
    query: str | None,
) -> None:
    """Patch an object once, locked to the version that is there."""
    from ._documents import document

    change = _patch(kind_of_patch, document(file, "--patch", KINDS[kind_of_patch]))
    if unlocked and if_match is not None:
        raise click.UsageError("--unlocked and --if-match cannot be used together")
    with session(where) as (kube, _):
        handle = kube.object(api_version, kind, namespace, name).with_options(dry_run=dry_run)
        settings: dict[str, Any] = {"locked": not unlocked}
        if if_match is not None:
            settings["if_match"] = _seen(handle, needed(if_match, None, "--if-match", ""))
        result = handle.patch(change, **settings)
    show(_plain(result.snapshot), shown, query)


def _patch(kind: str, said: Any) -> Any:
    without_extras()
    from ..kubernetes import json_patch, merge_patch, strategic_merge_patch

    if kind == "json":
        return json_patch(said)
    return merge_patch(said) if kind == "merge" else strategic_merge_patch(said)


def _plain(seen: Any) -> Any:
    """Return an object without what kubectl does not show either; kube owners tells it better."""
    if seen is None:
        return None
    metadata = {name: value for name, value in seen.body["metadata"].items() if name != "managedFields"}
    return {**seen.body, "metadata": metadata}


def _seen(handle: Any, version: str) -> Any:
    """Return the snapshot of that version, or refuse: another one is there."""
    from .. import PreconditionFailedError

    seen = handle.get()
    if seen.etag != version:
        said = f'{seen.id} was not patched: asked for version "{version}", there is now "{seen.etag}"'
        raise PreconditionFailedError(said, sent=version, current=seen, resource_id=seen.id, applied=False)
    return seen


@click.command(
    epilog="\b\nExamples:\n  aks-etag kube apply -f settings.yaml --field-manager my-pipeline\n"
    "  aks-etag kube apply -f settings.yaml --field-manager my-pipeline --dry-run -o yaml"
)
@click.option("-f", "--filename", "file", metavar="FILE|-", required=True, help="The manifest of one object.")
@click.option("--field-manager", metavar="NAME", required=True, help="Who owns the fields from then on.")
@click.option("--force", is_flag=True, help="Take fields over that others own.")
@dry_run
@output
@where
def apply(
    where: Cluster, file: str, field_manager: str, force: bool, dry_run: bool, shown: str, query: str | None
) -> None:
    """Apply a manifest on the server as one field manager; conflicts name the owners."""
    body = manifest(file)
    metadata = body["metadata"]
    manager = needed(field_manager, None, "--field-manager", "")
    with session(where) as (kube, _):
        handle = kube.object(body["apiVersion"], body["kind"], metadata.get("namespace"), metadata["name"])
        result = handle.with_options(dry_run=dry_run).apply(body, manager, force=force)
    show(_plain(result.snapshot), shown, query)


@click.command(epilog=f"\b\nExample:\n  aks-etag kube owners {OBJECT} -o table")
@which
@output
@where
def owners(
    where: Cluster, api_version: str, kind: str, name: str, namespace: str | None, shown: str, query: str | None
) -> None:
    """List who owns which fields of an object."""
    with session(where) as (kube, _):
        found = kube.object(api_version, kind, namespace, name).owners()
    if shown == "table":
        show([{"manager": each.manager, "field": field} for each in found for field in each.fields], shown, query)
        return
    show([{"manager": each.manager, "fields": list(each.fields)} for each in found], shown, query)
