"""What an author writes: components, and the plugin that offers them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from . import contract
from .contract import Capability, Kind, Need, Unit

if TYPE_CHECKING:
    from .opening import Opening

SDK = "python/1"
"""Names this SDK in what a plugin tells about itself."""


class Component:
    """One thing that a plugin offers; authors derive from Workload, Validator, Scorer, Evaluator or Counter.

    The class says what the component is, its instance is the component opened for one configuration. The constructor
    raises Faults where configuration or inputs are wrong in ways that a person can mend.
    """

    KIND: ClassVar[Kind] = Kind.UNSPECIFIED

    name: ClassVar[str] = ""
    """Lower-case letters, digits and hyphens, a letter first; unique in the plugin."""
    summary: ClassVar[str] = ""
    """One line."""
    config_schema: ClassVar[dict | bytes | None] = None
    """JSON Schema of the configuration; None: it takes none, or anything."""
    capabilities: ClassVar[Sequence[Capability]] = ()
    """What it asks for beyond computing; the lock grants it."""
    inputs: ClassVar[Sequence[str]] = ()
    """Names of the data sets that it wants. Wants the capability INPUTS too."""

    def __init__(self, opening: Opening) -> None:
        self.opening = opening


class Workload(Component):
    """Makes trajectories.

    A workload that also has `next(state, turn, answer) -> NextResponse` may be live: its turns depend on the answers.
    `next` folds a conversation: from the state that plan or the last next gave, and the answer of one turn, to the next
    state (at most 256 KiB) and the turns that follow, or the end. It keeps nothing itself.

    Any component may have `check_inputs(cursor, max_faults) -> CheckInputsResponse`: one step, about a second at most, of
    the check of its inputs before a run sends anything. It goes on at the cursor, which is empty at first, until it says
    done.
    """

    KIND = Kind.WORKLOAD
    imports: ClassVar[Sequence[str]] = ()
    """Trace formats that it reads."""

    def info(self) -> contract.WorkloadInfo:
        """How many trajectories there are and what they share."""
        raise NotImplementedError

    def plan(self, index: int, repeat: int, seed: bytes) -> contract.Trajectory:
        """One trajectory: the same for the same arguments, in any process on any machine.

        index counts from 0, repeat is 0 in the first pass, seed has 32 bytes. Without such a trajectory it raises Error.
        """
        raise NotImplementedError


class Judge(Component):
    """What validators, scorers and counters share."""

    unit: ClassVar[Unit] = Unit.TURN
    """What one item depends on; a batch holds whole units."""
    needs: ClassVar[Sequence[Need]] = ()
    """What its samples hold beside identity, outcome and timing."""


class Validator(Judge):
    """Says whether what was measured may count.

    It may have `preflight(facts, run_config) -> list[Finding]`, which judges the facts that its probes fetched before
    there is any load. A finding of severity ERROR stops the run.
    """

    KIND = Kind.VALIDATOR
    probes: ClassVar[Sequence[contract.Probe]] = ()
    """Facts to be fetched from the target before or after the load."""

    def check(self, samples: Sequence[contract.Sample]) -> contract.CheckResponse:
        """Findings and account of one batch, ordered by trajectory, repeat and turn. An account has at most 1 MiB."""
        raise NotImplementedError

    def fold(self, account: bytes, batch: bytes) -> bytes:
        """Joins the account so far, empty at first, with that of one batch. It is called in batch order."""
        raise NotImplementedError

    def conclude(self, run: contract.ConcludeRequest) -> contract.ConcludeCheckResponse:
        """The verdict over the account of all batches."""
        raise NotImplementedError


class Scorer(Judge):
    """Says how good the answers were."""

    KIND = Kind.SCORER

    def score(self, samples: Sequence[contract.Sample]) -> contract.ScoreResponse:
        """Items and account of one batch, as Validator.check. Scores are in micro-units: 1,000,000 is 1."""
        raise NotImplementedError

    def fold(self, account: bytes, batch: bytes) -> bytes:
        """Joins the account so far, empty at first, with that of one batch. It is called in batch order."""
        raise NotImplementedError

    def conclude(self, run: contract.ConcludeRequest) -> contract.ConcludeScoreResponse:
        """The score over the account of all batches."""
        raise NotImplementedError


class Evaluator(Judge):
    """A scorer that drives an evaluation of its own through the host's relay to the target. Wants the capability TARGET."""

    KIND = Kind.SCORER
    capabilities = (Capability.TARGET,)

    def evaluate(self, request: contract.EvaluateRequest) -> contract.EvaluateResponse:
        """One step. It is called again with the state that it returned until it says done, and keeps nothing itself.

        With request.cancel it stops what it started elsewhere and answers done, with a score that is not complete.
        """
        raise NotImplementedError


class Counter(Judge):
    """Counts tokens by a model's own tokenizer, after the run."""

    KIND = Kind.COUNTER

    def count(self, samples: Sequence[contract.Sample]) -> Iterable[contract.TokenCount]:
        """One count for each sample, in order. A count that is missing says why in its reason."""
        raise NotImplementedError


_NAME = re.compile(r"[a-z][a-z0-9-]*\Z")
_BASES = (Workload, Validator, Scorer, Evaluator, Counter)


class Plugin:
    """One plugin with all that it offers.

    name is made of lower-case letters, digits and hyphens, a letter first; version is a semantic version.
    """

    def __init__(self, *, name: str, version: str, components: Sequence[type[Component]]) -> None:
        self.name = name
        self.version = version
        self.components = list(components)

    def component(self, name: str) -> type[Component] | None:
        """The component of that name."""
        return next((c for c in self.components if c.name == name), None)

    def faults(self) -> list[str]:
        """Every fault of the definition."""
        found = []
        if not _NAME.match(self.name):
            found.append(f"plugin name {self.name!r}: not lower-case letters, digits and hyphens, with a letter first")
        if self.version.count(".") < 2:
            found.append(f"plugin version {self.version!r}: not a semantic version")
        if not self.components:
            found.append("plugin without components")
        seen = set()
        for c in self.components:
            if not isinstance(c, type) or sum(issubclass(c, base) for base in _BASES) != 1:
                found.append(f"component {c!r}: not a class derived from one of Workload, Validator, Scorer, Evaluator, Counter")
                continue
            if not _NAME.match(c.name):
                found.append(f"component name {c.name!r}: not lower-case letters, digits and hyphens, with a letter first")
            if c.name in seen:
                found.append(f"component {c.name}: defined twice")
            if c.inputs and Capability.INPUTS not in c.capabilities:
                found.append(f"component {c.name}: wants inputs without the capability INPUTS")
            seen.add(c.name)
        return found

    def describe(self) -> contract.DescribeResponse:
        """What the plugin answers to Describe: the same on every machine."""
        return contract.DescribeResponse(
            name=self.name,
            version=self.version,
            contract_version=contract.VERSION,
            sdk=SDK,
            components=[_describe(c) for c in self.components],
        )


def _describe(c: type[Component]) -> contract.Component:
    schema = c.config_schema
    if isinstance(schema, dict):
        schema = json.dumps(schema, sort_keys=True, separators=(",", ":")).encode()
    return contract.Component(
        kind=c.KIND,
        name=c.name,
        summary=c.summary,
        config_schema=schema or b"",
        capabilities=sorted(set(c.capabilities)),
        purity=contract.Purity.NATIVE,
        inputs=c.inputs,
        unit=getattr(c, "unit", Unit.UNSPECIFIED),
        needs=getattr(c, "needs", ()),
        probes=getattr(c, "probes", ()),
        imports=getattr(c, "imports", ()),
    )
