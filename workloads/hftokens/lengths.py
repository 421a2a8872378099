"""Numbers of tokens of texts, quickly: the histories of a conversation share nearly all of their text.

A tokenizer takes its added tokens out of a text first and treats what is between them one by one. So a text has as many
tokens as its stretches between added tokens have, plus those tokens, and a stretch that was counted once need not be
counted again. Where a tokenizer has parts for which that does not hold, whole texts are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tokenizers import Tokenizer

from paceline import clean

MAX_KEPT = 16_000_000
"""Characters of stretches whose counts are kept; beyond it the older half is forgotten."""

_NORMALIZERS = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Replace", "StripAccents", "Sequence"}
_SPLITTERS = {"ByteLevel", "Split", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit", "Sequence"}


class Lengths:
    """Counts the tokens of texts by a tokenizer.json; special tokens are not added, those in a text count as one."""

    def __init__(self, raw: bytes) -> None:
        spec = json.loads(raw)
        self._tokenizer = Tokenizer.from_str(raw.decode("utf-8"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._encode = getattr(self._tokenizer, "encode_batch_fast", self._tokenizer.encode_batch)
        tokens = borders(spec)
        self._borders = re.compile("|".join(map(re.escape, tokens))) if tokens else None
        self._known: dict[str, int] = {}
        self._size = 0  # of the keys
        self.encoded = 0
        """Characters that went through the tokenizer."""
        if self._borders is not None and not self._agrees(tokens):
            self._borders = None

    @property
    def cached(self) -> bool:
        """Whether stretches between added tokens are counted apart."""
        return self._borders is not None

    def of(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text."""
        if self._borders is None:
            return self._count(texts)
        cut = [self._borders.split(text) for text in texts]
        fresh = list(dict.fromkeys(s for stretches in cut for s in stretches if s and s not in self._known))
        counts = dict(zip(fresh, self._count(fresh), strict=True))
        known = self._known
        sums = [len(stretches) - 1 + sum(known[s] if s in known else counts[s] for s in stretches if s) for stretches in cut]
        self._keep(counts)
        return sums

    def _count(self, texts: Sequence[str]) -> list[int]:
        if not texts:
            return []
        self.encoded += sum(map(len, texts))
        return [len(e.ids) for e in self._encode([clean(t) for t in texts], add_special_tokens=False)]

    def _keep(self, counts: dict[str, int]) -> None:
        self._known.update(counts)
        self._size += sum(map(len, counts))
        if self._size <= MAX_KEPT:
            return
        kept = list(self._known.items())
        self._known = dict(kept[len(kept) // 2 :])
        self._size = sum(map(len, self._known))

    def _agrees(self, tokens: Sequence[str]) -> bool:
        """Tries texts with every added token among words, white space and itself both ways."""
        texts = [f"a {t} b{t}{t}\n {t}\n\nuser\n{t}." for t in tokens[:2000]]
        return self.of(["".join(texts), *texts[:50]]) == self._count(["".join(texts), *texts[:50]])


def borders(spec: dict[str, Any]) -> list[str]:
    """The added tokens at which texts may be cut, longest first; none where that could change a count."""
    added = [t for t in spec.get("added_tokens") or [] if not t.get("normalized")]
    strict = all(not (t.get("lstrip") or t.get("rstrip") or t.get("single_word")) for t in added)
    known = _only(spec.get("normalizer"), _NORMALIZERS) and _only(spec.get("pre_tokenizer"), _SPLITTERS)
    if not strict or not known:
        return []
    return sorted((t["content"] for t in added if t.get("content")), key=lambda t: (-len(t), t))


def _only(part: Any, allowed: Iterable[str]) -> bool:
    """Whether a part of a tokenizer, with all parts in it, is of types that treat each stretch by itself."""
    if part is None:
        return True
    inner = [*part.get("normalizers", []), *part.get("pretokenizers", [])]
    return part.get("type") in allowed and all(_only(p, allowed) for p in inner)
