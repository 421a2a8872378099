"""hashicorp/go-plugin's handshake: who started this process, which contract both sides speak, where the plugin listens."""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import contract

COOKIE = ("PLUGIN_COOKIE", "paceline-plugin")
"""The variable by which a plugin knows that a runner started it. It keeps no secret."""

CONTRACTS = (contract.VERSION,)
"""The versions of the contract that this SDK speaks."""

_CORE = 1  # the version of the handshake itself
_LONGEST = 100  # bytes of a socket's path, on every system


class Refused(Exception):
    """This process cannot be a plugin here; the text says why and what to do."""


def check(env: Mapping[str, str]) -> None:
    """Raises Refused where no runner started this process, or one that asks for what this SDK cannot give."""
    if env.get(COOKIE[0]) != COOKIE[1]:
        raise Refused(
            "this is a plugin of Paceline: the runner starts it. Run `NAME manifest LICENSE` for its manifest, "
            "and name it in a run file under plugins"
        )
    if env.get("PLUGIN_CLIENT_CERT"):
        raise Refused(
            "the host asks for AutoMTLS, and a Python plugin cannot give it: grpcio does not take go-plugin's P-521 "
            "certificates. Start it without; the socket stands in a folder of its user alone"
        )


def agree(env: Mapping[str, str]) -> int:
    """The highest version of the contract that both sides speak; without one, our lowest, which the host then refuses."""
    offered = set()
    for text in env.get("PLUGIN_PROTOCOL_VERSIONS", "").split(","):
        if text.strip().isascii() and text.strip().isdigit():
            offered.add(int(text))
    common = offered.intersection(CONTRACTS)
    return max(common) if common else min(CONTRACTS)


def socket_path(env: Mapping[str, str]) -> str:
    """Where to listen: in the folder that the host made for this plugin and that only its user may enter."""
    folder = env.get("PLUGIN_UNIX_SOCKET_DIR", "")
    if not folder:
        raise Refused("the host names no folder for the socket in PLUGIN_UNIX_SOCKET_DIR")
    path = os.path.join(folder, "p")
    if len(os.fsencode(path)) > _LONGEST:
        raise Refused(f"the path of the socket would have more than {_LONGEST} bytes: {path}")
    return path


def line(version: int, path: str) -> str:
    """What is printed once the plugin listens."""
    return f"{_CORE}|{version}|unix|{path}|grpc\n"
