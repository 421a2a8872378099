"""The services of one process: the contract's, and those by which go-plugin looks after it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent import futures
from typing import Any

import grpc

from . import contract
from .errors import Error
from .instance import MAX_REQUEST, Instance

_SLACK = 4 << 10  # of a request's frame
_Method = Callable[[bytes, grpc.ServicerContext], bytes]


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
            _add(server, f"{contract.PACKAGE}.{service}", {m: self._handler(service, m) for m in methods})
        _add(server, "grpc.health.v1.Health", {"Check": _health})
        _add(server, "plugin.GRPCController", {"Shutdown": self._shutdown})
        server.add_insecure_port(address)
        server.start()
        return server

    def _handler(self, service: str, method: str) -> _Method:
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

    def _shutdown(self, _: bytes, context: grpc.ServicerContext) -> bytes:
        if not context.add_callback(self.ended.set):  # once the reply has gone out
            self.ended.set()
        return b""


def _add(server: grpc.Server, service: str, methods: dict[str, _Method]) -> None:
    handlers: dict[str, Any] = {m: grpc.unary_unary_rpc_method_handler(f) for m, f in methods.items()}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))


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
