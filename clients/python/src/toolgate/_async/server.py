"""Operations on the server: its state, and tokens for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from .._request import given, path_of
from ..models import (
    HealthResponse,
    IssuedToken,
    MakeCodeResponse,
    NewlyIssuedToken,
    NewPushSubscription,
    NewToken,
    Notifications,
    NotificationTestOutcome,
    PushSubscription,
    State,
    StatsResponse,
)
from .operations import AsyncOperations

Right = Literal["call", "approve"]


class AsyncServerOperations(AsyncOperations):
    async def state(self) -> State:
        """Returns where things stand, with all calls that wait for a decision."""
        state = cast(State, await self._transport.json("GET", "/state"))
        cursor = state.pop("pending_cursor", None)
        if cursor is not None:
            rest = await self._read_pages("/approvals", "approvals", {"cursor": cursor})
            state["pending"] += rest["approvals"]
        return state

    async def health(self) -> HealthResponse:
        """Returns the version of the server, and which run of it this is."""
        return cast(HealthResponse, await self._transport.json("GET", "/health"))

    async def capabilities(self) -> dict[str, Any]:
        """Returns what this server can do, and its limits."""
        return cast(dict[str, Any], await self._transport.json("GET", "/capabilities"))

    async def stats(self) -> StatsResponse:
        """Returns counts, durations and the state of the server."""
        return cast(StatsResponse, await self._transport.json("GET", "/stats"))

    async def metrics(self) -> str:
        """Returns the metrics in the format of Prometheus."""
        return await self._transport.text("/metrics")

    async def tokens(self) -> list[IssuedToken]:
        """Lists the issued, valid tokens, oldest first."""
        return cast(list[IssuedToken], (await self._transport.json("GET", "/tokens"))["tokens"])

    async def issue_token(self, token: NewToken) -> NewlyIssuedToken:
        """Issues a token, whose text is shown only once."""
        return cast(NewlyIssuedToken, await self._transport.json("POST", "/tokens", body=token))

    async def revoke_token(self, token_id: str) -> IssuedToken:
        """Revokes a token and those made with it, and closes their connections."""
        return cast(IssuedToken, await self._transport.json("DELETE", path_of("/tokens/{id}", id=token_id)))

    async def create_one_time_code(self, *, rights: Sequence[Right] | None = None) -> MakeCodeResponse:
        """Creates a code that a page exchanges for a token, once and within a minute."""
        return cast(MakeCodeResponse, await self._transport.json("POST", "/codes", body=given(rights=rights)))

    async def open_session(self, code: str) -> NewlyIssuedToken:
        """Exchanges a code for a token."""
        return cast(NewlyIssuedToken, await self._transport.json("POST", "/session", body={"code": code}))

    async def name_session(self, name: str) -> IssuedToken:
        """Names the person at a console, for the decisions made with its token from now on."""
        return cast(IssuedToken, await self._transport.json("PATCH", "/session", body={"name": name}))

    async def notifications(self) -> Notifications:
        """Returns the channels that notify people about waiting calls, with their latest outcomes."""
        return cast(Notifications, await self._transport.json("GET", "/notifications"))

    async def test_notifications(self, channel: str | None = None) -> list[NotificationTestOutcome]:
        """Sends a test message by one channel or by all."""
        answer = await self._transport.json("POST", "/notifications/test", body=given(channel=channel))
        return cast(list[NotificationTestOutcome], answer["results"])

    async def subscribe_to_push(self, subscription: NewPushSubscription) -> PushSubscription:
        """Registers a browser for web push."""
        path = "/notifications/subscriptions"
        return cast(PushSubscription, await self._transport.json("POST", path, body=subscription))

    async def unsubscribe_from_push(self, subscription_id: str) -> Notifications:
        """Removes a browser; returns the channels and the browsers that are left."""
        path = path_of("/notifications/subscriptions/{id}", id=subscription_id)
        return cast(Notifications, await self._transport.json("DELETE", path))
