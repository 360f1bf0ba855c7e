"""Check that gskn and its extras install from wheels on every supported system.

Dependencies are resolved, not installed, for every supported version of Python on Linux,
macOS and Windows. uv does this rather than ``pip install --dry-run``: pip evaluates
environment markers for the interpreter that runs it, whatever ``--python-version`` says,
and downloads the wheels. Without a package index the check is skipped with a message.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("linux", "macos", "windows")


def main() -> int:
    """Resolve for all versions and systems; return the exit code."""
    if resolve("3.11", "linux", ["-"], requirements="packaging").returncode:
        print("wheels: skipped, no package index can be reached")
        return 0
    targets = list(product(VERSIONS, PLATFORMS))
    # Resolving waits for the network nearly all the time.
    with ThreadPoolExecutor(4) as pool:
        failures = [text for text in pool.map(check, targets) if text]
    print("\n".join(failures))
    print(f"wheels: {len(targets)} systems, {len(failures)} without wheels")
    return 1 if failures else 0


def check(target: tuple[str, str]) -> str:
    """Return why gskn with all extras cannot be installed, or an empty text."""
    result = resolve(*target, ["--all-extras", "pyproject.toml"])
    if not result.returncode:
        return ""
    return f"Python {target[0]} on {target[1]}:\n{result.stderr}"


def resolve(
    version: str, platform: str, arguments: list[str], requirements: str = ""
) -> subprocess.CompletedProcess[str]:
    """Resolve requirements to wheels for a version of Python and a system."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--native-tls"]
    command += ["--only-binary", ":all:", "--python-version", version]
    command += ["--python-platform", platform, *arguments]
    return subprocess.run(
        command, input=requirements, capture_output=True, text=True, check=False, cwd=ROOT
    )


if __name__ == "__main__":
    sys.exit(main())
