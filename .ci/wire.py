"""Compares the requests of a preset with those of MLPerf's reference client, made here anew from the data set.

Usage: wire.py RUNNER DATASET FOLDER
"""

import hashlib
import http.server
import json
import subprocess
import sys
import threading

PARAMS = {"temperature": 1.0, "top_p": 1.0, "max_completion_tokens": 8192, "stream": True, "model": "sim"}
KEPT = ("role", "content", "name", "tool_calls", "reasoning_content")
ANSWER = b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

heard = []


class Target(http.server.BaseHTTPRequestHandler):
    """Answers everything, and keeps the requests of conversations."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def reply(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(b'{"data":[{"id":"sim"}]}', "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("X-Session-ID"):
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard.append({"path": self.path, "headers": headers, "body": body})
        self.reply(ANSWER, "text/event-stream")

    def log_message(self, *_):
        pass


def mark(text):
    return hashlib.blake2b(text.encode(), digest_size=2).hexdigest()


def rows_of(path):
    """The rows of each conversation, in the order of the file."""
    conversations = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            if row.get("_type") != "dataset_metadata":
                conversations.setdefault(row["conversation_id"], []).append(row)
    return list(conversations.items())[:10]


def requests_of(name, rows, salted):
    messages = []
    system = next((r["system"] for r in rows if r.get("system")), None)
    if system:
        if salted:
            system = f"[salt: {mark('1')}]\n\n{system}\n\n[salt: {mark(name)}]"
        messages.append({"role": "system", "content": system})
    tools = next(r for r in rows if r["role"] == "user").get("tools")
    for row in rows:
        if row["role"] == "tool":
            messages += [{"role": "tool", **{k: r[k] for k in ("tool_call_id", "content")}} for r in row["tool_results"]]
        else:
            messages.append({k: row[k] for k in KEPT if row.get(k) is not None})
        if row["role"] != "assistant":
            body = {**PARAMS, "messages": list(messages)}
            if tools:
                body["tools"] = tools
            yield body


def played(runner, data, folder, url, salted):
    heard.clear()
    command = [runner, "run", "mlperf/agentic/kimi-k3", "--target", url, "--input", f"dataset={data}", "--strict-wire", "--no-delays",
               "--trajectories", "10", "--unofficial", "--out", f"{folder}/{salted}", "--quiet"]
    done = subprocess.run(command + ([] if salted else ["--salt", "none"]), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 7):  # 7: what the target answers scores nothing
        sys.exit(done.stderr)
    return list(heard)


def main(runner, data, folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    for salted in (True, False):
        theirs = [(name, body) for name, rows in rows_of(data) for body in requests_of(name, rows, salted)]
        ours = played(runner, data, folder, f"http://127.0.0.1:{port}/v1", salted)
        print(f"salt {'on' if salted else 'off'}: reference {len(theirs)} requests, ours {len(ours)}")
        if len(theirs) != len(ours):
            sys.exit("not as many")
        for i, ((name, body), own) in enumerate(zip(theirs, ours)):
            length = own["headers"].pop("content-length")
            headers = {"host": f"127.0.0.1:{port}", "accept": "text/event-stream", "content-type": "application/json", "x-session-id": name}
            if own != {"path": "/v1/chat/completions", "headers": headers, "body": body}:
                differs = [k for k in body.keys() | own["body"].keys() if body.get(k) != own["body"].get(k)]
                sys.exit(f"request {i} of {name} differs: headers {own['headers']}, keys of the body {differs}, {length} bytes")
        print("  all headers and bodies are equal")
    server.shutdown()


main(*sys.argv[1:])
