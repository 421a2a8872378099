"""Native plugins for Paceline in Python: workloads, validators, scorers and counters.

    import paceline

    class Greet(paceline.Workload):
        name = "greet"

        def info(self):
            return paceline.WorkloadInfo(trajectories=1, fixed=True, provenance="exact")

        def plan(self, index, repeat, seed):
            ask = paceline.Message(json=b'{"role":"user","content":"Say hello."}')
            return paceline.Trajectory(id="hello", turns=[paceline.Turn(append=[ask])])

    plugin = paceline.Plugin(name="hello", version="0.1.0", components=[Greet])

    if __name__ == "__main__":
        paceline.serve(plugin)

Each instance is a process: it is opened once and answers one call at a time. Messages are those of the contract, with the
names of its fields (paceline.contract). paceline.testing drives a component in tests, paceline.build makes the file that a
runner starts.
"""

from .contract import (
    After,
    Answer,
    Capability,
    Channel,
    CheckInputsResponse,
    CheckResponse,
    Chunk,
    Composed,
    ConcludeCheckResponse,
    ConcludeRequest,
    ConcludeScoreResponse,
    Defaults,
    End,
    EvaluateRequest,
    EvaluateResponse,
    Fact,
    Fault,
    Filler,
    Finding,
    ItemScore,
    Kind,
    Label,
    Message,
    Need,
    NextResponse,
    Piece,
    Probe,
    Sample,
    Scope,
    ScoreResponse,
    Severity,
    Target,
    Timing,
    TokenCount,
    Trajectory,
    Turn,
    Unit,
    Usage,
    Value,
    When,
    WorkloadInfo,
)
from .errors import Code, Error, Faults, clean, fault
from .lines import Line
from .opening import Input, Opening
from .plugin import Component, Counter, Evaluator, Plugin, Scorer, Validator, Workload
from .relay import Relay
from .server import serve

__all__ = [
    "After",
    "Answer",
    "Capability",
    "Channel",
    "CheckInputsResponse",
    "CheckResponse",
    "Chunk",
    "Code",
    "Component",
    "Composed",
    "ConcludeCheckResponse",
    "ConcludeRequest",
    "ConcludeScoreResponse",
    "Counter",
    "Defaults",
    "End",
    "Error",
    "EvaluateRequest",
    "EvaluateResponse",
    "Evaluator",
    "Fact",
    "Fault",
    "Faults",
    "Filler",
    "Finding",
    "Input",
    "ItemScore",
    "Kind",
    "Label",
    "Line",
    "Message",
    "Need",
    "NextResponse",
    "Opening",
    "Piece",
    "Plugin",
    "Probe",
    "Relay",
    "Sample",
    "Scope",
    "Scorer",
    "ScoreResponse",
    "Severity",
    "Target",
    "Timing",
    "TokenCount",
    "Trajectory",
    "Turn",
    "Unit",
    "Usage",
    "Validator",
    "Value",
    "When",
    "Workload",
    "WorkloadInfo",
    "clean",
    "fault",
    "serve",
]
