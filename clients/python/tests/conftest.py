"""Fixtures: a real server, and a client of each kind behind one interface, so that all tests run with both."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import pytest

from server import ServerProcess
from toolgate import AsyncToolgate, Toolgate

KINDS = ["async", "sync"]


class InThreads:
    """Runs the client without `async` in threads, with the interface of the other one."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not callable(value):
            return value
        if inspect.isgeneratorfunction(value) or name == "events":
            return lambda *args, **options: _in_threads(value(*args, **options))
        if name == "download_file":
            return lambda *args, **options: InThreads(value(*args, **options))

        async def run(*args: Any, **options: Any) -> Any:
            result = await asyncio.to_thread(value, *args, **options)
            return InThreads(result) if isinstance(result, Toolgate) else result

        return run

    async def __aenter__(self) -> Any:
        entered = await asyncio.to_thread(self._target.__enter__)
        return self if isinstance(entered, Toolgate) else InThreads(entered)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._target.__exit__, kind, error, trace)

    async def aread(self) -> bytes:
        return cast(bytes, await asyncio.to_thread(self._target.read))


async def _in_threads(generator: Iterator[Any]) -> AsyncIterator[Any]:
    end = object()
    try:
        while (item := await asyncio.to_thread(lambda: next(generator, end))) is not end:
            yield item
    finally:
        generator.close()  # type: ignore[attr-defined]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return cast(str, request.param)


@pytest.fixture
def connect(kind: str) -> Callable[..., AsyncToolgate]:
    """Makes a client."""
    if kind == "async":
        return AsyncToolgate
    return lambda *args, **options: cast(AsyncToolgate, InThreads(Toolgate(*args, **options)))


@pytest.fixture
def discover(kind: str) -> Callable[..., Any]:
    """Finds a server, and makes a client of it."""
    return cast("Callable[..., Any]", AsyncToolgate.discover if kind == "async" else InThreads(Toolgate).discover)


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server that the test kills and starts again."""
    server = ServerProcess(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def project(shared_server: ServerProcess) -> Path:
    (shared_server.project / "note.txt").write_text("one\n")
    return shared_server.project


@pytest.fixture
async def toolgate(
    shared_server: ServerProcess, project: Path, connect: Callable[..., AsyncToolgate]
) -> AsyncIterator[AsyncToolgate]:
    async with connect(shared_server.url, shared_server.token, client="pytest") as client:
        yield client
