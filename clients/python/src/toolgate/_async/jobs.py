"""Operations on background jobs and named shells."""

from __future__ import annotations

from typing import Literal, cast

from .._request import given, path_of
from ..models import Job, OpenPortResponse, Shell, TerminalSize
from .operations import AsyncOperations


class AsyncJobOperations(AsyncOperations):
    async def jobs(
        self,
        *,
        status: Literal["running", "exited", "stopped", "interrupted", "lost"] | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
    ) -> list[Job]:
        """Lists background jobs, running or ended, newest first."""
        query = {"status": status, "session_id": session_id, "workspace": workspace}
        return cast(list[Job], (await self._transport.json("GET", "/jobs", query=query))["jobs"])

    async def job(self, task_id: str) -> Job:
        """Returns a job."""
        return cast(Job, await self._transport.json("GET", path_of("/jobs/{id}", id=task_id)))

    async def send_input(
        self,
        task_id: str,
        *,
        text: str | None = None,
        end: bool | None = None,
        resize: TerminalSize | None = None,
    ) -> Job:
        """Writes to the input of a running job, ends it, or resizes its terminal."""
        path = path_of("/calls/{id}/input", id=task_id)
        return cast(Job, await self._transport.json("POST", path, body=given(text=text, end=end, resize=resize)))

    async def open_port(self, task_id: str, port: int) -> OpenPortResponse:
        """Makes a link that opens a port of a running job in a browser, once and within a minute."""
        path = path_of("/jobs/{id}/ports/{port}/link", id=task_id, port=port)
        return cast(OpenPortResponse, await self._transport.json("POST", path))

    async def shells(
        self, session_id: str, *, workspace: str | None = None, token_id: str | None = None
    ) -> list[Shell]:
        """Returns the named shells of a session."""
        path = path_of("/sessions/{id}/shells", id=session_id)
        answer = await self._transport.json("GET", path, query={"workspace": workspace, "token_id": token_id})
        return cast(list[Shell], answer["shells"])

    async def reset_shell(
        self, session_id: str, name: str, *, workspace: str | None = None, token_id: str | None = None
    ) -> list[Shell]:
        """Resets a named shell; returns those that are left."""
        path = path_of("/sessions/{id}/shells/{name}", id=session_id, name=name)
        answer = await self._transport.json("DELETE", path, query={"workspace": workspace, "token_id": token_id})
        return cast(list[Shell], answer["shells"])
