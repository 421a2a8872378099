"""The process that runs one check over what a model wrote: `python -c CHILD FOLDER DESCRIPTOR`, with a word on the standard input.

It bounds itself before the first line of the model's runs: time, memory, sizes of files, descriptors, processes, and what Python
tells of sockets and programs. The word goes to the descriptor behind the count of tests, so that no exit code and no early end is
taken for a result. This keeps accidents in; it is no wall against code that means harm.
"""

import os
import resource
import sys

sys.path = [p for p in sys.path if p]  # never the folder that it starts in
folder, descriptor = sys.argv[1], int(sys.argv[2])
word = os.read(0, 64).decode()

for limit, most in (
    (resource.RLIMIT_CPU, 10),
    (resource.RLIMIT_AS, 2 << 30),
    (resource.RLIMIT_FSIZE, 4 << 20),
    (resource.RLIMIT_NOFILE, 64),
    (resource.RLIMIT_NPROC, 0),
    (resource.RLIMIT_CORE, 0),
):
    try:
        resource.setrlimit(limit, (most, most))
    except (ValueError, OSError):
        pass  # a lower one holds already

REFUSED = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.kill",
    "ctypes.",
    "pty.",
)


def guard(event, _):
    if event.startswith(REFUSED):
        raise PermissionError(f"{event} is not allowed here")


def main():
    import unittest

    with open(os.path.join(folder, "check.py")) as f:
        source = f.read()
    sys.addaudithook(guard)
    os.chdir(folder)
    sys.path.append(folder)
    module = type(sys)("check")
    ran = good = 0
    try:
        exec(compile(source, "check.py", "exec"), module.__dict__)
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite)
        ran, good = result.testsRun, result.wasSuccessful() and not result.skipped
    except BaseException as e:  # of the model's code, while it is imported
        print(f"{type(e).__name__}: {e}")
    os.write(descriptor, f"{ran} {int(good)} {word}".encode())


main()
sys.stdout.flush()
os._exit(0)
