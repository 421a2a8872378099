"""The file that a runner starts."""

import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from paceline import archive, build, manifest

PLUGIN = """
import paceline, words
print("noise")

class Count(paceline.Counter):
    name = "count"
    capabilities = (paceline.Capability.WORKDIR, paceline.Capability.INPUTS)
    inputs = ("vocabulary",)

plugin = paceline.Plugin(name="made", version="1.0.0", components=[Count])
"""


class Builds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.dir = self.root / "plugin"
        self.out = self.root / "made.pyz"
        for name, text in {
            "plugin.py": PLUGIN,
            "words.py": "",
            "data/list.txt": "a\n",
            "manifest.json": '{"license": "MIT"}',
        }.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, *args):
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            build.main([str(self.dir), "-o", str(self.out), *args])
        return said.getvalue()

    def refused(self, says, *args):
        with self.assertRaises(SystemExit) as e:
            self.build(*args)
        self.assertIn(says, str(e.exception))
        self.assertEqual(sorted(p.name for p in self.root.iterdir()), ["plugin"])

    def test_manifest(self):
        self.write("manifest.json", json.dumps({"license": "MIT", "authors": ["A"], "presets": [{"name": "p", "run": {}}]}))
        said = json.loads(self.build("--json", "--platform", "linux/arm64", "--platform", "darwin/arm64"))
        code = self.out.read_bytes()
        made = json.loads((self.root / "made.pyz.manifest.json").read_bytes())
        digest = hashlib.sha256(code).hexdigest()
        self.assertEqual((said["sha256"], said["size"], said["python"]), (digest, len(code), build.this_python()))
        self.assertEqual([n["os"] + "/" + n["arch"] for n in made["native"]], ["darwin/arm64", "linux/arm64"])
        self.assertEqual({(n["file"], n["size"], n["sha256"]) for n in made["native"]}, {("made.pyz", len(code), digest)})
        component = {
            "kind": "counter",
            "name": "count",
            "purity": "native",
            "capabilities": ["inputs", "workdir"],
            "inputs": ["vocabulary"],
        }
        self.assertEqual(made["components"], [component])
        self.assertEqual((made["license"], made["authors"], made["presets"]), ("MIT", ["A"], [{"name": "p", "run": {}}]))

    def test_same_bytes(self):
        self.build()
        first = self.out.read_bytes()
        for name in ("tests/test_x.py", "test_x.py", "__pycache__/x.pyc", ".hidden", ".git/x", "old.pyz", "x.egg-info/y"):
            self.write(name, "left out")
        os.utime(self.dir / "words.py", (1, 1))
        (self.dir / "words.py").chmod(0o600)
        self.build()
        self.assertEqual(self.out.read_bytes(), first)
        names = zipfile.ZipFile(self.out).namelist()
        self.assertEqual(names, sorted(names))
        own = [n for n in names if not n.startswith("paceline/")]
        self.assertEqual(own, ["__main__.py", "data/list.txt", "plugin.py", "words.py"])
        self.assertIn("paceline/server.py", names)
        self.assertNotIn("paceline/build.py", names)
        self.write("words.py", "# changed")
        self.build()
        self.assertNotEqual(self.out.read_bytes(), first)

    def test_started_by_hand(self):
        self.build()
        done = subprocess.run([str(self.out)], capture_output=True, text=True, timeout=120, env={"PATH": build.SEARCH_PATH})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the runner starts it", done.stderr)
        done = subprocess.run([str(self.out), "manifest", "MIT"], capture_output=True, text=True, timeout=120)
        self.assertEqual(json.loads(done.stdout)["native"][0]["sha256"], hashlib.sha256(self.out.read_bytes()).hexdigest())

    def test_an_interpreter_without_packages(self):
        self.build()
        done = subprocess.run([sys.executable, "-S", str(self.out)], capture_output=True, text=True, timeout=120, env={})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\A\S+ is missing: install grpcio and protobuf for \S+\n\Z")

    def test_first_line(self):
        self.assertEqual(archive.shebang("env"), b"#!/usr/bin/env python3\n")
        self.assertEqual(archive.shebang("/opt/venv/bin/python"), b"#!/opt/venv/bin/python\n")
        for bad in ("python3", "/a b/python", "/x\ny", "/" + "x" * 125):
            with self.assertRaises(archive.Fault):
                archive.shebang(bad)

    def test_interpreter_elsewhere(self):
        self.assertIn("was tried with " + sys.executable, self.build("--python", "/opt/not/here/python"))
        self.assertTrue(self.out.read_bytes().startswith(b"#!/opt/not/here/python\n"))

    def test_refusals(self):
        self.refused("--entry", "--entry", "plugin")
        self.refused("has no paceline.Plugin of the name other", "--entry", "plugin:other")
        self.refused("No module named 'nowhere'", "--entry", "nowhere:plugin")
        self.write("plugin.py", "import not_there")
        self.refused("No module named 'not_there'")

    def test_refused_files(self):
        (self.dir / "link.py").symlink_to("/etc/hostname")
        self.refused("links are not followed")
        (self.dir / "link.py").unlink()
        self.write("paceline/x.py", "")
        self.refused("the SDK's own")

    def test_refused_manifests(self):
        for text, says in (
            ("{", "no JSON"),
            ("[]", "not a JSON object"),
            ("{}", "no license"),
            ('{"license": 7}', "no license"),
            ('{"license": "MIT", "licence": "MIT"}', "unknown key 'licence'"),
            ('{"license": "MIT", "version": "2.0.0"}', "version is '2.0.0', and the plugin says '1.0.0'"),
            ('{"license": "MIT", "components": [{"kind": "scorer", "name": "count"}]}', "components differ"),
        ):
            with self.subTest(text):
                self.write("manifest.json", text)
                self.refused(says)

    def test_no_folder(self):
        self.dir = self.root / "nowhere"
        with self.assertRaisesRegex(SystemExit, "no folder"):
            self.build()

    def test_a_file_that_was_there_stays_whole(self):
        self.build()
        before = self.out.read_bytes()
        self.write("plugin.py", "raise RuntimeError('broken')")
        with self.assertRaisesRegex(SystemExit, "broken"):
            self.build()
        self.assertEqual(self.out.read_bytes(), before)

    def test_platform(self):
        self.assertRegex(manifest.this_platform(), r"\A[a-z0-9]+/[a-z0-9]+\Z")
        with self.assertRaises(SystemExit):
            self.build("--platform", "linux")


if __name__ == "__main__":
    unittest.main()
