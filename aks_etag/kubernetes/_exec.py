# SPDX-License-Identifier: MIT
"""Tokens from an exec plugin (client.authentication.k8s.io v1, v1beta1) such as kubelogin: the one the user named."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from ..errors import AksEtagError

VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
TIMEOUT: Final = 120.0
# A token is renewed this long before it runs out, in seconds.
MARGIN: Final = 60.0


class ExecPluginError(AksEtagError):
    """The exec plugin of a kubeconfig gave no token; what it printed is not shown."""


class ExecToken:
    """Runs the plugin when a token is needed, and keeps what it gave until shortly before it expires."""

    def __init__(self, spec: Mapping[str, Any], cluster: Mapping[str, Any]) -> None:
        version = spec.get("apiVersion")
        if version not in VERSIONS:
            raise ExecPluginError(f"an exec plugin of {version!r} is not known; known are {', '.join(VERSIONS)}")
        self._version = version
        self._command = [str(spec.get("command", "")), *(str(each) for each in spec.get("args") or [])]
        self._environment = {str(each["name"]): str(each["value"]) for each in spec.get("env") or []}
        self._cluster = {"server": cluster.get("server")} if spec.get("provideClusterInfo") else None
        self._lock = threading.Lock()
        self._token: str | None = None
        self._until = 0.0

    def __call__(self, renew: bool) -> str | None:
        """Return a token; a fresh one if the last was refused or is about to run out."""
        with self._lock:
            if renew or self._token is None or time.time() > self._until - MARGIN:
                self._token, self._until = self._asked()
            return self._token

    def _asked(self) -> tuple[str, float]:
        spec: dict[str, Any] = {"interactive": False, **({"cluster": self._cluster} if self._cluster else {})}
        info = {"apiVersion": self._version, "kind": "ExecCredential", "spec": spec}
        environment = {**os.environ, **self._environment, "KUBERNETES_EXEC_INFO": json.dumps(info)}
        name = self._command[0]
        try:
            done = subprocess.run(  # noqa: S603  # the user's own kubeconfig names it
                self._command, env=environment, capture_output=True, text=True, check=True, timeout=TIMEOUT
            )
            status = json.loads(done.stdout)["status"]
            return str(status["token"]), _expiry(status.get("expirationTimestamp"))
        except FileNotFoundError as error:
            raise ExecPluginError(f"the exec plugin {name!r} of the kubeconfig is not installed") from error
        except subprocess.SubprocessError as error:
            raise ExecPluginError(f"the exec plugin {name!r} failed ({type(error).__name__})") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ExecPluginError(f"the exec plugin {name!r} printed no ExecCredential with a token") from error


def _expiry(text: object) -> float:
    return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else float("inf")
