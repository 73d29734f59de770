# SPDX-License-Identifier: Apache-2.0
"""Finds the command-line tool and runs it."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from typing import Any, Optional, Sequence


class Error(Exception):
    """What is wrong, and what to do about it: one or two lines, as the tool prints them.

    `status` is the tool's exit status: 2 the input is wrong, 3 something needed is missing, 4 interrupted.
    """

    def __init__(self, what: str, hint: str = "", status: int = 2):
        super().__init__(what, hint, status)
        self.what = what
        self.hint = hint
        self.status = status

    def __str__(self) -> str:
        return f"{self.what}; {self.hint}" if self.hint else self.what


def path() -> str:
    """The tool: $LAUNCHBOX_TOOL, or the one that was installed with this package, or the first one in PATH."""
    chosen = os.environ.get("LAUNCHBOX_TOOL")
    if chosen:
        if os.access(chosen, os.X_OK) and os.path.isfile(chosen):
            return chosen
        raise Error(f"LAUNCHBOX_TOOL names {chosen}, which is no program", "correct or unset it", 3)
    for scheme in (None, *_user_schemes()):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        found = shutil.which("launchbox", path=folder)
        if found:
            return found
    # pip's --target and --prefix put programs into bin/ somewhere above the modules.
    above = os.path.dirname(os.path.abspath(__file__))
    for _ in range(5):
        above = os.path.dirname(above)
        found = shutil.which("launchbox", path=os.path.join(above, "bin"))
        if found:
            return found
    found = shutil.which("launchbox")
    if found:
        return found
    raise Error("the program launchbox is not installed beside this module",
                "reinstall it with pip install --force-reinstall cuda-launchbox, or set LAUNCHBOX_TOOL", 3)


def _user_schemes():
    """Where `pip install --user` puts programs."""
    return [name for name in (f"{os.name}_user",) if name in sysconfig.get_scheme_names()]


def run(arguments: Sequence[str], *, input: Optional[bytes] = None, cwd: Optional[str] = None) -> bytes:
    """What the tool writes to its standard output; `Error` with its message if it did not do what was asked.

    Exit status 1 (a check failed) is an answer, not an error.
    """
    standard_input = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run([path(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                          check=False, **standard_input)
    if done.returncode in (0, 1):
        return done.stdout
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0:
        message = message or f"launchbox was ended by signal {-done.returncode}"
    raise Error(message or f"launchbox ended with status {done.returncode}", status=done.returncode)


def ask(arguments: Sequence[str], **options: Any) -> Any:
    """The tool's answer as JSON."""
    return json.loads(run([*arguments, "--format", "json"], **options))


def version() -> str:
    """The version of the tool, such as "0.1.0"."""
    return run(["--version"]).decode().split()[1]
