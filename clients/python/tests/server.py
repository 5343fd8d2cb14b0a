"""A real server on a folder with a home of its own, as a process that can be killed and started again."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[3] / "bin/toolgate.cjs"
# `--exit-with-stdin`: it ends with the tests, however these end.
ARGUMENTS = ["serve", "--ready", "json", "--log-level", "error", "--exit-with-stdin"]


class ServerProcess:
    def __init__(self, folder: Path, *, roots: Sequence[Path] = ()) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir(exist_ok=True)
        self.project.mkdir(exist_ok=True)
        self.roots = list(roots) or [self.project]
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TOOLGATE_ADMIN_CONFIG": str(folder / "none"),
            "TOOLGATE_SANDBOX_LEVEL": "none",
        }
        self.record: dict[str, Any] = {}
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return str(self.record["url"])

    @property
    def token(self) -> str:
        return str(self.record["token"])

    def start(self, *flags: str) -> None:
        """Starts it, and waits until it is ready."""
        roots = [part for root in self.roots for part in ("--root", str(root))]
        node = os.environ.get("TOOLGATE_TEST_NODE", "node")
        command = [node, str(PROGRAM), *ARGUMENTS, *roots, *flags]
        self._process = subprocess.Popen(
            command, cwd=self.project, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        ready = json.loads(self._process.stdout.readline())
        self.record = json.loads(Path(ready["discovery_file"]).read_text())

    def restart(self, *flags: str) -> None:
        self.kill()
        self.start(*flags)

    def kill(self) -> None:
        """Ends it at once, as a crash does."""
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None
