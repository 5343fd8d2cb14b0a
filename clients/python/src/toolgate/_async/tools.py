"""Operations on tools and MCP servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from .._request import given, path_of
from ..models import ListedTool, LoginToMcpServerResponse, McpServer, ToolDefinition, ToolMessages
from .operations import AsyncOperations


class AsyncToolOperations(AsyncOperations):
    async def tools(
        self, *, agent: str | None = None, toolset: str | None = None, workspace: str | None = None
    ) -> list[ListedTool]:
        """Lists the tools, with the schemas of their params and results."""
        query = {"agent": agent, "toolset": toolset, "workspace": workspace}
        return cast(list[ListedTool], (await self._transport.json("GET", "/tools", query=query))["tools"])

    async def tool(
        self, name: str, *, agent: str | None = None, toolset: str | None = None, workspace: str | None = None
    ) -> ListedTool:
        """Returns one tool."""
        query = {"agent": agent, "toolset": toolset, "workspace": workspace}
        path = path_of("/tools/{name}", name=name)
        return cast(ListedTool, await self._transport.json("GET", path, query=query))

    async def tool_definitions(
        self,
        format: Literal["openai", "openai-functions", "openai-responses", "anthropic", "mcp"],
        *,
        agent: str | None = None,
        toolset: str | None = None,
        workspace: str | None = None,
    ) -> list[ToolDefinition]:
        """Returns the tools in the format of a model's API. Calls may use the listed names."""
        query = {"format": format, "agent": agent, "toolset": toolset, "workspace": workspace}
        return cast(list[ToolDefinition], (await self._transport.json("GET", "/tools", query=query))["tools"])

    async def tool_calls(
        self,
        format: Literal["openai", "openai-responses", "anthropic"],
        message: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        session_id: str | None = None,
        workspace: str | None = None,
        agent: str | None = None,
        toolset: str | None = None,
        context: str | None = None,
        wait_ms: int | None = None,
        on_disconnect: Literal["continue", "cancel"] | None = None,
    ) -> ToolMessages:
        """Runs the tool calls of a model's message, as its API returned it, and returns the messages to append.

        Waits until all calls have ended, however long decisions take; with `wait_ms`, at most that long: `pending` then
        names the others. The same message in the same session, sent again, runs no call twice.
        """
        query = {
            "format": format,
            "session_id": session_id,
            "workspace": workspace,
            "agent": agent,
            "toolset": toolset,
            "context": context,
            "wait_ms": wait_ms,
            "on_disconnect": on_disconnect,
        }
        while True:
            answer = await self._transport.json("POST", "/tool-calls", body=message, query=query)
            if wait_ms is not None or not answer["pending"]:
                return cast(ToolMessages, answer)

    async def mcp_servers(self) -> list[McpServer]:
        """Lists the MCP servers whose tools are served."""
        return cast(list[McpServer], (await self._transport.json("GET", "/mcp-servers"))["servers"])

    async def mcp_login(self, name: str, *, workspace: str | None = None) -> LoginToMcpServerResponse:
        """Returns the address at which a person logs in to a remote MCP server."""
        path = path_of("/mcp-servers/{name}/login", name=name)
        answer = await self._transport.json("POST", path, body=given(workspace=workspace))
        return cast(LoginToMcpServerResponse, answer)

    async def control_mcp_server(
        self, action: Literal["logout", "restart"], name: str, *, workspace: str | None = None
    ) -> list[McpServer]:
        """Controls an MCP server; returns its resulting state in each workspace."""
        path = path_of("/mcp-servers/{name}/{action}", name=name, action=action)
        answer = await self._transport.json("POST", path, body=given(workspace=workspace))
        return cast(list[McpServer], answer["servers"])
