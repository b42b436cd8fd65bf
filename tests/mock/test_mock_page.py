# SPDX-License-Identifier: MIT
"""The page of the served mock, in a real browser: what it shows, by keyboard, in the light and in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aks_etag.mock import MockAks

from .browser import FOUND, Browser
from .conftest import Client

pytestmark = pytest.mark.skipif(FOUND is None, reason="there is no Chromium on this machine")

COUNTED = "document.querySelectorAll('#journal tr').length"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def url(mock: MockAks) -> Iterator[str]:
    mock.add_pool("rg1", "aks1", "np2", {"count": 2})
    with mock.serve() as url:
        yield url


def conflict(url: str) -> None:
    """Let one writer win, one lose, one find it busy, and one get no answer."""
    with Client(base_url=url) as aks:
        seen = aks.ask("GET", aks.np1).json()
        tag = seen["properties"]["eTag"]
        body = {"properties": {"count": 4}}
        aks.settle(aks.ask("PUT", aks.np1, body, If_Match=tag))
        aks.ask("PUT", aks.np1, body, If_Match=tag)
        aks.ask("PUT", aks.np2, body)
        aks.ask("PUT", aks.np2, body)


def test_it_shows_tags_states_and_what_runs(mock: MockAks, url: str, browser: Browser) -> None:
    conflict(url)
    browser.open(f"{url}/_mock/")
    browser.wait_for("document.querySelector('#clusters table')")
    shown = browser.run("document.getElementById('clusters').innerText")
    body = mock.body("rg1", "aks1")
    for tag in (body["eTag"], *(pool["eTag"] for pool in body["properties"]["agentPoolProfiles"])):
        assert tag[:8] in shown
        assert browser.run(f"Boolean(document.querySelector('code[title=\"{tag}\"]'))")
    assert "rg1/aks1" in shown
    assert "aks1/np2" in browser.run("document.getElementById('operations').innerText")
    assert "Updating" in browser.run("document.getElementById('operations').innerText")


def test_a_conflict_is_easy_to_see(url: str, browser: Browser) -> None:
    conflict(url)
    browser.open(f"{url}/_mock/")
    browser.wait_for(f"{COUNTED} >= 6")
    [row] = browser.run("[...document.querySelectorAll('#journal tr.bad')].map(row => row.innerText)")
    assert "PUT np1" in row
    assert "412 conflict" in row
    assert "PUT If-Match tag, exists, stale -> 412" in row
    [busy] = browser.run("[...document.querySelectorAll('#journal tr.wait')].map(row => row.innerText)")
    assert "409 busy" in busy
    assert browser.run("document.getElementById('summary').textContent") == "4 writes, 1 conflicts, 1 busy, 0 faults"
    first, ground = browser.run(
        "(() => { const cell = document.querySelector('#journal tr.bad td'), other = document.body;"
        "return [getComputedStyle(cell).backgroundColor, getComputedStyle(other).backgroundColor] })()"
    )
    assert first != ground


def test_it_goes_on_by_itself(url: str, browser: Browser) -> None:
    browser.open(f"{url}/_mock/")
    browser.wait_for("document.querySelector('#clusters table')")
    assert browser.run(COUNTED) == 0
    conflict(url)
    browser.wait_for(f"{COUNTED} >= 6")
    newest = browser.run("document.querySelector('#journal tr').innerText")
    assert "PUT np2" in newest


def test_it_works_by_keyboard(mock: MockAks, url: str, browser: Browser) -> None:
    mock.switches.operation_seconds = 60
    conflict(url)
    browser.open(f"{url}/_mock/")
    browser.wait_for(f"{COUNTED} >= 5")
    assert browser.run("document.getElementById('operations').innerText") != "none"
    browser.press("Tab")
    assert browser.run("document.activeElement.id") == "minute"
    browser.press("Enter", "\r")
    browser.wait_for("document.getElementById('operations').innerText == 'none'")
    browser.press("Tab")
    assert browser.run("document.activeElement.id") == "reset"
    browser.press("Tab")
    assert browser.run("document.activeElement.id") == "only"
    browser.press(" ", " ")
    browser.wait_for(f"{COUNTED} == 4")
    outline = browser.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_reset_begins_anew(mock: MockAks, url: str, browser: Browser) -> None:
    conflict(url)
    browser.open(f"{url}/_mock/")
    browser.wait_for(f"{COUNTED} >= 6")
    browser.run("document.getElementById('reset').click()")
    browser.wait_for(f"{COUNTED} == 0")
    assert mock.journal == []
    assert mock.body("rg1", "aks1", "np1")["properties"]["count"] == 3


def test_names_are_no_markup(mock: MockAks, url: str, browser: Browser) -> None:
    mock.edit("rg1", "aks1", "np1", lambda body: body["properties"].update(orchestratorVersion="<img src=x id=evil>"))
    browser.open(f"{url}/_mock/")
    browser.wait_for("document.querySelector('#clusters table')")
    assert "<img" in browser.run("document.getElementById('clusters').innerText")
    assert not browser.run("Boolean(document.getElementById('evil'))")


def test_it_asks_nobody_else(url: str, browser: Browser) -> None:
    browser.requested.clear()
    browser.open(f"{url}/_mock/")
    browser.wait_for("document.querySelector('#clusters table')")
    assert browser.requested
    assert all(each.startswith((url, "data:")) for each in browser.requested)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 480])
def test_it_is_readable_in_light_and_dark_on_any_width(
    dark: bool, width: int, url: str, browser: Browser, tmp_path: Path
) -> None:
    conflict(url)
    browser.open(f"{url}/_mock/", width=width, dark=dark)
    browser.wait_for(f"{COUNTED} >= 6")
    ink, ground = browser.run(
        "(() => { const style = getComputedStyle(document.body); return [style.color, style.backgroundColor] })()"
    )
    light = [sum(int(part) for part in colour[4:-1].split(",")[:3]) for colour in (ink, ground)]
    assert (light[0] > light[1]) is dark
    assert abs(light[0] - light[1]) > 400
    assert browser.run("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than its window"
    picture = tmp_path / "page.png"
    browser.screenshot(picture)
    assert picture.stat().st_size > 5000
