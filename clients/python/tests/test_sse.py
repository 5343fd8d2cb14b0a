"""The parser of server-sent events."""

from __future__ import annotations

from toolgate._sse import SseFrame, SseParser

STREAM = (
    "retry: 25\r\n: a comment\r\n\r\n"
    "id: j-1\nevent: tool.call\ndata: {\"text\": \"ä\u2028€𝄞\"}\n\n"
    "data:first\rdata: second\r\r"
    "id: bad\0id\nretry: no\nunknown: x\ndata\n\n"
    "event: without data\n\n"
    "id: j-2\ndata: unfinished"
).encode()
FRAMES = [
    SseFrame("j-1", "tool.call", '{"text": "ä\u2028€𝄞"}'),
    SseFrame("j-1", "message", "first\nsecond"),
    SseFrame("j-1", "message", ""),
]


def test_frames_are_the_same_wherever_the_bytes_are_split() -> None:
    for split in range(len(STREAM) + 1):
        parser = SseParser()
        assert parser.push(STREAM[:split]) + parser.push(STREAM[split:]) == FRAMES
        assert parser.retry_ms == 25


def test_single_bytes_are_enough() -> None:
    parser = SseParser()
    assert [frame for byte in STREAM for frame in parser.push(bytes([byte]))] == FRAMES
