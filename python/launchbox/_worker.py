# SPDX-License-Identifier: Apache-2.0
"""The process that launches candidates. The tool starts it; it answers one task after the other.

It reads and writes one JSON object per line, on descriptors that it first moves away, so that all output of the user's
code goes to standard error. The protocol: docs/tune_spec.md, [callback].
"""
from __future__ import annotations

import gc
import inspect
import json
import math
import numbers
import os
import random
import time
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Set, Tuple

from . import _arrays, _gpu, _payload
from ._channel import Channel
from ._failures import Failed, one_line, outcome_of, place_of, words_of

_POISONS = (0xA5, 0xA5, 0xA5, 0x00)


def accepted(function: Callable[..., Any], values: Dict[str, Any]) -> Dict[str, Any]:
    """Those of the named values that the function takes."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    if any(each.kind is each.VAR_KEYWORD for each in taken):
        return values
    names = {each.name for each in taken if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)}
    return {name: value for name, value in values.items() if name in names}


class Session:
    """The user's functions and their state: one workload at a time, one candidate at a time."""

    def __init__(self, channel: Channel, parts: Dict[str, Any]):
        self._channel = channel
        self._functions = parts
        self._space = parts["space"]
        self._folder = os.getcwd()
        self._timer: Optional[_gpu.Timer] = None
        self._workload: Optional[str] = None
        self._candidate: Optional[str] = None
        self._warnings: List[str] = []
        self._warned: Set[str] = set()
        self._random = random.Random(os.getpid())
        self._memory_at_first = 0
        self._prepares = os.environ.get("LAUNCHBOX_PREPARES") == "1"  # this process only compiles; others measure
        self.doing = "setup"  # the function that a failure belongs to
        self._data: Tuple[Any, ...] = ()  # the result of `setup`
        self._expected: Optional[List[Tuple[str, Any]]] = None  # the right outputs
        self._returned: List[Tuple[str, Any]] = []  # the arrays in the last result of `run`
        self.first_workload = self._space["first_workload"]
        self._begin_workload({})

    # ---- workloads

    def prepare(self, workload: Dict[str, Any]) -> None:
        """Runs `setup`, once for each workload."""
        key = json.dumps(workload)
        if key == self._workload:
            return
        self._begin_workload(workload)
        self.doing = "setup"
        if self._prepares and not self._takes_data("compile"):
            self._workload = key
            return
        if self._functions.get("setup") is not None:
            self._data = (self._functions["setup"](**self._workload_values),)
        if self._space["device"] == "gpu" and self._timer is None:
            self._timer = _gpu.Timer()
        self.doing = "reference"
        if self._functions.get("reference") is not None and not self._prepares:
            made = self._call("reference", {})
            self._expected = [(name, _arrays.copied(item)) for name, item in _arrays.named(made)]
            if not self._expected:
                raise Failed("launch_error", "reference returned nothing to compare with")
        self._stay()
        self._workload = key

    def _begin_workload(self, workload: Dict[str, Any]) -> None:
        self._workload = self._candidate = None
        self._workload_values = self._originals("workload", workload)
        self._data = ()  # released before new data is made, so that both need not fit
        self._expected = None
        self._returned = []

    def _originals(self, kind: str, values: Dict[str, Any]) -> Dict[str, Any]:
        """The objects of the user's space, for which names stand outside of Python."""
        known = self._space[kind]
        return {name: known.get(name, {}).get(value, value) for name, value in values.items()}

    # ---- one task

    def measure(self, task: Dict[str, Any]) -> Dict[str, Any]:
        self._channel.phase("load")
        try:
            self.prepare(task["workload"])
            self.doing = "run"
            if task["samples"] > 0:
                self._make_reference(task)
            parameters = self._originals("parameters", task["parameters"])
            if task["samples"] == 0:
                self._channel.phase("verify")
                self._call("compile", parameters)
                return self._answer()
            key = json.dumps(task["parameters"])
            if key != self._candidate:
                self._candidate = None
                self._channel.phase("verify")
                self._launch(parameters, task, timed=False)
                if task["is_reference"] or task.get("reference") == task["parameters"]:
                    self._keep_reference()
                self._check(parameters, task)
                self._candidate = key
            samples = []
            quantities: Dict[str, List[float]] = {}
            gc.disable()
            try:
                for _ in range(task["samples"]):
                    samples.append(self._launch(parameters, task, timed=True))
                    for name, number in self._quantities(parameters).items():
                        quantities.setdefault(name, []).append(number)
                    self._check(parameters, task)
            finally:
                gc.enable()
            return self._answer(samples_ns=samples, verified=self._is_verified(task), quantities=quantities)
        except BaseException as failure:  # also SystemExit and KeyboardInterrupt of the user's code
            for _, output in self._returned:
                _arrays.poison(output, _POISONS[0])
            self._candidate, self._returned = None, []
            answer = self._answer(failure=outcome_of(failure), reason=words_of(failure, self.doing))
            status = failure.status if isinstance(failure, _gpu.DriverFailure) else 0
            if self._timer is not None and not status:
                status = self._timer.status()
            if status:
                answer["cuda_status"] = status
            answer["restart"] = isinstance(failure, Failed) and failure.restart
            return answer
        finally:
            self._stay()

    def _answer(self, **known: Any) -> Dict[str, Any]:
        warnings, self._warnings = self._warnings, []
        return {"samples_ns": [], "verified": False, "failure": "", "reason": "", "restart": self._has_grown(),
                "warnings": warnings, **known}

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warnings.append(text)

    def _stay(self) -> None:
        """Restores folder and streams that the user's code has changed, and ends copies of this process."""
        self._channel.check()
        self._channel.reopen_streams()
        try:
            os.chdir(self._folder)
        except OSError:
            pass

    def _has_grown(self) -> bool:
        """Whether candidates have leaked so much memory that a new process is better."""
        try:
            with open("/proc/self/statm", encoding="ascii") as figures:
                now = int(figures.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        except (OSError, ValueError, IndexError):
            return False
        self._memory_at_first = self._memory_at_first or now
        limit = self._space["memory"]
        return limit > 0 and now > limit / 2 and now > 2 * self._memory_at_first

    # ---- one launch

    def _call(self, name: str, parameters: Dict[str, Any]) -> Any:
        """Calls the function with the data of `setup`, if it takes them, and those of the named values that it
        takes."""
        function = self._functions[name]
        named = accepted(function, {**parameters, **self._workload_values})
        return function(*(self._data if self._takes_data(name) else ()), **named)

    def _takes_data(self, name: str) -> bool:
        function = self._functions[name]
        values = {key: None for kind in ("parameters", "workload") for key in self._space[kind]}
        try:
            inspect.signature(function).bind(None, **accepted(function, values))
        except TypeError:
            return False
        except ValueError:  # a C function does not reveal its parameters
            return True
        return True

    def _outputs(self, parameters: Dict[str, Any]) -> List[Tuple[str, Any]]:
        """The outputs of the last launch: what `run` returned, or `outputs` returns."""
        if self._functions.get("outputs") is not None:
            return list(_arrays.named(self._call("outputs", parameters)))
        return self._returned

    def _make_ready(self, parameters: Dict[str, Any]) -> None:
        try:
            for name, output in self._outputs(parameters):
                if not _arrays.poison(output, self._random.choice(_POISONS)):
                    self._warn(f"{name} cannot be written to, so that a launch that does nothing would pass")
                if self._functions.get("outputs") is None:
                    _arrays.poison_what_is_free(output, _POISONS[0])
        finally:
            if self._functions.get("reset") is not None:
                self._call("reset", parameters)

    def _launch(self, parameters: Dict[str, Any], task: Dict[str, Any], timed: bool) -> float:
        run = self._functions["run"]
        arguments = dict(parameters)
        if self._functions.get("setup") is None:
            arguments.update(self._workload_values)

        def launch() -> Any:
            return run(*self._data, **arguments)

        def before() -> None:
            if timed:
                self._channel.phase("check")  # it may take longer than a launch
            self._make_ready(parameters)
            if timed:
                self._channel.phase("measure")
        if self._timer is None:
            before()
            if timed and not task["cold"]:
                launch()
                before()
            begin = time.perf_counter_ns()
            returned = launch()
            nanoseconds = float(max(time.perf_counter_ns() - begin, 1))
        elif timed:
            returned, nanoseconds = self._timer.time(launch, self._stream(parameters), task["cold"], before)
        else:
            before()
            returned, nanoseconds = launch(), 0.0
            self._timer.wait()
        return self._take(returned, nanoseconds, timed)

    def _quantities(self, parameters: Dict[str, Any]) -> Dict[str, float]:
        """The quantities of the last launch, which an objective can name."""
        if self._functions.get("quantities") is None:
            return {}
        self.doing = "quantities"
        found = self._call("quantities", parameters)
        self.doing = "run"
        if not isinstance(found, Mapping):
            raise Failed("launch_error", f"quantities returned a {type(found).__name__}: give a dict of numbers")
        numbers_found = {}
        for name, number in found.items():
            value = float(number) if isinstance(number, numbers.Real) else math.nan
            if not (math.isfinite(value) and value > 0):
                raise Failed("launch_error", f"quantities says {name} = {number!r}: numbers have to be above 0")
            numbers_found[str(name)] = value
        return numbers_found

    def _stream(self, parameters: Dict[str, Any]) -> int:
        if self._functions.get("stream") is None:
            return 0
        return _gpu.number_of_stream(self._call("stream", parameters))

    def _take(self, returned: Any, nanoseconds: float, timed: bool) -> float:
        """The time: `run`'s own, if it has returned one."""
        if isinstance(returned, numbers.Real) and not isinstance(returned, bool):
            milliseconds = float(returned)
            if not (math.isfinite(milliseconds) and milliseconds > 0):
                raise Failed("launch_error", f"run returned {milliseconds:g}, not a time in milliseconds")
            self._returned = []
            return milliseconds * 1e6
        self._returned = list(_arrays.named(returned, strict=False))
        if timed and self._timer is not None:
            if self._timer.launches_nothing(nanoseconds):
                raise Failed("launch_error", "run launched nothing on the stream that is timed: pass stream= if it "
                                             "uses another one, or device=\"cpu\" if it uses the processor")
            if self._timer.includes_host:
                self._warn("run waits for the GPU, or needs milliseconds to launch: its times include the processor's")
        return nanoseconds

    # ---- checks

    def _is_verified(self, task: Dict[str, Any]) -> bool:
        return self._functions.get("verify") is not None or self._expected is not None

    def _make_reference(self, task: Dict[str, Any]) -> None:
        """Makes the right outputs if another candidate is the reference."""
        if self._expected is not None:
            return
        other = task.get("reference")
        if other is None or other == task["parameters"] or self._functions.get("verify") is not None:
            return
        self._channel.phase("verify")
        self._candidate = None
        self._launch(self._originals("parameters", other), task, timed=False)
        self._keep_reference()

    def _keep_reference(self) -> None:
        if self._functions.get("reference") is not None or self._functions.get("verify") is not None:
            return
        found = self._outputs({})
        if found and self._expected is None:
            self._expected = [(name, _arrays.copied(item)) for name, item in found]

    def _check(self, parameters: Dict[str, Any], task: Dict[str, Any]) -> None:
        self._channel.phase("check")
        if self._timer is not None:
            self._timer.wait()
        found = self._outputs(parameters)
        if self._functions.get("verify") is not None:
            self._verify(parameters)
            if not found:
                self._warn("the outputs are not known, so that a launch that does nothing would pass after one that "
                           "was right: let run return them, or give outputs=")
        if self._expected is None:
            return
        if len(found) != len(self._expected):
            raise Failed("wrong_result", f"it has {len(found)} outputs, but should have {len(self._expected)}" if found
                         else "its outputs are not known: let run return them, or give outputs=")
        for name, output, right in _arrays.paired(found, self._expected):
            why = _arrays.difference(output, right, task["relative"], task["absolute"])
            if why:
                hint = "" if task["relative"] or task["absolute"] else "; rtol= and atol= allow for rounding"
                raise Failed("wrong_result", f"{name}: {why}{hint}")

    def _verify(self, parameters: Dict[str, Any]) -> None:
        try:
            answer = self._call("verify", parameters)
            right = answer is None or bool(answer)
        except BaseException as failure:
            if self._timer is not None and self._timer.status() != 0:
                raise
            raise Failed("wrong_result", words_of(failure, "verify")) from failure
        if not right:
            raise Failed("wrong_result", f"verify returned {one_line(repr(answer), 60)}")


def main() -> NoReturn:
    channel = Channel()
    _payload.inside_worker = True
    session = None
    try:
        with open(os.environ[_payload.VARIABLE], "rb") as file:
            content = file.read()
        session = Session(channel, _payload.unpacked(content))
        session.prepare(session.first_workload)
    except BaseException as failure:
        again = next((each for each in _causes(failure) if isinstance(each, _payload.CalledAgain)), None)
        doing = session.doing if session is not None else "importing the file with run"
        reason = f"{again} ({place_of(again)})" if again else words_of(failure, doing)
        channel.say({"samples_ns": [], "verified": False, "failure": "launch_error", "reason": reason,
                     "restart": True, "warnings": []})
        os._exit(1)
    channel.phase("ready")
    for task in channel.tasks():
        channel.say(session.measure(task))
    os._exit(0)


def _causes(failure: Optional[BaseException]) -> Any:
    seen: List[int] = []
    while failure is not None and id(failure) not in seen:
        seen.append(id(failure))
        yield failure
        failure = failure.__cause__ or failure.__context__


if __name__ == "__main__":
    main()
