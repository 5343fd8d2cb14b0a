"""Operations that transfer the bytes of files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, cast

import httpx

from .._request import file_path_of
from ..models import Call
from .operations import AsyncOperations
from .transport import AsyncContent


class AsyncFileOperations(AsyncOperations):
    @asynccontextmanager
    async def download_file(
        self,
        path: str,
        *,
        range: str | None = None,
        if_match: str | None = None,
        if_range: str | None = None,
        tool_call_id: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        context: str | None = None,
        agent: str | None = None,
        wait_ms: int | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Requests the bytes of a file, or a range of them such as `bytes=0-1023`.

        Gives the answer: 200 or 206 with the bytes as its body; 202 with the call as JSON if it needs approval, and
        then request it again with that `tool_call_id`.
        """
        query = {
            "tool_call_id": tool_call_id,
            "session_id": session_id,
            "workspace": workspace,
            "context": context,
            "agent": agent,
            "wait_ms": wait_ms,
        }
        headers = {"accept": "*/*", "range": range, "if-match": if_match, "if-range": if_range}
        async with self._transport.open("GET", file_path_of(path), query=query, headers=headers) as response:
            yield response

    async def upload_file(
        self,
        path: str,
        content: AsyncContent,
        *,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
        create_dirs: bool | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        context: str | None = None,
        agent: str | None = None,
        wait_ms: int | None = None,
    ) -> Call:
        """Writes bytes to a file. Returns the call, which may wait for approval; raises if it did not succeed."""
        query = {
            "create_dirs": create_dirs,
            "session_id": session_id,
            "workspace": workspace,
            "context": context,
            "agent": agent,
            "wait_ms": wait_ms,
        }
        headers = {"if-match": if_match, "if-none-match": if_none_match}
        answer = await self._transport.json("PUT", file_path_of(path), content=content, query=query, headers=headers)
        return cast(Call, answer)
