# SPDX-License-Identifier: MIT
"""From an exception to three lines and an exit code: what happened, what was sent and is there now, what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Final, TypeAlias

import click

from .. import errors
from ._consent import DeclinedError, NobodyToAskError
from ._exits import Exit
from ._reach import UnreachableError

Codes: TypeAlias = tuple[tuple[type[BaseException], Exit], ...]
Hints: TypeAlias = tuple[tuple[type[BaseException], str], ...]

# The first that fits counts: from the narrow to the wide.
CODES: Final[Codes] = (
    (errors.WriteOutcomeUnknownError, Exit.UNKNOWN),
    (errors.OperationFailedError, Exit.OPERATION_FAILED),
    (errors.DeadlineExceededError, Exit.DEADLINE),
    (errors.ThrottledError, Exit.THROTTLED),
    (errors.OperationInProgressError, Exit.BUSY),
    (errors.NotFoundError, Exit.NOT_FOUND),
    (errors.PreconditionFailedError, Exit.PRECONDITION_FAILED),
    (errors.AlreadyExistsError, Exit.PRECONDITION_FAILED),
    (errors.MergeConflictError, Exit.PRECONDITION_FAILED),
    (errors.InvalidPreconditionError, Exit.REFUSED),
    (errors.MissingETagError, Exit.REFUSED),
    (errors.InvalidResourceIdError, Exit.REFUSED),
)
HINTS: Final[Hints] = (
    (
        errors.WriteOutcomeUnknownError,
        "show it before you write again: the write may have been, or may yet be, applied",
    ),
    (errors.OperationFailedError, "show it before you write again: part of the write may be stored"),
    (errors.DeadlineExceededError, "allow more with --timeout, or look again later"),
    (errors.ThrottledError, "try again later; the service allows 20 writes, then one a minute"),
    (errors.OperationInProgressError, "leave out the condition, and the command waits for it by itself"),
    (errors.AlreadyExistsError, "choose another name, or use update"),
    (errors.NotFoundError, "check --resource-group, --name and --subscription; aks-etag list shows what is there"),
    (errors.MergeConflictError, "look at the plan again, or leave out what others have changed"),
    (
        errors.PreconditionFailedError,
        "look at it again; without --if-match, update reads and guards by itself; see also apply --rebase",
    ),
    (errors.PreconditionRequiredError, "give --if-match TAG or --base FILE, or --force to overwrite whatever is there"),
    (errors.InlinePoolEditError, "change the pool itself: aks-etag nodepool update or nodepool scale"),
    (errors.MissingETagError, "choose another --api-version, or give --force to write without a condition"),
    (errors.AccessDeniedError, "aks-etag doctor checks credential and permissions"),
    (NobodyToAskError, "there is no terminal to ask on: give --yes to do it all the same"),
    (UnreachableError, "check the network, --endpoint and --cloud"),
)
# Advice of the library that is in Python, and has a hint of its own here.
_PYTHON: Final = re.compile(
    r"[;:] (?:read it again and decide anew|allow more with deadline=|it goes on: ask again"
    r"|decide again on what is there|use cluster\.agent_pool|wait for it with wait\(\)"
    r"|pass the snapshot or eTag of a read|use an api-version that).*"
)
_ARGUMENTS: Final = {"if_match=": "--if-match ", "api_version=": "--api-version", "force=True": "--force"}


def explained(error: BaseException, codes: Codes = CODES, hints: Hints = HINTS) -> int:
    """Say what happened on stderr; return the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        # click makes an Abort of a Ctrl-C, which has the notes.
        for line in ("interrupted", *_notes(error), *_notes(error.__cause__)):
            click.echo(line, err=True)
        return Exit.INTERRUPTED
    for label, text in _lines(error, hints):
        click.echo(f"{label}: {text}", err=True)
    return next((code for kind, code in codes if isinstance(error, kind)), Exit.OTHER)


def _lines(error: BaseException, hints: Hints) -> Iterator[tuple[str, str]]:
    yield "error", what(error)
    state = _state(error)
    if state:
        yield "state", state
    yield from (("note", note) for note in _notes(error))
    hint = next((hint for kind, hint in hints if isinstance(error, kind)), _other(error))
    if hint:
        yield "hint", hint


def what(error: BaseException) -> str:
    """Say in one line what happened."""
    said = " ".join(str(error).split())
    tried = re.findall(r"(\w+Credential): ", said) if said.startswith("DefaultAzureCredential") else []
    if tried:
        return f"no credential gives a token; tried were {', '.join(dict.fromkeys(tried))}"
    if isinstance(error, errors.AksEtagError):
        said = _PYTHON.sub("", said)
        for name, option in _ARGUMENTS.items():
            said = said.replace(name, option)
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename or 'the output'}: {error.strerror}"
    return said or type(error).__name__


def _state(error: BaseException) -> str:
    """Say what was sent, and what is there now, where the error knows."""
    sent, current = getattr(error, "sent", None), getattr(error, "current", None) or getattr(error, "observed", None)
    parts = [f'sent "{sent}"'] if sent else []
    if current is not None:
        parts.append(f'there is now "{current.version}" ({current.provisioning_state or "no state"})')
    ids = getattr(error, "request_ids", ())
    return ", ".join([*parts, *([f"request ids {' '.join(ids)}"] if ids else [])])


def _notes(error: BaseException | None) -> list[str]:
    return [" ".join(note.split()) for note in getattr(error, "__notes__", [])]


def _other(error: BaseException) -> str:
    name = type(error).__name__
    if "Credential" in name or "Authentication" in name:
        return "sign in: az login, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and a secret or certificate"
    if isinstance(error, OSError | errors.AksEtagError) or type(error).__module__.startswith(("azure.", "httpx")):
        return "check the network, --endpoint and --cloud" if "onnect" in str(error) or "TLS" in str(error) else ""
    if isinstance(error, ValueError | DeclinedError):
        return ""
    return f"this is a defect of aks-etag ({name}): please report it with {sys.version.split()[0]} and the command"
