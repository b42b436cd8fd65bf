# SPDX-License-Identifier: MIT
"""``mock``: an AKS for tests."""

from __future__ import annotations

from ._app import Lazy

EXAMPLE = """\
\b
Example:
  aks-etag mock serve --port 8080 &
  export AKS_ETAG_ENDPOINT=http://127.0.0.1:8080 AZURE_SUBSCRIPTION_ID=00000000-0000-0000-0000-000000000000
  aks-etag list
"""

mock = Lazy(
    name="mock",
    table={"serve": ("_mock_serve", "Serve an AKS that is true to eTags, until it is stopped.")},
    package=__package__,
    help="An AKS for tests that is true to eTags.",
    epilog=EXAMPLE,
)
