"""Makes and approves a call and reads events, with the generated models of the Python client and httpx alone."""

import json
import sys
from typing import cast

import httpx

from toolgate.models import Call, CallRequest, Event, EventType

url, token = sys.argv[1:]
request: CallRequest = {"tool": "delete_file", "params": {"path": "a.txt"}}
types: list[EventType] = []
with httpx.Client(base_url=url, headers={"authorization": f"Bearer {token}"}, trust_env=False) as http:
    waiting: Call = http.post("/calls", json=request).json()
    assert waiting["status"] == "awaiting_approval"
    approve = f"/calls/{waiting['tool_call_id']}/approve"
    decision = {"digest": waiting["approval"]["digest"], "confirm": True}
    ended: Call = http.post(approve, params={"wait_ms": 60_000}, json=decision, timeout=60).json()
    assert ended["status"] == "success"
    with http.stream("GET", "/events", params={"after": 0}) as response:
        for line in response.iter_lines():
            if not line.startswith("data: "):
                continue
            event = cast(Event, json.loads(line[len("data: ") :]))
            types.append(event["type"])
            if event["type"] == "tool.decision":
                assert event["decision"] == "approved"
            if event["type"] == "tool.result":
                break
print(json.dumps({"title": ended["result"]["title"], "approved_by": ended["approved_by"]["source"], "types": types}))
