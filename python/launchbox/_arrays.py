# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library, as far as checking a launch needs them: copied, overwritten, compared.

Arrays are those of NumPy, PyTorch or CuPy, objects with `__cuda_array_interface__`, `__dlpack__` or `__array__`,
array.array, bytearray, and lists of numbers. Only libraries that the user's code has already imported are used.
"""
from __future__ import annotations

import array as standard_array
import math
import sys
from typing import Any, Iterator, List, Optional, Tuple

_BUFFERS = (standard_array.array, bytearray, memoryview)


def is_array(item: Any) -> bool:
    if isinstance(item, (*_BUFFERS, list)):
        return True
    return any(hasattr(item, name) for name in ("__cuda_array_interface__", "__dlpack__", "__array__")) and \
        hasattr(item, "shape")


def named(item: Any, name: str = "output", strict: bool = True) -> Iterator[Tuple[str, Any]]:
    """The arrays in an array, a dict, or a tuple of these, each with a name for messages. Anything else raises a
    TypeError, or is skipped if not `strict`."""
    if item is None:
        return
    if isinstance(item, dict):
        for key, value in item.items():
            yield from named(value, str(key), strict)
    elif isinstance(item, tuple) or (isinstance(item, list) and any(is_array(each) for each in item)):
        for number, value in enumerate(item):
            yield from named(value, f"{name} {number}", strict)
    elif is_array(item):
        yield name, item
    elif strict:
        raise TypeError(f"{name} is of type {type(item).__name__}, not an array")


def paired(found: List[Tuple[str, Any]], right: List[Tuple[str, Any]]) -> Iterator[Tuple[str, Any, Any]]:
    """Pairs arrays by their names, or by their order if the names differ."""
    names = dict(right)
    by_name = len(names) == len(right) and set(names) == {name for name, _ in found}
    for (name, item), (_, other) in zip(found, right):
        yield name, item, names[name] if by_name else other


def _library(name: str) -> Optional[Any]:
    return sys.modules.get(name)


def _torch(item: Any) -> Optional[Any]:
    torch = _library("torch")
    return torch if torch is not None and isinstance(item, torch.Tensor) else None


def _numeric(item: Any) -> Tuple[Any, Any]:
    """The array as its library's own type, and the library: NumPy or CuPy; otherwise (item, None)."""
    numpy, cupy = _library("numpy"), _library("cupy")
    if cupy is not None and (isinstance(item, cupy.ndarray) or hasattr(item, "__cuda_array_interface__")):
        return cupy.asarray(item), cupy
    if numpy is not None and (isinstance(item, (numpy.ndarray, *_BUFFERS)) or hasattr(item, "__array__")):
        return numpy.asarray(item), numpy
    if hasattr(item, "__cuda_array_interface__"):
        torch = _library("torch")
        if torch is not None:
            return torch.as_tensor(item, device="cuda"), torch
    return item, None


def copied(item: Any) -> Any:
    """A copy of the content, in the same kind of memory (host or GPU)."""
    if _torch(item) is not None:
        return item.detach().clone()
    own, library = _numeric(item)
    if library is not None and library is _library("torch"):
        return own.clone()
    if library is not None:
        return own.copy()
    return list(item) if isinstance(item, list) else standard_array.array(item.typecode, item) \
        if isinstance(item, standard_array.array) else bytes(item)


def poison(item: Any, byte: int) -> bool:
    """Overwrites every byte; every element if the array is not contiguous or has no bytes. False if that is
    impossible."""
    try:
        torch = _torch(item)
        if torch is None:
            own, library = _numeric(item)
            torch = library if library is not None and library is _library("torch") else None
        else:
            own, library = item, None
        if torch is not None:
            own = own.detach()
            if own.is_contiguous() and own.numel() > 0 and own.dtype != torch.bool:
                own.view(-1).view(torch.uint8).fill_(byte)
            else:
                own.fill_(byte)
        elif library is not None:
            if own.flags.c_contiguous and own.dtype != bool and own.size > 0:
                own.reshape(-1).view("uint8")[...] = byte
            else:
                own[...] = byte
        elif isinstance(item, list):
            item[:] = [float(byte) - 1e9] * len(item) if byte else [0] * len(item)
        else:
            view = memoryview(item).cast("B")
            view[:] = bytes([byte]) * len(view)
        return True
    except Exception:  # read-only arrays raise exceptions of any type
        return False


