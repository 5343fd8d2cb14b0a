"""Kinds of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from .models import (
    Call,
    CancelledCall,
    ExpiredCall,
    FailedCall,
    InterruptedCall,
    OutcomesResultsItemProblem,
    RejectedCall,
    SuccessfulCall,
)

EndedCall = SuccessfulCall | FailedCall | RejectedCall | CancelledCall | InterruptedCall | ExpiredCall

# One of several decisions: the resulting call, or the problem that prevented it.
DecisionOutcome = Call | OutcomesResultsItemProblem


def is_call(outcome: Mapping[str, object]) -> TypeGuard[Call]:
    """Returns true if one of several calls or decisions resulted in a call, not in a problem."""
    return "status" in outcome


def has_problem(outcome: Mapping[str, object]) -> TypeGuard[OutcomesResultsItemProblem]:
    """Returns true if one of several calls or decisions was refused: `problem` says why."""
    return "problem" in outcome


def has_ended(call: Call) -> TypeGuard[EndedCall]:
    """Returns true if the status of the call will not change any more."""
    return call["status"] not in ("awaiting_approval", "queued", "running")
