# SPDX-License-Identifier: Apache-2.0
"""Finds the command-line tool and runs it."""
from __future__ import annotations

import errno
import gc
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import threading
from typing import Any, List, NamedTuple, Optional, Sequence


PATIENCE = 10.0  # seconds for the tool to stop after Ctrl-C


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
    """The output of the tool, and its exit status."""

    output: bytes
    messages: List[str]
    status: int

    def error(self) -> Error:
        """The tool's error: its messages, or how it ended if it was killed or printed none."""
        if self.status < 0:
            return Error(f"launchbox was ended by signal {-self.status}", status=4)
        return Error("; ".join(self.messages) or f"launchbox ended with status {self.status}", status=self.status)


def path() -> str:
    """The tool: $LAUNCHBOX_TOOL, or the one that was installed with this package, or the first one in PATH."""
    chosen = os.environ.get("LAUNCHBOX_TOOL")
    if chosen:
        if os.access(chosen, os.X_OK) and os.path.isfile(chosen):
            return chosen
        raise Error(f"LAUNCHBOX_TOOL names {chosen}, which is not a program", "correct or unset it", 3)
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


def _user_schemes() -> List[str]:
    """Where `pip install --user` puts programs."""
    return [name for name in (f"{os.name}_user",) if name in sysconfig.get_scheme_names()]


def answer(arguments: Sequence[str], *, input: Optional[bytes] = None, cwd: Optional[str] = None,
           shown: bool = False) -> Answer:
    """Runs the tool to its end; with `shown`, its standard output is not captured.

    On Ctrl-C it is told to stop and waited for, so that nothing keeps running.
    """
    call = _Call([path(), *arguments], input, cwd, shown)
    if threading.current_thread() is threading.main_thread():
        call.run_interruptibly()
    else:
        call.run()
    if isinstance(call.failure, ValueError):  # a null byte
        raise Error("a name or option has a null byte in it")
    if isinstance(call.failure, OSError):
        long = "; they are too many or too long for one command" if call.failure.errno == errno.E2BIG else ""
        raise Error(f"launchbox cannot be started: {call.failure.strerror}{long}", status=3)
    if call.failure is not None:
        raise call.failure
    return Answer(call.output, messages_in(call.said.decode(errors="replace")), call.status)


class _Call:
    """One run of the tool."""

    def __init__(self, command: Sequence[str], input: Optional[bytes], cwd: Optional[str], shown: bool):
        self.command, self.input, self.cwd, self.shown = command, input, cwd, shown
        self.process: "Optional[subprocess.Popen[bytes]]" = None
        self.output, self.said, self.status = b"", b"", 0
        self.failure: Optional[BaseException] = None

    def run(self) -> None:
        try:
            self.process = subprocess.Popen(self.command, stdout=None if self.shown else subprocess.PIPE,
                                            stderr=subprocess.PIPE, cwd=self.cwd,
                                            stdin=subprocess.DEVNULL if self.input is None else subprocess.PIPE)
            output, self.said = self.process.communicate(self.input)
            self.output, self.status = output or b"", self.process.returncode
        except BaseException as failure:
            self.failure = failure

    def run_interruptibly(self) -> None:
        """Runs in a thread: Python raises KeyboardInterrupt only in the main thread, even while a process is being
        started, of which no reference would be left."""
        thread = threading.Thread(target=self.run, name="launchbox", daemon=True)
        try:
            thread.start()
            thread.join()
        except RuntimeError:  # no new threads while Python shuts down
            self.run()
        except BaseException:
            self.stop(thread)
            raise

    def stop(self, thread: threading.Thread) -> None:
        """Interrupts the tool, which ends its own children first: if it were killed at once, compilers would keep
        running."""
        while thread.is_alive() and self.process is None:
            thread.join(0.01)
        if self.process is None:
            return
        try:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(PATIENCE)
        except BaseException:  # it does not stop, or the user interrupts again
            self.process.kill()
            self.process.wait()


def run(arguments: Sequence[str], *, input: Optional[bytes] = None, cwd: Optional[str] = None) -> bytes:
    """The tool's standard output; raises `Error` with its message if it failed.

    Exit status 1 (a check failed) is an answer, not an error.
    """
    done = answer(arguments, input=input, cwd=cwd)
    if done.status not in (0, 1):
        raise done.error()
    return done.output


def ask(arguments: Sequence[str], **options: Any) -> Any:
    """The tool's answer as JSON."""
    return parse(run([*arguments, "--format", "json"], **options))


def parse(text: bytes) -> Any:
    """Parses JSON without Python's garbage collector: there are no cycles, and searching for them would take longer
    than the rest."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return json.loads(text)
    finally:
        if collects:
            gc.enable()


def version() -> str:
    """The version of the tool, such as "0.1.0"."""
    return run(["--version"]).decode().split()[1]


def messages_in(text: str) -> List[str]:
    """The messages: each is a line that begins with the program's name, and the indented lines after it."""
    messages: List[str] = []
    for line in text.splitlines():
        if line.startswith("launchbox: "):
            messages.append(line[len("launchbox: "):].strip())
        elif line.strip() and messages and line.startswith(" "):
            messages[-1] += "; " + line.strip()
        elif line.strip():
            messages.append(line.strip())
    return messages
