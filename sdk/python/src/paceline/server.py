"""The life of a plugin's process, as the runner's go-plugin asks for it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import IO

from . import handshake, logs
from .instance import Instance
from .plugin import Plugin
from .services import Service, tell

_WATCH = 1.0  # seconds between looks whether the host is still there
_GRACE = 0.2  # seconds for a call that runs when the host asks to end


def exit_now(code: int) -> None:
    """Ends the process although threads of it may run on."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code & 0xFF)


def serve(plugin: Plugin) -> None:
    """Serves a plugin until its runner ends it; the main thread calls it and does nothing else.

    With the arguments `manifest LICENSE` it prints the plugin's manifest instead. It ends the process with code 1 where
    the definition has faults, or where no runner started it. What is printed goes to the standard error from here on.
    """
    host = os.getppid()
    with take_stdout() as out:
        _serve(plugin, out, host)


def run(entry: str) -> None:
    """Serves the plugin that is named as module:name. What its modules print on being imported does no harm."""
    import importlib

    host = os.getppid()  # as early as can be: a host that ends later is missed
    with take_stdout() as out:
        module, name = entry.split(":")
        plugin = getattr(importlib.import_module(module), name, None)
        if not isinstance(plugin, Plugin):
            sys.exit(f"module {module} has no paceline.Plugin of the name {name}")
        _serve(plugin, out, host)


def _serve(plugin: Plugin, out: IO[str], host: int) -> None:
    faults = plugin.faults()
    if faults:
        sys.exit(f"plugin {plugin.name}: " + "; ".join(faults))
    if sys.argv[1:2] == ["manifest"]:
        from . import manifest  # here, since a plugin that runs does not need it

        manifest.main(plugin, sys.argv[2:], out)
        return
    try:
        handshake.check(os.environ)
        path = handshake.socket_path(os.environ)
    except handshake.Refused as e:
        sys.exit(str(e))
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)  # an interrupt is the host's to handle
    service = Service(Instance(plugin, logs.to_host()), exit_now)
    server = service.start("unix:" + path)
    try:
        out.write(handshake.line(handshake.agree(os.environ), path))
        out.close()
        wait(service, host)
        server.stop(_GRACE).wait()
    except BaseException as e:  # the server's threads would keep the process
        tell(e)
        exit_now(1)
    if service.busy():
        exit_now(0)


def take_stdout() -> IO[str]:
    """The standard output for the handshake's line alone: all that is printed goes to the standard error."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return out


def wait(service: Service, host: int) -> None:
    """Waits until the host asks to end, and ends the process where the host, the parent with that id, is gone."""
    while not service.ended.wait(_WATCH):
        if os.getppid() != host:
            exit_now(0)
