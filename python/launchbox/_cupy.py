# SPDX-License-Identifier: Apache-2.0
"""The compiled code of CuPy's RawKernel or RawModule.

CuPy loads a cubin and discards it, and its cache on disk has names that only CuPy can calculate. So the same object is
compiled again in another process, whose cache is an empty folder: afterwards the only file in it is the cubin.
"""
from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from typing import Any

from .tool import Error

_CHILD = """
import pickle, sys
device, kind, state = pickle.load(sys.stdin.buffer)
import cupy
cupy.cuda.Device(device).use()
try:
    pickle.loads(state).kernel if kind == "kernel" else cupy.RawModule(**pickle.loads(state)).compile()
except Exception as failure:
    sys.exit(str(failure).strip().splitlines()[0] if str(failure).strip() else type(failure).__name__)
"""


def compiled(kernel: Any) -> bytes:
    """The cubin, compiled for the current device with the object's options."""
    cupy: Any = importlib.import_module("cupy")
    if hasattr(kernel, "get_function"):
        names = ("code", "options", "backend", "enable_cooperative_groups", "name_expressions")
        kind, state = "module", pickle.dumps({name: getattr(kernel, name) for name in names})
    else:
        kind, state = "kernel", pickle.dumps(kernel)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CUPY_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        environment.pop("CUPY_CACHE_IN_MEMORY", None)
        done = subprocess.run([sys.executable, "-c", _CHILD], env=environment, capture_output=True, check=False,
                              input=pickle.dumps((int(cupy.cuda.Device().id), kind, state)))
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it ended without a message"]
            raise Error(f"CuPy cannot compile this again: {lines[-1]}")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".cubin"):
                with open(os.path.join(folder, name), "rb") as file:
                    content = file.read()
                start = content.find(b"\x7fELF")  # after a hash or names that CuPy writes before it
                if start >= 0:
                    return content[start:]
    raise Error("CuPy left no compiled code of this object", "save it yourself and inspect the file")
