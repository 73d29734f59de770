# SPDX-License-Identifier: Apache-2.0
"""Failures of the user's code: the name of the outcome, and one line with the place in the user's file."""
from __future__ import annotations

import os
import sysconfig
import traceback

from . import _gpu

_OUTCOMES = (("outofmemory", "out_of_memory"), ("memoryerror", "out_of_memory"), ("outofresources", "rejected"),
             ("compil", "compile_error"), ("nvrtc", "compile_error"), ("ptxas", "compile_error"))


class Failed(Exception):
    """What is wrong with a candidate: the name of an outcome, and one line."""

    def __init__(self, outcome: str, reason: str, restart: bool = False):
        super().__init__(reason)
        self.outcome = outcome
        self.restart = restart


def one_line(text: str, longest: int = 300) -> str:
    text = " ".join(text.split())
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= longest else text[:longest] + "..."


def place_of(failure: BaseException) -> str:
    """The innermost line of the user's own files."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(failure.__traceback__)]
    if isinstance(failure, SyntaxError) and failure.filename:
        frames = [(failure.filename, failure.lineno or 0)]
    own = os.path.dirname(os.path.abspath(__file__))
    libraries = [own, *(path for path in (sysconfig.get_path(name) for name in ("stdlib", "platstdlib")) if path)]

    def is_users(file: str) -> bool:
        return not file.startswith("<frozen") and "site-packages" not in file and "dist-packages" not in file and \
            not any(os.path.abspath(file).startswith(folder + os.sep) for folder in libraries)
    users = [frame for frame in frames if is_users(frame[0])] or \
        [frame for frame in frames if not frame[0].startswith((own, "<frozen"))]
    return f"{os.path.basename(users[-1][0])}:{users[-1][1]}" if users else ""


def words_of(failure: BaseException, what: str) -> str:
    """"run raised ValueError: no such block (vector_add.py:12)"."""
    try:
        lines = [line for line in str(failure).splitlines() if line.strip()]
    except BaseException:  # str() of a user's exception can raise anything
        lines = []
    said = (lines[-1] if "Compil" in type(failure).__name__ else lines[0]) if lines else ""
    if isinstance(failure, (Failed, _gpu.DriverFailure)):
        return one_line(said)
    place = place_of(failure)
    return one_line(f"{what} raised {type(failure).__name__}" + (f": {one_line(said)}" if said else "")) + \
        (f" ({place})" if place else "")


def outcome_of(failure: BaseException) -> str:
    if isinstance(failure, Failed):
        return failure.outcome
    for kind in type(failure).__mro__:
        for part, outcome in _OUTCOMES:
            if part in kind.__name__.lower():
                return outcome
    return "launch_error"
