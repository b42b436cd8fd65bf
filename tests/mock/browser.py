# SPDX-License-Identifier: MIT
"""A headless Chromium over its debugging pipe: enough to open a page, press keys, and look."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

FOUND: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE: Final = 60.0
_FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
# The browser reads its commands from descriptor 3 and answers on 4, wherever these are now.
_LAUNCH: Final = """
import fcntl, os, sys
held = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for number, each in zip((3, 4), held):
    os.dup2(each, number)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page of one browser; everything it asks the network for is kept in ``requested``."""

    def __init__(self) -> None:
        assert FOUND is not None
        # Children of the browser may outlive it by a moment, and go on writing here.
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        command = [FOUND, *_FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (to_browser, from_browser):
            os.close(each)
        self._ids = itertools.count(1)
        self._held = b""
        self._session: str | None = None
        self.requested: list[str] = []

    def __enter__(self) -> Self:
        target = self._asked("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._asked("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._asked(f"{domain}.enable")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def open(self, url: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        """Open a page in a window of this size."""
        self._asked("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._asked("Emulation.setEmulatedMedia", features=[scheme])
        self._asked("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """Evaluate JavaScript in the page."""
        done = self._asked("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Evaluate until it is true; fail after a minute."""
        until = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < until, (
                f"never true: {script}; the page shows {self.run('document.body.innerText')}"
            )
            time.sleep(0.05)

    def press(self, key: str, text: str = "") -> None:
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self._asked("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key], **typed)

    def screenshot(self, path: Path) -> None:
        """Take a picture of the page."""
        path.write_bytes(base64.b64decode(self._asked("Page.captureScreenshot", format="png")["data"]))

    def _asked(self, method: str, **parameters: Any) -> Any:
        number = next(self._ids)
        session = {} if self._session is None else {"sessionId": self._session}
        message = json.dumps({"id": number, "method": method, "params": parameters, **session})
        os.write(self._write, message.encode() + b"\0")
        while True:
            answer = self._heard()
            if answer.get("method") == "Network.requestWillBeSent":
                self.requested.append(answer["params"]["request"]["url"])
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _heard(self) -> Any:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser says nothing"
            said = os.read(self._read, 1 << 16)
            assert said, "the browser has ended"
            self._held += said
        message, _, self._held = self._held.partition(b"\0")
        return json.loads(message)
