"""Client for Toolgate, the tool-execution server that every editor and every agent can share."""

from . import models
from ._async.client import AsyncToolgate
from ._sync.client import Toolgate
from ._version import __version__
from .calls import DecisionOutcome, EndedCall, has_ended, has_problem, is_call
from .errors import ErrorCode, ToolgateError
from .models import Approval, AwaitingApprovalCall, Call, Event

__all__ = [
    "Approval",
    "AsyncToolgate",
    "AwaitingApprovalCall",
    "Call",
    "DecisionOutcome",
    "EndedCall",
    "ErrorCode",
    "Event",
    "Toolgate",
    "ToolgateError",
    "__version__",
    "has_ended",
    "has_problem",
    "is_call",
    "models",
]
