# SPDX-License-Identifier: MIT
"""A choice that does not exist is refused when it is made, not when it matters."""

from __future__ import annotations

from typing import Any

import pytest

from aks_etag import ConflictRetry
from aks_etag._flows.options import Options


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        pytest.param({"on_busy": "never"}, ValueError, "'wait' or 'raise'", id="on_busy"),
        pytest.param({"on_busy": None}, ValueError, "on_busy=None", id="on_busy-none"),
        pytest.param({"on_doubt": "hope"}, ValueError, "'untouched' or 'reapply' or 'raise'", id="on_doubt"),
        pytest.param({"polling_interval": -1}, ValueError, "polling_interval=-1", id="negative"),
        pytest.param({"polling_interval": True}, ValueError, "polling_interval=True", id="bool"),
        pytest.param({"polling_interval": "30"}, ValueError, "polling_interval='30'", id="text"),
        pytest.param({"polling_interval": float("nan")}, ValueError, "polling_interval=nan", id="nan"),
        pytest.param({"conflict_retry": 5}, TypeError, "not a int", id="conflict_retry"),
    ],
)
def test_a_wrong_choice_is_refused(given: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Options(**given)


def test_the_defaults_wait_and_retry() -> None:
    options = Options()
    assert (options.on_busy, options.on_doubt, options.polling_interval) == ("wait", "untouched", 30.0)
    assert options.conflict_retry == ConflictRetry(attempts=20, deadline=1800.0)


@pytest.mark.parametrize("interval", [0, 0.0, 1, float("inf")])
def test_any_number_of_seconds_is_an_interval(interval: float) -> None:
    assert Options(polling_interval=interval).polling_interval == interval


def test_group_commit_is_yes_or_no() -> None:
    with pytest.raises(TypeError, match="group_commit takes True or False, not 1"):
        Options(group_commit=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("linger", [-1, float("nan"), "1", True])
def test_linger_is_in_seconds(linger: object) -> None:
    with pytest.raises(ValueError, match="linger="):
        Options(linger=linger)  # type: ignore[arg-type]
