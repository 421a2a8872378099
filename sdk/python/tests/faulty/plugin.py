"""A native plugin that fails where and how its configuration says, for the tests of the host; as Go's of that name."""

import json
import subprocess
import sys
import threading
import time

import paceline
from paceline import Code, Unit

CULPRIT = "bad-1"
TOO_MUCH = 65 << 20


class Faulty(paceline.Component):
    """What fails, fails for the second trajectory alone."""

    def __init__(self, opening):
        super().__init__(opening)
        settings = opening.settings("at", "how")
        self.at, self.how = settings.get("at"), settings.get("how")
        self.meet("open", CULPRIT)

    def meets(self, at, id):
        return self.at == at and id == CULPRIT

    def meet(self, at, id):
        if self.meets(at, id) and self.how != "oversized":
            getattr(self, "do_" + self.how)()

    def do_panic(self):
        raise RuntimeError("it is broken")

    def do_exit(self):
        sys.exit(3)

    def do_hang(self):
        threading.Event().wait()

    def do_status(self):
        raise paceline.Error(Code.INTERNAL, "no" + "\N{SNOWMAN}" * 2000)  # the longest text that is kept

    def do_flood(self):
        line = "x" * 1000
        for _ in range(10_000):
            self.opening.log.info(line)
            print(line)

    def do_stubborn(self):
        threading.Thread(target=time.sleep, args=(3600,)).start()  # the interpreter waits for it before it ends

    def do_fork(self):
        script = '(trap "" TERM INT HUP; setsid sleep 600 </dev/null >/dev/null 2>&1 &) & sleep 600'
        subprocess.Popen(["sh", "-c", script])


def turn(index, text):
    message = json.dumps({"role": "user", "content": text}).encode()
    return paceline.Turn(index=index, max_tokens=4, append=[paceline.Message(json=message)])


class Work(Faulty, paceline.Workload):
    name = "work"

    def info(self):
        return paceline.WorkloadInfo(trajectories=3, fixed=True)

    def plan(self, index, repeat, seed):
        id = ("good-0", CULPRIT, "good-2")[index]
        self.meet("plan", id)
        t = paceline.Trajectory(id=id, turns=[turn(0, id), turn(1, id)])
        if self.meets("plan", id) and self.how == "oversized":
            t.truth = b'"' + b"x" * TOO_MUCH + b'"'
        return t


class Judge(Faulty):
    unit = Unit.CONVERSATION

    def account(self, at, samples):
        for s in samples:
            self.meet(at, s.trajectory)
            if self.meets(at, s.trajectory) and self.how == "oversized":
                return bytes(TOO_MUCH)
        return b"a"

    def fold(self, account, batch):
        return batch


class Check(Judge, paceline.Validator):
    name = "check"
    unit = Unit.CONVERSATION

    def check(self, samples):
        return paceline.CheckResponse(account=self.account("check", samples))

    def conclude(self, run):
        return paceline.ConcludeCheckResponse(passed=True)


class Score(Judge, paceline.Scorer):
    name = "score"

    def score(self, samples):
        account = self.account("score", samples)
        items = [paceline.ItemScore(trajectory=s.trajectory, turn=s.turn, scored=True, micro=1_000_000) for s in samples]
        return paceline.ScoreResponse(items=items, account=account)

    def conclude(self, run):
        score = paceline.Value(name="right", micro=1_000_000)
        return paceline.ConcludeScoreResponse(score=score, higher_is_better=True, passed=True, complete=True, scored=6)


plugin = paceline.Plugin(name="faulty", version="1.0.0", components=[Work, Check, Score])

if __name__ == "__main__":
    paceline.serve(plugin)
