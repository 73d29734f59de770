# SPDX-License-Identifier: Apache-2.0
"""Sends functions from the program that calls `tune` to its worker processes, by the rules of multiprocessing.

Functions at the top level of a file are sent by name: the worker imports the file, the main one as `__mp_main__`.
Others (lambdas, nested functions, those of a notebook) are sent by value if cloudpickle is installed.
"""
from __future__ import annotations

import hashlib
import os
import pickle
import sys
from multiprocessing import spawn
from typing import Any, Dict, Tuple

from .tool import Error

VARIABLE = "LAUNCHBOX_CALLBACK"  # the file with the payload
LOG_VARIABLE = "LAUNCHBOX_CALLBACK_LOG"  # the file for the output of the user's code
FOLDER_VARIABLE = "LAUNCHBOX_PYTHON"  # the folder of this package


class CalledAgain(RuntimeError):
    """`tune` was called by code that a worker imports or runs."""


# True in a worker, which imports and runs the user's files.
inside_worker = False


def main_can_be_imported() -> bool:
    """By the rules of multiprocessing, which never imports the `__main__` of a package or an archive."""
    main = sys.modules.get("__main__")
    specification = getattr(main, "__spec__", None)
    if specification is not None:
        return specification.name != "__main__" and not specification.name.endswith(".__main__")
    file = getattr(main, "__file__", None)
    return file is not None and os.path.isfile(file) and not hasattr(sys, "ps1")


def _needs_value(function: Any) -> bool:
    """Whether the worker could not find the function by its name."""
    return getattr(function, "__module__", None) == "__main__" and not main_can_be_imported()


def packed(functions: Dict[str, Any], values: Any) -> Tuple[bytes, str]:
    """The input of `unpacked` in another process, and a digest of what can change results although the files are the
    same: functions sent by value, and the program's arguments."""
    preparation = spawn.get_preparation_data("launchbox")
    for name in ("authkey", "start_method"):
        preparation.pop(name, None)
    if not main_can_be_imported():
        for name in ("init_main_from_name", "init_main_from_path"):
            preparation.pop(name, None)
    parts = {name: _pickled(name, item) for name, item in functions.items()}
    by_value = [part for name, part in sorted(parts.items()) if not _goes_by_name(functions[name])]
    said = [argument.encode("utf-8", "surrogateescape") for argument in sys.argv[1:]] if main_can_be_imported() else []
    digest = hashlib.blake2b(pickle.dumps([by_value, said]), digest_size=4).hexdigest() if by_value or said else ""
    return pickle.dumps({"preparation": preparation, "parts": {**parts, "space": _pickled("space", values)}}), digest


def _goes_by_name(item: Any) -> bool:
    found = sys.modules.get(getattr(item, "__module__", None) or "")
    for name in str(getattr(item, "__qualname__", "")).split("."):
        found = getattr(found, name, None)
    return found is item and not _needs_value(item)


def _pickled(name: str, item: Any) -> bytes:
    try:
        if not _needs_value(item):
            return pickle.dumps(item)
        why = "is defined where the worker process cannot import it (a notebook, a prompt, standard input, " \
            "or the __main__ of a package)"
    except Exception as failure:  # pickle passes on any exception of the objects
        why = f"cannot be sent to the worker process ({type(failure).__name__}: {str(failure).splitlines()[0][:200]})" \
            if str(failure) else f"cannot be sent to the worker process ({type(failure).__name__})"
    try:
        import cloudpickle
    except ImportError:
        raise Error(f"{name} {why}", "define it with def at the top level of a file, or install cloudpickle") from None
    try:
        return bytes(cloudpickle.dumps(item))
    except Exception as failure:
        raise Error(f"{name} {why}, and cloudpickle fails, too: {failure}",
                    "make in setup what it uses: setup runs in the worker") from None


def unpacked(content: bytes) -> Dict[str, Any]:
    """In the worker: imports the files of the functions, and returns the functions by name."""
    whole = pickle.loads(content)
    spawn.prepare(whole["preparation"])
    return {name: pickle.loads(part) for name, part in whole["parts"].items()}
