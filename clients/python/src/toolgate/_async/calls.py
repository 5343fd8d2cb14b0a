"""Operations that submit calls and wait for them."""

from __future__ import annotations

import json
import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal, cast

import httpx

from .._request import given, path_of
from .._sse import SseParser
from ..calls import EndedCall, has_ended
from ..errors import ToolgateError
from ..models import Call, CallRequest, Event, Outcomes
from .events import IDLE_TIMEOUT_MS, AsyncReconnection, read_frames
from .operations import AsyncOperations
from .transport import silence_timeout

# Long enough for few requests, short enough for proxies.
WAIT_MS = 30_000


class AsyncCallOperations(AsyncOperations):
    async def call(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        *,
        toolset: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        context: str | None = None,
        timeout_ms: int | None = None,
        if_match: str | None = None,
        executor: Literal["client"] | None = None,
        background: bool | None = None,
        tool_call_id: str | None = None,
        wait_ms: int | None = None,
        on_disconnect: Literal["continue", "cancel"] | None = None,
        idempotency_key: str | None = None,
        fresh: bool = False,
    ) -> Call:
        """Submits a call. The returned call has ended, waits for a decision or still runs: look at its `status`.

        `wait_ms` limits the time until the answer, and holds it through the decision. With `on_disconnect="cancel"` the
        call is cancelled if this program goes before the answer. The same `idempotency_key` with the same request gives
        the same call. `fresh` gives no cached result. With `executor="client"`, the server only decides on the call, and
        this program executes it if it succeeds.
        """
        body = given(
            tool=tool,
            params=params,
            toolset=toolset,
            session_id=session_id,
            workspace=workspace,
            agent=agent,
            context=context,
            timeout_ms=timeout_ms,
            if_match=if_match,
            executor=executor,
            background=background,
            tool_call_id=tool_call_id,
        )
        headers = {"idempotency-key": idempotency_key, "cache-control": "no-cache" if fresh else None}
        query = {"wait_ms": wait_ms, "on_disconnect": on_disconnect}
        return cast(Call, await self._transport.json("POST", "/calls", body=body, query=query, headers=headers))

    async def submit(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        *,
        toolset: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        context: str | None = None,
        timeout_ms: int | None = None,
        if_match: str | None = None,
        executor: Literal["client"] | None = None,
        tool_call_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call:
        """Submits a call and returns at once, while it waits or runs: `wait` for it."""
        return await self.call(
            tool,
            params,
            toolset=toolset,
            session_id=session_id,
            workspace=workspace,
            agent=agent,
            context=context,
            timeout_ms=timeout_ms,
            if_match=if_match,
            executor=executor,
            tool_call_id=tool_call_id,
            idempotency_key=idempotency_key,
            wait_ms=0,
        )

    async def get(self, tool_call_id: str, *, wait_ms: int | None = None) -> Call:
        """Returns a call; with `wait_ms`, once it has ended, or after that time."""
        return await self._get(tool_call_id, wait_ms)

    async def _get(self, tool_call_id: str, wait_ms: int | None, timeout: httpx.Timeout | None = None) -> Call:
        path = path_of("/calls/{id}", id=tool_call_id)
        return cast(Call, await self._transport.json("GET", path, query={"wait_ms": wait_ms}, timeout=timeout))

    async def wait(self, tool_call_id: str, *, timeout_ms: int | None = None) -> EndedCall:
        """Waits until a call has ended, through the decision on it, and returns it.

        Goes on when the server is lost, and while it is not reached. Raises TimeoutError after `timeout_ms`, without
        which it waits for ever; the call goes on then.
        """
        deadline = math.inf if timeout_ms is None else time.monotonic() + timeout_ms / 1_000
        reconnection = AsyncReconnection(self._transport)
        reconnection.allow()
        is_connected = True
        while True:
            left_ms = max(0, round(min(WAIT_MS, (deadline - time.monotonic()) * 1_000)))
            if is_connected:
                try:
                    call = await self._get(tool_call_id, left_ms, silence_timeout(left_ms + IDLE_TIMEOUT_MS))
                    if has_ended(call):
                        return call
                    reconnection.succeeded()
                except ToolgateError as error:
                    reconnection.check(error)
                    is_connected = False
            else:
                is_connected = await reconnection.pause(left_ms)
            if time.monotonic() >= deadline:
                raise TimeoutError(f"{tool_call_id} has not ended within {timeout_ms} ms.")

    async def stream(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        *,
        toolset: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        context: str | None = None,
        timeout_ms: int | None = None,
        if_match: str | None = None,
        executor: Literal["client"] | None = None,
        tool_call_id: str | None = None,
        on_disconnect: Literal["continue", "cancel"] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Submits a call and gives its events as they arrive, up to its `tool.result`."""
        body = given(
            tool=tool,
            params=params,
            toolset=toolset,
            session_id=session_id,
            workspace=workspace,
            agent=agent,
            context=context,
            timeout_ms=timeout_ms,
            if_match=if_match,
            executor=executor,
            tool_call_id=tool_call_id,
        )
        headers = {"accept": "text/event-stream", "idempotency-key": idempotency_key}
        query = {"on_disconnect": on_disconnect}
        async with self._transport.open("POST", "/calls", body=body, query=query, headers=headers) as response:
            async for frame in read_frames(response, SseParser()):
                yield cast(Event, json.loads(frame.data))

    async def batch(
        self,
        calls: Sequence[CallRequest],
        *,
        stop_on_error: bool | None = None,
        wait_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> Outcomes:
        """Submits several calls. With `stop_on_error` they run one after the other, and none after a failure."""
        body = given(calls=calls, stop_on_error=stop_on_error)
        headers = {"idempotency-key": idempotency_key}
        query = {"wait_ms": wait_ms}
        answer = await self._transport.json("POST", "/calls/batch", body=body, query=query, headers=headers)
        return cast(Outcomes, answer)
