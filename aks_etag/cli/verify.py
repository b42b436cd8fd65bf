# SPDX-License-Identifier: MIT
"""``verify``: check a recorded history."""

from __future__ import annotations
