"""Operations on calls that wait for a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from .._request import given, path_of
from ..calls import DecisionOutcome
from ..models import (
    AlwaysLimits,
    AwaitingApprovalCall,
    Call,
    CallPreview,
    PreviewFreshness,
    ReviewComment,
    ShownCall,
)
from .operations import AsyncOperations


class AsyncApprovalOperations(AsyncOperations):
    async def approvals(self) -> list[AwaitingApprovalCall]:
        """Lists the calls that wait for a decision, oldest first."""
        page = await self._read_pages("/approvals", "approvals")
        return cast(list[AwaitingApprovalCall], page["approvals"])

    async def approve(
        self,
        tool_call_id: str,
        *,
        digest: str,
        whole_digest: str | None = None,
        modified_params: Mapping[str, Any] | None = None,
        modified_digest: str | None = None,
        always: str | None = None,
        always_limits: AlwaysLimits | None = None,
        confirm: bool | None = None,
        reason: str | None = None,
        wait_ms: int | None = None,
    ) -> Call:
        """Approves a waiting call if the `digest` of its approval, which was shown, still matches.

        `whole_digest` is required if the preview of the call is cut: `preview` returns it with all of it. `always`
        is the id of one of `always_options`; `always_limits` sets the end of the saved rules. A strict call needs `confirm=True`.
        """
        body = given(
            digest=digest,
            whole_digest=whole_digest,
            modified_params=modified_params,
            modified_digest=modified_digest,
            always=always,
            always_limits=always_limits,
            confirm=confirm,
            reason=reason,
        )
        path = path_of("/calls/{id}/approve", id=tool_call_id)
        return cast(Call, await self._transport.json("POST", path, body=body, query={"wait_ms": wait_ms}))

    async def approve_all(
        self,
        calls: Sequence[ShownCall],
        *,
        always: str | None = None,
        always_limits: AlwaysLimits | None = None,
        confirm: bool | None = None,
        reason: str | None = None,
    ) -> list[DecisionOutcome]:
        """Approves several waiting calls independently, each if its digest still matches."""
        body = given(calls=calls, always=always, always_limits=always_limits, confirm=confirm, reason=reason)
        return cast(list[DecisionOutcome], (await self._transport.json("POST", "/approve", body=body))["results"])

    async def reject(
        self,
        tool_call_id: str,
        *,
        reason: str | None = None,
        user_message: str | None = None,
        comments: Sequence[ReviewComment] | None = None,
    ) -> Call:
        """Rejects a waiting call; `user_message` and the `comments` on lines of its diff are for the agent."""
        body = given(reason=reason, user_message=user_message, comments=comments)
        path = path_of("/calls/{id}/reject", id=tool_call_id)
        return cast(Call, await self._transport.json("POST", path, body=body))

    async def reject_all(
        self, tool_call_ids: Sequence[str], *, reason: str | None = None, user_message: str | None = None
    ) -> list[DecisionOutcome]:
        """Rejects several waiting calls independently."""
        body = given(tool_call_ids=tool_call_ids, reason=reason, user_message=user_message)
        return cast(list[DecisionOutcome], (await self._transport.json("POST", "/reject", body=body))["results"])

    async def preview(self, tool_call_id: str, *, digest: str | None = None) -> CallPreview:
        """Returns the texts of files in the preview of a waiting call; with a `digest`, only if it still matches."""
        path = path_of("/calls/{id}/preview", id=tool_call_id)
        return cast(CallPreview, await self._transport.json("GET", path, query={"digest": digest}))

    async def preview_text(self, href: str) -> str:
        """Returns one text of a preview by its `before_href` or `after_href`."""
        return await self._transport.text(href)

    async def digest(self, tool_call_id: str) -> PreviewFreshness:
        """Checks if a waiting call would still do what was shown: then `digest` equals that of its approval."""
        path = path_of("/calls/{id}/digest", id=tool_call_id)
        return cast(PreviewFreshness, await self._transport.json("GET", path))
