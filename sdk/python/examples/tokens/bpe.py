"""A byte-level byte pair encoding, small and exact: any text has tokens, and equal texts have equal ones.

Parts of a text are short, so that the time it takes grows with its length alone, whatever it holds.
"""

import re

_WORDS = (
    "_ t,h e,_ a,_t he,i n,e r,o n,r e,_ s,a t,n d,e n,o r,e s,i s,i t,_ w,_ c,o u,in g,_ o,_ f,_a nd,_t o,"
    "_o f,_ b,_ p,_ m,a l,e d,_ in,_ d,l e,a r,_ h,i c,_ l,r o,_ n,_ re,s t,i on,_ is,l l,_ g,v e,_b e,at ion"
)

MERGES = [tuple(side.replace("_", " ").encode() for side in pair.split()) for pair in _WORDS.split(",")]
"""The merges that an English text would teach first, best first; _ is a space."""

_PARTS = re.compile(rb"[ ]?[A-Za-z]{1,32}|[ ]?[0-9]{1,3}|[ ]?[^\sA-Za-z0-9]{1,32}|\s{1,32}")


class Encoder:
    """Counts the tokens of a text; merges are pairs of bytes, best first."""

    def __init__(self, merges=None):
        pairs = MERGES if merges is None else merges
        self._ranks = {pair: rank for rank, pair in reversed(list(enumerate(pairs)))}
        self._known = {}

    def count(self, text):
        """The number of tokens of some bytes."""
        return sum(self._part(part) for part in _PARTS.findall(text))

    def _part(self, part):
        n = self._known.get(part)
        if n is None:
            n = len(self._merge([part[i : i + 1] for i in range(len(part))]))
            if len(self._known) < 100_000:
                self._known[part] = n
        return n

    def _merge(self, pieces):
        """Joins the best pair, everywhere, until none is left."""
        while len(pieces) > 1:
            pairs = set(zip(pieces, pieces[1:], strict=False))
            best = min(pairs, key=lambda p: self._ranks.get(p, len(self._ranks)))
            if best not in self._ranks:
                break
            joined, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    joined.append(pieces[i] + pieces[i + 1])
                    i += 2
                else:
                    joined.append(pieces[i])
                    i += 1
            pieces = joined
        return pieces
