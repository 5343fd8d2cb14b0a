"""Discovery of servers: the files that running servers leave, and the proof that a server knows its token."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import socket
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

TokenName = Literal["token", "call_token"]
"""`token` may call and decide. `call_token` may only call: the one to give to an agent."""

_MAX_TOKEN_FILE_BYTES = 4_096
_KEY_ID_CHARACTERS = 16


@dataclass(frozen=True)
class Server:
    """The address of a server, and the token for it."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class DiscoveredServer(Server):
    """A server that has left a discovery file, which is believed once the server proves to know its token."""

    instance: str
    proven_token: str = field(repr=False)
    pid: int | None
    roots: Sequence[str]
    started_at: str


def find_named(env: Mapping[str, str], url: str | None, token: TokenName) -> Server | None:
    """Returns the server that is named; None if its token is not known."""
    named = (url or env.get("TOOLGATE_URL") or "").rstrip("/")
    file = env.get("TOOLGATE_TOKEN_FILE")
    if file:
        return Server(named, read_token(file))
    return next((server for server in read_discoveries(env, token) if server.url == named), None)


def is_named(env: Mapping[str, str], url: str | None) -> bool:
    """Returns true if a server is named, so that no other one is looked for."""
    return bool(url or env.get("TOOLGATE_URL"))


def find_candidates(env: Mapping[str, str], root: str, token: TokenName) -> list[DiscoveredServer]:
    """Returns the servers of the folder: first those with the innermost root, of these the newest."""
    real = os.path.realpath(root)
    candidates = [(_closeness(server, real), server) for server in read_discoveries(env, token)]
    candidates.sort(key=lambda candidate: candidate[0], reverse=True)
    return [server for closeness, server in candidates if closeness >= 0]


def _closeness(server: DiscoveredServer, folder: str) -> int:
    return max((len(root) for root in server.roots if Path(folder).is_relative_to(root)), default=-1)


def read_discoveries(env: Mapping[str, str], token: TokenName) -> list[DiscoveredServer]:
    """Returns the servers of all discovery files of this machine that can be trusted, newest first."""
    by_instance: dict[str, DiscoveredServer] = {}
    for folder in _run_folders(env):
        for file in sorted(folder.glob("[!.]*.json")):
            server = _read_discovery(file, token)
            if server:
                by_instance.setdefault(server.instance, server)
    return sorted(by_instance.values(), key=lambda server: server.started_at, reverse=True)


def _run_folders(env: Mapping[str, str]) -> list[Path]:
    home = Path(env.get("HOME") or os.path.expanduser("~"))
    usual = home / ".local/state/toolgate/run"
    state = env.get("XDG_STATE_HOME", "")
    in_state = (Path(state) if os.path.isabs(state) else home / ".local/state") / "toolgate/run"
    main = Path(os.path.abspath(env.get("TOOLGATE_RUN_DIR") or in_state))
    return [main] if main == usual else [main, usual]


def _read_discovery(file: Path, token: TokenName) -> DiscoveredServer | None:
    try:
        if not _is_private(file):
            return None
        record: dict[str, Any] = json.loads(file.read_text("utf-8"))
        texts = [record[key] for key in ("instance", "url", "token", token, "started_at", "host")]
        roots = record["roots"]
        is_whole = isinstance(roots, list) and all(isinstance(text, str) for text in [*texts, *roots])
        if not is_whole or record["schema"] != 1 or record["host"] != socket.gethostname():
            return None
        pid = record.get("pid")
        return DiscoveredServer(
            url=record["url"],
            token=record[token],
            instance=record["instance"],
            proven_token=record["token"],
            pid=pid if isinstance(pid, int) and pid > 0 else None,
            roots=roots,
            started_at=record["started_at"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_private(file: Path) -> bool:
    """Returns true if the file belongs to the user, and no one else can access it."""
    stats = file.lstat()
    if not stat.S_ISREG(stats.st_mode):
        return False
    return os.name == "nt" or (stats.st_mode & 0o077 == 0 and stats.st_uid == os.getuid())


def is_process_running(pid: int | None) -> bool:
    """Returns true unless the process has certainly ended."""
    # On Windows, the signal 0 would end the process.
    if pid is None or os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def read_token(file: str) -> str:
    """Returns the token in the first line of a file. Raises ValueError if others could read or write the file."""
    fd = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(fd, encoding="utf-8") as opened:
        stats = os.fstat(fd)
        if not stat.S_ISREG(stats.st_mode):
            raise ValueError(f"The token file {file} is not a regular file.")
        if os.name != "nt" and stats.st_mode & 0o027:
            raise ValueError(f"The token file {file} is accessible to other users; run chmod 600 on it.")
        if stats.st_size > _MAX_TOKEN_FILE_BYTES:
            raise ValueError(f"The token file {file} is too long for a token.")
        token = opened.readline().strip()
    if len(token) < 22 or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(f"The token file {file} must hold one line of at least 22 printable characters.")
    return token


@dataclass(frozen=True)
class ProofRequest:
    """Requires proof that a server knows a token before the token is sent: another program may use the address of one that has ended."""

    challenge: str
    key: str

    @classmethod
    def of(cls, token: str) -> ProofRequest:
        return cls(secrets.token_hex(16), _sha256(f"key\n{_sha256(token)}")[:_KEY_ID_CHARACTERS])

    def is_answered(self, health: object, server: DiscoveredServer, host: str) -> bool:
        """Returns true if this answer of `GET /health` is that of the server, and proves that it knows the token.

        `host` is the Host header of the request: a proof for another address may have been got from the server there.
        """
        if not isinstance(health, dict) or health.get("instance") != server.instance:
            return False
        digest = _sha256(server.proven_token)
        inner = _sha256(f"{digest}\n{self.challenge}\n{host}")
        return hmac.compare_digest(str(health.get("proof")).encode(), _sha256(f"{digest}\n{inner}").encode())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
