#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launchbox.inspect of real kernel objects, on a machine with a GPU: Triton, PyTorch's inductor, CuPy, Numba, cuda.core.

    PYTHONPATH=python LAUNCHBOX_TOOL=build/release/launchbox bench/python_kernels.py

Each is compared with what its own library reports (registers and bytes of local memory). A missing library is named.
Exit status 1 if anything differs.
"""
import importlib
import os
import sys
import tempfile
import traceback

import launchbox

SOURCE = r"""
extern "C" __global__ void scale(float* x, float by, int n)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = x[i];
    x[i] = tile[threadIdx.x] * by;
}
template <class T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
"""
failures = 0


def check(what, found, expected):
    global failures
    agrees = found == expected
    failures += not agrees
    print(f"{'ok  ' if agrees else 'FAIL'} {what}: {found}" + ("" if agrees else f", expected {expected}"), flush=True)


def step(title, needs, work):
    global failures
    try:
        modules = [importlib.import_module(name) for name in needs]
    except ImportError as missing:
        print(f"not here: {title} ({missing})", flush=True)
        return
    versions = ", ".join(f"{module.__name__} {getattr(module, '__version__', '?')}" for module in modules)
    print(f"# {title}: {versions}", flush=True)
    try:
        work()
    except Exception:
        failures += 1
        print(f"FAIL {title}\n{traceback.format_exc()}", flush=True)


TRITON = '''
import triton
import triton.language as tl

@triton.jit
def softmax(y, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=0))
    tl.store(y + row * n + i, value / tl.sum(value, axis=0), mask=i < n)

@triton.jit
def sine(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.sin(tl.load(x + i, mask=i < n)), mask=i < n)

@triton.jit
def product(a, b, c, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, N, 32):
        inner = k + tl.arange(0, 32)
        total += tl.dot(tl.load(a + rows[:, None] * N + inner), tl.load(b + inner[:, None] * N + columns))
    tl.store(c + rows[:, None] * N + columns, total)

tuned = triton.autotune([triton.Config({"BLOCK": 256}, num_warps=w) for w in (2, 4)], key=["n"])(sine)
'''


def triton_kernels():
    import torch
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "kernels_of_triton.py"), "w") as file:
        file.write(TRITON)
    sys.path.insert(0, folder)
    import kernels_of_triton as kernels
    x = torch.randn(64 * 1024, device="cuda")
    y = torch.empty_like(x)
    a = torch.randn(512, 512, device="cuda", dtype=torch.float16)
    c = torch.empty(512, 512, device="cuda")
    launches = {
        "softmax": kernels.softmax[(64,)](y, x, 1024, BLOCK=1024, num_warps=8),
        "sine": kernels.sine[(64,)](x, y, x.numel(), BLOCK=1024),
        "product": kernels.product[(4, 4)](a, a, c, N=512, BLOCK=128, num_warps=8, num_stages=3),
    }
    for name, compiled in launches.items():
        (kernel,) = launchbox.inspect(compiled).kernels
        check(f"{name}: registers as Triton's n_regs", kernel.registers, compiled.n_regs)
        check(f"{name}: stack frame as 4 times Triton's n_spills", kernel.stack_frame_bytes, 4 * compiled.n_spills)
        check(f"{name}: threads", kernel.occupancy.shape.threads, 32 * compiled.metadata.num_warps)
        check(f"{name}: dynamic shared memory", kernel.occupancy.shape.dynamic_shared_bytes, compiled.metadata.shared)
        print(f"     spill stores {kernel.spill_store_bytes} B, loads {kernel.spill_load_bytes} B; "
              f"{kernel.occupancy.resident_blocks} blocks by {kernel.occupancy.limiters}")
    kernels.softmax[(32,)](y, x, 2048, BLOCK=2048)
    check("a function: each of what was compiled of it", len(launchbox.inspect(kernels.softmax).kernels), 2)
    kernels.tuned[(256,)](x, y, x.numel())
    check("an autotuner: with those it tried", len(launchbox.inspect(kernels.tuned).kernels), 3)
    check("a list of launches", len(launchbox.inspect(list(launches.values())).kernels), 3)


def inductor_kernels():
    import torch
    from torch._inductor.codecache import PyCodeCache
    compiled = torch.compile(lambda x: torch.softmax(torch.sin(x) * 2, dim=-1))
    compiled(torch.randn(256, 4096, device="cuda"))
    torch.cuda.synchronize()
    tuners = [(module, value) for module in PyCodeCache.modules for value in vars(module).values()
              if type(value).__name__ == "CachingAutotuner"]
    check("torch.compile made kernels", bool(tuners), True)
    for module, tuner in tuners:
        report = launchbox.inspect(tuner)
        launchers = list(tuner.launchers)
        check(f"{type(tuner.compile_results[0]).__name__} of {tuner.fn.__name__}: registers",
              [kernel.registers for kernel in report.kernels], [launcher.n_regs for launcher in launchers])
        check("    stack frame as 4 times n_spills", [kernel.stack_frame_bytes for kernel in report.kernels],
              [4 * launcher.n_spills for launcher in launchers])
        check("    threads", [kernel.occupancy.shape.threads for kernel in report.kernels],
              [32 * launcher.config.num_warps for launcher in launchers])
        check("    the module has it", len(launchbox.inspect(module).kernels) >= 1, True)


def cupy_kernels():
    import cupy
    x = cupy.ones(4096, dtype=cupy.float32)
    raw = cupy.RawKernel(SOURCE.split("template")[0], "scale", options=("--use_fast_math",))
    raw((16,), (256,), (x, cupy.float32(2), 4096), shared_mem=1024)
    module = cupy.RawModule(code=SOURCE, options=("--std=c++17",), name_expressions=["twice<float>", "twice<double>"])
    twice = module.get_function("twice<double>")
    (kernel,) = launchbox.inspect(raw, threads=256, dynamic_shared=1024).kernels
    check("RawKernel: registers", kernel.registers, raw.num_regs)
    check("RawKernel: local memory", kernel.stack_frame_bytes, raw.local_size_bytes)
    driver = importlib.import_module("cupy_backends.cuda.api.driver")
    ask = getattr(driver, "occupancyMaxActiveBlocksPerMultiprocessor", None)
    if ask:
        check("RawKernel: resident blocks as the driver", kernel.occupancy.resident_blocks,
              ask(raw.kernel.ptr, 256, 1024))
    report = launchbox.inspect(module)
    check("RawModule: kernels", sorted(each.short_name for each in report.kernels),
          ["scale", "twice<double>", "twice<float>"])
    check("RawModule: registers", [each.registers for each in report.kernels if each.short_name == "twice<double>"],
          [twice.num_regs])
    check("suggest", launchbox.suggest(raw).results[0].candidates[0].threads > 0, True)
    nvcc = cupy.RawKernel(SOURCE.split("template")[0], "scale", backend="nvcc")
    try:
        nvcc.compile()
    except Exception as failure:
        print(f"not here: CuPy's nvcc ({str(failure).strip().splitlines()[-1][:80]})")
    else:
        check("RawKernel by nvcc: registers", launchbox.inspect(nvcc).kernels[0].registers, nvcc.num_regs)
    broken = cupy.RawKernel("extern \"C\" __global__ void broken() { undefined(); }", "broken")
    try:
        launchbox.inspect(broken)
    except launchbox.Error as error:
        check("one that does not compile is one line", str(error).count("\n"), 0)
        print("    ", error)
    for other in (cupy.ElementwiseKernel("float32 x", "float32 y", "y = x", "copy"), x):
        try:
            launchbox.inspect(other)
        except launchbox.Error as error:
            print("    ", error)


def numba_kernels():
    import numpy
    from numba import cuda

    @cuda.jit
    def scale(x, by):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= by
    scale[16, 256](cuda.to_device(numpy.ones(4096, dtype=numpy.float32)), 2.0)
    (kernel,) = launchbox.inspect(scale, threads=256).kernels
    check("Numba: registers", kernel.registers, list(scale.get_regs_per_thread().values())[0])


def cuda_core_objects():
    from cuda.core import Device, Program, ProgramOptions
    device = Device()
    device.set_current()
    architecture = "".join(str(each) for each in device.compute_capability)
    code = Program(SOURCE.split("template")[0], code_type="c++", options=ProgramOptions(
        arch=f"sm_{architecture}")).compile("cubin")
    (kernel,) = launchbox.inspect(code).kernels
    check("ObjectCode: registers", kernel.registers, number(code.get_kernel("scale").attributes.num_regs))


def number(value):
    """The value of an attribute that is a method in earlier versions."""
    return value() if callable(value) else value


def main():
    for line in (launchbox.version(), os.popen("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader").read()):
        print("#", line.strip())
    step("Triton", ["torch", "triton"], triton_kernels)
    step("PyTorch's inductor", ["torch"], inductor_kernels)
    step("CuPy", ["cupy"], cupy_kernels)
    step("Numba", ["numba.cuda", "numba"], numba_kernels)
    step("cuda.core", ["cuda.core"], cuda_core_objects)
    print(f"# {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
