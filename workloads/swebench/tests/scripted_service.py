"""A SWE-bench service whose answers are written down: `python scripted_service.py MODE TOKEN FOLDER`, for runs of the runner.

It asks the endpoint that it is given once, as its agents would, then says that the run has succeeded with 3 of 4, or goes on for
ever (MODE endless). FOLDER gets the port, one file for each thing that happened, and what the endpoint answered.
"""

import http.server
import json
import pathlib
import sys
import urllib.request

MODE, TOKEN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
RESULT = {
    "submitted_instances": 4,
    "resolved_instances": 3,
    "submitted_ids": ["a__x-1", "a__x-2", "b__y-3", "b__y-4"],
    "resolved_ids": ["a__x-1", "a__x-2", "b__y-4"],
}


def happened(what, text=""):
    (FOLDER / what).write_text(text)


def ask(run):
    body = {"model": run["model_name"], "messages": [{"role": "user", "content": "Mend it."}]}
    headers = {"Authorization": "Bearer " + run["endpoint_api_key"], "Content-Type": "application/json"}
    url = run["endpoint_urls"][0] + "/v1/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        happened("answered", answer.read().decode())


class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(None)

    def do_POST(self):
        self.answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"))

    def answer(self, posted):
        if self.headers["Authorization"] != "Bearer " + TOKEN:
            return self.say({"error": "unauthorized"}, 401)
        if self.path == "/health":
            return self.say({"api_version": "v1", "capabilities": ["swebench.run", "swebench.cancel", "artifacts.download"]})
        if self.path == "/v1/runs":
            happened("submitted", json.dumps(sorted(posted)))
            ask(posted)
            return self.say({"run_id": "run-1", "status": "queued"}, 202)
        if self.path == "/v1/runs/run-1/cancel":
            happened("cancelled")
            return self.say({"run_id": "run-1", "status": "cancelled"})
        if self.path == "/v1/runs/run-1" and MODE == "endless":
            happened("looked")
            return self.say({"run_id": "run-1", "status": "running", "phase": "agent", "agent_completed": 1, "eval_completed": 0})
        if self.path == "/v1/runs/run-1":
            artifacts = [{"name": "preds.json", "url": "/v1/runs/run-1/artifacts/preds.json"}]
            return self.say({"run_id": "run-1", "status": "succeeded", "result": RESULT, "artifacts": artifacts})
        if self.path == "/v1/runs/run-1/artifacts/preds.json":
            return self.say({"a__x-1": {"model_patch": ""}})
        return self.say({"error": "no such path"}, 404)

    def say(self, what, status=200):
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
happened("port.new", str(server.server_address[1]))
(FOLDER / "port.new").rename(FOLDER / "port")
server.serve_forever()
