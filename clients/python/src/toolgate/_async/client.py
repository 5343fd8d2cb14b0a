"""The client."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from types import TracebackType

import httpx

from .._discovery import Server, TokenName
from ..errors import ToolgateError
from ..models import Event, EventType
from .approvals import AsyncApprovalOperations
from .calls import AsyncCallOperations
from .discover import discover_server
from .editors import AsyncEditorOperations
from .events import IDLE_TIMEOUT_MS, OnDisconnect, follow_events
from .files import AsyncFileOperations
from .jobs import AsyncJobOperations
from .log import AsyncLogOperations
from .policy import AsyncPolicyOperations
from .server import AsyncServerOperations
from .tools import AsyncToolOperations
from .transport import AsyncRediscover, AsyncTransport


class AsyncToolgate(
    AsyncCallOperations,
    AsyncLogOperations,
    AsyncApprovalOperations,
    AsyncJobOperations,
    AsyncPolicyOperations,
    AsyncToolOperations,
    AsyncEditorOperations,
    AsyncFileOperations,
    AsyncServerOperations,
):
    """A client of a Toolgate server. Close it, or use it as a context manager."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        client: str | None = None,
        rediscover: AsyncRediscover | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Creates a client of the server at `url`. Sends nothing before the first method is called.

        `client` is what people read in the log. `rediscover` is called if the server cannot be reached or no longer
        accepts the token: it may have restarted elsewhere. `http` sends the requests, for example through a proxy.
        """
        server = Server(url.rstrip("/"), token)
        super().__init__(AsyncTransport(server, client=client, rediscover=rediscover, http=http))

    @classmethod
    async def discover(
        cls,
        root: str | os.PathLike[str] = ".",
        *,
        env: Mapping[str, str] = os.environ,
        url: str | None = None,
        token: TokenName = "token",
        client: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> AsyncToolgate:
        """Finds the server of a folder, and finds it again if it restarts.

        That is the server that `url` or TOOLGATE_URL names, with the token in TOOLGATE_TOKEN_FILE; else the one
        with the innermost root that contains the folder. `token="call_token"` cannot decide: for agents. Raises a
        ToolgateError if there is none.
        """

        async def find() -> Server | None:
            return await discover_server(root, env=env, url=url, token=token)

        server = await find()
        if server is None:
            detail = f"No server was found for {os.path.abspath(root)}. Start one: toolgate serve"
            raise ToolgateError(detail, "UNREACHABLE")
        return cls(server.url, server.token, client=client, rediscover=find, http=http)

    @property
    def url(self) -> str:
        """The last known address of the server."""
        return self._transport.server.url

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncToolgate:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def events(
        self,
        *,
        after: int | str | None = None,
        types: Sequence[EventType] | None = None,
        session_id: str | None = None,
        workspace: str | None = None,
        tool_call_id: str | None = None,
        effects: Sequence[str] | None = None,
        client_id: str | None = None,
        on_disconnect: OnDisconnect | None = None,
        idle_timeout_ms: int = IDLE_TIMEOUT_MS,
        retry_ms: int | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Follows events for ever: reconnects by itself and resumes where it was, so that none is missed or repeated.

        Every connection begins with a `stream.snapshot`. `after` begins after this seq or event id instead of now:
        0 is all that is kept. `on_disconnect` is called once when the connection is lost. Raises a ToolgateError if
        the server cannot be reached at first, or refuses.
        """
        query = {
            "types": ",".join(types) if types else None,
            "session_id": session_id,
            "workspace": workspace,
            "tool_call_id": tool_call_id,
            "effects": ",".join(effects) if effects else None,
            "client_id": client_id,
        }
        return follow_events(
            self._transport,
            after=after,
            query=query,
            on_disconnect=on_disconnect,
            idle_timeout_ms=idle_timeout_ms,
            retry_ms=retry_ms,
        )
