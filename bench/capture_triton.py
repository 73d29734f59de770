#!/usr/bin/env python3
"""Small programs with a kernel of Triton, and one of CuPy, for bench/measure_capture.

    capture_triton.py add|softmax|matmul|cupy [COUNT]      COUNT floats for add; each checks its result

Each program imports only the modules that it needs, since the time of the whole command is measured.
"""
import sys


def cupy_add(count):
    import cupy
    kernel = cupy.RawKernel("extern \"C\" __global__ void raw_add(const float* x, const float* y, float* z, int n) {"
                            " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }", "raw_add")
    x, y = (cupy.random.rand(count, dtype=cupy.float32) for _ in range(2))
    z = cupy.empty_like(x)
    for _ in range(5):
        kernel((count // 256,), (256,), (x, y, z, cupy.int32(count)))
    assert bool((z == x + y).all())


def main():
    what, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 20
    if what == "cupy":
        return cupy_add(count)
    import torch
    import capture_triton_kernels as kernels
    x, y = (torch.rand(count, device="cuda") for _ in range(2))
    z = torch.empty_like(x)
    for _ in range(5):
        if what == "add":
            kernels.add_kernel[(count // 1024,)](x, y, z, count, BLOCK=1024)
        elif what == "softmax":
            kernels.softmax_kernel[(count // 1024,)](x, z, BLOCK=1024)
        else:
            a, b = (each[: 1 << 20].view(1024, 1024).half() for each in (x, y))
            c = torch.empty_like(a)
            kernels.matmul_kernel[(16, 16)](a, b, c, 1024, BM=64, BN=64, BK=32)
    torch.cuda.synchronize()
    if what == "add":
        assert torch.equal(z, x + y)
    elif what == "softmax":
        assert torch.allclose(z.view(-1, 1024), torch.softmax(x.view(-1, 1024), -1))
    else:
        assert torch.allclose(c, a @ b, atol=1, rtol=1e-2)


if __name__ == "__main__":
    main()
