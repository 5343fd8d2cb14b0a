"""The models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

from toolgate import AsyncToolgate, models

# Other names of fields, for programs of other systems.
ALIASES = {"approved", "modifiedArgs"}


def test_all_models_can_be_read_at_run_time() -> None:
    """Libraries that validate data read the types."""
    records = [model for name in models.__all__ if is_typeddict(model := getattr(models, name))]
    assert len(records) > 100
    for record in records:
        assert get_type_hints(record)


def test_unions_have_a_member_for_each_value_of_their_discriminator() -> None:
    for union, values, key in [
        (models.Call, models.CallStatus, "status"),
        (models.Event, models.EventType, "type"),
    ]:
        members = [get_args(get_type_hints(member)[key]) for member in get_args(union)]
        assert [value for (value,) in members] == list(get_args(values))


def test_keys_are_required_or_optional() -> None:
    assert "approval" in models.AwaitingApprovalCall.__required_keys__
    assert "approval" in models.SuccessfulCall.__optional_keys__
    # Words of the language are keys, too.
    assert "from" in models.FileChange.__optional_keys__
    assert "class" in models.CommandPart.__required_keys__


@pytest.mark.parametrize(
    ("method", "request_model"),
    [
        (AsyncToolgate.call, models.CallRequest),
        (AsyncToolgate.approve, models.ApproveRequest),
        (AsyncToolgate.reject, models.RejectRequest),
        (AsyncToolgate.undo, models.UndoRequest),
        (AsyncToolgate.set_mode, models.NewMode),
        (AsyncToolgate.send_input, models.JobInput),
        (AsyncToolgate.put_buffers, models.PutBuffersBody),
        (AsyncToolgate.batch, models.BatchRequest),
    ],
)
def test_methods_have_all_fields_of_their_requests(method: Callable[..., Any], request_model: Any) -> None:
    fields = request_model.__required_keys__ | request_model.__optional_keys__
    assert fields - ALIASES - set(inspect.signature(method).parameters) == set()
