"""A plugin as a process of its own: what it says, when it ends, and what it leaves."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import grpc

from paceline import contract, handshake

HERE = Path(__file__).parent
SRC = HERE.parent / "src"

NOISY = """
import sys
print("hello from an import")
sys.path.insert(0, {here!r})
from parts import plugin
print("and one more")
"""


class Processes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pl")
        self.addCleanup(self.folder.cleanup)
        Path(self.folder.name, "noisy.py").write_text(NOISY.format(here=str(HERE)))
        self.env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": self.folder.name,
            "PYTHONPATH": f"{SRC}{os.pathsep}{self.folder.name}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PLUGIN_COOKIE": "paceline-plugin",
            "PLUGIN_PROTOCOL_VERSIONS": "1",
            "PLUGIN_UNIX_SOCKET_DIR": self.folder.name,
        }

    def start(self, *args, **more):
        code = "from paceline.server import run; run('noisy:plugin')"
        p = subprocess.Popen(
            [sys.executable, "-c", code, *args], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
        )
        self.addCleanup(p.communicate)
        self.addCleanup(p.kill)
        return p

    def channel(self):
        channel = grpc.insecure_channel(f"unix:{self.folder.name}/p")
        self.addCleanup(channel.close)
        return channel

    def test_life(self):
        p = self.start()
        self.assertEqual(p.stdout.readline(), f"1|1|unix|{self.folder.name}/p|grpc\n")
        channel = self.channel()
        p.send_signal(signal.SIGINT)  # the host's to handle
        request = contract.OpenRequest(component="work").SerializeToString()
        channel.unary_unary("/paceline.plugin.v1.Plugin/Open")(request, timeout=60)
        channel.unary_unary("/plugin.GRPCController/Shutdown")(b"", timeout=60)
        out, err = p.communicate(timeout=60)
        self.assertEqual((p.returncode, out), (0, ""))
        lines = err.splitlines()
        self.assertEqual(lines[:2], ["hello from an import", "and one more"])
        self.assertEqual(json.loads(lines[2]), {"@level": "warn", "@message": "opened with "})
        self.assertFalse(Path(self.folder.name, "p").exists())

    def test_end_while_a_call_runs(self):
        Path(self.folder.name, "noisy.py").write_text(
            "import paceline, time\n"
            "class Slow(paceline.Counter):\n"
            "    name = 'slow'\n"
            "    def count(self, samples):\n"
            "        self.opening.log.info('at it')\n"
            "        time.sleep(3600)\n"
            "plugin = paceline.Plugin(name='p', version='1.0.0', components=[Slow])\n"
        )
        p = self.start()
        p.stdout.readline()
        channel = self.channel()
        channel.unary_unary("/paceline.plugin.v1.Plugin/Open")(
            contract.OpenRequest(component="slow").SerializeToString(), timeout=60
        )
        running = channel.unary_unary("/paceline.plugin.v1.Counter/Count").future(b"")
        self.assertIn("at it", p.stderr.readline())
        channel.unary_unary("/plugin.GRPCController/Shutdown")(b"", timeout=60)
        self.assertEqual(p.wait(60), 0)
        self.assertIsInstance(running.exception(60), grpc.RpcError)

    def test_ends_with_its_host(self):
        """The host in between is killed; the plugin's end closes the pipe that only it holds then."""
        read, write = os.pipe()
        between = "import subprocess, sys, time\nsubprocess.Popen(sys.argv[1:], close_fds=False)\ntime.sleep(3600)\n"
        os.set_inheritable(write, True)
        code = "from paceline.server import run; run('noisy:plugin')"
        p = subprocess.Popen(
            [sys.executable, "-c", between, sys.executable, "-c", code],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            close_fds=False,
        )
        self.addCleanup(p.communicate)
        self.addCleanup(p.kill)
        os.close(write)
        self.addCleanup(os.close, read)
        self.assertTrue(p.stdout.readline().startswith(b"1|1|unix|"))
        p.kill()
        self.assertTrue(select.select([read], [], [], 60)[0], "it outlived its host")
        self.assertEqual(os.read(read, 1), b"")

    def test_refusals(self):
        for change, says in (
            ({"PLUGIN_COOKIE": ""}, "the runner starts it"),
            ({"PLUGIN_COOKIE": "another"}, "the runner starts it"),
            ({"PLUGIN_CLIENT_CERT": "-----BEGIN"}, "AutoMTLS"),
            ({"PLUGIN_UNIX_SOCKET_DIR": ""}, "PLUGIN_UNIX_SOCKET_DIR"),
            ({"PLUGIN_UNIX_SOCKET_DIR": "/tmp/" + "x" * 100}, "more than 100 bytes"),
        ):
            with self.subTest(change):
                env, self.env = self.env, self.env | change
                p = self.start()
                out, err = p.communicate(timeout=60)
                self.env = env
                self.assertEqual((p.returncode, out), (1, ""))
                self.assertIn(says, err.splitlines()[-1])

    def test_manifest(self):
        p = self.start("manifest")
        _, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 1)
        self.assertIn("usage: manifest LICENSE", err)


class Handshakes(unittest.TestCase):
    def test_versions(self):
        for offered, want in (("1", 1), ("0,1", 1), ("2,1", 1), ("7", 1), ("", 1), ("x,,-1, 1", 1), ("\u00b2", 1)):
            self.assertEqual(handshake.agree({"PLUGIN_PROTOCOL_VERSIONS": offered}), want)

    def test_two_versions(self):
        ours, handshake.CONTRACTS = handshake.CONTRACTS, (2, 1)
        self.addCleanup(setattr, handshake, "CONTRACTS", ours)
        for offered, want in (("1", 1), ("1,2", 2), ("2,3", 2), ("3", 1)):
            self.assertEqual(handshake.agree({"PLUGIN_PROTOCOL_VERSIONS": offered}), want)


if __name__ == "__main__":
    unittest.main()
