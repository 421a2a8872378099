"""Serves a plugin over gRPC as the runner's go-plugin asks for it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent import futures
from typing import IO

import grpc

from . import contract, handshake, logs
from .errors import Error
from .instance import MAX_REQUEST, Instance
from .plugin import Plugin

_SLACK = 4 << 10  # of a request's frame
_WATCH = 1.0  # seconds between looks whether the host is still there
_GRACE = 0.2  # seconds for a call that runs when the host asks to end


class Service:
    """All services of one process: the contract's, and those by which go-plugin looks after it.

    died gets what ends the process: the exit code.
    """

    def __init__(self, instance: Instance, died: Callable[[int], None]) -> None:
        self._instance = instance
        self._died = died
        self._turn = threading.Lock()  # one call after another
        self.ended = threading.Event()

    def busy(self) -> bool:
        """Whether a call runs."""
        return self._turn.locked()

    def start(self, address: str) -> grpc.Server:
        """A started server. Raises RuntimeError where it cannot listen there."""
        server = grpc.server(
            futures.ThreadPoolExecutor(max_workers=4),  # a call, and beside it health and the end
            options=[
                ("grpc.max_receive_message_length", MAX_REQUEST + _SLACK),
                ("grpc.max_send_message_length", -1),  # the host bounds replies itself, and names the limit
                ("grpc.so_reuseport", 0),
            ],
        )
        for service, methods in contract.SERVICES.items():
            handlers = {m: grpc.unary_unary_rpc_method_handler(self._handler(service, m)) for m in methods}
            server.add_generic_rpc_handlers(
                (grpc.method_handlers_generic_handler(f"{contract.PACKAGE}.{service}", handlers),)
            )
        for service, method, answer in (
            ("grpc.health.v1.Health", "Check", _health),
            ("plugin.GRPCController", "Shutdown", self._shutdown),
        ):
            handler = {method: grpc.unary_unary_rpc_method_handler(answer)}
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handler),))
        server.add_insecure_port(address)
        server.start()
        return server

    def _handler(self, service: str, method: str) -> Callable[[bytes, grpc.ServicerContext], bytes]:
        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            with self._turn:
                try:
                    return self._instance.call(service, method, request)
                except Error as e:
                    said = e
                except SystemExit as e:
                    if isinstance(e.code, str):
                        sys.stderr.write(e.code + "\n")
                    self._died(e.code if isinstance(e.code, int) else int(e.code is not None))
                    raise
                except BaseException as e:  # nobody foresaw it: the host shall throw this instance away
                    tell(e)
                    self._died(1)
                    raise
            context.abort(_STATUS[said.code], said.text)

        return handle

    def _shutdown(self, _: bytes, __: grpc.ServicerContext) -> bytes:
        self.ended.set()
        return b""


_STATUS = {code.value[0]: code for code in grpc.StatusCode}


def _health(request: bytes, context: grpc.ServicerContext) -> bytes:
    """Health of the whole process and of the service that go-plugin asks for."""
    if request not in (b"", b"\x0a\x06plugin"):
        context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
    return b"\x08\x01"  # SERVING


def tell(e: BaseException) -> None:
    """Says why the process ends: first the line that the host takes for its message, then where it happened."""
    frames = traceback.extract_tb(e.__traceback__)
    at = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    what = "".join(traceback.format_exception_only(type(e), e)).strip().replace("\n", " | ")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"fatal error: {what}{at}\n" + "".join(traceback.format_tb(e.__traceback__)))
        sys.stderr.flush()


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
    with take_stdout() as out:
        _serve(plugin, out)


def run(entry: str) -> None:
    """Serves the plugin that is named as module:name. What its modules print on being imported does no harm."""
    import importlib

    with take_stdout() as out:
        module, name = entry.split(":")
        plugin = getattr(importlib.import_module(module), name, None)
        if not isinstance(plugin, Plugin):
            sys.exit(f"module {module} has no paceline.Plugin of the name {name}")
        _serve(plugin, out)


def _serve(plugin: Plugin, out: IO[str]) -> None:
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
    service = Service(Instance(plugin, logs.to_host()), exit_now)
    server = service.start("unix:" + path)
    out.write(handshake.line(handshake.agree(os.environ), path))
    out.close()
    wait(service)
    server.stop(_GRACE).wait()
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


def wait(service: Service) -> None:
    """Waits until the host asks to end, and ends at once where the host is gone. An interrupt is the host's to handle."""
    host = os.getppid()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)
    while not service.ended.wait(_WATCH):
        if os.getppid() != host:
            exit_now(0)
