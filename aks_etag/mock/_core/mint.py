# SPDX-License-Identifier: MIT
"""Seeded chance: tags, ids and signatures that look like the service's and repeat from run to run."""

from __future__ import annotations

import base64
import random


class Mint:
    """Hand out values that never recur; call it under the lock of the state."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        # One service has one certificate.
        self._certificate = self._base64(2010)

    def guid(self) -> str:
        """Return a bare lower-case GUID: a tag or an operation id."""
        digits = f"{self._random.getrandbits(128):032x}"
        variant = "89ab"[int(digits[16], 16) & 3]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"

    def resource_uid(self) -> str:
        """Return 24 hexadecimal digits."""
        return f"{self._random.getrandbits(96):024x}"

    def signed_query(self) -> str:
        """Return a query as long as a recorded signed one, in characters that no client encodes again."""
        moment = self._random.randrange(10**17, 10**18)
        signature, digest = self._base64(256), self._base64(32)
        return f"api-version=2025-03-01&t={moment}&c={self._certificate}&s={signature}&h={digest}"

    def _base64(self, size: int) -> str:
        return base64.urlsafe_b64encode(self._random.randbytes(size)).decode().rstrip("=")
