"""Bytes of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolgate import AsyncToolgate, ToolgateError

NAME = "Ä ?#+&.bin"
CONTENT = bytes(range(256)) * 1_000


async def test_bytes_come_back_as_they_were(toolgate: AsyncToolgate, project: Path, kind: str) -> None:
    written = await toolgate.upload_file(f"{kind}/{NAME}", CONTENT, if_none_match="*")
    assert written["status"] == "success"
    assert (project / kind / NAME).read_bytes() == CONTENT
    async with toolgate.download_file(f"{kind}/{NAME}") as response:
        assert response.status_code == 200
        assert await response.aread() == CONTENT
        etag = response.headers["etag"]
    async with toolgate.download_file(f"{kind}/{NAME}", range="bytes=1-3", if_range=etag) as part:
        assert (part.status_code, await part.aread()) == (206, b"\x01\x02\x03")
    with pytest.raises(ToolgateError) as exists:
        await toolgate.upload_file(f"{kind}/{NAME}", b"", if_none_match="*")
    assert exists.value.status == 412
    waiting = await toolgate.upload_file(f"{kind}/{NAME}", b"new", if_match=etag)
    assert waiting["status"] == "awaiting_approval"
    await toolgate.reject(waiting["tool_call_id"])


@pytest.mark.parametrize("path", ["../state", "a/../../state", "..", "./../health"])
async def test_a_path_leads_to_no_other_route(toolgate: AsyncToolgate, path: str) -> None:
    with pytest.raises(ToolgateError) as refused:
        async with toolgate.download_file(path) as response:
            raise AssertionError(response.request.url)
    assert refused.value.code == "INVALID_PATH"
    with pytest.raises(ToolgateError) as no_call:
        await toolgate.get("..")
    assert no_call.value.status in (400, 404)
