"""The error that the client raises."""

from __future__ import annotations

from typing import Literal, cast

import httpx

from .models import Problem, ProblemCode

# `UNREACHABLE`: no answer. `BAD_ANSWER`: an answer that is not Toolgate's. Else the code of the problem.
ErrorCode = ProblemCode | Literal["UNREACHABLE", "BAD_ANSWER"]


class ToolgateError(Exception):
    """A request failed: the server refused it, or gave no answer that can be used."""

    def __init__(self, detail: str, code: ErrorCode, *, status: int = 0, problem: Problem | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        """Says what happened, and what to do."""
        self.code: ErrorCode = code
        self.status = status
        """The HTTP status; 0 without an answer."""
        self.problem = problem
        """The whole answer, with `errors` field by field; None unless the server refused the request."""

    @property
    def recoverable(self) -> bool:
        """True if the same request may succeed later, as the server says; also if the server was not reached."""
        return self.code == "UNREACHABLE" if self.problem is None else self.problem["recoverable"]

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


def unreachable(url: str) -> ToolgateError:
    """Returns the error of a server that gave no answer."""
    return ToolgateError(f"{url} can't be reached.", "UNREACHABLE")


def error_of(response: httpx.Response, url: str) -> ToolgateError:
    """Returns the error of a refused request, whose answer has been read."""
    status = response.status_code
    try:
        problem = cast(Problem, response.json())
        return ToolgateError(problem["detail"], problem["code"], status=status, problem=problem)
    except (ValueError, TypeError, KeyError):
        return ToolgateError(f"{url} returned status {status}, but is not a Toolgate server.", "BAD_ANSWER", status=status)
