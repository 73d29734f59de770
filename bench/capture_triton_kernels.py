"""Kernels of bench/capture_triton.py."""
import triton
import triton.language as tl

@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = at < n
    tl.store(z + at, tl.load(x + at, mask=m) + tl.load(y + at, mask=m), mask=m)

@triton.jit
def softmax_kernel(x, z, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(z + at, e / tl.sum(e, axis=0))

@triton.jit
def matmul_kernel(x, y, z, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    s = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, n, BK):
        s += tl.dot(tl.load(x + r[:, None] * n + i + k[None, :]), tl.load(y + (i + k)[:, None] * n + c[None, :]))
    tl.store(z + r[:, None] * n + c[None, :], s.to(tl.float16))
