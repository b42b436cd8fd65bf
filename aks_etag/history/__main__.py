# SPDX-License-Identifier: MIT
"""``python -m aks_etag.history FILE`` prints what a history says by itself."""

from __future__ import annotations

import sys

from ._check import check

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m aks_etag.history FILE")
    print(check(sys.argv[1]))  # noqa: T201
