# SPDX-License-Identifier: MIT
"""Seeded chance: tags, ids and signatures that look like the service's and repeat from run to run."""

from __future__ import annotations

import base64
import random
import uuid


class Mint:
    """Hand out values that never recur; call it under the lock of the state."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def guid(self) -> str:
        """Return a bare lower-case GUID: a tag or an operation id."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def resource_uid(self) -> str:
        """Return 24 hexadecimal digits."""
        return f"{self._random.getrandbits(96):024x}"

    def signed_query(self) -> str:
        """Return a query as long as a recorded signed one, in characters that no client encodes again."""
        moment = self._random.randrange(10**17, 10**18)
        certificate, signature, digest = (self._base64(size) for size in (2010, 256, 32))
        return f"api-version=2025-03-01&t={moment}&c={certificate}&s={signature}&h={digest}"

    def _base64(self, size: int) -> str:
        return base64.urlsafe_b64encode(self._random.randbytes(size)).decode().rstrip("=")
