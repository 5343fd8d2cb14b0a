"""Finds the server of a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping

import httpx

from .._discovery import (
    DiscoveredServer,
    ProofRequest,
    Server,
    TokenName,
    find_candidates,
    find_named,
    is_named,
    is_process_running,
)

# A server on a busy machine may take seconds. If its process seems gone, another container may have it.
BUSY_TIMEOUT_S = 15.0
GONE_TIMEOUT_S = 2.0


async def discover_server(
    root: str | os.PathLike[str], *, env: Mapping[str, str], url: str | None, token: TokenName
) -> Server | None:
    """Finds the server that is named, else the newest one with the innermost root that contains the folder."""
    if is_named(env, url):
        named = find_named(env, url, token)
        is_proven = not isinstance(named, DiscoveredServer) or await _is_live(named)
        return named if is_proven else None
    for server in find_candidates(env, os.fspath(root), token):
        if await _is_live(server):
            return server
    return None


async def _is_live(server: DiscoveredServer) -> bool:
    """Returns true if the server answers, and proves to know its token. Sends no token."""
    timeout = BUSY_TIMEOUT_S if is_process_running(server.pid) else GONE_TIMEOUT_S
    proof = ProofRequest.of(server.proven_token)
    query = {"challenge": proof.challenge, "key": proof.key}
    try:
        async with httpx.AsyncClient(timeout=timeout, trust_env=False) as http:
            response = await http.get(f"{server.url}/health", params=query)
            host = response.request.headers["host"]
            return response.status_code == 200 and proof.is_answered(response.json(), server, host)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return False
