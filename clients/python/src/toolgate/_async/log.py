"""Operations on calls that were submitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from .._request import given, path_of
from ..models import Call, CallStatus, ListCallsResponse, OutputPage, SessionChanges, UndoPreview
from .operations import AsyncOperations

UndoScope = Literal["call", "since"]


class AsyncLogOperations(AsyncOperations):
    async def calls(
        self,
        *,
        status: CallStatus | None = None,
        tool: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        path: str | None = None,
        id_prefix: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListCallsResponse:
        """Lists the log, newest first; `cursor` of the answer leads to the next page."""
        query = {
            "status": status,
            "tool": tool,
            "session_id": session_id,
            "workspace": workspace,
            "path": path,
            "id_prefix": id_prefix,
            "since": since,
            "until": until,
            "limit": limit,
            "cursor": cursor,
        }
        return cast(ListCallsResponse, await self._transport.json("GET", "/calls", query=query))

    async def cancel(self, tool_call_id: str, *, reason: str | None = None) -> Call:
        """Cancels a call that has not ended; one that has stays as it is."""
        path = path_of("/calls/{id}/cancel", id=tool_call_id)
        return cast(Call, await self._transport.json("POST", path, body=given(reason=reason)))

    async def purge(self, tool_call_id: str) -> Call:
        """Removes the content of an ended call: params, result, previews, output and what undo needs."""
        path = path_of("/calls/{id}/purge", id=tool_call_id)
        return cast(Call, await self._transport.json("POST", path, body={}))

    async def background(self, tool_call_id: str) -> Call:
        """Moves a running call to the background: a command settles and leaves a job, any other call continues."""
        path = path_of("/calls/{id}/background", id=tool_call_id)
        return cast(Call, await self._transport.json("POST", path))

    async def output(
        self,
        tool_call_id: str,
        *,
        stream: Literal["output", "stdout", "stderr"] | None = None,
        offset: int | None = None,
        limit: int | None = None,
        wait_ms: int | None = None,
    ) -> OutputPage:
        """Reads the output of a command from a byte offset on."""
        path = path_of("/calls/{id}/output", id=tool_call_id)
        query = {"stream": stream, "offset": offset, "limit": limit, "wait_ms": wait_ms}
        return cast(OutputPage, await self._transport.json("GET", path, query=query))

    async def preview_undo(
        self,
        tool_call_id: str,
        *,
        scope: UndoScope | None = None,
        paths: Sequence[str] | None = None,
        agent: str | None = None,
    ) -> UndoPreview:
        """Previews the undo of a call, file by file."""
        path = path_of("/calls/{id}/undo", id=tool_call_id)
        query = {"scope": scope, "paths": paths, "agent": agent}
        return cast(UndoPreview, await self._read_pages(path, "files", query))

    async def session_changes(
        self,
        session_id: str,
        *,
        workspace: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> SessionChanges:
        """Lists the changes of a session in files; `cursor` of the answer leads to the next page."""
        path = path_of("/sessions/{session_id}/changes", session_id=session_id)
        query = {"workspace": workspace, "limit": limit, "cursor": cursor}
        return cast(SessionChanges, await self._transport.json("GET", path, query=query))

    async def undo(
        self,
        tool_call_id: str,
        *,
        scope: UndoScope | None = None,
        paths: Sequence[str] | None = None,
        digest: str | None = None,
        confirm: bool | None = None,
        session_id: str | None = None,
        context: str | None = None,
        agent: str | None = None,
        background: bool | None = None,
        wait_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> Call:
        """Undoes the changes of a call in files; with the `digest` that was shown, only if it still matches.

        The scope `since` also undoes later calls of the session. The answer is another call, which may wait for a
        decision.
        """
        body = given(
            scope=scope,
            paths=paths,
            digest=digest,
            confirm=confirm,
            session_id=session_id,
            context=context,
            agent=agent,
            background=background,
        )
        path = path_of("/calls/{id}/undo", id=tool_call_id)
        headers = {"idempotency-key": idempotency_key}
        answer = await self._transport.json("POST", path, body=body, query={"wait_ms": wait_ms}, headers=headers)
        return cast(Call, answer)
