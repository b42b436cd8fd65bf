# SPDX-License-Identifier: MIT
"""Write the asynchronous clients from the synchronous ones, so that they cannot drift apart; ``--check`` compares."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "aks_etag"

# In order, for every twin; each is a regular expression and what stands in its place.
RULES = [
    (r"from \._handles import", "from ._aio_handles import"),
    (r'"""The synchronous client\.', '"""The asynchronous client, made by tools/make_aio.py.'),
    (r"is called in the writing thread", "is called in the writing task"),
    (r"an\n    httpx transport", "an\n    async httpx transport"),
    (r"or an azure-core transport", "or an async azure-core transport"),
    (r"\b(AksClient|AgentPool|Cluster)\b", r"Async\1"),
    (
        r"azure\.core\.credentials import TokenCredential\b",
        "azure.core.credentials import TokenCredential\n"
        "    from azure.core.credentials_async import AsyncTokenCredential",
    ),
    (r"credential: TokenCredential \|", "credential: AsyncTokenCredential | TokenCredential |"),
    (r"azure\.mgmt\.containerservice import", "azure.mgmt.containerservice.aio import"),
    (r"\b(ArmTransport|SdkTransport)\b", r"Async\1"),
    (r"_setup\.sdk_transport\(", "_setup.async_sdk_transport("),
    (r"it is the asynchronous kind", "it is the synchronous kind"),
    (r"page = self\._run\(", "page = await self._run("),
    (r"            yield from page\.items", "            for item in page.items:\n                yield item"),
    (r'"""Handles of clusters and agent pools for threads\.', '"""Handles for tasks, made by tools/make_aio.py.'),
    (r"from \.client import", "from .aio import"),
    (r'"""The synchronous Kubernetes client\.', '"""The asynchronous Kubernetes client, made by tools/make_aio.py.'),
    (r"\b(KubernetesClient)\b", r"Async\1"),
    (r"\bObject\b", "AsyncObject"),
    (
        r'"""Writes that were accepted and may not be over yet, for threads;',
        '"""The same for tasks, by tools/make_aio.py;',
    ),
    (r"from \._operations import", "from ._aio_operations import"),
    (r"\bOperation\b", "AsyncOperation"),
    (r"several threads may ask", "several tasks may ask"),
    (r"\bThreadTurn\b", "TaskTurn"),
    (r"import Transport, sent\b", "import AsyncTransport, asent"),
    (r"transport: Transport\b", "transport: AsyncTransport"),
    (r"(?<!def )self\._pause\(", "await self._pause("),
    (r"self\._around\.clock\.sleep\(", "await self._around.clock.asleep("),
    (r"return sent\(", "return await asent("),
    (r"self\.wait\(timeout\)", "await self.wait(timeout)"),
    (r"self\.done\(\)", "await self.done()"),
    (r"return self\._lane\.take\(", "return await self._lane.atake("),
    (r"(?<!await )self\._ahead\(", "await self._ahead("),
    (r"if self\._turn\.enter\(", "if await self._turn.enter("),
    (r"return self\._stepped\(", "return await self._stepped("),
    (r"self\._answered\(\)\)", "await self._answered())"),
    (r"return self\._sent\(", "return await self._sent("),
    (r"return self\._begin\(", "return await self._begin("),
    (r"return self\._client\._begin\(", "return await self._client._begin("),
    (r"return (AsyncOperation\(flow.*)\._start\(\)", r"return await \1._start()"),
    (
        r'"""The synchronous front of a migration\.',
        '"""The asynchronous front of a migration, made by tools/make_aio.py.',
    ),
    (r"from \.\.client import", "from ..aio import"),
    (r"    with Migration\(", "    async with Migration("),
    (r"(?<!`)\bMigration\b(?!`)", "AsyncMigration"),
    (r"`Migration`", "`AsyncMigration`"),
    (r"return progress\(self\._run\(", "return progress(await self._run("),
    (r"return self\._swept\(", "return await self._swept("),
    (r"return self\._kube\._run\(", "return await self._kube._run("),
    (r"(?m)^        self\._run\(", "        await self._run("),
    (r"return migration\.", "return await migration."),
    (r"any thread may say so", "on_progress may say so"),
    (r"following = self\._run\(", "following = await self._run("),
    (r"            yield from items", "            for item in items:\n                yield item"),
    (r"; thread-safe\.", "; it belongs to one event loop."),
    (r"collections\.abc import Callable, Iterator,", "collections.abc import AsyncIterator, Callable,"),
    (r"collections\.abc import Iterator\b", "collections.abc import AsyncIterator"),
    (r"-> Iterator\[", "-> AsyncIterator["),
    (r"_drivers import run\b", "_drivers import arun"),
    (r"_parts\.transport\(", "_parts.async_transport("),
    (
        r"def (_run|_list|get|get_or_none|wait|create|create_or_update|delete|read_consistent|update|update_tags"
        r"|put|patch|apply|objects|owners|owned|close|_swept|run|preflight"
        r"|deprecate|flip|settle|rewrite|verify|trim|unserve|clean_managers|check|remove|report|migrate_storage"
        r"|check_storage|begin_\w+|result|done|status|_start|_pause|_ahead|_stepped|_answered|_sent|_begin)\(",
        r"async def \1(",
    ),
    (r"def from_aks\(", "async def from_aks("),
    (r"text = cluster\._run\(", "text = await cluster._run("),
    (r"from \.\._handles import", "from .._aio_handles import"),
    (r"def __enter__", "async def __aenter__"),
    (r"def __exit__", "async def __aexit__"),
    (r"return run\(", "return await arun("),
    (r"return self\._run\(", "return await self._run("),
    (r"return self\._client\._run\(", "return await self._client._run("),
    (r"        self\._transport\.close\(\)", "        await self._transport.close()"),
    (r"        self\.close\(\)", "        await self.close()"),
]
TWINS = [
    ("_operations.py", "_aio_operations.py"),
    ("_handles.py", "_aio_handles.py"),
    ("client.py", "aio.py"),
    ("kubernetes/client.py", "kubernetes/aio.py"),
    ("kubernetes/migration/migration.py", "kubernetes/migration/aio.py"),
]


def asynchronous(source: str, target: Path, used: set[str]) -> str:
    """Return the asynchronous twin of a synchronous source."""
    for pattern, replacement in RULES:
        source, count = re.subn(pattern, replacement, source)
        used |= {pattern} if count else set()
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(target), "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True).stdout
    return source


def main() -> None:
    """Write the twins, or compare them."""
    used: set[str] = set()
    for source, name in TWINS:
        target = PACKAGE / name
        wanted = asynchronous((PACKAGE / source).read_text("utf-8"), target, used)
        if "--check" not in sys.argv:
            target.write_text(wanted, "utf-8")
        elif target.read_text("utf-8") != wanted:
            raise SystemExit(f"{name} is not what tools/make_aio.py makes: run it, and change {source} only")
    idle = [pattern for pattern, _ in RULES if pattern not in used]
    if idle:
        raise SystemExit(f"these rules match nothing any more: {idle}")


if __name__ == "__main__":
    main()