def poison_what_is_free(item: Any, byte: int) -> None:
    """Overwrites free memory that PyTorch or CuPy keep for the next array of this size. It may hold correct values
    from an earlier launch or a check: a `run` that allocates its outputs and writes nothing into them would pass."""
    many, largest = 3, 1 << 29
    try:
        torch, cupy = _torch(item), _library("cupy")
        if torch is not None and item.numel() * item.element_size() <= largest:
            held = [torch.empty_like(item) for _ in range(many)]
        elif cupy is not None and isinstance(item, cupy.ndarray) and item.nbytes <= largest:
            held = [cupy.empty_like(item) for _ in range(many)]
        else:
            return
    except Exception:  # no memory is left, so none is kept either
        return
    for each in held:
        poison(each, byte)


def difference(found: Any, expected: Any, relative: float, absolute: float) -> str:
    """Why `found` differs from `expected` by more than absolute + relative * |expected|; empty if it does not."""
    torch = _torch(found) or _torch(expected)
    if torch is not None:
        return _difference_of_tensors(torch, found, expected, relative, absolute)
    (one, library), (other, other_library) = _numeric(found), _numeric(expected)
    library = library or other_library
    if library is not None and library is _library("torch"):
        return _difference_of_tensors(library, one, other, relative, absolute)
    if library is not None:
        return _difference_of_arrays(library, one, other, relative, absolute)
    return _difference_of_lists(list(found), list(expected), relative, absolute)


def _shapes_differ(one: Any, other: Any) -> str:
    if tuple(one.shape) == tuple(other.shape):
        return ""
    return f"its shape is {tuple(one.shape)}, but should be {tuple(other.shape)}"


def _difference_of_tensors(torch: Any, found: Any, expected: Any, relative: float, absolute: float) -> str:
    found = torch.as_tensor(found).detach()
    expected = torch.as_tensor(expected, device=found.device).detach()
    shapes = _shapes_differ(found, expected)
    if shapes or found.numel() == 0:
        return shapes
    if any(each.dtype.is_floating_point and each.element_size() == 1 for each in (found, expected)):
        found, expected = found.float(), expected.float()  # 8-bit types have no arithmetic
    if relative == 0 and absolute == 0 and found.dtype == expected.dtype:
        wrong = (found != expected) & ~((found != found) & (expected != expected))
    else:
        wrong = ~torch.isclose(found.to(expected.dtype), expected, rtol=relative, atol=absolute, equal_nan=True)
    count = int(wrong.sum())
    if count == 0:
        return ""
    place = int(wrong.reshape(-1).to(torch.uint8).argmax())
    return _sentence(count, found.numel(), place, found.reshape(-1)[place].item(), expected.reshape(-1)[place].item())


def _difference_of_arrays(library: Any, found: Any, expected: Any, relative: float, absolute: float) -> str:
    found, expected = library.asarray(found), library.asarray(expected)
    shapes = _shapes_differ(found, expected)
    if shapes or found.size == 0:
        return shapes
    with_numbers = found.dtype.kind in "fc" or expected.dtype.kind in "fc"
    if relative == 0 and absolute == 0:
        wrong = found != expected
        if with_numbers:
            wrong &= ~((found != found) & (expected != expected))
    else:
        wrong = ~library.isclose(found, expected, rtol=relative, atol=absolute, equal_nan=with_numbers)
    count = int(wrong.sum())
    if count == 0:
        return ""
    place = int(wrong.reshape(-1).argmax())
    return _sentence(count, found.size, place, found.reshape(-1)[place].item(), expected.reshape(-1)[place].item())


def _difference_of_lists(found: List[Any], expected: List[Any], relative: float, absolute: float) -> str:
    if len(found) != len(expected):
        return f"it has {len(found)} elements, but should have {len(expected)}"
    wrong = [place for place, (one, other) in enumerate(zip(found, expected))
             if not (one == other or _is_close(one, other, relative, absolute))]
    if not wrong:
        return ""
    return _sentence(len(wrong), len(found), wrong[0], found[wrong[0]], expected[wrong[0]])


def _is_close(one: Any, other: Any, relative: float, absolute: float) -> bool:
    try:
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        if math.isinf(one) or math.isinf(other):
            return False
        return bool(abs(one - other) <= absolute + relative * abs(other))
    except TypeError:
        return False


def _sentence(count: int, total: int, place: int, found: Any, expected: Any) -> str:
    return f"{count} of {total} elements differ, such as element {place}: {found} instead of {expected}"
