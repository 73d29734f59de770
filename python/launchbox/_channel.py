# SPDX-License-Identifier: Apache-2.0
"""Lines of JSON between a worker and the tool, safe from the user's code, whatever it does with file descriptors."""
from __future__ import annotations

import fcntl
import json
import os
import sys
from typing import Any, Dict, NoReturn, Tuple

from . import _payload


class Channel:
    """Lines to and from the tool. If the user's code closes, reuses or inherits the descriptors, nothing is written."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._input, self._output = (self._moved(number) for number in (0, 1))
        self._identities = [self._identity(number) for number in (self._input, self._output)]
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.close(null)
        log = os.environ.get(_payload.LOG_VARIABLE)
        if log:
            file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            os.dup2(file, 2)
            os.close(file)
        os.dup2(2, 1)
        self._printed = self._moved(2)
        self._unread = b""

    def reopen_streams(self) -> None:
        """Reopens standard output and error for the next candidate, if this one has closed them."""
        for number, name in ((1, "stdout"), (2, "stderr")):
            try:
                os.fstat(number)
            except OSError:
                try:
                    os.dup2(self._printed, number)
                except OSError:
                    return
            if getattr(getattr(sys, name), "closed", True):
                setattr(sys, name, open(number, "w", closefd=False, buffering=1, errors="replace"))

    @staticmethod
    def _moved(number: int) -> int:
        for lowest in (1000, 200, 3):  # high, for code that closes the lowest descriptors
            try:
                return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, lowest)
            except OSError:
                continue
        raise OSError("no descriptor is left")

    @staticmethod
    def _identity(number: int) -> Tuple[int, int]:
        status = os.fstat(number)
        return status.st_dev, status.st_ino

    def check(self) -> None:
        """Ends the process if it is a copy made by the user's code, or if the descriptors have changed."""
        if os.getpid() != self._process:
            os._exit(0)
        try:
            if [self._identity(number) for number in (self._input, self._output)] == self._identities:
                return
        except OSError:
            pass
        self.leave("the callback has closed descriptors that are not its own")

    def say(self, message: Dict[str, Any]) -> None:
        self.check()
        content = json.dumps(message).encode() + b"\n"
        try:
            while content:
                content = content[os.write(self._output, content):]
        except OSError:
            self.leave("the tool is gone")

    def phase(self, name: str) -> None:
        self.say({"phase": name})

    def tasks(self) -> Any:
        while True:
            self.check()
            line, found, rest = self._unread.partition(b"\n")
            if found:
                self._unread = rest
                yield json.loads(line)
                continue
            content = os.read(self._input, 1 << 16)
            if not content:
                return
            self._unread += content

    @staticmethod
    def leave(why: str) -> NoReturn:
        try:
            os.write(2, f"\n{why}\n".encode())
        finally:
            os._exit(70)
