"""Calls of an instance, as a host makes them and as it would not."""

import logging
import unittest

from parts import plugin, work

import paceline
from paceline import Code, contract, testing
from paceline.instance import Instance


def bare():
    log = logging.Logger("test")
    log.addHandler(logging.NullHandler())
    return Instance(plugin, log)


class Life(unittest.TestCase):
    def test_describe(self):
        d = testing.describe(plugin)
        self.assertEqual((d.name, d.version, d.contract_version, d.sdk), ("parts", "1.2.3", 1, "python/1"))
        w = d.components[0]
        self.assertEqual((w.kind, w.purity, list(w.capabilities), list(w.inputs)), (1, contract.Purity.NATIVE, [1, 5], ["data"]))
        self.assertEqual(d.components[1].unit, contract.Unit.CONVERSATION)

    def test_open(self):
        c = work()
        self.assertEqual(c.answer.workload, paceline.WorkloadInfo(trajectories=2, live=True))
        self.assertEqual((c.answer.prepared, list(c.answer.losses)), (b"index", ["colours"]))
        self.assertEqual(c.logs, [("WARNING", "opened with {}")])
        with self.assertRaises(paceline.Error) as e:
            c.call("Plugin", "Open", contract.OpenRequest(component="work"), contract.OpenResponse)
        self.assertEqual(e.exception.code, Code.FAILED_PRECONDITION)

    def test_open_again_after_faults(self):
        instance = bare()
        bad = contract.OpenRequest(component="work", config=b"[").SerializeToString()
        for _ in range(2):
            answer = contract.OpenResponse.FromString(instance.call("Plugin", "Open", bad))
            self.assertEqual(answer.faults[0].code, "bad-json")

    def test_faults(self):
        with self.assertRaises(paceline.Faults) as e:
            work("fault")
        want = contract.Fault(code="bad", message="it is bad", expected="a good one", pointer="/how", line=3)
        self.assertEqual(e.exception.faults, [want])
        self.assertEqual(str(e.exception), "/how: it is bad")

    def test_errors(self):
        for how, code, says in (("refuse", Code.NOT_FOUND, "nothing here"), ("none", Code.INTERNAL, "plan 0 returned neither")):
            with self.subTest(how), self.assertRaises(paceline.Error) as e:
                work(how).plan(0)
            self.assertEqual(e.exception.code, code)
            self.assertIn(says, e.exception.text)

    def test_what_nobody_foresaw_is_no_answer(self):
        with self.assertRaises(ValueError):
            work("break").plan(0)

    def test_workload(self):
        c = work()
        self.assertEqual(c.plan(1, 2, b"s" * 32), paceline.Trajectory(id="t-1-2", state=b"s" * 32))
        self.assertEqual(
            c.next(b"a", 7, paceline.Answer(outcome="ok")), paceline.NextResponse(state=b"a\x07", end=paceline.End(outcome="ok"))
        )
        self.assertEqual(c.check_inputs(), ([], 3))

    def test_state_is_bound_in_tests(self):
        with self.assertRaisesRegex(AssertionError, "262144 are allowed"):
            work().next(bytes(256 << 10), 0, paceline.Answer())

    def test_other_kinds(self):
        for method in (
            lambda c: c.check(),
            lambda c: c.score(),
            lambda c: c.count(),
            lambda c: c.evaluate(paceline.EvaluateRequest()),
        ):
            with self.assertRaises(paceline.Error) as e:
                method(work())
            self.assertEqual(e.exception.code, Code.UNIMPLEMENTED)


class Hostile(unittest.TestCase):
    def refused(self, code, service, method, request):
        with self.assertRaises(paceline.Error) as e:
            bare().call(service, method, request)
        self.assertEqual(e.exception.code, code)

    def test_malformed(self):
        for request in (b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", b"\x08" + b"\xff" * 11, b"\x0b" * 500):
            with self.subTest(request):
                self.refused(Code.INVALID_ARGUMENT, "Plugin", "Open", request)

    def test_before_open(self):
        for service, method in (("Plugin", "CheckInputs"), ("Workload", "Plan"), ("Scorer", "Evaluate"), ("Counter", "Count")):
            self.refused(Code.FAILED_PRECONDITION, service, method, b"")

    def test_unknown_component(self):
        self.refused(Code.NOT_FOUND, "Plugin", "Open", contract.OpenRequest(component="other").SerializeToString())

    def test_unknown_fields_are_ignored(self):
        request = contract.PlanRequest(index=1).SerializeToString() + b"\xfa\x3f\x03abc"
        instance = bare()
        instance.call("Plugin", "Open", contract.OpenRequest(component="work").SerializeToString())
        self.assertEqual(contract.PlanResponse.FromString(instance.call("Workload", "Plan", request)).trajectory.id, "t-1-0")

    def test_hostile_configurations(self):
        for config in (b"[" * 100_000, b'{"a":', b"7", b'"x"', b"\xff", b'{"\\ud800/~":1}', b"9" * 10_000):
            with self.subTest(config[:20]), self.assertRaises(paceline.Faults):
                testing.open(plugin, "work", config)


class Judges(unittest.TestCase):
    def sample(self, name, more=False):
        return paceline.Sample(trajectory=name, more=more)

    def test_batch_in_several_requests(self):
        c = testing.open(plugin, "check")
        self.assertEqual(c.check(self.sample("a", more=True)), contract.CheckResponse())
        whole = c.check(self.sample("b"))
        self.assertEqual(whole.account, b"a,b")
        self.assertEqual(c.check(self.sample("c")).account, b"c")
        self.assertEqual(c.check().account, b"")
        self.assertTrue(c.conclude_check(whole.account).passed)
        self.assertEqual(c.conclude_check(b"x", b"y").reason, "|x|y")

    def test_preflight(self):
        found = testing.open(plugin, "check").preflight([paceline.Fact(probe="p")])
        self.assertEqual([f.message for f in found], ["p"])

    def test_counts(self):
        c = testing.open(plugin, "count")
        self.assertEqual(len(c.count(self.sample("a"), self.sample("b"))), 2)
        with self.assertRaisesRegex(paceline.Error, "1 counts for 2 samples"):
            c.count(self.sample("short"), self.sample("b"))
        with self.assertRaises(paceline.Error) as e:
            c.check_inputs()
        self.assertEqual(e.exception.code, Code.UNIMPLEMENTED)


class Definitions(unittest.TestCase):
    def test_faults(self):
        class Bad(paceline.Counter):
            name = "Bad"

        class Wants(paceline.Workload):
            name = "wants"
            inputs = ("x",)

        class Both(paceline.Workload, paceline.Counter):
            name = "both"

        faults = paceline.Plugin(name="0", version="1", components=[Bad, Wants, Wants, Both, paceline.Component, 7]).faults()
        for says in ("'0'", "'1'", "'Bad'", "wants: defined twice", "without the capability", "Both", "Component", "component 7"):
            self.assertTrue(any(says in f for f in faults), f"{says}: {faults}")
        self.assertEqual(paceline.Plugin(name="a", version="1.0.0", components=[]).faults(), ["plugin without components"])


if __name__ == "__main__":
    unittest.main()
