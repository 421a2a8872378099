"""A model whose tokenizer or chat template is Python code that its publisher ships, run by transformers as the reference does.

The code is part of the pinned input. It runs in this process, which is outside of the sandbox: whoever trusts it says so.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Sequence
from typing import BinaryIO

import prompts

from paceline import clean, fault

MAX_FILES = 200
"""The most files of a model's archive."""

MAX_BYTES = 512 << 20
"""The most bytes of all of them together."""


class OwnCode:
    """Such a model; see rule.Model."""

    def __init__(self, archive: BinaryIO, *, trust: bool) -> None:
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
        from transformers import AutoTokenizer
        from transformers.utils import logging

        logging.set_verbosity_error()
        folder = unpack(archive)
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trust, local_files_only=True)
        except Exception as e:  # the model's own code may raise anything
            hint = "" if trust else "; its own Python code runs only with trust_code: true"
            raise fault("no-tokenizer", f"{type(e).__name__}: {e}{hint}", input="model", expected="a tokenizer's files") from e
        self._backend = getattr(self._tokenizer, "backend_tokenizer", None)

    def chat(self, prompt: prompts.Prompt, *, generation: bool) -> int:
        """See rule.Model."""
        options = {**prompt.options, "tokenize": True, "add_generation_prompt": generation, "return_dict": False}
        if prompt.tools is not None:
            options["tools"] = prompt.tools
        if prompt.template is not None:
            options["chat_template"] = prompt.template
        return len(self._tokenizer.apply_chat_template(prompt.messages, **options))

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """See rule.Model."""
        texts = [clean(t) for t in texts]
        if self._backend is not None:
            return [len(e.ids) for e in self._backend.encode_batch(texts, add_special_tokens=False)]
        return [len(self._tokenizer.encode(t, add_special_tokens=False)) for t in texts]


def unpack(archive: BinaryIO) -> str:
    """Writes the files of a zip archive into a folder of this process, without folders of theirs, and returns it."""
    folder = tempfile.mkdtemp(prefix="model")
    try:
        with zipfile.ZipFile(archive) as z:
            files = [i for i in z.infolist() if not i.is_dir()]
            if len(files) > MAX_FILES or sum(i.file_size for i in files) > MAX_BYTES:
                raise fault(
                    "large-input",
                    f"{len(files)} files of {sum(i.file_size for i in files)} bytes",
                    input="model",
                    expected=f"at most {MAX_FILES} files and {MAX_BYTES} bytes",
                )
            for i in files:
                with z.open(i) as source, open(os.path.join(folder, os.path.basename(i.filename)), "xb") as out:
                    out.write(source.read(MAX_BYTES))
    except (zipfile.BadZipFile, FileExistsError, NotImplementedError, RuntimeError) as e:
        expected = "a zip of a tokenizer's files, all in one folder"
        raise fault("bad-archive", str(e), input="model", expected=expected) from e
    return folder
