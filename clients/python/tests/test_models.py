"""The models."""

from __future__ import annotations

from typing import get_args, get_type_hints, is_typeddict

from toolgate import models


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
