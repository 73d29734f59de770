# SPDX-License-Identifier: Apache-2.0
"""Kernels that measure_python_tuning tunes: Triton, CuPy and PyTorch kernels, and some that misbehave."""
import os

import torch
import triton
import triton.language as tl

# ---- the matrix product of Triton's tutorial, fp16


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
                  GROUP_SIZE_M: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    c = accumulator.to(tl.float16)
    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


def config(m, n, k, group, stages, warps, maxnreg=None):
    return triton.Config({"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": group},
                         num_stages=stages, num_warps=warps, maxnreg=maxnreg)


# The tutorial's configurations for fp16.
TUTORIAL = [config(128, 256, 64, 8, 3, 8), config(64, 256, 32, 8, 4, 4), config(128, 128, 32, 8, 4, 4),
            config(128, 64, 32, 8, 4, 4), config(64, 128, 32, 8, 4, 4), config(128, 32, 32, 8, 4, 4),
            config(64, 32, 32, 8, 5, 2), config(32, 64, 32, 8, 5, 2)]
LARGE = [config(m, n, k, group, stages, warps, maxnreg)
         for m in (64, 128) for n in (128, 256) for k in (32, 64) for group in (4, 8) for stages in (3, 4)
         for warps in (4, 8) for maxnreg in (None, 168) if m * n // warps >= 2048] \
    + [config(256, 128, k, 8, stages, 8) for k in (32, 64) for stages in (3, 4)]


def matrices(size=4096):
    torch.manual_seed(0)
    a = torch.randn((size, size), device="cuda", dtype=torch.float16)
    b = torch.randn((size, size), device="cuda", dtype=torch.float16)
    return {"a": a, "b": b, "c": torch.empty((size, size), device="cuda", dtype=torch.float16)}


def launch_matmul(kernel, data, **meta):
    a, b, c = data["a"], data["b"], data["c"]
    (m, k), n = a.shape, b.shape[1]

    def grid(values):
        return (triton.cdiv(m, values["BLOCK_SIZE_M"]) * triton.cdiv(n, values["BLOCK_SIZE_N"]),)
    kernel[grid](a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1), **meta)
    return c


def run_matmul(data, config):
    return launch_matmul(matmul_kernel, data, **config.all_kwargs())


def right_product(data):
    return torch.matmul(data["a"], data["b"])


def compile_matmul(config):
    half, size, row = torch.float16, 4096, 4096
    matmul_kernel.warmup(half, half, half, size, size, size, row, 1, row, 1, row, 1, grid=(1,), **config.all_kwargs())


# ---- addition and softmax


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


def vectors(n):
    torch.manual_seed(0)
    return {"x": torch.rand(n, device="cuda"), "y": torch.rand(n, device="cuda"),
            "out": torch.empty(n, device="cuda")}


def run_add(data, block, warps):
    n = data["x"].numel()
    add_kernel[(triton.cdiv(n, block),)](data["x"], data["y"], data["out"], n, BLOCK=block, num_warps=warps)
    return data["out"]


def verify_add(data):
    return torch.equal(data["out"], data["x"] + data["y"])


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=offsets < columns)


def rows():
    torch.manual_seed(0)
    x = torch.randn((16384, 1000), device="cuda")
    return {"x": x, "out": torch.empty_like(x)}


def run_softmax(data, block, warps):
    x, out = data["x"], data["out"]
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=block, num_warps=warps)
    return out


def right_softmax(data):
    return torch.softmax(data["x"], dim=1)


# ---- CuPy

SCALE = r"""
extern "C" __global__ void scale(const float* x, float* out, int n, int items)
{
    for (int k = 0; k < items; ++k) {
        int i = (blockIdx.x * items + k) * blockDim.x + threadIdx.x;
        if (i < n) out[i] = 2 * x[i];
    }
}
"""


def cupy_arrays():
    import cupy
    return {"kernel": cupy.RawKernel(SCALE, "scale"), "x": cupy.arange(1 << 24, dtype=cupy.float32),
            "out": cupy.empty(1 << 24, dtype=cupy.float32)}


def run_scale(data, threads, items):
    n = data["x"].size
    data["kernel"]((-(-n // (threads * items)),), (threads,), (data["x"], data["out"], n, items))
    return data["out"]


def right_scale(data):
    return 2 * data["x"]


# ---- which operation of PyTorch


def batches():
    torch.manual_seed(0)
    return {"x": torch.randn((64, 512, 256), device="cuda"), "w": torch.randn((256, 256), device="cuda")}


def by_einsum(x, w):
    return torch.einsum("bij,jk->bik", x, w)


def by_batches(x, w):
    return torch.bmm(x, w.expand(x.shape[0], -1, -1))


def by_loop(x, w):
    return torch.stack([each @ w for each in x])


OPERATIONS = [torch.matmul, by_einsum, by_batches, by_loop]


def run_operation(data, operation):
    return operation(data["x"], data["w"])


# ---- kernels that misbehave, beside good ones


@triton.jit
def planted_kernel(x, y, out, flag, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    if MODE == 1:  # hangs
        while tl.load(flag, volatile=True) == 0:
            total += 0.0
    if MODE == 2:  # writes out of bounds
        tl.store(out + offsets.to(tl.int64) * 1073741824, total)
    if MODE == 3:  # wrong but faster
        total = tl.load(x + offsets, mask=mask)
    tl.store(out + offsets, total, mask=mask)


LAUNCHES = [0]
KEPT = []
MODES = {"hangs": 1, "illegal access": 2, "wrong": 3}
PLANTED = ["raises", "hangs", "illegal access", "wrong", "does nothing later", "too much shared memory",
           "too much memory", "leaks memory", "kills its process", "crashes", "exits", "launches nothing",
           "other stream", "own outputs, not written"]


def data_of_planted():
    return {**vectors(1 << 24), "flag": torch.zeros(1, device="cuda", dtype=torch.int32), "big": matrices(1024)}


def launch_planted(data, mode, block):
    n = data["x"].numel()
    planted_kernel[(triton.cdiv(n, block),)](data["x"], data["y"], data["out"], data["flag"], n, MODE=mode, BLOCK=block)
    return data["out"]


def run_planted(data, kind, block):
    if kind == "raises":
        raise ValueError("planted")
    if kind == "kills its process":
        os.kill(os.getpid(), 9)
    if kind == "crashes":
        import ctypes
        ctypes.string_at(0)
    if kind == "exits":
        os._exit(1)
    if kind == "too much memory":
        torch.empty(1 << 38, device="cuda", dtype=torch.uint8)
    if kind == "leaks memory":
        KEPT.append(torch.empty(12 << 30, device="cuda", dtype=torch.uint8))
    if kind == "too much shared memory":
        return run_matmul(data["big"], config(256, 256, 128, 8, 6, 8))
    if kind == "launches nothing":
        return data["out"]
    if kind == "own outputs, not written":
        data["flag"].add_(0)
        return torch.empty_like(data["out"])
    if kind == "does nothing later":
        LAUNCHES[0] += 1
        if LAUNCHES[0] > 1:
            data["flag"].add_(0)
            return data["out"]
    if kind == "other stream":
        with torch.cuda.stream(torch.cuda.Stream()):
            return launch_planted(data, 0, block)
    return launch_planted(data, MODES.get(kind, 0), block)
