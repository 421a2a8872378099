"""Components for the tests of the SDK."""

import paceline
from paceline import Capability, Code, Severity, Unit, testing


class Work(paceline.Workload):
    """Does what its configuration says."""

    name = "work"
    inputs = ("data",)
    capabilities = (Capability.WORKDIR, Capability.INPUTS)

    def __init__(self, opening):
        super().__init__(opening)
        self.how = opening.settings("how").get("how")
        if self.how == "fault":
            raise paceline.fault("bad", "it is bad", expected="a good one", pointer="/how", line=3)
        if self.how == "refuse":
            raise paceline.Error(Code.NOT_FOUND, "nothing here")
        opening.prepare, opening.losses = b"index", ["colours"]
        opening.log.warning("opened with %s", opening.config.decode())

    def info(self):
        return paceline.WorkloadInfo(trajectories=2, live=True)

    def plan(self, index, repeat, seed):
        if self.how == "none":
            return None
        if self.how == "break":
            raise ValueError("nobody foresaw it")
        if self.how == "exit":
            raise SystemExit(3)
        if self.how == "wide":
            raise paceline.Error(Code.INTERNAL, "\N{SNOWMAN}" * 5000)
        return paceline.Trajectory(id=f"t-{index}-{repeat}", state=seed)

    def next(self, state, turn, answer):
        return paceline.NextResponse(state=state + bytes([turn]), end=paceline.End(outcome=answer.outcome))

    def check_inputs(self, cursor, max_faults):
        step = len(cursor) + 1
        return paceline.CheckInputsResponse(cursor=b"x" * step, done=step == 3, items=step)


class Check(paceline.Validator):
    name = "check"
    unit = Unit.CONVERSATION

    def check(self, samples):
        return paceline.CheckResponse(account=b",".join(s.trajectory.encode() for s in samples))

    def fold(self, account, batch):
        return account + b"|" + batch

    def conclude(self, run):
        return paceline.ConcludeCheckResponse(passed=run.account == b"|a,b", reason=run.account.decode())

    def preflight(self, facts, run_config):
        return [paceline.Finding(severity=Severity.INFO, code="seen", message=f.probe) for f in facts]


class Count(paceline.Counter):
    name = "count"

    def count(self, samples):
        return [paceline.TokenCount(output=1)] * (1 if samples[0].trajectory == "short" else len(samples))


plugin = paceline.Plugin(name="parts", version="1.2.3", components=[Work, Check, Count])


def work(how=None, **more):
    """The opened workload."""
    return testing.open(plugin, "work", {"how": how} if how else {}, **more)
