"""Sends requests and returns their answers, with the client's errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx

from .._discovery import Server
from .._request import query_of
from ..errors import ToolgateError, error_of, unreachable

# An answer may take as long as its call.
TIMEOUT = httpx.Timeout(None, connect=10.0)

AsyncRediscover = Callable[[], Awaitable[Server | None]]
AsyncContent = bytes | AsyncIterable[bytes]


class AsyncTransport:
    def __init__(
        self,
        server: Server,
        *,
        client: str | None,
        rediscover: AsyncRediscover | None,
        http: httpx.AsyncClient | None,
    ) -> None:
        self.server = server
        self._client = client
        self._rediscover = rediscover
        # Neither a proxy of the environment nor a password in ~/.netrc: the token is for the server alone.
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT, trust_env=False)
        self._owns_http = http is None

    @property
    def can_rediscover(self) -> bool:
        """Returns true if it can find a server again that has restarted, and with it another token."""
        return self._rediscover is not None

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def json(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | Sequence[Any] | None = None,
        content: AsyncContent | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: httpx.Timeout | None = None,
    ) -> Any:
        """Sends a request and returns the JSON of its answer."""
        async with self.open(
            method, path, body=body, content=content, query=query, headers=headers, timeout=timeout
        ) as response:
            data = await self._read(response)
        try:
            return json.loads(data)
        except ValueError as cause:
            error = ToolgateError(f"{self.server.url} gave no JSON.", "BAD_ANSWER", status=response.status_code)
            raise error from cause

    async def text(self, path: str) -> str:
        """Sends a request and returns the text of its answer."""
        async with self.open("GET", path, headers={"accept": "text/plain"}) as response:
            return (await self._read(response)).decode()

    @asynccontextmanager
    async def open(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | Sequence[Any] | None = None,
        content: AsyncContent | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: httpx.Timeout | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Sends a request and gives its answer once its head is there; its body can be read within the block."""

        async def send() -> httpx.Response:
            request = self._build(method, path, body, content, query, headers, timeout)
            return await self._send(request)

        # A stream can be read only once.
        can_repeat = content is None or isinstance(content, bytes)
        try:
            response = await send()
        except ToolgateError as error:
            if not can_repeat or not _was_not_accepted(error) or not await self.rediscover():
                raise
            response = await send()
        try:
            yield response
        finally:
            await response.aclose()

    async def rediscover(self) -> bool:
        """Finds the server again; returns true if it was found."""
        try:
            found = await self._rediscover() if self._rediscover else None
        except Exception:
            # For example, its token file is being replaced: it may be found later.
            found = None
        if found:
            self.server = found
        return found is not None

    def _build(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | Sequence[Any] | None,
        content: AsyncContent | None,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str | None] | None,
        timeout: httpx.Timeout | None,
    ) -> httpx.Request:
        # An address within the path would send the token elsewhere.
        if not path.startswith("/"):
            raise ValueError(f"{path} is no path of the server.")
        all_headers = {
            "accept": "application/json",
            "authorization": f"Bearer {self.server.token}",
            "x-toolgate-client": self._client,
            "content-type": "application/octet-stream" if content is not None else None,
            **(headers or {}),
        }
        return self._http.build_request(
            method,
            self.server.url + path,
            params=query_of(query),
            json=body,
            content=content,
            headers={name: value for name, value in all_headers.items() if value is not None},
            timeout=self._http.timeout if timeout is None else timeout,
        )

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """Sends the request. Raises an error if the server is unreachable, or refuses it."""
        url = self.server.url
        try:
            response = await self._http.send(request, stream=True, follow_redirects=False)
        except httpx.RequestError as cause:
            raise unreachable(url) from cause
        if response.is_success:
            return response
        try:
            await self._read(response)
        finally:
            await response.aclose()
        raise error_of(response, url)

    async def _read(self, response: httpx.Response) -> bytes:
        try:
            return await response.aread()
        except httpx.RequestError as cause:
            raise unreachable(self.server.url) from cause


def _was_not_accepted(error: ToolgateError) -> bool:
    """Returns true if a request was certainly not executed: its token was refused, or no connection was made."""
    return error.status == 401 or isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout))


def silence_timeout(ms: float) -> httpx.Timeout:
    """Limits the time in which a server sends nothing."""
    return httpx.Timeout(None, connect=TIMEOUT.connect, read=ms / 1_000)
