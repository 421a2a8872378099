"""One instance of a plugin: it is opened once, for one component, and answers requests in bytes, one after another."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError, Message

from . import contract
from .errors import Code, Error, Faults
from .opening import Descriptor, Input, Opening, Source
from .plugin import Component, Counter, Evaluator, Plugin, Scorer, Validator, Workload

MAX_REQUEST = 16 << 20
"""The most bytes of a request."""
MAX_REPLY = 64 << 20
"""The most bytes of a reply; the host ends a plugin whose reply is longer, and names the limit."""


class Instance:
    """An instance that logs to log and reads its inputs from what source gives for a handle."""

    def __init__(self, plugin: Plugin, log: logging.Logger, source: Callable[[int], Source] = Descriptor) -> None:
        self._plugin = plugin
        self._log = log
        self._source = source
        self._opened: Component | None = None
        self._held: list[contract.Sample] = []  # of a batch that goes on in the next request

    def call(self, service: str, method: str, request: bytes) -> bytes:
        """Answers one request. Raises Error; any other exception is of the component, and nobody foresaw it."""
        asked, _ = contract.SERVICES[service][method]
        message = asked()
        try:
            message.ParseFromString(request)
        except DecodeError as e:
            raise Error(Code.INVALID_ARGUMENT, f"malformed {asked.DESCRIPTOR.name}: {e}") from e
        reply = self._route(service, method)(message)
        if reply is None:
            raise Error(Code.INTERNAL, f"{method}: the component returned neither a result nor an error")
        return reply.SerializeToString(deterministic=True)

    def _route(self, service: str, method: str) -> Callable[[Any], Message | None]:
        if method == "Describe":
            return lambda _: self._plugin.describe()
        if method == "Open":
            return self._open
        c = self._opened
        if c is None:
            raise Error(Code.FAILED_PRECONDITION, f"{method} before Open")
        handlers: dict[str, Callable[[Any], Message | None]] = {}
        if hasattr(c, "check_inputs"):
            handlers["CheckInputs"] = lambda q: c.check_inputs(q.cursor, q.max_faults)
        handlers |= _handlers(c, self._whole)
        if method not in handlers:
            raise Error(Code.UNIMPLEMENTED, f"{method} is not offered by component {c.name}")
        return handlers[method]

    def _open(self, request: contract.OpenRequest) -> contract.OpenResponse:
        if self._opened is not None:
            raise Error(Code.FAILED_PRECONDITION, "the instance is open already")
        kind = self._plugin.component(request.component)
        if kind is None:
            raise Error(Code.NOT_FOUND, f"plugin {self._plugin.name} has no component {request.component}")
        inputs = [Input(said, self._source(said.handle)) for said in request.inputs]
        opening = Opening(request, inputs, self._log)
        try:
            opened = kind(opening)
            info = opened.info() if isinstance(opened, Workload) else None
        except Faults as e:
            return contract.OpenResponse(faults=e.faults)
        self._opened = opened
        return contract.OpenResponse(workload=info, prepared=opening.prepare, losses=opening.losses)

    def _whole(self, samples: Any) -> list[contract.Sample] | None:
        """The samples of a whole batch; None while it goes on in the next request.

        As long as the last sample says that its unit goes on, samples are held, so the component sees the batch at once.
        """
        held = self._held + list(samples)
        if held and held[-1].more:
            self._held = held
            return None
        self._held = []
        return held


def _handlers(c: Component, whole: Callable[[Any], list[contract.Sample] | None]) -> dict[str, Callable[[Any], Message | None]]:
    """The methods of the component's kind."""

    def batch(answer: Callable[[list[contract.Sample]], Message], empty: type[Message]) -> Callable[[Any], Message | None]:
        def handle(q: Any) -> Message | None:
            samples = whole(q.samples)
            return empty() if samples is None else answer(samples)

        return handle

    def fold(q: contract.FoldRequest) -> contract.FoldResponse:
        account = c.fold(q.account, q.batch)  # type: ignore[attr-defined]
        if account is None:
            raise Error(Code.INTERNAL, "fold returned neither an account nor an error")
        return contract.FoldResponse(account=account)

    if isinstance(c, Workload):
        methods: dict[str, Callable[[Any], Message | None]] = {"Plan": lambda q: _plan(c, q)}
        if hasattr(c, "next"):
            methods["Next"] = lambda q: c.next(q.state, q.turn, q.answer)
        return methods
    if isinstance(c, Validator):
        methods = {"Check": batch(c.check, contract.CheckResponse), "FoldCheck": fold, "ConcludeCheck": c.conclude}
        if hasattr(c, "preflight"):
            methods["Preflight"] = lambda q: contract.PreflightResponse(findings=c.preflight(q.facts, q.run_config))
        return methods
    if isinstance(c, Scorer):
        return {"Score": batch(c.score, contract.ScoreResponse), "FoldScore": fold, "ConcludeScore": c.conclude}
    if isinstance(c, Evaluator):
        return {"Evaluate": c.evaluate}
    if isinstance(c, Counter):
        return {"Count": batch(lambda samples: _count(c, samples), contract.CountResponse)}
    return {}


def _plan(c: Workload, q: contract.PlanRequest) -> contract.PlanResponse:
    trajectory = c.plan(q.index, q.repeat, q.seed)
    if trajectory is None:
        raise Error(Code.INTERNAL, f"plan {q.index} returned neither a trajectory nor an error")
    return contract.PlanResponse(trajectory=trajectory)


def _count(c: Counter, samples: list[contract.Sample]) -> contract.CountResponse:
    counts = list(c.count(samples))
    if len(counts) != len(samples):
        raise Error(Code.INTERNAL, f"{len(counts)} counts for {len(samples)} samples")
    return contract.CountResponse(counts=counts)
