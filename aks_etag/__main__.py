# SPDX-License-Identifier: MIT
"""``python -m aks_etag`` is ``aks-etag``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
