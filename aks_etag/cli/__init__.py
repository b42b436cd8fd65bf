# SPDX-License-Identifier: MIT
"""The command line: data to stdout, words to stderr, imports inside the commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._version import __version__

_EPILOG = """\
examples:
  aks-etag demo             the story of the eTag article, then the status table, on an AKS in this process
  aks-etag demo --quiet     only say whether everything came out as documented (exit code 0) or not (1)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="aks-etag",
        description="Change AKS clusters and agent pools from many hands without losing an update.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"aks-etag {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="show what eTags do, on an AKS in this process",
        description="Tell the story of the eTag article on an embedded mock, then check the status table row by row. "
        "Needs no account and no network.",
        epilog="example:\n  aks-etag demo && echo all rows as documented",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    demo.add_argument("--quiet", action="store_true", help="print only the verdict")
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help(sys.stderr)
        return 2
    from .demo import demonstrate

    return demonstrate(quiet=chosen.quiet)
