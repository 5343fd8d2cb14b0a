"""Discovery of servers, with the rules of all clients."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from server import ServerProcess
from toolgate import AsyncToolgate, ToolgateError

Discover = Callable[..., Any]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Machine:
    """A home with discovery files of servers that answer `GET /health`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"HOME": str(folder / "home")}
        self.run_folder = folder / "home/.local/state/toolgate/run"
        self.run_folder.mkdir(parents=True)
        self.requests: list[str] = []
        self._servers: list[ThreadingHTTPServer] = []

    def root(self, name: str) -> Path:
        root = self.folder / name
        root.mkdir(parents=True, exist_ok=True)
        return root

    def serve(
        self, instance: str, *roots: Path, answers: str | None = None, knows: str | None = None, **more: Any
    ) -> str:
        """Starts a server that answers as the instance `answers` and knows the token `knows`; returns its address."""
        machine = self
        token = knows or f"token of {instance}"

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                machine.requests.append(f"{instance}: {self.headers.get('authorization')}")
                challenge = parse_qs(urlsplit(self.path).query)["challenge"][0]
                inner = sha256(f"{sha256(token)}\n{challenge}\n{self.headers['host']}")
                proof = sha256(f"{sha256(token)}\n{inner}")
                body = json.dumps({"instance": answers or instance, "proof": proof}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._servers.append(server)
        Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        record = {
            "schema": 1,
            "instance": instance,
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "url": f"http://127.0.0.1:{server.server_port}",
            "token": f"token of {instance}",
            "call_token": "call",
            "roots": [str(root) for root in roots],
            "started_at": f"2026-01-01T00:00:{len(self._servers):02}.000Z",
            **more,
        }
        record["roots"] = record.pop("server_roots", record["roots"])
        file = self.run_folder / f"{instance}.json"
        file.write_text(json.dumps(record))
        file.chmod(0o600)
        return str(record["url"])

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.close()


async def found(discover: Discover, machine: Machine, root: Path) -> str | None:
    """Returns the address of the server that is found."""
    try:
        async with await discover(root, env=machine.env) as toolgate:
            return str(toolgate.url)
    except ToolgateError as error:
        assert (error.code, error.status) == ("UNREACHABLE", 0)
        assert error.detail == f"No server was found for {root}. Start one: toolgate serve"
        return None


async def test_the_innermost_root_is_preferred_then_the_newest(machine: Machine, discover: Discover) -> None:
    work, sub = machine.root("work"), machine.root("work/sub")
    outer = machine.serve("outer", machine.folder)
    inner = machine.serve("work", work)
    machine.serve("sub", sub)
    newest = machine.serve("sub again", sub)
    assert await found(discover, machine, work) == inner
    assert await found(discover, machine, sub) == newest
    assert await found(discover, machine, machine.root("work-2")) == outer
    assert await found(discover, machine, Path("/")) is None
    link = machine.folder / "link"
    link.symlink_to(sub)
    assert await found(discover, machine, link) == newest


async def test_only_the_server_that_knows_its_token_is_believed(machine: Machine, discover: Discover) -> None:
    work = machine.root("work")
    real = machine.serve("real", work)
    machine.serve("gone", work, answers="somebody else")
    machine.serve("copied", work, knows="another token")
    machine.serve("elsewhere", work, host="another-machine")
    machine.serve("newer", work, schema=2)
    machine.serve("odd", work, server_roots=str(work))
    machine.serve("unreachable", work, url="http://127.0.0.1:1")
    machine.serve("ended", work, url="http://127.0.0.1:1", pid=2**22 + 1)
    for name, text in {"broken.json": "{", "list.json": "[]", ".hidden.json": "{}"}.items():
        (machine.run_folder / name).write_text(text)
        (machine.run_folder / name).chmod(0o600)
    assert await found(discover, machine, work) == real
    assert sorted(machine.requests) == ["copied: None", "gone: None", "real: None"]


async def test_a_file_that_others_can_read_is_not_believed(machine: Machine, discover: Discover) -> None:
    work = machine.root("work")
    machine.serve("open", work)
    (machine.run_folder / "open.json").chmod(0o644)
    assert await found(discover, machine, work) is None
    (machine.run_folder / "open.json").rename(machine.folder / "elsewhere.json")
    (machine.folder / "elsewhere.json").chmod(0o600)
    (machine.run_folder / "open.json").symlink_to(machine.folder / "elsewhere.json")
    assert await found(discover, machine, work) is None


async def test_other_folders_of_discovery_files(machine: Machine, discover: Discover) -> None:
    work = machine.root("work")
    url = machine.serve("work", work)
    for variable, folder in {"TOOLGATE_RUN_DIR": "moved", "XDG_STATE_HOME": "moved/toolgate/run"}.items():
        target = machine.folder / variable / folder
        target.mkdir(parents=True)
        file = machine.run_folder / "work.json"
        moved = target / "work.json"
        file.rename(moved)
        assert await found(discover, machine, work) is None
        machine.env[variable] = str(machine.folder / variable / "moved")
        assert await found(discover, machine, work) == url
        moved.rename(file)
        assert await found(discover, machine, work) == url
        del machine.env[variable]


async def test_the_environment_names_the_server(machine: Machine, discover: Discover, tmp_path: Path) -> None:
    work, other = machine.root("work"), machine.root("other")
    url = machine.serve("work", work)
    machine.env["TOOLGATE_URL"] = f"{url}/"
    assert await found(discover, machine, other) == url
    machine.env["TOOLGATE_URL"] = "http://127.0.0.1:1"
    assert await found(discover, machine, work) is None
    async with await discover(other, env=machine.env, url=url) as toolgate:
        assert toolgate.url == url
    copied = machine.serve("copied", work, knows="another token")
    machine.env["TOOLGATE_URL"] = copied
    assert await found(discover, machine, work) is None

    token_file = tmp_path / "token"
    token_file.write_text(f"{'t' * 32}\nmore\n")
    token_file.chmod(0o600)
    machine.env |= {"TOOLGATE_URL": "http://elsewhere:1/", "TOOLGATE_TOKEN_FILE": str(token_file)}
    assert await found(discover, machine, other) == "http://elsewhere:1"
    token_file.chmod(0o604)
    with pytest.raises(ValueError, match="is accessible to other users; run chmod 600 on it"):
        await discover(other, env=machine.env)
    token_file.chmod(0o600)
    token_file.write_text("short")
    with pytest.raises(ValueError, match="at least 22 printable characters"):
        await discover(other, env=machine.env)


async def test_the_call_token_cannot_decide(shared_server: ServerProcess, project: Path, discover: Discover) -> None:
    agent: AsyncToolgate
    async with await discover(project, env=shared_server.env, token="call_token", client="agent") as agent:
        call = await agent.call("edit_file", {"path": "note.txt", "old": "one", "new": "two"})
        assert call["status"] == "awaiting_approval"
        with pytest.raises(ToolgateError) as forbidden:
            await agent.approve(call["tool_call_id"], digest=call["approval"]["digest"])
        assert (forbidden.value.code, forbidden.value.status) == ("FORBIDDEN", 403)
        assert (await agent.cancel(call["tool_call_id"]))["status"] == "cancelled"
        assert shared_server.token not in repr(vars(agent)) + repr(getattr(agent, "_transport", None).__dict__)
