"""Makes and approves a call, and follows the events of it: with the server of the folder that is given."""

import sys

from toolgate import Toolgate

with Toolgate.discover(sys.argv[1]) as toolgate:
    call = toolgate.call("edit_file", {"path": "a.txt", "old": "a", "new": "b"})
    assert call["status"] == "awaiting_approval"
    print(call["approval"]["preview"]["title"])
    done = toolgate.approve(call["tool_call_id"], digest=call["approval"]["digest"], wait_ms=60_000)
    assert done["status"] == "success"
    for event in toolgate.events(after=0, types=["file.changed"]):
        if event["type"] == "file.changed":
            print(event["path"], event["operation"])
            break
