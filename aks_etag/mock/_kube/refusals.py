# SPDX-License-Identifier: MIT
"""What the API server says no with: Status objects, and the few plain texts. Shapes as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aks_etag.mock._core.answers import Answer, RefusalError, encode

if TYPE_CHECKING:
    from aks_etag.mock._kube.kinds import Kind

USUAL_HEADERS: Final[Mapping[str, str]] = {"Cache-Control": "no-cache, private"}
PLAIN: Final = "text/plain; charset=utf-8"
MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One of the causes in the details of a refusal."""

    reason: str
    field: str
    message: str

    def body(self) -> dict[str, str]:
        """Show it as the details do."""
        return {"reason": self.reason, "message": self.message, "field": self.field}


def json_answer(status: int, body: Any, *, row: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Build an answer with a JSON body."""
    return Answer(
        status=status,
        row=row,
        headers={**USUAL_HEADERS, "Content-Type": "application/json", **(headers or {})},
        body=encode(body),
    )


def plain_answer(status: int, text: str, *, headers: Mapping[str, str] | None = None) -> Answer:
    """Build one of the answers that are plain text."""
    usual = {**USUAL_HEADERS, "Content-Type": PLAIN, "X-Content-Type-Options": "nosniff"}
    return Answer(status=status, row=text.strip(), headers={**usual, **(headers or {})}, body=text.encode())


def failure(
    code: int,
    reason: str,
    message: str,
    *,
    details: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Build a Status; without a reason it has none, as the permanent 500s of the recordings."""
    body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": dict(metadata or {}), "status": "Failure"}
    body["message"] = message
    body.update({"reason": reason} if reason else {})
    body.update({} if details is None else {"details": dict(details)})
    body["code"] = code
    return json_answer(code, body, row=reason, headers=headers)


def details(name: str = "", group: str = "", kind: str = "", causes: Sequence[Cause] = ()) -> dict[str, Any]:
    """Build the details of a Status, without what is empty."""
    parts: dict[str, Any] = {"name": name, "group": group, "kind": kind, "causes": [each.body() for each in causes]}
    return {key: value for key, value in parts.items() if value}


def conflict(kind: Kind, name: str, message: str = MODIFIED) -> RefusalError:
    """Refuse a stale version, or another object of the same name."""
    said = f'Operation cannot be fulfilled on {kind.qualified} "{name}": {message}'
    return RefusalError(failure(409, "Conflict", said, details=details(name, kind.group, kind.plural)))


def failed_precondition(kind: Kind, name: str, message: str) -> RefusalError:
    """Refuse a DELETE whose preconditions do not hold; here the details name the kind, not the resource."""
    said = f'Operation cannot be fulfilled on {kind.kind} "{name}": {message}'
    return RefusalError(failure(409, "Conflict", said, details=details(name, "", kind.kind)))


def owned_by_others(causes: Sequence[Cause]) -> RefusalError:
    """Refuse an apply that would take fields from their managers."""
    said = f"Apply failed with {len(causes)} conflict(s): " + ", ".join(
        f"{each.message}: {each.field}" for each in causes
    )
    return RefusalError(failure(409, "Conflict", said, details=details(causes=causes)))


def already_exists(kind: Kind, name: str) -> RefusalError:
    """Refuse to create what is there."""
    said = f'{kind.qualified} "{name}" already exists'
    return RefusalError(failure(409, "AlreadyExists", said, details=details(name, kind.group, kind.plural)))


def not_found(kind: Kind, name: str) -> RefusalError:
    """Say that there is no such object."""
    said = f'{kind.qualified} "{name}" not found'
    return RefusalError(failure(404, "NotFound", said, details=details(name, kind.group, kind.plural)))


def invalid(kind: Kind, name: str, causes: Sequence[Cause], *, plural: bool = False) -> RefusalError:
    """Refuse an object that breaks the rules of its kind."""
    shown = kind.plural if plural else kind.kind
    said = f'{shown} "{name}" is invalid: ' + ", ".join(f"{each.field}: {each.message}" for each in causes)
    return RefusalError(failure(422, "Invalid", said, details=details(name, kind.group, shown, causes)))


def invalid_options(options: str, cause: Cause) -> RefusalError:
    """Refuse the query of a request."""
    said = f'{options}.meta.k8s.io "" is invalid: {cause.field}: {cause.message}'
    return RefusalError(failure(422, "Invalid", said, details=details("", "meta.k8s.io", options, [cause])))


def blind_invalid() -> RefusalError:
    """Refuse a JSON Patch whose test failed or whose path is absent: the recorded answer does not say which."""
    said = "the server rejected our request due to an error in our request"
    return RefusalError(failure(422, "Invalid", said, details={}))


def forbidden(kind: Kind, name: str, message: str, causes: Sequence[Cause] = ()) -> RefusalError:
    """Refuse what the caller may not do, or what the state of the parent does not allow."""
    said = f'{kind.qualified} "{name}" is forbidden: {message}' if name else f"{kind.qualified} is forbidden: {message}"
    found = details(name, kind.group, kind.plural, causes)
    return RefusalError(failure(403, "Forbidden", said, details=found))


def bad_request(message: str) -> RefusalError:
    """Refuse what cannot be read."""
    return RefusalError(failure(400, "BadRequest", message))


def internal(message: str) -> RefusalError:
    """Answer 500 without a reason: permanent in all cases that were recorded."""
    return RefusalError(failure(500, "", message))


def unsupported_media(message: str, found: Mapping[str, Any] | None = None) -> RefusalError:
    """Refuse a content type."""
    return RefusalError(failure(415, "UnsupportedMediaType", message, details=found))


def method_not_allowed() -> RefusalError:
    """Refuse a method."""
    said = "the server does not allow this method on the requested resource"
    return RefusalError(failure(405, "MethodNotAllowed", said, details={}))


def not_acceptable() -> RefusalError:
    """Refuse a form that the answer cannot have, before anything is done."""
    said = "only the forms of answers that were asked for would do, and none of them fits"
    return RefusalError(failure(406, "NotAcceptable", said))


def unknown_path() -> RefusalError:
    """Refuse a path, also that of a version that is not served."""
    return RefusalError(plain_answer(404, "404 page not found\n"))


def unmocked(what: str) -> RefusalError:
    """Refuse what this mock does not imitate, instead of guessing."""
    return RefusalError(failure(501, "NotImplemented", f"The mock does not know {what}."))
