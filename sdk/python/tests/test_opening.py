"""Inputs, lines, settings and logs."""

import io
import json
import logging
import os
import tempfile
import unittest

import paceline
from paceline import Code, contract, logs
from paceline.errors import cut
from paceline.opening import Descriptor, Input, Opening
from paceline.testing import Memory


def given(data, size=None, source=None):
    return Input(contract.Input(name="data", size=len(data) if size is None else size), source or Memory(data))


class Broken:
    def read(self, size, offset):
        raise OSError(5, "Input/output error")


class Dripping(Memory):
    """Gives three bytes at most at once."""

    def read(self, size, offset):
        return super().read(min(size, 3), offset)


class Inputs(unittest.TestCase):
    def test_read_at(self):
        for source in (None, Dripping(b"0123456789")):
            data = given(b"0123456789", source=source)
            for offset, size, want in ((0, 4, b"0123"), (8, 4, b"89"), (10, 4, b""), (99, 1, b""), (0, 0, b"")):
                self.assertEqual(data.read_at(offset, size), want)
        with self.assertRaises(ValueError):
            given(b"").read_at(-1, 1)

    def test_read_errors(self):
        for code, data in ((Code.INTERNAL, given(b"abc", source=Broken())), (Code.DATA_LOSS, given(b"abc", size=9))):
            with self.assertRaises(paceline.Error) as e:
                data.read_at(0, 9)
            self.assertEqual(e.exception.code, code)

    def test_descriptor(self):
        with tempfile.TemporaryFile() as f:
            f.write(b"digested")
            f.flush()
            source = Descriptor(f.fileno() - Descriptor.FIRST)
            self.assertEqual(given(b"digested", source=source).read_at(2, 3), b"ges")
        with self.assertRaises(paceline.Error):
            given(b"digested", source=source).read_at(0, 1)

    def test_open(self):
        data = json.dumps(list(range(10_000))).encode()
        self.assertEqual(json.load(given(data).open()), list(range(10_000)))
        f = given(b"0123456789").open()
        f.seek(-3, os.SEEK_END)
        self.assertEqual((f.read(), f.tell()), (b"789", 10))

    def test_missing(self):
        with self.assertRaises(paceline.Faults) as e:
            Opening(contract.OpenRequest(), [], logging.Logger("x")).input("data")
        self.assertEqual(e.exception.faults[0].code, "missing-input")


class Lines(unittest.TestCase):
    def test_lines(self):
        data = b"\xef\xbb\xbfone\r\n\n \t\r\n\xef\xbb\xbftwo\r\r\nlast"
        want = [(1, 3, b"one"), (4, 13, b"\xef\xbb\xbftwo\r"), (5, 22, b"last")]
        for source in (None, Dripping(data)):
            self.assertEqual(list(given(data, source=source).lines()), want)
        for line in given(data).lines():
            self.assertEqual(given(data).read_at(line.offset, len(line.text)), line.text)

    def test_across_blocks(self):
        rows = [b"x" * n for n in (1, 300_000, 5, 262_144, 262_143, 700_000)]
        found = list(given(b"\n".join(rows)).lines())
        self.assertEqual([line.text for line in found], rows)
        self.assertEqual(found[-1].offset, sum(len(r) + 1 for r in rows[:-1]))

    def test_too_long(self):
        for data in (b"ok\n" + b"x" * 11 + b"\nok", b"ok\n" + b"x" * (1 << 20)):
            found = given(data).lines(limit=10)
            self.assertEqual(next(found).text, b"ok")
            with self.assertRaisesRegex(paceline.Error, "line 2: longer than 10 bytes"):
                next(found)
        self.assertEqual(len(list(given(b"x" * 10 + b"\r\n").lines(limit=10))), 1)

    def test_empty(self):
        for data in (b"", b"\n", b"\r\n \t", b"\xef\xbb\xbf"):
            self.assertEqual(list(given(data).lines()), [])


class Settings(unittest.TestCase):
    def opening(self, config):
        return Opening(contract.OpenRequest(config=config), [], logging.Logger("x"))

    def test_settings(self):
        self.assertEqual(self.opening(b"").settings("a"), {})
        self.assertEqual(self.opening(b'{"a":1}').settings("a", "b"), {"a": 1})
        self.assertEqual(self.opening(b'{"z":1}').settings(), {"z": 1})

    def test_every_unknown_key_is_a_fault(self):
        with self.assertRaises(paceline.Faults) as e:
            self.opening(b'{"x/~":1,"a":2,"y":3}').settings("a")
        self.assertEqual([f.pointer for f in e.exception.faults], ["/x~1~0", "/y"])


class Logs(unittest.TestCase):
    def test_line(self):
        self.assertEqual(logs.line(logging.WARNING, 'a\n"b"'), '{"@level":"warn","@message":"a\\n\\"b\\""}\n')
        self.assertEqual(json.loads(logs.line(5, "\ud800"))["@level"], "debug")

    def test_long_lines_fit(self):
        for text in ("x" * 9000, "\0" * 9000, "\N{SNOWMAN}" * 9000, '"' * 8192):
            line = logs.line(logging.ERROR, text)
            self.assertLessEqual(len(line.encode()), logs.MAX_LINE)
            self.assertGreater(len(line.encode()), logs.MAX_LINE - 100)
            self.assertTrue(text.startswith(json.loads(line)["@message"]))

    def test_handler(self):
        out = io.StringIO()
        log = logging.Logger("x")
        log.addHandler(logs.HostHandler(out))
        log.info("%d lines", 3)
        self.assertEqual(json.loads(out.getvalue()), {"@level": "info", "@message": "3 lines"})


class Errors(unittest.TestCase):
    def test_text_is_cut(self):
        self.assertEqual(len(paceline.Error(Code.INTERNAL, "\N{SNOWMAN}" * 5000).text.encode()), 4095)
        self.assertEqual(cut("a\ud800b", 10), "a?b")
        with self.assertRaises(ValueError):
            paceline.Error(99, "no such code")
        with self.assertRaises(ValueError):
            paceline.Faults([])


if __name__ == "__main__":
    unittest.main()
