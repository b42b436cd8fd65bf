# SPDX-License-Identifier: MIT
"""An answer of httpx in the words of azure-core. The whole body is there already: streaming it is reading it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, MutableMapping
from typing import Any

import httpx
from azure.core.exceptions import HttpResponseError
from azure.core.rest import AsyncHttpResponse, HttpRequest, HttpResponse
from azure.core.utils import case_insensitive_dict


class _Answer:
    """What the two kinds of answers have in common."""

    def __init__(self, request: HttpRequest, answer: httpx.Response) -> None:
        self._request = request
        self._answer = answer
        self._headers: MutableMapping[str, str] = case_insensitive_dict(answer.headers)
        self._encoding: str | None = answer.encoding

    @property
    def request(self) -> HttpRequest:
        return self._request

    @property
    def internal_response(self) -> httpx.Response:
        return self._answer

    @property
    def status_code(self) -> int:
        return self._answer.status_code

    @property
    def headers(self) -> MutableMapping[str, str]:
        return self._headers

    @property
    def reason(self) -> str:
        return self._answer.reason_phrase

    @property
    def content_type(self) -> str | None:
        return self._headers.get("content-type")

    @property
    def is_closed(self) -> bool:
        return True

    @property
    def is_stream_consumed(self) -> bool:
        return True

    @property
    def url(self) -> str:
        return str(self._answer.url)

    @property
    def encoding(self) -> str | None:
        return self._encoding

    @encoding.setter
    def encoding(self, value: str | None) -> None:
        self._encoding = value

    @property
    def content(self) -> bytes:
        return self._answer.content

    def body(self) -> bytes:
        return self._answer.content

    def text(self, encoding: str | None = None) -> str:
        return self._answer.content.decode(encoding or self._encoding or "utf-8-sig", errors="replace")

    def json(self) -> Any:
        return json.loads(self._answer.content)

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise HttpResponseError(response=self)


class HttpxResponse(_Answer, HttpResponse):
    """A synchronous answer."""

    def __enter__(self) -> HttpxResponse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: the connection went back when the body was read."""

    def read(self) -> bytes:
        return self.content

    def iter_raw(self, **_: Any) -> Iterator[bytes]:
        yield self.content

    def iter_bytes(self, **_: Any) -> Iterator[bytes]:
        yield self.content

    def stream_download(self, *_: Any, **__: Any) -> Iterator[bytes]:
        """Yield the body, as azure-core's older kind of answers does."""
        return self.iter_bytes()


class AsyncHttpxResponse(_Answer, AsyncHttpResponse):
    """An asynchronous answer."""

    async def __aenter__(self) -> AsyncHttpxResponse:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Do nothing: the connection went back when the body was read."""

    async def read(self) -> bytes:
        return self.content

    async def iter_raw(self, **_: Any) -> AsyncIterator[bytes]:
        yield self.content

    async def iter_bytes(self, **_: Any) -> AsyncIterator[bytes]:
        yield self.content

    def stream_download(self, *_: Any, **__: Any) -> AsyncIterator[bytes]:
        """Yield the body, as azure-core's older kind of answers does."""
        return self.iter_bytes()
