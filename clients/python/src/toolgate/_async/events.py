"""Follows events, and reconnects by itself."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, cast

import httpx

from .._sse import SseFrame, SseParser
from ..errors import ToolgateError, unreachable
from ..models import Event
from .transport import AsyncTransport, silence_timeout

DEFAULT_RETRY_MS = 500
MAX_RETRY_MS = 10_000
# The server sends a comment every 15 s.
IDLE_TIMEOUT_MS = 45_000

OnDisconnect = Callable[[Exception], None]


async def follow_events(
    transport: AsyncTransport,
    *,
    after: int | str | None,
    query: Mapping[str, Any],
    on_disconnect: OnDisconnect | None,
    idle_timeout_ms: int,
    retry_ms: int | None,
) -> AsyncGenerator[Event, None]:
    last = None if after is None else str(after)
    timeout = silence_timeout(idle_timeout_ms)
    reconnection = AsyncReconnection(transport, retry_ms)
    while True:
        parser = SseParser()
        cause: Exception = EOFError("The stream ended.")
        try:
            headers = {"accept": "text/event-stream", "last-event-id": last}
            async with transport.open("GET", "/events", query=query, headers=headers, timeout=timeout) as response:
                reconnection.allow()
                async for frame in read_frames(response, parser):
                    last = frame.id or last
                    reconnection.succeeded(parser.retry_ms)
                    yield cast(Event, json.loads(frame.data))
        except ToolgateError as error:
            reconnection.check(error)
            cause = error
        if on_disconnect and reconnection.tries == 0:
            on_disconnect(cause)
        while not await reconnection.pause():
            pass


async def read_frames(response: httpx.Response, parser: SseParser) -> AsyncGenerator[SseFrame, None]:
    """Gives the frames of a stream until it ends."""
    try:
        async for chunk in response.aiter_bytes():
            for frame in parser.push(chunk):
                yield frame
    except httpx.RequestError as cause:
        raise unreachable(str(response.request.url.copy_with(path="/", query=None))) from cause


class AsyncReconnection:
    """Decides when to connect again: with growing pauses, and only once the server is found."""

    def __init__(self, transport: AsyncTransport, retry_ms: int | None = None) -> None:
        self.tries = 0
        """Failures since the last success."""
        self._transport = transport
        self._fixed_ms = retry_ms
        self._retry_ms = DEFAULT_RETRY_MS if retry_ms is None else retry_ms
        self._is_allowed = False

    def allow(self) -> None:
        """Allows it from now on: the server has accepted the request once."""
        self._is_allowed = True

    def succeeded(self, retry_ms: int | None = None) -> None:
        self.allow()
        self.tries = 0
        if self._fixed_ms is None and retry_ms is not None:
            self._retry_ms = retry_ms

    def check(self, error: ToolgateError) -> None:
        """Raises the error if it is a refusal. That of a token may be the answer of a restarted server."""
        is_loss = error.status == 0 or error.status >= 500 or (error.status == 401 and self._transport.can_rediscover)
        if not self._is_allowed or not is_loss:
            raise error

    async def pause(self, at_most_ms: float = MAX_RETRY_MS) -> bool:
        """Waits a while. Returns true if it is time to connect: not while the server is not found, since another
        program may answer at its address.
        """
        pause_ms = min(self._retry_ms * 2 ** min(self.tries, 16), MAX_RETRY_MS) * random.uniform(0.5, 1.0)
        await asyncio.sleep(min(pause_ms, at_most_ms) / 1_000)
        self.tries += 1
        return not self._transport.can_rediscover or await self._transport.rediscover()
