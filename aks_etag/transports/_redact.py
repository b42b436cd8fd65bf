# SPDX-License-Identifier: MIT
"""Keep signed operation URLs out of the log lines of the HTTP libraries below us, which print URLs whole."""

from __future__ import annotations

import logging
import re
from typing import Final

# A filter holds only for what is logged by the very logger it hangs on.
LOGGERS: Final = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "urllib3.connectionpool",
)
_SIGNED: Final = re.compile(r"(/providers/Microsoft\.ContainerService/[^\s'\"?]*)\?[^\s'\"]*", re.IGNORECASE)


class Redacting(logging.Filter):
    """Cut the query off every URL of the resource provider; let each record pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            said = record.getMessage()
        except (TypeError, ValueError):
            # Not ours to judge how somebody else formats a record.
            return True
        shown = _SIGNED.sub(r"\1?REDACTED", said)
        if shown != said:
            record.msg, record.args = shown, ()
        return True


_ONE: Final = Redacting()


def install() -> None:
    """Hang the filter on; once is enough, twice does no harm."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_ONE)
