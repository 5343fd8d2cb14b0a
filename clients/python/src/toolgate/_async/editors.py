"""Operations of editors: unsaved buffers, and requests to front ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from .._request import given, path_of
from ..models import (
    AnswerDelegationResponse,
    Buffer,
    BufferLease,
    Delegation,
    DelegationAnswer,
    PutBuffersBodyBuffersItem,
)
from .operations import AsyncOperations


class AsyncEditorOperations(AsyncOperations):
    async def put_buffers(
        self,
        buffers: Sequence[PutBuffersBodyBuffersItem],
        *,
        client_id: str | None = None,
        workspace: str | None = None,
        lease_ms: int | None = None,
    ) -> BufferLease:
        """Reports unsaved buffers, each instead of the previous one of its file, and renews the lease on all."""
        body = given(buffers=buffers, client_id=client_id, workspace=workspace, lease_ms=lease_ms)
        return cast(BufferLease, await self._transport.json("PUT", "/buffers", body=body))

    async def drop_buffers(
        self, *, path: str | None = None, client_id: str | None = None, workspace: str | None = None
    ) -> BufferLease:
        """Drops a saved or closed buffer; without a path, all of this front end."""
        query = {"path": path, "client_id": client_id, "workspace": workspace}
        return cast(BufferLease, await self._transport.json("DELETE", "/buffers", query=query))

    async def buffers(self, *, workspace: str | None = None, content: bool | None = None) -> list[Buffer]:
        """Lists unsaved buffers of editors, with their texts if `content` is true."""
        answer = await self._transport.json("GET", "/buffers", query={"workspace": workspace, "content": content})
        return cast(list[Buffer], answer["buffers"])

    async def delegations(self, *, client_id: str | None = None) -> list[Delegation]:
        """Lists the open requests to front ends, oldest first."""
        page = await self._read_pages("/delegations", "delegations", {"client_id": client_id})
        return cast(list[Delegation], page["delegations"])

    async def delegation(self, delegation_id: str) -> Delegation:
        """Returns an open request to a front end in full, if its event was truncated."""
        return cast(Delegation, await self._transport.json("GET", path_of("/delegations/{id}", id=delegation_id)))

    async def answer_delegation(self, delegation_id: str, answer: DelegationAnswer) -> AnswerDelegationResponse:
        """Answers for the front end that was asked. The first answer counts."""
        path = path_of("/delegations/{id}", id=delegation_id)
        return cast(AnswerDelegationResponse, await self._transport.json("POST", path, body=answer))
