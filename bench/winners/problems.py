# SPDX-License-Identifier: Apache-2.0
"""Twenty kernels of floats, each described once for the spec of `launchbox tune`, the truth and Kernel Tuner.

Seventeen come from public repositories and are not copied here: `write` takes the named functions from a checkout, adds
what they need, and writes NAME.cu and NAME.toml into a folder.

Expressions are written so that they mean the same in Lua and in Python.
"""
import json
import pathlib
import re

GROUPS = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ inline float warpReduceSum(float value) { return cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), value, cg::plus<float>{}); }
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
"""
MATRIX = "typedef unsigned int uint;\n#define assert(condition)\n"
# What ggml's kernels need from the rest of ggml.
GGML = """#include <cuda/std/cstdint>
using cuda::std::int64_t;
#define ggml_cuda_pdl_sync()
#define ggml_cuda_pdl_lc()
enum class block_reduce_method { SUM };
__device__ inline unsigned fastmodulo(unsigned n, uint3 of) { return n % of.z; }
__device__ inline float add_of(float a, float b) { return a + b; }
__device__ inline float2 add_of(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float moved(float a, int by) { return __shfl_xor_sync(~0u, a, by); }
__device__ inline float2 moved(float2 a, int by)
{
    return make_float2(__shfl_xor_sync(~0u, a.x, by), __shfl_xor_sync(~0u, a.y, by));
}
template <block_reduce_method method, int block_size, class T>
__device__ T block_reduce(T value, T* shared)
{
    for (int by = 16; by > 0; by /= 2) value = add_of(value, moved(value, by));
    if (block_size > 32) {
        if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
        __syncthreads();
        value = threadIdx.x % 32 < block_size / 32 ? shared[threadIdx.x % 32] : T{};
        for (int by = 16; by > 0; by /= 2) value = add_of(value, moved(value, by));
    }
    return value;
}
"""
STENCIL = """template <int bx, int by, int bz>
__global__ void stencil(float* out, const float* in, int n)
{
    const int x = blockIdx.x * bx + threadIdx.x, y = blockIdx.y * by + threadIdx.y;
    for (int k = 0; k < bz; ++k) {
        const int z = blockIdx.z * bz + k;
        const long at = ((long)z * n + y) * n + x;
        const bool inside = x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1;
        out[at] = !inside ? in[at]
                          : 0.4f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] +
                                                    in[at - (long)n * n] + in[at + (long)n * n]);
    }
}
"""
TRIAD = """template <int width> struct alignas(4 * width) floats { float of[width]; };
template <int width, int items>
__global__ void triad(float* a, const float* b, const float* c, float s)
{
    const int first = blockIdx.x * blockDim.x * items + threadIdx.x;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int at = first + i * blockDim.x;
        const floats<width> x = reinterpret_cast<const floats<width>*>(b)[at];
        const floats<width> y = reinterpret_cast<const floats<width>*>(c)[at];
        floats<width> z;
#pragma unroll
        for (int k = 0; k < width; ++k) z.of[k] = x.of[k] + s * y.of[k];
        reinterpret_cast<floats<width>*>(a)[at] = z;
    }
}
"""

LLMC, SGEMM, KT, KTT, GGML_AT = ("karpathy/llm.c", "siboehm/SGEMM_CUDA", "KernelTuner/kernel_tuner", "HiPerCoRe/KTT",
                                 "ggml-org/ggml")
BLOCKS = [32, 64, 128, 256, 512, 1024]
# Compiler options as parameters.
CAPS, ROUNDING = [24, 255], [False, True]
CAPPED = ["-maxrregcount={cap}", "-ftz={ftz}"]


def buffer(name, count, role="input", seed=1, low=0, high=1):
    return {"name": name, "type": "float", "count": count, "role": role, "seed": seed, "low": low, "high": high}


def number(name, value, kind="int"):
    return {"name": name, "type": kind, "value": value}


def rows_of(rows, columns, more=()):
    return [buffer("out", f"{rows} * {columns}", "output"), *more, buffer("inp", f"{rows} * {columns}", seed=7, low=-1)]


def layernorm(kernel, rows, columns, blocks):
    return dict(of=LLMC, file="dev/cuda/layernorm_forward.cu", take=[f"layernorm_forward_{kernel}"], before=GROUPS,
                kernel=f"layernorm_forward_{kernel}", unrolled=True, flags=["-ftz={ftz}"],
                parameters={"block": [64, 128, 256, 512, 1024], "unroll": [1, 2, 4, 8], "ftz": ROUNDING},
                baseline={"block": 256, "unroll": 1, "ftz": False}, threads=["block"], blocks=[blocks], relative=1e-3,
                absolute=1e-4, arguments=[*rows_of(rows, columns, [buffer("mean", f"{rows}", "output"),
                                                    buffer("rstd", f"{rows}", "output")]),
                           buffer("weight", f"{columns}", seed=3), buffer("bias", f"{columns}", seed=4),
                           number("N", rows), number("C", columns)])


def softmax(kernel, take, blocks, shared):
    return dict(of=LLMC, file="dev/cuda/softmax_forward.cu", take=take, before=GROUPS, kernel=kernel, unrolled=True,
                flags=["-ftz={ftz}"], parameters={"block": [32, 64, 128, 256, 512], "unroll": [1, 2, 4, 8],
                                                  "ftz": ROUNDING},
                baseline={"block": 128, "unroll": 1, "ftz": False}, threads=["block"], blocks=[blocks], shared=shared,
                arguments=[*rows_of(8192, 1024), number("N", 8192), number("C", 1024)], relative=1e-3)


def product(file, kernel, parameters, where, baseline, threads):
    size = 2048
    return dict(of=SGEMM, file=f"src/kernels/{file}", take=None, before=MATRIX, kernel=kernel, parameters=parameters,
                where=where, baseline=baseline, threads=[threads], blocks=[f"{size} // BN", f"{size} // BM"],
                relative=1e-3, absolute=1e-3,
                arguments=[number("M", size), number("N", size), number("K", size), number("alpha", 1.0, "float"),
                           buffer("A", f"{size * size}"), buffer("B", f"{size * size}", seed=2),
                           number("beta", 0.0, "float"), buffer("C", f"{size * size}", "in_out", seed=3)])


# Its kernel has 23 parameters, most of them with defaults.
RMS_NORM = """template <int block_size>
__global__ void rms_norm(const float* x, float* dst, int ncols, int64_t row, int64_t channel, int64_t sample, float eps)
{
    rms_norm_f32<block_size>(x, dst, ncols, row, channel, sample, eps);
}
"""


def norm(function, size, **more):
    return dict(of=GGML_AT, file="src/ggml-cuda/norm.cu", take=[function], before=GGML, **more,
                unrolled=True, parameters={"block": BLOCKS, "unroll": [1, 2, 4, 8], "cap": [32, 255]},
                flags=["-maxrregcount={cap}"], baseline={"block": 1024, "unroll": 1, "cap": 255}, threads=["block"],
                blocks=["8192"], shared=f"{size} * 32", relative=1e-3, absolute=1e-5,
                arguments=[buffer("x", "8192 * 4096", low=-1), buffer("dst", "8192 * 4096", "output"),
                           number("ncols", 4096), number("row", 4096, "long long"), number("channel", 0, "long long"),
                           number("sample", 0, "long long"), number("eps", 1e-5, "float")])


PROBLEMS = {
    "llmc_layernorm3": layernorm("kernel3", 8192, 768, "ceil_div(8192 * 32, block)"),
    "llmc_layernorm5": layernorm("kernel5", 8192, 1600, "8192"),
    "llmc_softmax4": softmax("softmax_forward_kernel4", ["warpReduceMax", "softmax_forward_kernel4"],
                             "8192", "4 * block // 32"),
    "llmc_softmax_online2": softmax("softmax_forward_online_kernel2",
                                    ["struct __align__(8) SumMax", "reduce_sum_max_op",
                                     "softmax_forward_online_kernel2"], "ceil_div(8192 * 32, block)", None),
    "llmc_gelu1": dict(
        of=LLMC, file="dev/cuda/gelu_forward.cu", take=["gelu_forward_kernel1"], kernel="gelu_forward_kernel1",
        before="typedef float floatX;\n#define GELU_SCALING_FACTOR 0.7978845608f\n",
        parameters={"block": BLOCKS, "cap": CAPS, "ftz": ROUNDING, "exact": [True, False]},
        flags=[*CAPPED, "-prec-div={exact}"], baseline={"block": 256, "cap": 255, "ftz": False, "exact": True},
        threads=["block"], blocks=["ceil_div(25165824, block)"], absolute=1e-4, relative=1e-3,
        arguments=[buffer("out", "25165824", "output"), buffer("inp", "25165824", low=-3, high=3),
                   number("N", 25165824)]),
    "llmc_adamw2": dict(
        of=LLMC, file="dev/cuda/adamw.cu", take=["lerp", "adamw_kernel2"], kernel="adamw_kernel2", before="",
        parameters={"block": BLOCKS, "cap": [16, 24, 255], "exact": [True, False]},
        flags=["-maxrregcount={cap}", "-prec-div={exact}"], baseline={"block": 512, "cap": 255, "exact": True},
        threads=["block"], blocks=["ceil_div(16777216, block)"], absolute=1e-5, relative=1e-3,
        arguments=[buffer("params", "16777216", "in_out"), buffer("grads", "16777216", seed=2),
                   buffer("m", "16777216", "in_out", seed=3), buffer("v", "16777216", "in_out", seed=4),
                   number("count", 16777216, "long long"), number("rate", 1e-3, "float"), number("b1", 0.9, "float"),
                   number("b2", 0.999, "float"), number("c1", 0.1, "float"), number("c2", 0.001, "float"),
                   number("eps", 1e-8, "float"), number("decay", 0.0, "float")]),
    "llmc_encoder2": dict(
        of=LLMC, file="dev/cuda/encoder_forward.cu", take=["encoder_forward_kernel2"],
        kernel="encoder_forward_kernel2", before="typedef float floatX;\n",
        parameters={"block": BLOCKS, "cap": [16, 24, 32, 255]}, flags=["-maxrregcount={cap}"],
        baseline={"block": 256, "cap": 255}, threads=["block"], blocks=["ceil_div(16 * 1024 * 768, block)"],
        arguments=[buffer("out", "16 * 1024 * 768", "output"),
                   {"name": "inp", "type": "int", "count": "16 * 1024", "role": "input", "seed": 5, "low": 0,
                    "high": 50256},
                   buffer("wte", "50257 * 768"), buffer("wpe", "1024 * 768", seed=2), number("B", 16),
                   number("T", 1024), number("C", 768)]),
    "sgemm_2d_tiles": product(
        "5_kernel_2D_blocktiling.cuh", "sgemm2DBlocktiling<{BM}, {BN}, {BK}, {TM}, {TN}>",
        {"BM": [64, 128], "BN": [64, 128], "BK": [8, 16, 32], "TM": [4, 8], "TN": [4, 8]},
        ["BM * BN // (TM * TN) <= 1024", "BM * BN // (TM * TN) % BK == 0", "BM * BN // (TM * TN) % BN == 0"],
        {"BM": 128, "BN": 128, "BK": 8, "TM": 8, "TN": 8}, "BM * BN // (TM * TN)"),
    "sgemm_vectors": product(
        "6_kernel_vectorize.cuh", "sgemmVectorize<{BM}, {BN}, {BK}, {TM}, {TN}>",
        {"BM": [32, 64, 128], "BN": [32, 64, 128], "BK": [8, 16, 32], "TM": [2, 4, 8], "TN": [4, 8]},
        ["BM * BN // (TM * TN) == BM * BK // 4", "BM * BN // (TM * TN) == BN * BK // 4"],
        {"BM": 128, "BN": 128, "BK": 8, "TM": 8, "TN": 8}, "BM * BN // (TM * TN)"),
    "sgemm_warp_tiles": product(
        "10_kernel_warptiling.cuh",
        "sgemmWarptiling<{BM}, {BN}, {BK}, {WM}, {WN}, {iterations}, {TM}, 4, {block}>",
        {"BM": [64, 128], "BN": [64, 128], "BK": [8, 16], "WM": [32, 64], "WN": [32, 64], "iterations": [1, 2, 4],
         "TM": [4, 8], "block": [128, 256]},
        ["BM // WM * (BN // WN) * 32 == block", "WM * WN % (32 * TM * 4 * iterations) == 0",
         "WM * WN // (32 * TM * 4 * iterations) >= 1", "WM % (WM * WN // (32 * TM * 4 * iterations)) == 0",
         "WN // iterations // 4 >= 1", "32 % (WN // iterations // 4) == 0",
         "WM // (WM * WN // (32 * TM * 4 * iterations)) // TM * (WN // iterations // 4) == 32",
         "block * 4 % BK == 0", "BM % (block * 4 // BK) == 0", "block // (BN // 4) >= 1",
         "BK % (block // (BN // 4)) == 0"],
        {"BM": 128, "BN": 128, "BK": 16, "WM": 64, "WN": 64, "iterations": 4, "TM": 8, "block": 128}, "block"),
    "kt_convolution": dict(
        of=KT, file="examples/cuda/convolution.cu", take=None, before="", kernel="convolution_kernel",
        parameters={"block_size_x": [16, 32, 64, 128], "block_size_y": [2, 4, 8, 16], "tile_size_x": [1, 2, 4],
                    "tile_size_y": [1, 2, 4]}, macros=True,
        flags=["-Dfilter_width=7", "-Dfilter_height=7", "-Dread_only=1", "-Duse_padding=1"],
        where=["block_size_x * block_size_y >= 64", "block_size_x * block_size_y <= 512",
               "tile_size_x * tile_size_y >= 2", "tile_size_x * tile_size_y <= 8"],
        baseline={"block_size_x": 16, "block_size_y": 16, "tile_size_x": 2, "tile_size_y": 1},
        threads=["block_size_x", "block_size_y"],
        blocks=["4096 // (block_size_x * tile_size_x)", "4096 // (block_size_y * tile_size_y)"], relative=1e-4,
        arguments=[buffer("output", "4096 * 4096", "output"), buffer("input", "4102 * 4102"), buffer("filter", "49")],
        variable=("d_filter", 33 * 33)),
    "kt_matmul": dict(
        of=KT, file="examples/cuda/matmul.cu", take=None, before="", kernel="matmul_kernel", macros=True,
        change=("#define WIDTH 4096", "#define WIDTH 2048"),
        parameters={"block_size_x": [16, 32, 64], "block_size_y": [1, 2, 4, 8, 16, 32], "tile_size_x": [1, 2, 4, 8],
                    "tile_size_y": [1, 2, 4, 8]},
        where=["block_size_x == block_size_y * tile_size_y", "block_size_x * block_size_y >= 64",
               "block_size_x * block_size_y <= 1024", "4 * block_size_x * block_size_x * (1 + tile_size_x) <= 49152"],
        baseline={"block_size_x": 16, "block_size_y": 16, "tile_size_x": 1, "tile_size_y": 1},
        threads=["block_size_x", "block_size_y"],
        blocks=["2048 // (block_size_x * tile_size_x)", "2048 // (block_size_y * tile_size_y)"], relative=1e-3,
        absolute=1e-3, arguments=[buffer("C", "2048 * 2048", "output"), buffer("A", "2048 * 2048"),
                                  buffer("B", "2048 * 2048", seed=2)]),
    "kt_stencil": dict(
        of=KT, file="examples/cuda/stencil.cu", take=None, before="", kernel="stencil_kernel", macros=True,
        change=("#define domain_height   2048", "#define domain_height   8192"),
        parameters={"block_size_x": [16, 32, 64, 128, 256, 512], "block_size_y": [1, 2, 4, 8, 16, 32]},
        where=["block_size_x * block_size_y >= 64", "block_size_x * block_size_y <= 1024"],
        baseline={"block_size_x": 16, "block_size_y": 16}, threads=["block_size_x", "block_size_y"],
        blocks=["4096 // block_size_x", "8192 // block_size_y"], relative=1e-4,
        arguments=[buffer("x_new", "4096 * 8192", "in_out", seed=2), buffer("x_old", "4096 * 8192")]),
    "ktt_transpose": dict(
        of=KTT, file="Examples/Transpose/Transpose.cu", take=None, before="", kernel="mtran", macros=True,
        parameters={"TILE_SIZE_X": [16, 32, 64], "TILE_SIZE_Y": [16, 32, 64], "WORK_GROUP_SIZE_Y": [4, 8, 16],
                    "PADD_LOCAL": [0, 1], "DIAGONAL_MAP": [0, 1]},
        flags=["-DLOCAL_MEM=1", "-DVECTOR_TYPE=1", "-DCR=0", "-DWORK_GROUP_SIZE_X={TILE_SIZE_X}"],
        where=["TILE_SIZE_X * WORK_GROUP_SIZE_Y >= 64", "TILE_SIZE_X * WORK_GROUP_SIZE_Y <= 1024",
               "TILE_SIZE_Y % WORK_GROUP_SIZE_Y == 0", "TILE_SIZE_X * WORK_GROUP_SIZE_Y % TILE_SIZE_Y == 0",
               "TILE_SIZE_X % (TILE_SIZE_X * WORK_GROUP_SIZE_Y // TILE_SIZE_Y) == 0"],
        baseline={"TILE_SIZE_X": 32, "TILE_SIZE_Y": 32, "WORK_GROUP_SIZE_Y": 8, "PADD_LOCAL": 0, "DIAGONAL_MAP": 0},
        threads=["TILE_SIZE_X", "WORK_GROUP_SIZE_Y"], blocks=["8192 // TILE_SIZE_X", "8192 // TILE_SIZE_Y"],
        arguments=[buffer("output", "8192 * 8192", "output"), buffer("input", "8192 * 8192"), number("width", 8192),
                   number("height", 8192)]),
    "ktt_coulomb": dict(
        of=KTT, file="Examples/CoulombSum3d/CoulombSum3d.cu", take=None, before="", kernel="directCoulombSum",
        macros=True, parameters={"block_x": [16, 32, 64, 128], "block_y": [1, 2, 4, 8], "Z_ITERATIONS": [8, 16, 32],
                                 "USE_SOA": [0, 1]},
        flags=["-DVECTOR_SIZE=1", "-DINNER_UNROLL_FACTOR=0"], where=["block_x * block_y >= 64", "block_x * block_y <= 256"],
        baseline={"block_x": 16, "block_y": 8, "Z_ITERATIONS": 8, "USE_SOA": 0},
        threads=["block_x", "block_y"], blocks=["256 // block_x", "256 // block_y", "256 // Z_ITERATIONS"],
        relative=1e-2, absolute=1e-2,
        arguments=[buffer("atoms", "4 * 256", high=100), buffer("x", "256", high=100), buffer("y", "256", high=100),
                   buffer("z", "256", high=100), buffer("w", "256", high=2), number("count", 256),
                   number("spacing", 0.37, "float"), number("size", 256), buffer("energy", "256 * 256 * 256", "in_out")]),
    "ggml_rms_norm": norm("rms_norm_f32", 4, kernel="rms_norm<{block}>", after=RMS_NORM,
                          change=("__global__ void rms_norm_f32", "__device__ void rms_norm_f32")),
    "ggml_norm": norm("norm_f32", 8, kernel="norm_f32<{block}>"),
    "matrix_multiply": dict(
        of=None, file="examples/matrix_multiply/matrix_multiply.cu", take=None, before="", absolute=1e-3,
        kernel="matrix_multiply<{tile_m}, {tile_n}, {tile_k}, {thread_m}, {thread_n}, 4, layout::{own}, {min_blocks}>",
        parameters={"tile_m": [64, 128], "tile_n": [64, 128], "tile_k": [16, 32], "thread_m": [4, 8],
                    "thread_n": [4, 8], "own": ["blocked", "strided"], "min_blocks": [0, 2]},
        where=["tile_m // thread_m * (tile_n // thread_n) >= 128", "tile_m // thread_m * (tile_n // thread_n) <= 256"],
        baseline={"tile_m": 64, "tile_n": 64, "tile_k": 16, "thread_m": 4, "thread_n": 4, "own": "blocked",
                  "min_blocks": 0}, threads=["tile_m // thread_m * (tile_n // thread_n)"],
        blocks=["2048 // tile_n", "2048 // tile_m"], relative=1e-3,
        arguments=[buffer("a", "2048 * 2048"), buffer("b", "2048 * 2048", seed=2),
                   buffer("c", "2048 * 2048", "output"), number("n", 2048)]),
    "stencil_3d": dict(
        of=None, file=None, text=STENCIL, before="", kernel="stencil<{bx}, {by}, {bz}>",
        parameters={"bx": [16, 32, 64, 128], "by": [1, 2, 4, 8, 16], "bz": [1, 2, 4, 8]},
        where=["bx * by >= 64", "bx * by <= 512"], baseline={"bx": 32, "by": 8, "bz": 1}, threads=["bx", "by"],
        blocks=["384 // bx", "384 // by", "384 // bz"], relative=1e-4,
        arguments=[buffer("out", "384 * 384 * 384", "output"), buffer("in", "384 * 384 * 384"), number("n", 384)]),
    "triad": dict(
        of=None, file=None, text=TRIAD, before="", kernel="triad<{width}, {items}>",
        parameters={"block": [64, 128, 256, 512, 1024], "width": [1, 2, 4], "items": [1, 2, 4, 8]},
        baseline={"block": 256, "width": 1, "items": 1}, threads=["block"],
        blocks=["33554432 // (block * width * items)"],
        arguments=[buffer("a", "33554432", "output"), buffer("b", "33554432"), buffer("c", "33554432", seed=2),
                   number("s", 3.0, "float")]),
}
NAMES = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}


def value(expression, names):
    return eval(str(expression), NAMES, dict(names))


def taken(text, name):
    """The text of a function or struct, from the first line of its declaration to its last brace."""
    text = re.sub(r"//.*", "", text)
    for found in re.finditer(re.escape(name) + (r"\s*\{" if name.startswith("struct") else r"\s*\([^;{]*\)\s*\{"), text):
        start = text.rfind("\n", 0, found.start()) + 1
        while start > 0:
            before = text[text.rfind("\n", 0, start - 1) + 1:start].strip()
            if not before or before.startswith("#") or before.endswith(("}", ";")):
                break
            start = text.rfind("\n", 0, start - 1) + 1
        depth, end = 0, found.end() - 1
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        return text[start:end] + (";\n" if name.startswith("struct") else "\n")
    raise SystemExit(f"winners: there is no {name} in the source")


def source_of(problem, root, checkouts):
    """The kernel and what it needs. `checkouts`: a folder with OWNER/NAME of each repository."""
    if problem["file"] is None:
        return problem["text"]
    path = pathlib.Path(checkouts) / problem["of"] / problem["file"] if problem["of"] else root / problem["file"]
    text = path.read_text()
    if problem.get("change"):
        if problem["change"][0] not in text:
            raise SystemExit(f"winners: {path} does not say {problem['change'][0]}")
        text = text.replace(*problem["change"])
    if problem["take"] is None:
        text = re.sub(r"^\s*#\s*(include|pragma once).*$", "", text, flags=re.M)
    else:
        text = "\n".join(taken(text, name) for name in problem["take"])
    if problem.get("unrolled"):
        text = re.sub(r"^(\s*)for \(", r"\1#pragma unroll unroll\n\1for (", text, flags=re.M)
    return problem["before"] + text + problem.get("after", "")


def flags_of(problem):
    macros = [name for name in problem["parameters"] if problem.get("macros") or name == "unroll"]
    return ["-std=c++17", *problem.get("flags", []), *(f"-D{name}={{{name}}}" for name in macros)]


def toml(of):
    """A value in TOML."""
    if isinstance(of, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in of.items()) + " }"
    if isinstance(of, list):
        return "[" + ", ".join(map(toml, of)) + "]"
    return json.dumps(of)


def spec_of(name, problem):
    def argument(each):
        if "count" not in each:
            return {**each, "value": each["value"]}
        filled = {key: each[key] for key in ("name", "type", "count")}
        if each["role"] == "output":
            return {**filled, "fill": "poison", "role": "output"}
        return {**filled, "fill": "random", "seed": each["seed"], "low": each["low"], "high": each["high"],
                "role": each["role"]}
    lines = ["[tunable]", f'name = "{name}"', f"baseline = {toml(problem['baseline'])}", "", "[parameters]"]
    lines += [f"{key} = {toml(values)}" for key, values in problem["parameters"].items()]
    lines += ["", "[constraints]", f"all = {toml(problem.get('where', []))}", "", "[kernel]", f'source = "{name}.cu"']
    lines += [f"name = {toml(problem['kernel'])}", f"flags = {toml(flags_of(problem))}",
              f"threads = {toml(problem['threads'])}", f"blocks = {toml(problem['blocks'])}"]
    if problem.get("shared"):
        lines.append(f"dynamic_shared = {toml(problem['shared'])}")
    lines.append("arguments = [")
    lines += [f"  {toml(argument(each))}," for each in problem["arguments"]]
    lines.append("]")
    if problem.get("variable"):
        variable, count = problem["variable"]
        lines.append(f'variables = [{{ name = "{variable}", type = "float", count = {count}, fill = "random" }}]')
    lines += ["", "[verify]", f"absolute = {problem.get('absolute', 0)}", f"relative = {problem.get('relative', 0)}", ""]
    return "\n".join(lines)


def candidates_of(problem):
    """All candidates that satisfy the constraints, in the order of the spec."""
    found = [{}]
    for name, values in problem["parameters"].items():
        found = [{**each, name: one} for each in found for one in values]
    return [each for each in found if all(value(one, each) for one in problem.get("where", []))]


def write(folder, root, checkouts, names=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PROBLEMS:
        (folder / f"{name}.cu").write_text(source_of(PROBLEMS[name], pathlib.Path(root), checkouts))
        (folder / f"{name}.toml").write_text(spec_of(name, PROBLEMS[name]))
