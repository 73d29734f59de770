#!/usr/bin/env python3
"""Kernels of Triton that spill, for a comparison of Triton's n_spills with ptxas -v and launchbox.

    bench/triton_spills.py          compiles them for sm_90 into Triton's cache; needs no GPU
    bench/triton_spills.py --run    launches them too and prints n_regs and n_spills of each as JSON; needs PyTorch

Then run `launchbox inspect CACHE --format json`, and the `ptxas -v --gpu-name=sm_90a` of Triton's own folder on each
.ptx of the cache, with --maxrregcount if its .json has maxnreg.
"""
import json
import sys

import triton
import triton.language as tl


@triton.jit
def many_rows(x, y, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLS)[None, :]
    a = tl.load(x + r * n + c)
    b = tl.load(y + r * n + c)
    s = tl.sort(a, dim=1)
    t = tl.softmax(b)
    tl.store(x + r * n + c, s * t + a * b + tl.cumsum(a, 1))


@triton.jit
def product(a, b, c, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for t in range(0, n, K):
        p = tl.load(a + i[:, None] * n + t + k[None, :])
        q = tl.load(b + (t + k)[:, None] * n + j[None, :])
        acc += tl.dot(p, q, input_precision="ieee")
    tl.store(c + i[:, None] * n + j[None, :], acc)


CASES = [("many_rows", many_rows, dict(ROWS=8, COLS=1024), dict(num_warps=4)),
         ("many_rows", many_rows, dict(ROWS=16, COLS=1024), dict(num_warps=16)),
         ("many_rows", many_rows, dict(ROWS=4, COLS=512), dict(num_warps=4, maxnreg=32)),
         ("product", product, dict(M=128, N=128, K=32), dict(num_warps=4)),
         ("product", product, dict(M=64, N=64, K=32), dict(num_warps=4))]

if "--run" in sys.argv:
    import torch
    rows = []
    for name, kernel, shape, options in CASES:
        n = 2048
        t = [torch.rand(2048, 2048, device="cuda") for _ in range(3)]
        args = t[:2] if name == "many_rows" else t
        made = kernel[(1,)](*args, n, **shape, **options)
        torch.cuda.synchronize()
        figures = {"hash": made.hash, "n_regs": made.n_regs, "n_spills": made.n_spills}
        rows.append({"kernel": name, **shape, **options, **figures})
    print(json.dumps({"triton": triton.__version__, "rows": rows}, indent=1))
else:
    from triton.backends.compiler import GPUTarget
    for name, kernel, shape, options in CASES:
        pointers = {"many_rows": ["x", "y"], "product": ["a", "b", "c"]}[name]
        signature = {**{p: "*fp32" for p in pointers}, "n": "i32", **{k: "constexpr" for k in shape}}
        src = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=shape)
        made = triton.compile(src, target=GPUTarget("cuda", 90, 32), options=options)
        print(name, shape, options, made.hash, len(made.asm["cubin"]))
