"""Parts of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx


def given(**values: Any) -> dict[str, Any]:
    """Returns those values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def path_of(template: str, **parts: str | int) -> str:
    """Returns a path with these parts escaped: path_of("/calls/{id}", id=…)."""
    return template.format(**{name: _escape(str(part)) for name, part in parts.items()})


def file_path_of(path: str) -> str:
    """Returns the path of a file's bytes."""
    return "/files/" + "/".join(map(_escape, path.split("/")))


def _escape(segment: str) -> str:
    """Escapes a segment of a path. Plain `..` would lead to another route."""
    escaped = quote(segment, safe="")
    return escaped.replace(".", "%2E") if segment in (".", "..") else escaped


def query_of(values: Mapping[str, Any] | None) -> httpx.QueryParams | None:
    """Returns the params of a query string: several of a list, none of None. None if there are none."""
    pairs: list[tuple[str, str | int | float | bool | None]] = []
    for name, value in (values or {}).items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is not None:
                pairs.append((name, each))
    return httpx.QueryParams(pairs) if pairs else None
