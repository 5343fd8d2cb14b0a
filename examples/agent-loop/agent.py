#!/usr/bin/env python3
"""python3 agent.py "task": the agent of agent.ts in Python, with nothing but the standard library."""
import json
import os
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

SYSTEM = (
    "You work in a person's project, by tools alone. Look before you change anything, change as little as the task "
    "needs, and check what you did. A call may be rejected: respect the reason. End with a short answer that says "
    "what you did."
)
AGENT = "coder"
# Ids of calls differ within a session: each conversation has one.
SESSION = f"agent-loop-{uuid.uuid4()}"
MAX_TURNS = 50
TRIES = 4

API = os.environ.get("MODEL_API", "openai")
KEY = os.environ.get("MODEL_KEY", "")
TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_URL, MODEL = (
    os.environ.get(name, "") for name in ("TOOLGATE_URL", "TOOLGATE_TOKEN", "MODEL_URL", "MODEL")
)
OPENAI_HEADERS = {"Authorization": f"Bearer {KEY}"}
ANTHROPIC_HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}


def send(url, headers, body=None):
    """Sends a request and returns the response, which can be read line by line."""
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(
        urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    )


def toolgate(path, body=None, accept="application/json", **query):
    """Sends a request to Toolgate."""
    headers = {"Authorization": f"Bearer {TOOLGATE_TOKEN}", "X-Toolgate-Client": "agent-loop", "Accept": accept}
    try:
        return send(f"{TOOLGATE_URL}{path}?{urllib.parse.urlencode(query)}", headers, body)
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["detail"])


def ask(path, headers, body):
    """Sends a request to the model, again while it is busy, and returns its answer."""
    for attempt in range(TRIES):
        try:
            with send(MODEL_URL.rstrip("/") + path, headers, {"model": MODEL, **body}) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if (error.code != 429 and error.code < 500) or attempt == TRIES - 1:
                raise SystemExit(f"The model answered {error.code}: {error.read().decode()}")
            time.sleep(min(float(error.headers.get("retry-after", 2**attempt)), 60))


def run(message):
    """Runs the calls of a message, however long decisions take, and returns the messages to append."""
    query = {"format": API, "agent": AGENT, "session_id": SESSION, "on_disconnect": "cancel"}
    while True:
        with toolgate("/tool-calls", message, "text/event-stream", **query) as stream:
            events = (json.loads(line[6:]) for line in stream if line.startswith(b"data: "))
            answer = next((event for event in events if not show(event)), None)
        if answer is None:
            raise SystemExit("Toolgate has ended. Start it again; the calls that wait for approval are kept.")
        if not answer["pending"]:
            return answer["messages"]


def show(event):
    """Prints what a person should see of an event. Returns whether others follow."""
    if event["type"] == "tool.result":
        say(f"{event['tool']}: {event['status']}")
    if event["type"] == "tool.call" and event["requires_approval"]:
        approval = event.get("approval", {})
        title = approval.get("preview", {}).get("title", event["tool"])
        say(f"{title} needs your approval: {approval.get('reason', '')}")
        say(f"  in your editor or the console, or: toolgate approve {event['tool_call_id']}")
    return event["type"] != "messages"


def openai(task, tools):
    """The loop over Chat Completions."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task}]
    for _ in range(MAX_TURNS):
        reply = ask("/chat/completions", OPENAI_HEADERS, {"messages": messages, "tools": tools})
        message = reply["choices"][0]["message"]
        if not message.get("tool_calls"):
            return message["content"]
        say(message["content"])
        messages += [message, *run(message)]


def responses(task, tools):
    """The loop over the Responses API."""
    messages = [{"role": "user", "content": task}]
    for _ in range(MAX_TURNS):
        body = {"instructions": SYSTEM, "input": messages, "tools": tools}
        output = ask("/responses", OPENAI_HEADERS, body)["output"]
        text = "".join(part.get("text", "") for item in output for part in item.get("content") or [])
        if not any(item["type"] == "function_call" for item in output):
            return text
        say(text)
        messages += [*output, *run(output)]


def anthropic(task, tools):
    """The loop over the Messages API."""
    messages = [{"role": "user", "content": task}]
    for _ in range(MAX_TURNS):
        body = {"max_tokens": 8192, "system": SYSTEM, "messages": messages, "tools": tools}
        message = {"role": "assistant", "content": ask("/v1/messages", ANTHROPIC_HEADERS, body)["content"]}
        text = "".join(block.get("text", "") for block in message["content"])
        if not any(block["type"] == "tool_use" for block in message["content"]):
            return text
        say(text)
        messages += [message, *run(message)]


def say(text):
    if text:
        print(text, file=sys.stderr, flush=True)


def stop(*_):
    raise SystemExit("Stopped.")


LOOPS = {"openai": openai, "openai-responses": responses, "anthropic": anthropic}


def main():
    task = " ".join(sys.argv[1:])
    if not (TOOLGATE_URL and TOOLGATE_TOKEN and MODEL_URL and MODEL and API in LOOPS and task):
        say("Usage: agent.py TASK, with TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_URL and MODEL set; see README.md.")
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with toolgate("/tools", format=API, agent=AGENT) as response:
        tools = json.load(response)["tools"]
    answer = LOOPS[API](task, tools)
    if answer is None:
        raise SystemExit(f"The model has not come to an answer in {MAX_TURNS} turns.")
    print(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
