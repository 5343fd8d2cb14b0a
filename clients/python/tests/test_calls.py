"""Calls, decisions and errors."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from toolgate import AsyncToolgate, AwaitingApprovalCall, Call, ToolgateError, has_ended, has_problem, is_call
from toolgate.models import ReviewComment

EDIT = {"path": "note.txt", "old": "one", "new": "two"}


def waiting(call: Call) -> AwaitingApprovalCall:
    assert call["status"] == "awaiting_approval"
    return call


async def test_a_read_is_answered_at_once(toolgate: AsyncToolgate, project: Path) -> None:
    call = await toolgate.call("read_file", {"path": "note.txt"}, session_id="reads", fresh=True)
    assert call["status"] == "success"
    assert call["result"]["data"]["content"] == "one\n"
    assert (call["client"], call["session_id"]) == ("pytest", "reads")
    assert await toolgate.get(call["tool_call_id"]) == call


async def test_an_edit_runs_once_it_is_approved(toolgate: AsyncToolgate, project: Path) -> None:
    call = waiting(await toolgate.call("edit_file", EDIT))
    assert call["approval"]["preview"]["diff"] == "--- a/note.txt\n+++ b/note.txt\n@@ -1 +1 @@\n-one\n+two\n"
    assert call["tool_call_id"] in [each["tool_call_id"] for each in await toolgate.approvals()]
    done = await toolgate.approve(call["tool_call_id"], digest=call["approval"]["digest"], wait_ms=60_000)
    assert done["status"] == "success"
    assert done["approved_by"]["source"] == "user"
    assert (project / "note.txt").read_text() == "two\n"

    changes = await toolgate.session_changes(done["session_id"])
    assert [(file["path"], file["operation"]) for file in changes["files"]] == [("note.txt", "modified")]
    preview = await toolgate.preview_undo(done["tool_call_id"])
    assert preview["files"][0]["action"] == "restore"
    undone = await toolgate.undo(done["tool_call_id"], digest=preview["digest"])
    assert (await toolgate.wait(undone["tool_call_id"]))["status"] == "success"
    assert (project / "note.txt").read_text() == "one\n"


async def test_submit_returns_at_once_and_wait_goes_through_the_decision(
    toolgate: AsyncToolgate, project: Path
) -> None:
    call = await toolgate.submit("edit_file", EDIT)
    assert not has_ended(call)
    waits = asyncio.create_task(toolgate.wait(call["tool_call_id"]))
    (waiting_call,) = [each for each in await toolgate.approvals() if each["tool_call_id"] == call["tool_call_id"]]
    await toolgate.approve(call["tool_call_id"], digest=waiting_call["approval"]["digest"])
    ended = await waits
    assert ended["status"] == "success"
    assert ended["changes"][0]["path"] == "note.txt"


async def test_wait_gives_up_after_its_time_and_leaves_the_call(toolgate: AsyncToolgate, project: Path) -> None:
    call = waiting(await toolgate.call("edit_file", EDIT))
    with pytest.raises(TimeoutError, match="has not ended within 100 ms"):
        await toolgate.wait(call["tool_call_id"], timeout_ms=100)
    assert (await toolgate.get(call["tool_call_id"]))["status"] == "awaiting_approval"
    assert (await toolgate.cancel(call["tool_call_id"], reason="It is not needed."))["status"] == "cancelled"


async def test_a_rejected_call_says_why(toolgate: AsyncToolgate, project: Path) -> None:
    call = waiting(await toolgate.call("edit_file", EDIT))
    comment: ReviewComment = {"path": "a.txt", "line": 1, "text": "Keep it."}
    rejected = await toolgate.reject(
        call["tool_call_id"], reason="Wrong file.", user_message="Edit another file.", comments=[comment]
    )
    assert rejected["status"] == "rejected"
    assert rejected["comments"] == [comment]
    assert (rejected["reason"], rejected["user_message"]) == ("Wrong file.", "Edit another file.")


async def test_several_calls_are_decided_independently(toolgate: AsyncToolgate, project: Path) -> None:
    for name in "abc":
        (project / f"{name}.txt").write_text("one\n")
    batch = await toolgate.batch([{"tool": "edit_file", "params": {**EDIT, "path": f"{name}.txt"}} for name in "abc"])
    first, second, third = [waiting(each) for each in batch["results"] if is_call(each)]
    (project / "b.txt").write_text("one more\n")
    answers = await toolgate.approve_all(
        [{"tool_call_id": each["tool_call_id"], "digest": each["approval"]["digest"]} for each in (first, second)]
    )
    assert [is_call(each) for each in answers] == [True, False]
    assert [each["problem"]["code"] for each in answers if has_problem(each)] == ["PREVIEW_CHANGED"]
    assert (await toolgate.wait(first["tool_call_id"]))["status"] == "success"
    rejected = await toolgate.reject_all([second["tool_call_id"], third["tool_call_id"]], reason="No.")
    assert [each["status"] for each in rejected if is_call(each)] == ["rejected", "rejected"]


async def test_a_stream_ends_with_the_result(toolgate: AsyncToolgate, project: Path) -> None:
    events = [event async for event in toolgate.stream("read_file", {"path": "note.txt"})]
    assert [event["type"] for event in events if event["type"] != "agent.state"] == [
        "stream.snapshot",
        "tool.call",
        "tool.result",
    ]


async def test_a_dry_run_and_an_explanation_change_nothing(toolgate: AsyncToolgate, project: Path) -> None:
    dry = await toolgate.dry_run("edit_file", EDIT)
    assert (dry["verdict"]["decision"], dry["preview"]["title"]) == ("ask", "Edit note.txt")
    explanation = await toolgate.explain("shell_exec", {"command": "rm -r x"})
    assert explanation["command"]["class"] != "auto"
    assert (project / "note.txt").read_text() == "one\n"


async def test_a_call_of_this_program_is_decided_with_other_params(toolgate: AsyncToolgate, project: Path) -> None:
    call = waiting(await toolgate.call("edit_file", EDIT, executor="client"))
    params = {**EDIT, "new": "three"}
    dry = await toolgate.dry_run_modified(call, params)
    await toolgate.approve(
        call["tool_call_id"],
        digest=call["approval"]["digest"],
        modified_params=params,
        modified_digest=dry["digest"],
    )
    done = await toolgate.wait(call["tool_call_id"])
    assert (done["status"], done["params"]) == ("success", params)
    assert (project / "note.txt").read_text() == "one\n"


async def test_the_same_key_gives_the_same_call(toolgate: AsyncToolgate, kind: str) -> None:
    params = {"path": f"once-{kind}.txt", "content": "x"}
    first, again = [await toolgate.call("write_file", params, idempotency_key=kind) for _ in range(2)]
    assert first == again


async def test_the_log_has_pages(toolgate: AsyncToolgate, kind: str) -> None:
    for _ in range(3):
        await toolgate.call("todo_read", session_id=f"pages-{kind}")
    page = await toolgate.calls(session_id=f"pages-{kind}", limit=2)
    assert page["cursor"]
    rest = await toolgate.calls(session_id=f"pages-{kind}", limit=2, cursor=page["cursor"])
    assert len({each["tool_call_id"] for each in [*page["calls"], *rest["calls"]]}) == 3


async def test_refusals_are_errors_with_a_code(toolgate: AsyncToolgate, project: Path) -> None:
    with pytest.raises(ToolgateError) as unknown:
        await toolgate.call("no_such_tool", {})
    assert (unknown.value.code, unknown.value.status) == ("UNKNOWN_TOOL", 404)
    assert str(unknown.value) == f"UNKNOWN_TOOL: {unknown.value.detail}"
    with pytest.raises(ToolgateError) as invalid:
        await toolgate.call("read_file", {"path": 1})
    assert invalid.value.problem and invalid.value.problem["errors"][0]["pointer"] == "/params/path"
    assert not invalid.value.recoverable or invalid.value.problem["recoverable"]

    call = waiting(await toolgate.call("edit_file", EDIT))
    (project / "note.txt").write_text("one more\n")
    with pytest.raises(ToolgateError) as changed:
        await toolgate.approve(call["tool_call_id"], digest=call["approval"]["digest"])
    assert (changed.value.code, changed.value.status) == ("PREVIEW_CHANGED", 409)
    fresh = await toolgate.digest(call["tool_call_id"])
    assert fresh["digest"] != call["approval"]["digest"]
    proposal = await toolgate.preview(call["tool_call_id"], digest=fresh["digest"])
    assert proposal["files"][0]["after"] == "two more\n"
    await toolgate.reject(call["tool_call_id"])


async def test_a_call_that_fails_is_no_error(toolgate: AsyncToolgate) -> None:
    call = await toolgate.call("read_file", {"path": "nothing.txt"})
    assert call["status"] == "error"
    assert (call["error"]["code"], call["error"]["recoverable"]) == ("FILE_NOT_FOUND", False)


async def test_other_servers_are_no_toolgate(connect: object, toolgate: AsyncToolgate) -> None:
    assert callable(connect)
    async with connect("http://127.0.0.1:1", "token") as nowhere:
        with pytest.raises(ToolgateError) as unreachable:
            await nowhere.health()
    error = unreachable.value
    assert (error.code, error.status, error.problem, error.recoverable) == ("UNREACHABLE", 0, None, True)
    with pytest.raises(ValueError, match="is no path of the server"):
        await toolgate.preview_text("@elsewhere.example/")
