# SPDX-License-Identifier: MIT
"""Tokens of accepted writes, kept where only their owner can read them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def keep(token: str) -> Path:
    """Keep a token, which is as good as a secret; return where."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "aks-etag"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = home / f"{hashlib.sha256(token.encode()).hexdigest()[:12]}.token"
    private(path, token)
    return path


def private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; whoever reads meanwhile sees the older one or this one, whole."""
    # mkstemp makes it for the owner alone, and a file of that name is replaced, not opened.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
