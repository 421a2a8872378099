"""The agent: it shows a task, takes edits, and asks again where they cannot be made. It has no shell."""

from dataclasses import dataclass

import edits
import grade

RULES = """You mend small Python modules. Answer with edits in this form, and nothing is run but them:

FILE: name.py
<<<<<<< SEARCH
lines of the file, exactly as they are, with their indentation
=======
the lines that shall stand there instead
>>>>>>> REPLACE

The SEARCH lines have to stand in the file exactly once. A file may get several blocks, each with all of its marks. Only the files
that are shown can be edited, with the standard library alone. Hidden tests decide; do not edit or write tests."""


@dataclass(frozen=True)
class Verdict:
    """What an answer came to: done, with its score in micro-units, or what the model is told before its next turn."""

    done: bool
    micro: int = 0
    reason: str = ""
    ran: int = 0


def question(task):
    """The first message of the user."""
    shown = "\n\n".join(f"FILE: {name}\n```python\n{text}```" for name, text in task.files.items())
    return f"Task: {task.id}\n\n{task.statement}\n{shown}\n"


def messages(task, earlier):
    """The conversation after pairs of an answer that could not be used and the reason."""
    said = [{"role": "system", "content": RULES}, {"role": "user", "content": question(task)}]
    for answer, reason in earlier:
        said.append({"role": "assistant", "content": answer})
        said.append({"role": "user", "content": f"{reason} Answer with edits again."})
    return said


def judge(task, answer):
    """What one answer comes to."""
    try:
        files = edits.apply(task.files, edits.parse(answer))
    except edits.TouchesTests as e:
        return Verdict(True, reason=f"the edits touch the tests: {str(e)[:100]}")
    except edits.Unusable as e:
        return Verdict(False, reason=str(e))
    result = grade.grade(task, files)
    return Verdict(True, micro=1_000_000 * result.passed, reason=result.reason, ran=result.ran)
