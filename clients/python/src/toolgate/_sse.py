"""Parser for server-sent events: UTF-8 sequences and line ends may be split anywhere, lines may have any length."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class SseFrame:
    id: str | None
    """The latest id so far, of this frame or an earlier one: the value for Last-Event-ID."""
    event: str
    data: str


class SseParser:
    """Turns the bytes of a stream into frames."""

    def __init__(self) -> None:
        self.retry_ms: int | None = None
        """Delay before reconnecting that the server asks for."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # Parts of a line that has not ended, joined once, so that a long line takes linear time.
        self._line: list[str] = []
        self._after_cr = False
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def push(self, chunk: bytes) -> list[SseFrame]:
        """Returns the frames that these bytes complete."""
        text = self._decoder.decode(chunk)
        if not text:
            return []
        # The line feed of a CRLF may come with the next bytes.
        follows_cr = self._after_cr and text.startswith("\n")
        self._after_cr = text.endswith("\r")
        if follows_cr:
            text = text[1:]
        *lines, rest = _LINE_END.split(text)
        frames = []
        for line in lines:
            frame = self._parse_line("".join([*self._line, line]))
            self._line = []
            if frame:
                frames.append(frame)
        if rest:
            self._line.append(rest)
        return frames

    def _parse_line(self, line: str) -> SseFrame | None:
        if line == "":
            return self._dispatch()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and re.fullmatch("[0-9]+", value):
            self.retry_ms = int(value)
        return None

    def _dispatch(self) -> SseFrame | None:
        frame = SseFrame(self._id, self._event or "message", "\n".join(self._data))
        is_empty = not self._data
        self._event = ""
        self._data = []
        return None if is_empty else frame
