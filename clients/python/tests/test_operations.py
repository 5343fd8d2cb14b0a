"""The operations besides calls, decisions, events and files."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from toolgate import AsyncToolgate, ToolgateError


async def test_the_server_reports_its_state(toolgate: AsyncToolgate) -> None:
    health, state = await toolgate.health(), await toolgate.state()
    assert (health["protocol"], health["instance"]) == (1, state["instance"])
    assert "pending_cursor" not in state
    assert (await toolgate.capabilities())["protocol"] == 1
    assert (await toolgate.stats())["server"]["rss_bytes"] > 0
    assert "toolgate_" in await toolgate.metrics()
    assert await toolgate.mcp_servers() == []
    with pytest.raises(ToolgateError):
        await toolgate.control_mcp_server("restart", "none")
    with pytest.raises(ToolgateError):
        await toolgate.mcp_login("none")


async def test_tools_are_listed_for_models_too(toolgate: AsyncToolgate) -> None:
    names = [tool["name"] for tool in await toolgate.tools()]
    assert "read_file" in names
    assert (await toolgate.tool("read_file"))["input"]["required"] == ["path"]
    assert [tool["name"] for tool in await toolgate.tool_definitions("anthropic")] == names


async def test_calls_of_a_model_are_answered_with_messages(toolgate: AsyncToolgate) -> None:
    read = {"id": "call_1", "type": "function", "function": {"name": "todo_read", "arguments": "{}"}}
    message = {"role": "assistant", "tool_calls": [read]}
    answer = await toolgate.tool_calls("openai", message, session_id="model")
    assert [(each["role"], each["tool_call_id"]) for each in answer["messages"]] == [("tool", "call_1")]
    assert answer["pending"] == []
    assert await toolgate.tool_calls("openai", message, session_id="model") == answer
    output = [{"type": "function_call", "call_id": "call_2", "name": "todo_read", "arguments": "{}"}]
    answer = await toolgate.tool_calls("openai-responses", output, session_id="model", wait_ms=60_000)
    assert [each["call_id"] for each in answer["messages"]] == ["call_2"]


async def test_all_pages_of_a_list_are_read(toolgate: AsyncToolgate) -> None:
    rules = [
        await toolgate.add_rule({"effect": "deny", "match": {"path": f"p{n}"}, "scope": "workspace", "reason": "No."})
        for n in range(60)
    ]
    ids = [rule["rule_id"] for rule in rules]
    assert [rule["rule_id"] for rule in await toolgate.rules()] == ids
    denied = await toolgate.explain("write_file", {"path": "p7", "content": ""})
    assert denied["verdict"]["decision"] == "deny"
    tested = await toolgate.test_rules({"revoke": ids[0], "since": "2020-01-01T00:00:00Z"})
    assert tested["changed_total"] == 0
    for rule_id in ids:
        await toolgate.revoke_rule(rule_id)
    assert await toolgate.rules() == []


async def test_a_mode_decides_for_a_session(toolgate: AsyncToolgate, project: Path, kind: str) -> None:
    session = f"mode-{kind}"
    await toolgate.call("todo_read", session_id=session)
    assert (await toolgate.set_mode(session, "accept-edits"))["mode"] == "accept-edits"
    assert session in [mode["session_id"] for mode in (await toolgate.modes())["modes"]]
    call = await toolgate.call("edit_file", {"path": "note.txt", "old": "one", "new": "two"}, session_id=session)
    assert call["status"] == "success"
    cleared = await toolgate.clear_mode(session)
    assert session not in [mode["session_id"] for mode in cleared["modes"]]


async def test_jobs_run_on_and_take_input(toolgate: AsyncToolgate, kind: str) -> None:
    session = f"jobs-{kind}"
    call = await toolgate.call("shell_background", {"command": "head -n 1", "interactive": True}, session_id=session)
    assert call["status"] == "awaiting_approval"
    task_id = call["tool_call_id"]
    await toolgate.approve(task_id, digest=call["approval"]["digest"], wait_ms=60_000)
    assert [job["task_id"] for job in await toolgate.jobs(session_id=session, status="running")] == [task_id]
    head = (await toolgate.state())["head"]
    await toolgate.send_input(task_id, text="hello\n")
    text, offset = "", 0
    while True:
        output = await toolgate.output(task_id, offset=offset, wait_ms=60_000)
        text, offset = text + output["text"], output["next_offset"]
        if output["ended"]:
            break
    assert text == "hello\n"
    async with aclosing(toolgate.events(after=head, types=["job.exited"], tool_call_id=task_id)) as events:
        while (await events.__anext__())["type"] != "job.exited":
            pass
    assert (await toolgate.job(task_id))["status"] == "exited"
    with pytest.raises(ToolgateError):
        await toolgate.open_port(task_id, 80)
    assert await toolgate.shells(session) == []
    with pytest.raises(ToolgateError):
        await toolgate.reset_shell(session, "none")


async def test_a_running_command_is_sent_to_the_background(toolgate: AsyncToolgate) -> None:
    call = await toolgate.call("shell_exec", {"command": "tail -f /dev/null"})
    assert call["status"] == "awaiting_approval"
    call_id = call["tool_call_id"]
    approving = asyncio.create_task(toolgate.approve(call_id, digest=call["approval"]["digest"], wait_ms=60_000))
    while (await toolgate.get(call_id))["status"] != "running":
        await asyncio.sleep(0.02)
    background = await toolgate.background(call_id)
    assert background["tool_call_id"] == call_id
    await approving
    await toolgate.cancel(call_id)


async def test_content_is_purged(toolgate: AsyncToolgate) -> None:
    call = await toolgate.call("read_file", {"path": "note.txt"}, fresh=True)
    purged = await toolgate.purge(call["tool_call_id"])
    assert purged["status"] == "success"
    assert purged["content_removed"]["reason"] == "purged"


async def test_editors_report_their_buffers(toolgate: AsyncToolgate, project: Path, kind: str) -> None:
    lease = await toolgate.put_buffers([{"path": "note.txt", "content": "unsaved\n"}], client_id=kind, lease_ms=60_000)
    assert [buffer["path"] for buffer in lease["buffers"]] == ["note.txt"]
    assert [buffer.get("content") for buffer in await toolgate.buffers(content=True)] == ["unsaved\n"]
    assert (await toolgate.drop_buffers(client_id=kind))["buffers"] == []
    assert await toolgate.delegations() == []
    for request in [toolgate.delegation("none"), toolgate.answer_delegation("none", {"status": "done"})]:
        with pytest.raises(ToolgateError) as gone:
            await request
        assert gone.value.status == 404


async def test_tokens_are_issued_and_revoked(toolgate: AsyncToolgate, kind: str) -> None:
    issued = await toolgate.issue_token({"name": kind, "rights": ["call"]})
    assert issued["token_id"] in [token["token_id"] for token in await toolgate.tokens()]
    await toolgate.revoke_token(issued["token_id"])
    code = await toolgate.create_one_time_code(rights=["call"])
    session = await toolgate.open_session(code["code"])
    assert session["rights"] == ["call"]
    with pytest.raises(ToolgateError):
        await toolgate.name_session("Ada")
    await toolgate.revoke_token(session["token_id"])


async def test_a_preview_is_read_by_its_address(toolgate: AsyncToolgate, project: Path) -> None:
    call = await toolgate.call("edit_file", {"path": "note.txt", "old": "one", "new": "two"})
    assert call["status"] == "awaiting_approval"
    (file,) = call["approval"]["files"]
    assert await toolgate.preview_text(file["after_href"]) == "two\n"
    await toolgate.reject(call["tool_call_id"])
