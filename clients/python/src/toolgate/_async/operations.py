"""The base of all groups of operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .transport import AsyncTransport


class AsyncOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _read_pages(self, path: str, key: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Reads all pages of a list. Returns the first page with the items of all."""
        first: dict[str, Any] = await self._transport.json("GET", path, query=query)
        page = first
        while page.get("cursor") is not None:
            page = await self._transport.json("GET", path, query={**(query or {}), "cursor": page["cursor"]})
            first[key] += page[key]
        first.pop("cursor", None)
        return first
