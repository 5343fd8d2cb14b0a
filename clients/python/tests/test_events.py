"""Events, and what survives a restart of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from server import ServerProcess
from toolgate import AsyncToolgate, Event, ToolgateError


async def take(events: AsyncGenerator[Event, None], count: int) -> list[Any]:
    """Returns so many events that are no snapshots."""
    taken: list[Any] = []
    while len(taken) < count:
        event = await events.__anext__()
        if event["type"] != "stream.snapshot":
            taken.append(event)
    return taken


def in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *args: object) -> None:
    """Calls back in the loop, from any thread."""
    loop.call_soon_threadsafe(callback, *args)


async def test_events_have_types_and_filters(toolgate: AsyncToolgate, kind: str) -> None:
    session = f"filters-{kind}"
    await toolgate.call("write_file", {"path": f"{session}.txt", "content": "x"}, session_id=session)
    async with aclosing(toolgate.events(after=0, types=["tool.call", "file.changed"], session_id=session)) as events:
        first = await events.__anext__()
        assert first["type"] == "stream.snapshot"
        call, change = await take(events, 2)
    assert (call["type"], change["type"]) == ("tool.call", "file.changed")
    assert (change["path"], change["operation"]) == (f"{session}.txt", "created")


async def write(client: AsyncToolgate, name: str) -> None:
    assert (await client.call("write_file", {"path": name, "content": "x"}))["status"] == "success"


async def test_no_event_is_lost_or_repeated_when_the_server_is_killed(
    own_server: ServerProcess, connect: Callable[..., AsyncToolgate]
) -> None:
    token_file = own_server.home / "token"
    token_file.write_text("t" * 32)
    token_file.chmod(0o600)
    own_server.restart("--token-file", str(token_file))
    losses: list[Exception] = []
    async with connect(own_server.url, "t" * 32) as toolgate:
        events = toolgate.events(types=["file.changed"], on_disconnect=losses.append, retry_ms=10)
        async with aclosing(events):
            assert (await events.__anext__())["type"] == "stream.snapshot"
            for name in ["a.txt", "b.txt"]:
                await write(toolgate, name)
            # The second event is written, but not read, when the server is killed.
            paths = [event["path"] for event in await take(events, 1)]
            own_server.restart("--token-file", str(token_file))
            for name in ["c.txt", "d.txt"]:
                await write(toolgate, name)
            paths += [event["path"] for event in await take(events, 3)]
    assert paths == ["a.txt", "b.txt", "c.txt", "d.txt"]
    assert len(losses) == 1


async def test_events_go_on_where_the_server_is_found_again(
    own_server: ServerProcess, discover: Callable[..., Any]
) -> None:
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: nothing\n\n")
        await writer.drain()
        writer.close()

    lost = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with await discover(own_server.project, env=own_server.env) as toolgate:
        events = toolgate.events(
            types=["file.changed"], retry_ms=10, on_disconnect=lambda _: in_loop(loop, lost.set)
        )
        async with aclosing(events):
            await events.__anext__()
            await write(toolgate, "a.txt")
            paths = [event["path"] for event in await take(events, 1)]
            following = asyncio.create_task(take(events, 2))
            old = own_server.record
            own_server.kill()
            # Another program takes the address of the server before that is there again.
            impostor = await asyncio.start_server(answer, "127.0.0.1", int(old["url"].rpartition(":")[2]))
            await lost.wait()
            own_server.start("--port", "0")
            async with await discover(own_server.project, env=own_server.env) as writer:
                for name in ["b.txt", "c.txt"]:
                    await write(writer, name)
            paths += [event["path"] for event in await following]
            impostor.close()
    assert paths == ["a.txt", "b.txt", "c.txt"]
    assert toolgate.url == own_server.url != old["url"]
    assert not [request for request in heard if old["token"].encode() in request]


async def test_calls_and_waits_find_the_server_again(
    own_server: ServerProcess, discover: Callable[..., Any]
) -> None:
    (own_server.project / "note.txt").write_text("one\n")
    async with await discover(own_server.project, env=own_server.env) as toolgate:
        call = await toolgate.call("edit_file", {"path": "note.txt", "old": "one", "new": "two"})
        waits = asyncio.create_task(toolgate.wait(call["tool_call_id"]))
        before = own_server.token
        await asyncio.to_thread(own_server.restart, "--port", "0")
        assert own_server.token != before
        (again,) = await toolgate.approvals()
        assert again["tool_call_id"] == call["tool_call_id"]
        await toolgate.approve(call["tool_call_id"], digest=again["approval"]["digest"])
        assert (await waits)["status"] == "success"
        assert toolgate.url == own_server.url

        other = await toolgate.call("edit_file", {"path": "note.txt", "old": "two", "new": "three"})
        waits = asyncio.create_task(toolgate.wait(other["tool_call_id"], timeout_ms=2_000))
        await asyncio.to_thread(own_server.kill)
        with pytest.raises(TimeoutError):
            await waits


async def test_a_silent_server_is_given_up(connect: Callable[..., AsyncToolgate]) -> None:
    connections = 0
    lost: asyncio.Queue[Exception] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        request = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        if connections == 2:
            assert b"last-event-id: j-7" in request.lower()
            writer.write(b'id: j-8\ndata: {"type": "tools.changed", "seq": 8}\n\n')
        else:
            writer.write(b'id: j-7\ndata: {"type": "tools.changed", "seq": 7}\n\n')
        await writer.drain()
        await reader.read()

    server = await asyncio.start_server(answer, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    async with connect(f"http://127.0.0.1:{port}", "token") as toolgate:
        events = toolgate.events(
            idle_timeout_ms=200,
            retry_ms=1,
            on_disconnect=lambda cause: in_loop(loop, lost.put_nowait, cause),
        )
        async with aclosing(events):
            assert [event["seq"] for event in await take(events, 2)] == [7, 8]
        cause = await lost.get()
        assert isinstance(cause, ToolgateError) and cause.code == "UNREACHABLE"
    server.close()


async def test_a_refusal_ends_the_events(own_server: ServerProcess, connect: Callable[..., AsyncToolgate]) -> None:
    async with connect(own_server.url, "x" * 32) as stranger, aclosing(stranger.events()) as events:
        with pytest.raises(ToolgateError) as refused:
            await events.__anext__()
    assert (refused.value.code, refused.value.status) == ("UNAUTHORIZED", 401)
