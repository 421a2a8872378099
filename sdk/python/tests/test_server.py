"""The services over a real gRPC channel, in this process."""

import contextlib
import io
import os
import tempfile
import threading
import unittest

import grpc
from parts import plugin

import paceline
from paceline import contract, testing
from paceline.instance import MAX_REQUEST, Instance
from paceline.services import Service

OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1), ("grpc.max_metadata_size", 1 << 20)]


class Died(Exception):
    pass


class Served(unittest.TestCase):
    """A served plugin, whose end is an exception instead."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pl")
        self.died = []
        log = testing._log(testing.Logs())
        self.service = Service(Instance(plugin, log), self.end)
        address = "unix:" + os.path.join(self.folder.name, "p")
        self.server = self.service.start(address)
        self.channel = grpc.insecure_channel(address, options=OPTIONS)
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(lambda: self.server.stop(None).wait())
        self.addCleanup(self.channel.close)

    def end(self, code):
        self.died.append(code)
        raise Died

    def call(self, name, request=b""):
        raw = request if isinstance(request, bytes) else request.SerializeToString()
        return self.channel.unary_unary("/" + name)(raw, timeout=30)

    def ours(self, name, request=b""):
        return self.call(f"paceline.plugin.v1.{name}", request)

    def open(self, how):
        config = b'{"how":"%s"}' % how.encode()
        return contract.OpenResponse.FromString(self.ours("Plugin/Open", contract.OpenRequest(component="work", config=config)))

    def refused(self, code, f, *args):
        with self.assertRaises(grpc.RpcError) as e:
            f(*args)
        self.assertEqual(e.exception.code(), code)
        return e.exception.details()

    def test_calls(self):
        self.assertEqual(contract.DescribeResponse.FromString(self.ours("Plugin/Describe")).name, "parts")
        self.assertEqual(self.open("fault").faults[0].code, "bad")
        self.assertEqual(self.refused(grpc.StatusCode.NOT_FOUND, self.open, "refuse"), "nothing here")
        self.assertTrue(self.open("good").workload.live)
        self.assertEqual(contract.PlanResponse.FromString(self.ours("Workload/Plan")).trajectory.id, "t-0-0")
        self.refused(grpc.StatusCode.UNIMPLEMENTED, self.ours, "Scorer/Score")
        self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.ours, "Workload/Plan", b"\xff")
        self.refused(grpc.StatusCode.UNIMPLEMENTED, self.ours, "Other/Thing")
        self.assertEqual(self.died, [])

    def test_the_longest_text(self):
        self.open("wide")
        self.assertEqual(self.refused(grpc.StatusCode.INTERNAL, self.ours, "Workload/Plan"), "\N{SNOWMAN}" * 1365)

    def test_sizes(self):
        big = contract.OpenRequest(component="work", config=b'{"how":"' + b"x" * (MAX_REQUEST - 100) + b'"}')
        self.assertTrue(contract.OpenResponse.FromString(self.ours("Plugin/Open", big)).workload.live)
        self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, self.ours, "Workload/Plan", bytes(MAX_REQUEST + 5000))

    def test_what_nobody_foresaw_ends_the_process(self):
        for how, code, says in (("break", 1, "fatal error: ValueError: nobody foresaw it (parts.py:"), ("exit", 3, "")):
            with self.subTest(how):
                self.setUp()
                self.open(how)
                said = io.StringIO()
                with contextlib.redirect_stderr(said):
                    self.refused(grpc.StatusCode.UNKNOWN, self.ours, "Workload/Plan")
                self.assertEqual(self.died, [code])
                self.assertTrue(said.getvalue().startswith(says), said.getvalue())

    def test_health(self):
        for request in (b"", b"\x0a\x06plugin"):
            self.assertEqual(self.call("grpc.health.v1.Health/Check", request), b"\x08\x01")
        self.refused(grpc.StatusCode.NOT_FOUND, self.call, "grpc.health.v1.Health/Check", b"\x0a\x05other")

    def test_health_and_the_end_do_not_wait_for_a_call(self):
        go, at_it = threading.Event(), threading.Event()
        self.addCleanup(go.set)

        class Slow(paceline.Counter):
            name = "slow"

            def count(self, samples):
                at_it.set()
                go.wait(60)
                return []

        self.service._instance = Instance(
            paceline.Plugin(name="p", version="1.0.0", components=[Slow]), testing._log(testing.Logs())
        )
        self.ours("Plugin/Open", contract.OpenRequest(component="slow"))
        running = self.channel.unary_unary("/paceline.plugin.v1.Counter/Count").future(b"")
        self.assertTrue(at_it.wait(60))
        self.assertTrue(self.service.busy())
        self.assertEqual(self.call("grpc.health.v1.Health/Check"), b"\x08\x01")
        self.assertFalse(self.service.ended.is_set())
        self.assertEqual(self.call("plugin.GRPCController/Shutdown"), b"")
        self.assertTrue(self.service.ended.wait(60))
        go.set()
        self.assertEqual(running.result(60), b"")


if __name__ == "__main__":
    unittest.main()
