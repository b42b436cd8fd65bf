# SPDX-License-Identifier: MIT
"""63 combinations of condition and tag: none is sent without the header that was asked for, none means something else.

The SDK sends no header in 29 of them although a tag or condition was given. Here each is sent right, or refused with
one typed error before anything is sent.
"""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import InvalidPreconditionError, PreconditionRequiredError
from aks_etag.mock import MockAks

TAGS: dict[str, Any] = {
    "bare": "{}", "quoted": '"{}"', "weak": 'W/"{}"', "None": None, "empty": "", "spaces": "   ",
    "CR/LF": "{}\r\n", "list": "{}, {}", "quoted star": '"*"',
}  # fmt: skip
CONDITIONS = ["none", "force", "if_match tag", "if_match *", "if_none_match *", "if_none_match tag", "both"]
UNDERSTOOD = ("bare", "quoted", "weak")


def arguments(condition: str, tag: Any) -> dict[str, Any]:
    """Spell a condition; where it has no use for the tag, the tag is what a careless caller gives along with it."""
    return {
        "none": {},
        "force": {"force": True, "if_match": tag},
        "if_match tag": {"if_match": tag},
        "if_match *": {"if_match": "*"},
        "if_none_match *": {"if_none_match": "*"},
        "if_none_match tag": {"if_none_match": tag},
        "both": {"if_match": tag, "if_none_match": "*"},
    }[condition]


def expected(condition: str, spelling: str) -> type[Exception] | tuple[str, str]:
    """Return the header that must be on the wire, or the one error that must be raised."""
    if condition == "none":
        return PreconditionRequiredError
    if condition == "if_match *":
        return ("if_match", "*")
    if condition == "if_none_match *":
        return ("if_none_match", "*")
    if condition == "if_match tag" and spelling in UNDERSTOOD:
        return ("if_match", "{}")
    return InvalidPreconditionError


@pytest.mark.parametrize("spelling", TAGS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_it_is_sent_right_or_refused(condition: str, spelling: str) -> None:
    mock = MockAks()
    mock.add_cluster("rg", "prod", pools={"np1": {"count": 3}})
    pool = mock.body("rg", "prod", "np1")
    tag = pool["properties"]["eTag"]
    given = TAGS[spelling].format(tag, tag) if isinstance(TAGS[spelling], str) else TAGS[spelling]
    name = "np9" if condition == "if_none_match *" else "np1"
    wanted = expected(condition, spelling)
    with mock.client() as aks:
        handle = aks.cluster("rg", "prod").agent_pool(name)
        if isinstance(wanted, type):
            with pytest.raises(wanted) as raised:
                handle.put({"properties": {"count": 4}}, **arguments(condition, given))
            assert raised.type is wanted
            assert mock.journal == []
            return
        assert handle.put({"properties": {"count": 4}}, **arguments(condition, given)).status in (200, 201)
    (sent,) = [entry for entry in mock.journal if entry.method == "PUT"]
    header, value = wanted
    assert getattr(sent, header) == value.format(tag)
    assert [sent.if_match, sent.if_none_match].count(None) == 1


def test_there_are_sixty_three() -> None:
    assert len(TAGS) * len(CONDITIONS) == 63
