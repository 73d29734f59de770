# SPDX-License-Identifier: Apache-2.0
"""Sources of compiled kernels: files, bytes, and kernel objects of Triton, PyTorch, CuPy, Numba and cuda.core."""
from __future__ import annotations

import io
import json
import os
import re
import tarfile
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .tool import Error

TAKEN = ("a path, bytes, a kernel of Triton, PyTorch's inductor, CuPy (RawKernel, RawModule), Numba (compiled) or "
         "cuda.core (ObjectCode), or a list of these")


class Image(NamedTuple):
    """A compiled file in memory, and, for one of Triton's kernels, how it is launched."""

    name: str
    content: bytes
    launch: Optional[Dict[str, Any]] = None


def split(sources: Any) -> Tuple[List[str], List[Image]]:
    """Paths, as the tool takes them, and images."""
    paths: List[str] = []
    images: List[Image] = []
    for source in sources:
        for each in _parts(source, 0):
            if isinstance(each, Image):
                images.append(each)
            else:
                paths.append(each)
    return paths, images


def as_input(images: List[Image]) -> bytes:
    """The tool's standard input: a single image unchanged, or a tar file of several."""
    if len(images) == 1 and images[0].launch is None:
        return images[0].content
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for number, image in enumerate(images, 1):
            # Each image in its own folder: several may have the same name, and Triton's JSON lies beside its cubin.
            stem = f"{number}/{_file_name(image.name)}"
            _add(archive, stem + _ending(image.content), image.content)
            if image.launch is not None:
                _add(archive, stem + ".json", json.dumps(image.launch).encode())
    return packed.getvalue()


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:100] or "kernel"


def _ending(content: bytes) -> str:
    if content[:4] == b"\x7fELF":
        return ".cubin"
    return ".ptx" if b".version" in content[:4096] else ""


def left_out(images: List[Image], files: List[str]) -> List[str]:
    """Messages for those of several images in which the tool found nothing, by the names of the files that it has
    read."""
    if len(images) < 2:
        return []
    return [f"{image.name}, number {number} of {len(images)}: it contains no compiled CUDA code"
            for number, image in enumerate(images, 1)
            if not any(file.startswith(f"-: {number}/") for file in files)]


def path_word(path: str) -> str:
    """A path as an argument that is not taken as an option or as standard input."""
    if not path:
        raise Error("a path is empty", "name a file")
    return "./" + path if path.startswith("-") else path


def _parts(source: Any, depth: int) -> Iterator[Any]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = bytes(source)
        if not content:
            raise Error("the bytes to be inspected are empty", "give the content of a compiled file")
        yield Image("bytes", content)
    elif isinstance(source, (str, os.PathLike)):
        yield path_word(os.fsdecode(os.fspath(source)))
    elif hasattr(source, "read") and hasattr(source, "readable"):
        content = source.read()
        if not isinstance(content, bytes):
            raise Error("a file that is open as text cannot be inspected", 'open it with "rb", or give its name')
        yield from _parts(content, depth)
    elif isinstance(source, (list, tuple, set, frozenset)) and not hasattr(source, "_fields") or \
            hasattr(source, "__next__"):
        if depth > 3:
            raise Error("lists within lists within lists cannot be inspected", f"give {TAKEN}")
        for each in source:
            yield from _parts(each, depth + 1)
    else:
        found = _kernel_images(source)
        if found is None:
            kind = type(source)
            raise Error(f"{kind.__module__}.{kind.__qualname__} cannot be inspected", f"give {TAKEN}")
        yield from found


def _kernel_images(source: Any) -> Optional[List[Image]]:
    """The images of a kernel object; None if it is not a known one.

    Objects are recognised by their attributes, not by their types: the libraries may be missing, and their types move.
    """
    recognisers: List[Callable[[Any], Optional[List[Image]]]] = [
        _of_triton, _of_static_launcher, _of_inductor, _of_triton_function, _of_cupy, _of_numba, _of_cuda_core,
        _of_module]
    for known in recognisers:
        try:
            found = known(source)
        except Error:
            raise
        except Exception as failure:  # any exception of the object's library
            text = (str(failure).strip() or type(failure).__name__).splitlines()[0]
            kind = type(source)
            raise Error(f"{kind.__module__}.{kind.__qualname__}: {type(failure).__name__}: {text}") from failure
        if found is not None:
            return found
    return None


def _not_compiled(source: Any, how: str) -> Error:
    return Error(f"this {type(source).__module__}.{type(source).__qualname__} is not compiled yet", how)


# triton.compiler.CompiledKernel, which a launch kernel[grid](...) returns.
def _of_triton(kernel: Any) -> Optional[List[Image]]:
    code: Any = getattr(kernel, "asm", None)
    if isinstance(kernel, type) or not hasattr(code, "get") or not hasattr(code, "keys"):
        return None
    cubin = code.get("cubin")
    if not isinstance(cubin, bytes):
        kinds = ", ".join(sorted(str(each) for each in code.keys()))
        raise Error(f"this kernel of Triton has no cubin, but {kinds or 'nothing'}",
                    "only NVIDIA's GPUs are known here")
    metadata = getattr(kernel, "metadata", None)
    launch = {name: getattr(metadata, name, None) for name in ("name", "shared", "num_warps", "maxnreg", "launch_pdl")}
    name = launch["name"] or getattr(kernel, "name", None) or "triton_kernel"
    return [Image(str(name), cubin, _launch({**launch, "name": str(name)}))]


