# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands of the package: messages, and files that are written completely or not at all."""
from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Callable, NoReturn, Optional, Sequence

from .tool import Error


def clean(text: str) -> str:
    """The text on one line, without control characters for a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say(text: str, hint: str = "") -> None:
    if sys.stderr is not None:  # None: closed; then print would write to standard output
        print(f"launchbox: {clean(text)}" + (f"\n  {clean(hint)}" if hint else ""), file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """Raises Error for wrong arguments, like everything else here."""

    def error(self, message: str) -> NoReturn:
        raise Error(message, f"see {self.prog} --help")


def run_command(run: Callable[[Optional[Sequence[str]]], int], words: Optional[Sequence[str]]) -> int:
    """Exit status: 0 done; 2 the input or the command line is wrong; 4 interrupted."""
    try:
        return run(words)
    except Error as error:
        say(error.what, error.hint)
        return error.status
    except OSError as error:  # the current folder is gone, for instance
        say(f"cannot work here: {error.strerror or error}", "change to a folder that exists")
        return 2
    except KeyboardInterrupt:
        return 4


def print_bytes(content: bytes) -> None:
    try:
        sys.stdout.flush()
        with open(1, "wb", closefd=False) as file:
            file.write(content)
    except (OSError, AttributeError):  # closed: there is no sys.stdout
        raise Error("cannot write to standard output", "is the disk full, or has the reader ended?") from None


def replace(path: str, content: bytes, inputs: Sequence[str], overwrite: bool) -> None:
    """Writes the whole file or nothing, and does not overwrite content that somebody may have edited."""
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:  # a terminal, a pipe
                file.write(content)
            return
        if os.path.exists(target):
            for given in inputs:
                if given != "-" and os.path.exists(given) and os.path.samefile(target, given):
                    raise Error(f"the output {path} is also an input, and was not written", "name another file")
            with open(target, "rb") as file:
                old = file.read(len(content) + 1)
            if old not in (b"", content) and not overwrite:
                raise Error(f"{path} already exists and contains something else, and is not replaced",
                            "name another file, or add --overwrite to replace it")
        new = os.path.join(os.path.dirname(target), f".{os.path.basename(target)[:200]}.{os.getpid()}")
        try:
            with open(new, "xb") as file:
                file.write(content)
            if os.path.exists(target):
                shutil.copymode(target, new)
            os.replace(new, target)
        except BaseException:
            if os.path.exists(new):
                os.unlink(new)
            raise
    except (OSError, ValueError) as error:
        raise Error(f"cannot write {path}: {getattr(error, 'strerror', None) or error}",
                    "choose a folder that exists and is writable") from None
