"""What has to be there before a run begins: the pinned packages, and containers."""

import importlib.metadata
import os
import shutil
import subprocess
import sys

import paceline

PINNED = {"mini-swe-agent": "2.3.0", "swebench": "4.1.0"}
"""The packages of the reference's service, by their exact versions."""

SEARCH = "/usr/local/bin:/usr/bin:/bin"
"""Where container commands are looked for, and all that a plugin has as its PATH."""

RUNTIMES = ("docker", "podman")


def packages(pinned=None):
    """Faults of the interpreter's packages."""
    pinned = PINNED if pinned is None else pinned
    wanted = " ".join(f"{name}=={version}" for name, version in pinned.items())
    faults = []
    for name, version in pinned.items():
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = ""
        if found != version:
            faults.append(
                paceline.Fault(
                    code="other-version" if found else "missing-package",
                    message=f"{name} {found} is installed" if found else f"{name} is not installed",
                    expected=f"{name} {version}: {sys.executable} -m pip install {wanted}",
                )
            )
    return faults


def environment(docker_host=""):
    """All variables of the processes that are started. The plugin's own HOME and TMPDIR go with it."""
    made = {key: os.environ[key] for key in ("HOME", "TMPDIR", "LANG") if key in os.environ}
    made |= {
        "PATH": SEARCH,
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_GLOBAL_CONFIG_DIR": os.path.join(made.get("HOME", "/tmp"), "mini-swe-agent"),
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "5",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else a list of prices is fetched
    }
    return made | ({"DOCKER_HOST": docker_host} if docker_host else {})


def command(name):
    """The path of a container command, or None."""
    return shutil.which(name, path=SEARCH)


def containers(name, environment):
    """Faults of a container runtime: it has to be there, and to answer."""
    wanted = "docker with its daemon, or podman with docker_host, on this machine; elsewhere use swebench/service"
    path = command(name)
    if path is None:
        return [
            paceline.Fault(pointer="/runtime", code="no-container-runtime", message=f"{name} is not in {SEARCH}", expected=wanted)
        ]
    if name == "podman" and "DOCKER_HOST" not in environment:
        said = "the SWE-bench harness speaks to podman through its Docker-compatible socket only"
        wanted = "unix:///run/user/1000/podman/podman.sock or the like (systemctl --user start podman.socket)"
        return [paceline.Fault(pointer="/docker_host", code="no-docker-host", message=said, expected=wanted)]
    try:
        done = subprocess.run([path, "ps", "-q"], env=environment, capture_output=True, text=True, errors="replace", timeout=30)
        said = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.SubprocessError) as e:
        done, said = None, str(e)
    if done is None or done.returncode:
        said = " ".join(said.split())[:300]
        return [
            paceline.Fault(
                pointer="/runtime", code="no-container-runtime", message=f"{name} does not answer: {said}", expected=wanted
            )
        ]
    return []
