"""Tests that counting by stretches counts what counting whole texts does."""

import json
import random
import unittest

from lengths import Lengths, borders
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import paceline  # noqa: F401  the plugin's own search path has it first

MARKS = ["<|im_start|>", "<|im_end|>", "<think>", "<|im|>", "<|im_start|>x"]
WORDS = ["the", " the", "\n", "\n\n", " ", "user", "ü", "日本", "<|im_", "start|>", "\t", "x", "1234", "'s", "😀"]


def tokenizer(*, pre=None, normalizer=None, added=()):
    """A byte-level BPE of a few words, as models publish them."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre or pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    if normalizer is not None:
        t.normalizer = normalizer
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    t.train_from_iterator([" ".join(WORDS), "the user's other user", "1234 1234"], trainer)
    t.add_special_tokens(MARKS)
    t.add_tokens(list(added))
    return t.to_str().encode()


def texts(seed):
    some = random.Random(seed)
    parts = [*MARKS, *WORDS]
    return ["".join(some.choice(parts) for _ in range(some.randrange(40))) for _ in range(200)]


def whole(raw, list):
    return [len(Tokenizer.from_str(raw.decode()).encode(t, add_special_tokens=False).ids) for t in list]


class Counts(unittest.TestCase):
    def test_as_whole_texts(self):
        parts = [pre_tokenizers.Split(" ", "isolated"), pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(False)]
        split = pre_tokenizers.Sequence(parts)
        for name, raw in (
            ("plain", tokenizer()),
            ("prefix space", tokenizer(pre=pre_tokenizers.ByteLevel(add_prefix_space=True))),
            ("sequence", tokenizer(pre=split, normalizer=normalizers.NFC())),
            ("normalized tokens", tokenizer(added=[AddedToken("user", normalized=True)], normalizer=normalizers.Lowercase())),
        ):
            lengths = Lengths(raw)
            self.assertTrue(lengths.cached, name)
            for seed in range(3):
                self.assertEqual(lengths.of(texts(seed)), whole(raw, texts(seed)), name)

    def test_what_looks_around_is_counted_whole(self):
        for name, raw in (
            ("strip", tokenizer(added=[AddedToken("<mask>", lstrip=True, normalized=False)])),
            ("word", tokenizer(added=[AddedToken("<word>", single_word=True, normalized=False)])),
            ("metaspace", tokenizer(pre=pre_tokenizers.Metaspace(prepend_scheme="first"))),
            ("prepend", tokenizer(normalizer=normalizers.Prepend("_"))),
        ):
            lengths = Lengths(raw)
            self.assertFalse(lengths.cached, name)
            self.assertEqual(lengths.of(texts(5)), whole(raw, texts(5)), name)

    def test_what_is_known_is_not_counted_again(self):
        lengths = Lengths(tokenizer())
        text = "<|im_start|>the user<|im_end|>" + "the " * 100
        first = lengths.of([text, text])
        encoded = lengths.encoded
        self.assertEqual(lengths.of([text + "<|im_end|>x"])[0], first[0] + 2)
        self.assertEqual((first[0], lengths.encoded), (first[1], encoded + 1))

    def test_truncation_padding_and_half_characters(self):
        spec = json.loads(tokenizer())
        spec["truncation"] = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
        lengths = Lengths(json.dumps(spec).encode())
        sums = lengths.of(["the the the the", "the the", " the the", "", "\ud83d"])
        self.assertEqual((sums[0], sums[3]), (sums[1] + sums[2], 0))
        self.assertEqual(lengths.of([]), [])

    def test_borders(self):
        self.assertEqual(borders({}), [])
        self.assertEqual(borders({"added_tokens": [{"content": "a"}, {"content": "bb"}, {"content": ""}]}), ["bb", "a"])
        self.assertEqual(borders({"added_tokens": [{"content": "a"}], "pre_tokenizer": {"type": "New"}}), [])


if __name__ == "__main__":
    unittest.main()
