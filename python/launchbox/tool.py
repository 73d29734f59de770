# SPDX-License-Identifier: Apache-2.0
"""Finds the command-line tool and runs it."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
from typing import Any, List, NamedTuple, Optional, Sequence


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


class Answer(NamedTuple):
    """What the tool wrote, and how it ended."""

    output: bytes
    messages: List[str]
    status: int

    def error(self) -> Error:
        """What it says is wrong: its last message, with those before it."""
        lines = self.messages or ["launchbox ended with status " + str(self.status) if self.status >= 0 else
                                  "launchbox was ended by signal " + str(-self.status)]
        return Error("; ".join(lines), status=self.status)


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
    found = shutil.which("launchbox")
    if found:
        return found
    raise Error("the program launchbox is not installed beside this module",
                "reinstall it with pip install --force-reinstall cuda-launchbox, or set LAUNCHBOX_TOOL", 3)


def _user_schemes() -> List[str]:
    """Where `pip install --user` puts programs."""
    return [name for name in (f"{os.name}_user",) if name in sysconfig.get_scheme_names()]


def answer(arguments: Sequence[str], *, input: Optional[bytes] = None, cwd: Optional[str] = None,
           shown: bool = False) -> Answer:
    """Runs the tool to its end; `shown` leaves its standard output to whom it belongs. On Ctrl-C it is told to stop, and waited for, so that nothing is left running."""
    try:
        process = subprocess.Popen([path(), *arguments], stdout=None if shown else subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=cwd,
                                   stdin=subprocess.DEVNULL if input is None else subprocess.PIPE)
    except ValueError:  # a null byte
        raise Error("a name or option has a null byte in it") from None
    except OSError as failure:
        long = "; they are too many or too long for one command" if failure.errno == 7 else ""
        raise Error(f"launchbox cannot be started: {failure.strerror}{long}", status=3) from None
    try:
        output, said = process.communicate(input)
    except BaseException:
        _stop(process)
        raise
    return Answer(output or b"", _messages(said.decode(errors="replace")), process.returncode)


def run(arguments: Sequence[str], *, input: Optional[bytes] = None, cwd: Optional[str] = None) -> bytes:
    """What the tool writes to its standard output; `Error` with its message if it did not do what was asked.

    Exit status 1 (a check failed) is an answer, not an error.
    """
    done = answer(arguments, input=input, cwd=cwd)
    if done.status not in (0, 1):
        raise done.error()
    return done.output


def ask(arguments: Sequence[str], **options: Any) -> Any:
    """The tool's answer as JSON."""
    return json.loads(run([*arguments, "--format", "json"], **options))


def version() -> str:
    """The version of the tool, such as "0.1.0"."""
    return run(["--version"]).decode().split()[1]


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """It ends its own children first: killed at once, it would leave compilers running."""
    patience = 10  # seconds
    try:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=patience)
    except BaseException:  # it does not stop, or the user has no patience
        process.kill()
        process.wait()


def _messages(text: str) -> List[str]:
    """A message is a line that begins with the program's name and the lines behind it, which are indented."""
    messages: List[str] = []
    for line in text.splitlines():
        if line.startswith("launchbox: "):
            messages.append(line[len("launchbox: "):].strip())
        elif line.strip() and messages and line.startswith(" "):
            messages[-1] += "; " + line.strip()
        elif line.strip():
            messages.append(line.strip())
    return messages
