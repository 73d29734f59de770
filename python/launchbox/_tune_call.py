# SPDX-License-Identifier: Apache-2.0
"""`launchbox tune` as a process that ends and is interrupted together with this one; its messages are shown, its
answer is read."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from typing import Any, Dict, List, Optional

from . import tool

# If this process is killed, the tool ends and keeps its results. preexec_fn could block forever in a process with
# threads.
_ENDS_WITH_US = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], ["launchbox", *sys.argv[3:]])
"""


def run_tool(arguments: List[str], spec: Optional[bytes], environment: Dict[str, str], progress: bool) -> Any:
    """The results of `launchbox tune` as JSON. Its messages are shown while it works."""
    with tempfile.TemporaryFile() as answer:
        # In its own session, so that Ctrl-C arrives here first and is passed to the tool once.
        child = subprocess.Popen([sys.executable, "-S", "-c", _ENDS_WITH_US, str(os.getpid()), tool.path(), "tune",
                                  *arguments, "--format", "json"],
                                 stdin=subprocess.PIPE if spec is not None else subprocess.DEVNULL, stdout=answer,
                                 stderr=subprocess.PIPE, env={**os.environ, **environment}, start_new_session=True)
        said: List[str] = []
        listener = threading.Thread(target=_listen, args=(child.stderr, said, progress), daemon=True)
        listener.start()
        interrupted: Optional[KeyboardInterrupt] = None
        try:
            if spec is not None and child.stdin is not None:
                try:
                    child.stdin.write(spec)
                    child.stdin.close()
                except BrokenPipeError:
                    pass
            child.wait()
        except KeyboardInterrupt as failure:
            interrupted = failure
            _end(child, signal.SIGINT)
        except BaseException:
            _end(child, signal.SIGTERM)
            raise
        listener.join(timeout=10)
        if interrupted is not None or child.returncode == 4:
            raise KeyboardInterrupt(said[-1] if said else "")
        if child.returncode != 0:
            # The messages before the last one only report progress.
            raise tool.Answer(b"", tool.messages_in("\n".join(said))[-1:], child.returncode).error()
        answer.seek(0)
        return json.load(answer)


def _end(child: "subprocess.Popen[bytes]", number: int) -> None:
    """Interrupts the tool, which keeps finished results; a second interrupt ends it at once."""
    try:
        child.send_signal(number)
        child.wait()
    except KeyboardInterrupt:
        child.kill()
        child.wait()


def _listen(stream: Any, said: List[str], progress: bool) -> None:
    for line in stream:
        text = line.decode(errors="replace").rstrip("\n")
        said.append(text)
        del said[:-50]
        if progress and sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)
