"""Operations on rules and modes, and on what they say of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from .._request import given, path_of
from ..models import Call, DryRun, Explanation, NewRule, Rule, RuleTest, RuleTestRequest, SessionMode, SessionModes
from .operations import AsyncOperations


class AsyncPolicyOperations(AsyncOperations):
    async def dry_run(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        *,
        toolset: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        if_match: str | None = None,
        executor: Literal["client"] | None = None,
    ) -> DryRun:
        """Returns what a call would do, and what policy says of it, without running it."""
        body = given(
            tool=tool,
            params=params,
            toolset=toolset,
            session_id=session_id,
            workspace=workspace,
            agent=agent,
            if_match=if_match,
            executor=executor,
            dry_run=True,
        )
        return cast(DryRun, await self._transport.json("POST", "/calls", body=body))

    async def dry_run_modified(self, call: Call, params: Mapping[str, Any]) -> DryRun:
        """Previews a waiting call with modified params. To approve exactly that, send its digest as `modified_digest`."""
        return await self.dry_run(
            call["tool"],
            params,
            session_id=call["session_id"],
            workspace=call["workspace"],
            agent=call.get("agent"),
            executor=call.get("executor"),
        )

    async def explain(
        self,
        tool: str,
        params: Mapping[str, Any] | None = None,
        *,
        toolset: str | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
    ) -> Explanation:
        """Explains what policy says of a call, without running it."""
        body = given(
            tool=tool,
            params=params,
            toolset=toolset,
            session_id=session_id,
            workspace=workspace,
            agent=agent,
        )
        return cast(Explanation, await self._transport.json("POST", "/policy/explain", body=body))

    async def rules(self) -> list[Rule]:
        """Lists the saved rules, oldest first."""
        return cast(list[Rule], (await self._read_pages("/rules", "rules"))["rules"])

    async def add_rule(self, rule: NewRule) -> Rule:
        """Saves a rule."""
        return cast(Rule, await self._transport.json("POST", "/rules", body=rule))

    async def revoke_rule(self, rule_id: str) -> Rule:
        """Revokes a saved rule."""
        return cast(Rule, await self._transport.json("DELETE", path_of("/rules/{id}", id=rule_id)))

    async def test_rules(self, request: RuleTestRequest) -> RuleTest:
        """Compares the decisions about past calls with those under a changed rule, or in another mode."""
        return cast(RuleTest, await self._transport.json("POST", "/rules/test", body=request))

    async def modes(self) -> SessionModes:
        """Returns the modes of sessions that a person has set, and the mode of all others."""
        return cast(SessionModes, await self._read_pages("/modes", "modes"))

    async def set_mode(
        self,
        session_id: str,
        mode: Literal["plan", "ask", "accept-edits", "auto"],
        *,
        workspace: str | None = None,
        token_id: str | None = None,
        expires_at: str | None = None,
    ) -> SessionMode:
        """Sets the mode of a session: which of its calls run without asking."""
        body = given(mode=mode, workspace=workspace, token_id=token_id, expires_at=expires_at)
        path = path_of("/sessions/{id}/mode", id=session_id)
        return cast(SessionMode, await self._transport.json("PUT", path, body=body))

    async def clear_mode(
        self, session_id: str, *, workspace: str | None = None, token_id: str | None = None
    ) -> SessionModes:
        """Returns a session to the configured mode."""
        path = path_of("/sessions/{id}/mode", id=session_id)
        await self._transport.json("DELETE", path, query={"workspace": workspace, "token_id": token_id})
        return await self.modes()
