"""Drives a plugin's components in ordinary tests, through the bytes that a host would send.

    c = paceline.testing.open(plugin, "repeat", inputs={"text": b"one\\ntwo\\n"})
    trajectory = c.plan(0)

So a test sees what a run would see: messages as they arrive, limits of the contract, and Error or Faults where a component
raises them. Nothing is started, and inputs are in memory.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from . import contract
from .contract import Capability
from .errors import Faults
from .instance import MAX_REPLY, MAX_REQUEST, Instance
from .plugin import Plugin

MAX_ACCOUNT = 1 << 20
MAX_STATE = 256 << 10
MAX_PREPARED = 64 << 20

R = TypeVar("R", bound=Message)


class Memory:
    """A source of an input in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int, offset: int) -> bytes:
        """At most size bytes from offset on."""
        return self._data[offset : offset + size]


class Logs(logging.Handler):
    """Keeps what a component logs: pairs of level name and text."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one record."""
        self.lines.append((record.levelname, self.format(record)))


class Opened:
    """One opened component. Its methods are those of all kinds; those of another kind raise Error UNIMPLEMENTED."""

    def __init__(self, instance: Instance, logs: Logs, answer: contract.OpenResponse) -> None:
        self._instance = instance
        self.logs = logs.lines
        self.answer = answer
        """What Open answered."""

    def call(self, service: str, method: str, request: Message, want: type[R]) -> R:
        """Any method of the contract; the reply has been held to the contract's limits."""
        return _call(self._instance, service, method, request, want)

    def check_inputs(self, *, max_faults: int = 1000) -> tuple[list[contract.Fault], int]:
        """All steps: every fault, and the number of items seen. A step that moves nothing fails the test."""
        faults: list[contract.Fault] = []
        cursor = b""
        while True:
            request = contract.CheckInputsRequest(cursor=cursor, max_faults=max_faults)
            step = self.call("Plugin", "CheckInputs", request, contract.CheckInputsResponse)
            faults += step.faults
            if step.done:
                return faults, step.items
            assert step.cursor != cursor, f"check_inputs stands still at cursor {cursor!r}"
            cursor = step.cursor

    def plan(self, index: int, repeat: int = 0, seed: bytes = bytes(32)) -> contract.Trajectory:
        """One trajectory."""
        request = contract.PlanRequest(index=index, repeat=repeat, seed=seed)
        trajectory = self.call("Workload", "Plan", request, contract.PlanResponse).trajectory
        _bound("state", trajectory.state, MAX_STATE)
        return trajectory

    def next(self, state: bytes, turn: int, answer: contract.Answer) -> contract.NextResponse:
        """One step of a live conversation."""
        step = self.call("Workload", "Next", contract.NextRequest(state=state, turn=turn, answer=answer), contract.NextResponse)
        _bound("state", step.state, MAX_STATE)
        return step

    def preflight(self, facts: Sequence[contract.Fact], run_config: bytes = b"{}") -> list[contract.Finding]:
        """Judges facts about the target."""
        request = contract.PreflightRequest(facts=facts, run_config=run_config)
        return list(self.call("Validator", "Preflight", request, contract.PreflightResponse).findings)

    def check(self, *samples: contract.Sample) -> contract.CheckResponse:
        """Judges one batch."""
        return _account(self.call("Validator", "Check", contract.CheckRequest(samples=samples), contract.CheckResponse))

    def score(self, *samples: contract.Sample) -> contract.ScoreResponse:
        """Scores one batch."""
        return _account(self.call("Scorer", "Score", contract.ScoreRequest(samples=samples), contract.ScoreResponse))

    def conclude_check(
        self, *accounts: bytes, metrics: bytes = b"{}", run_config: bytes = b"{}"
    ) -> contract.ConcludeCheckResponse:
        """Folds the accounts in order and asks for the verdict."""
        request = contract.ConcludeRequest(
            account=self._fold("Validator", "FoldCheck", accounts), metrics=metrics, run_config=run_config
        )
        return self.call("Validator", "ConcludeCheck", request, contract.ConcludeCheckResponse)

    def conclude_score(
        self, *accounts: bytes, metrics: bytes = b"{}", run_config: bytes = b"{}"
    ) -> contract.ConcludeScoreResponse:
        """Folds the accounts in order and asks for the score."""
        request = contract.ConcludeRequest(
            account=self._fold("Scorer", "FoldScore", accounts), metrics=metrics, run_config=run_config
        )
        return self.call("Scorer", "ConcludeScore", request, contract.ConcludeScoreResponse)

    def evaluate(self, request: contract.EvaluateRequest) -> contract.EvaluateResponse:
        """One step of an evaluation."""
        return self.call("Scorer", "Evaluate", request, contract.EvaluateResponse)

    def count(self, *samples: contract.Sample) -> list[contract.TokenCount]:
        """Counts the tokens of samples."""
        return list(self.call("Counter", "Count", contract.CountRequest(samples=samples), contract.CountResponse).counts)

    def _fold(self, service: str, method: str, accounts: Sequence[bytes]) -> bytes:
        account = b""
        for batch in accounts:
            request = contract.FoldRequest(account=account, batch=batch)
            account = _account(self.call(service, method, request, contract.FoldResponse)).account
        return account


def describe(plugin: Plugin) -> contract.DescribeResponse:
    """What the plugin tells about itself; faults of its definition fail the test."""
    assert not plugin.faults(), "; ".join(plugin.faults())
    request = contract.DescribeRequest(contract_version=contract.VERSION)
    return _call(Instance(plugin, _log(Logs())), "Plugin", "Describe", request, contract.DescribeResponse)


def open(
    plugin: Plugin,
    component: str,
    config: Any = None,
    *,
    inputs: Mapping[str, bytes] | None = None,
    seed: bytes = bytes(32),
    granted: Sequence[Capability] = (),
    prepared: bytes = b"",
) -> Opened:
    """Opens a component in a fresh instance. Raises Faults, or Error.

    config is what json.dumps takes, or bytes as they are. Inputs are granted where there are any.
    """
    data = list((inputs or {}).items())
    request = contract.OpenRequest(
        component=component,
        config=config if isinstance(config, bytes) else json.dumps(config if config is not None else {}).encode(),
        seed=seed,
        granted=[*granted, *([Capability.INPUTS] if data else [])],
        prepared=prepared,
        inputs=[
            contract.Input(name=name, handle=i, size=len(text), sha256=hashlib.sha256(text).digest())
            for i, (name, text) in enumerate(data)
        ],
    )
    logs = Logs()
    instance = Instance(plugin, _log(logs), lambda handle: Memory(data[handle][1]))
    answer = _call(instance, "Plugin", "Open", request, contract.OpenResponse)
    if answer.faults:
        raise Faults(answer.faults)
    _bound("prepared", answer.prepared, MAX_PREPARED)
    return Opened(instance, logs, answer)


def _log(handler: logging.Handler) -> logging.Logger:
    log = logging.Logger("paceline", logging.DEBUG)
    log.addHandler(handler)
    return log


def _call(instance: Instance, service: str, method: str, request: Message, want: type[R]) -> R:
    raw = request.SerializeToString()
    _bound("request", raw, MAX_REQUEST)
    reply = instance.call(service, method, raw)
    _bound("reply", reply, MAX_REPLY)
    message = want()
    message.ParseFromString(reply)
    return message


def _account(reply: Any) -> Any:
    _bound("account", reply.account, MAX_ACCOUNT)
    return reply


def _bound(what: str, data: bytes, limit: int) -> None:
    assert len(data) <= limit, f"{what}: {len(data)} bytes, and {limit} are allowed"