def _launch(values: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    kept = {name: value for name, value in values.items() if isinstance(value, (str, int))}
    return kept if "shared" in kept and "num_warps" in kept else None


# torch._inductor's StaticallyLaunched...Kernel, which drops its cubin once it is loaded.
def _of_static_launcher(kernel: Any, result: Any = None) -> Optional[List[Image]]:
    if not hasattr(kernel, "cubin_path") and not hasattr(kernel, "cubin_raw"):
        return None
    content = getattr(kernel, "cubin_raw", None)
    path = getattr(kernel, "cubin_path", None)
    if not content and not path and hasattr(result, "reload_cubin_path"):
        try:
            result.reload_cubin_path()
        except Exception as failure:
            raise Error(f"PyTorch no longer has the cubin of {_name_of(kernel)}: {failure}") from None
        path = getattr(kernel, "cubin_path", None)
    if not content and path:
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as failure:
            raise Error(f"cannot read {path}, the cubin of a kernel of PyTorch: {failure.strerror}") from None
    if not content:
        raise Error(f"PyTorch no longer has the cubin of {_name_of(kernel)}",
                    "inspect the CachingAutotuner that launches it, or the folder of Triton's cache")
    name = _name_of(kernel)
    values = {"name": name, "shared": getattr(kernel, "shared", None), "num_warps": getattr(kernel, "num_warps", None)}
    return [Image(name, content, _launch(values))]


def _name_of(kernel: Any) -> str:
    return str(getattr(kernel, "name", "triton_kernel"))


# torch._inductor's CachingAutotuner: the kernels that it launches, or all from which it will choose.
def _of_inductor(tuner: Any) -> Optional[List[Image]]:
    if not hasattr(tuner, "launchers") or not hasattr(tuner, "compile_results"):
        return None
    results = list(tuner.compile_results or [])
    kernels = []
    for launcher in tuner.launchers or []:
        # A launcher's kernel is that of the result with the same configuration, or `bin` if its code was kept.
        config = getattr(launcher, "config", launcher)
        of_it = [each.kernel for each in results if getattr(each, "config", None) is config]
        kernels += [launcher.bin] if hasattr(launcher, "bin") else of_it
    kernels = kernels or [result.kernel for result in results]
    if not kernels:
        raise _not_compiled(tuner, "call the compiled function once")
    images: List[Image] = []
    for kernel in kernels:
        result = next((each for each in results if each.kernel is kernel), None)
        found = _of_triton(kernel) or _of_static_launcher(kernel, result)
        images += found or []
    return images


# triton.runtime.JITFunction, and its wrappers Autotuner and Heuristics: all kernels compiled from it.
def _of_triton_function(function: Any) -> Optional[List[Image]]:
    inner = function
    while not hasattr(inner, "device_caches") and not hasattr(inner, "create_binder") and hasattr(inner, "fn"):
        inner = inner.fn
    caches = getattr(inner, "device_caches", None)  # since 3.2: device -> (kernels by key, ...)
    if not isinstance(caches, dict):
        caches = getattr(inner, "cache", None)      # before: device -> kernels by key
        if not isinstance(caches, dict) or not hasattr(inner, "create_binder"):
            return None
    images: List[Image] = []
    for cache in caches.values():
        for kernel in (cache[0] if isinstance(cache, tuple) else cache).values():
            images += _of_triton(kernel) or []
    if not images:
        raise _not_compiled(function, "launch it once, or inspect what its launch or .warmup(...) returns")
    return images


# cupy.RawKernel and cupy.RawModule keep no code once it is loaded: they are compiled again, in another process.
def _of_cupy(kernel: Any) -> Optional[List[Image]]:
    if not type(kernel).__module__.startswith("cupy.") or not hasattr(kernel, "backend"):
        return None
    path = getattr(kernel, "file_path", None)
    if path is not None:
        with open(path, "rb") as file:
            return [Image(os.path.basename(path), file.read())]
    from ._cupy import compiled
    name = str(getattr(kernel, "name", None) or "cupy_module")
    return [Image(name, compiled(kernel))]


# numba.cuda's dispatcher, which @cuda.jit creates.
def _of_numba(dispatcher: Any) -> Optional[List[Image]]:
    overloads: Any = getattr(dispatcher, "overloads", None)
    if not hasattr(overloads, "values") or not hasattr(dispatcher, "py_func"):
        return None
    images: List[Image] = []
    for kernel in overloads.values():
        library: Any = getattr(kernel, "_codelibrary", None)
        if not hasattr(library, "get_cubin"):
            return None  # a function for the processor
        cubin = library.get_cubin()
        images.append(Image(str(dispatcher.py_func.__name__), bytes(getattr(cubin, "code", cubin))))
    if not images:
        raise _not_compiled(dispatcher, "launch it once, or give @cuda.jit its signature")
    return images


# cuda.core's ObjectCode, which Program.compile and Linker.link return.
def _of_cuda_core(code: Any) -> Optional[List[Image]]:
    content = getattr(code, "code", None)
    if not hasattr(code, "code_type") and not hasattr(code, "_code_type"):
        return None
    if isinstance(content, str):  # a path
        with open(content, "rb") as file:
            content = file.read()
    if not isinstance(content, bytes):
        return None
    return [Image(str(getattr(code, "name", "") or "object_code"), content)]


# The kernels of a module that torch.compile wrote.
def _of_module(module: Any) -> Optional[List[Image]]:
    if not isinstance(module, ModuleType):
        return None
    images: List[Image] = []
    for value in list(vars(module).values()):
        recognisers: List[Callable[[Any], Optional[List[Image]]]] = [_of_triton, _of_inductor, _of_triton_function]
        for known in recognisers:
            try:
                found = known(value)
            except Error:
                continue
            if found:
                images += found
                break
    if not images:
        raise Error(f"the module {module.__name__} has no compiled kernels of Triton", "launch them once")
    return images
