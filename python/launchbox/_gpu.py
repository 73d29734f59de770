# SPDX-License-Identifier: Apache-2.0
"""Times what a function launches on a GPU, between two events of the CUDA driver.

The driver is called through ctypes in the context that the user's library has created (the primary one). Before the
first event the GPU clears a buffer of the size of its L2 cache several times. So the cache is cold, and while the GPU
is busy, the processor can launch everything; otherwise the time would include the launch. The state of the first event
shows whether the processor was fast enough; if not, the buffer is cleared more often.
"""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional

_L2_CACHE_SIZE = 38  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
_SMALL = 1 << 20
_MAX_CLEARINGS = 256
_NOT_READY = 600


class DriverFailure(Exception):
    """A call of the driver failed."""

    def __init__(self, status: int, what: str):
        super().__init__(what)
        self.status = status


def load() -> Optional[Any]:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def is_there() -> bool:
    """Whether there is a GPU. Leaves only the library loaded."""
    driver = load()
    count = ctypes.c_int(0)
    return driver is not None and driver.cuInit(0) == 0 and \
        driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def number_of_stream(stream: Any) -> int:
    """A stream of PyTorch, CuPy, Numba or Warp, as the driver's number."""
    if stream is None:
        return 0
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            stream = getattr(stream, name)
            break
    stream = getattr(stream, "value", stream)  # ctypes
    return int(stream or 0)


class Timer:
    """Times launches on the first GPU of the process, in the current context, or else the primary one."""

    def __init__(self) -> None:
        self._driver: Any = load()
        if self._driver is None:
            raise DriverFailure(100, "libcuda.so.1 is not there")
        self._call("cuInit", 0)
        device, context = ctypes.c_int(0), ctypes.c_void_p()
        self._call("cuCtxGetCurrent", ctypes.byref(context))
        if context.value:
            self._call("cuCtxGetDevice", ctypes.byref(device))
        else:
            self._call("cuDeviceGet", ctypes.byref(device), 0)
            self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self._call("cuCtxSetCurrent", context)
        self._context = context
        size = ctypes.c_int(0)
        self._call("cuDeviceGetAttribute", ctypes.byref(size), _L2_CACHE_SIZE, device)
        self._bytes = max(size.value, _SMALL)
        self._buffer = ctypes.c_uint64(0)
        self._call("cuMemAlloc_v2", ctypes.byref(self._buffer), ctypes.c_size_t(self._bytes))
        self._begin, self._end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (self._begin, self._end):
            self._call("cuEventCreate", ctypes.byref(event), 0)
        self._clearings = 8
        self.includes_host = False  # the last time includes time of the processor
        # The time between two events with nothing between them, plus half a microsecond: any kernel takes longer than
        # that.
        self._nothing_ns = min(self.time(lambda: None, 0, True)[1] for _ in range(10)) + 500

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._driver, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorName(status, ctypes.byref(text))
            raise DriverFailure(status, f"{(text.value or b'an unknown error').decode()} ({status}) at a launch")

    def status(self) -> int:
        """Waits for all work, and returns the driver's status."""
        self._driver.cuCtxSetCurrent(self._context)
        return int(self._driver.cuCtxSynchronize())

    def wait(self) -> None:
        self._call("cuCtxSetCurrent", self._context)
        self._call("cuCtxSynchronize")

    def launches_nothing(self, nanoseconds: float) -> bool:
        return bool(nanoseconds < self._nothing_ns)

    def time(self, launch: Callable[[], Any], stream: int, cold: bool, before: Callable[[], None] = lambda: None) -> Any:
        """The result of `launch`, and its time in nanoseconds. `before` prepares one launch."""
        for attempt in range(8):
            before()
            self.wait()
            returned, nanoseconds, was_late = self._time_once(launch, ctypes.c_void_p(stream), cold, before)
            self.includes_host = was_late
            if not was_late or self._clearings >= _MAX_CLEARINGS:
                break
            self._clearings = min(2 * self._clearings, _MAX_CLEARINGS)
        return returned, nanoseconds

    def _time_once(self, launch: Callable[[], Any], stream: Any, cold: bool, before: Callable[[], None]) -> Any:
        if cold and hasattr(self._driver, "cuCtxResetPersistingL2Cache"):
            self._driver.cuCtxResetPersistingL2Cache()
        for _ in range(self._clearings):
            self._call("cuMemsetD8Async", self._buffer, ctypes.c_ubyte(0), ctypes.c_size_t(self._bytes), stream)
        if not cold:  # a launch directly before leaves the cache hot
            launch()
            before()
            if stream.value:
                self.wait()  # `before` may work on another stream
        self._call("cuEventRecord", self._begin, stream)
        returned = launch()
        was_late = self._driver.cuEventQuery(self._begin) != _NOT_READY
        self._call("cuCtxSetCurrent", self._context)
        self._call("cuEventRecord", self._end, stream)
        self._call("cuEventSynchronize", self._end)
        milliseconds = ctypes.c_float(0)
        self._call("cuEventElapsedTime", ctypes.byref(milliseconds), self._begin, self._end)
        return returned, milliseconds.value * 1e6, was_late
