"""Make a virtual environment for each library that the benchmarks compare with.

Each library has its own environment, because some pin versions that others refuse. Problems and
answers are exchanged as ``.npz`` files, so gpforecast need not be installed there. Prints what was
installed, in which version, and what could not be installed, and writes that to ``versions.json``
with the environments.

Run it from the project's root::

    python benchmarks/peers.py                    # all, under .peers/
    python benchmarks/peers.py gpflow gpy         # some
    python benchmarks/peers.py --list             # what is installed
    python benchmarks/peers.py fastrvm --python python3.12 --where /tmp/peers
"""

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

WHERE = Path(".peers")  # the default folder of the environments


@dataclass(frozen=True)
class Peer:
    """What to install, what to import as a test, and of which packages to record the versions."""

    requirements: tuple[str, ...]
    module: str
    record: tuple[str, ...]


PEERS = {
    "fastrvm": Peer(("fastrvm",), "fastrvm", ("fastrvm", "scikit-learn", "numpy")),
    "sklearn-rvm": Peer(("sklearn-rvm",), "sklearn_rvm", ("sklearn-rvm", "scikit-learn", "numpy")),
    "scikit-learn": Peer(("scikit-learn",), "sklearn", ("scikit-learn", "scipy", "numpy")),
    "gpflow": Peer(("gpflow", "tensorflow"), "gpflow", ("gpflow", "tensorflow", "numpy")),
    "gpy": Peer(("GPy",), "GPy", ("gpy", "scipy", "numpy")),
    "gpytorch": Peer(("torch==2.13.0", "gpytorch"), "gpytorch", ("gpytorch", "torch", "numpy")),
    "statsforecast": Peer(
        ("statsforecast", "pandas<3"), "statsforecast", ("statsforecast", "pandas", "numpy")
    ),
}


def interpreter(where: Path, name: str) -> Path:
    """Return the path of a peer's Python, whether it exists or not."""
    folder = where.absolute() / name
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def installed(where: Path, name: str) -> dict[str, str]:
    """Return the recorded versions of a peer; nothing if it cannot be imported."""
    python = interpreter(where, name)
    if not python.exists():
        return {}
    works = subprocess.run([python, "-c", f"import {PEERS[name].module}"], capture_output=True)
    if works.returncode:
        return {}
    command = [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    packages = json.loads(subprocess.check_output(command, stderr=subprocess.DEVNULL))
    version = {package["name"].lower(): package["version"] for package in packages}
    python_version = subprocess.check_output([python, "--version"], text=True).split()[1]
    kept = {key: version[key] for key in PEERS[name].record if key in version}
    return {**kept, "python": python_version}


def make(where: Path, name: str, python: str, requirements: tuple[str, ...]) -> str:
    """Make one environment; return an empty string, or why it could not be made."""
    folder = where / name
    if folder.exists():
        shutil.rmtree(folder)
    made = subprocess.run([python, "-m", "venv", folder], capture_output=True, text=True)
    if made.returncode:
        return _reason(made)
    pip = [interpreter(where, name), "-m", "pip", "install", "--disable-pip-version-check"]
    done = subprocess.run([*pip, *requirements], capture_output=True, text=True)
    if done.returncode:
        return _reason(done)
    command = [interpreter(where, name), "-c", f"import {PEERS[name].module}"]
    return _reason(subprocess.run(command, capture_output=True, text=True))


def _reason(done: subprocess.CompletedProcess) -> str:
    """Return the last line with an error of a failed command's output."""
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it gave no reason"])[-1][:200]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--where", type=Path, default=WHERE, help="folder for the environments")
    parser.add_argument("--python", default=sys.executable, help="interpreter to make them with")
    parser.add_argument("--again", action="store_true", help="remake those that work already")
    parser.add_argument("--list", action="store_true", help="make nothing")
    options = parser.parse_args()
    unknown = set(options.names) - set(PEERS)
    if unknown:
        parser.error(f"unknown peer {', '.join(sorted(unknown))}; choose from {', '.join(PEERS)}")
    where = options.where
    where.mkdir(parents=True, exist_ok=True)
    (where / ".gitignore").write_text("*\n")
    record = where / "versions.json"
    versions = json.loads(record.read_text()) if record.exists() else {}
    for name in options.names or PEERS:
        found, reason = installed(where, name), ""
        if not options.list and (options.again or not found):
            print(f"{name:<14}installing ...", flush=True)
            reason = make(where, name, options.python, PEERS[name].requirements)
            found = installed(where, name)
        if found:
            text = ", ".join(f"{key} {value}" for key, value in found.items())
        else:
            text = f"CANNOT BE INSTALLED: {reason}" if reason else "not installed"
        versions[name] = found or text
        print(f"{name:<14}{text}", flush=True)
    record.write_text(json.dumps(versions, indent=2) + "\n")


if __name__ == "__main__":
    main()
