# SPDX-License-Identifier: Apache-2.0
"""Questions that Python users have asked other tools about their kernels, with launchbox's answers."""
import shutil
import subprocess

import pytest

import launchbox


def test_more_registers_than_a_block_can_have():
    """A launch failed with "out of resources": a block can have 65,536 registers, so the kernel's count predicts it."""
    account = launchbox.occupancy("sm_70", threads=1024, registers=72)
    assert account.resident_blocks == 0
    assert account.obstacle == "the block needs 73,728 registers: a block has at most 65,536"
    assert (account.next_step.changes[0].resource, account.next_step.changes[0].to) == ("registers", 64)


def test_rounding_of_registers_is_known():
    """A library launched a kernel with 92 registers and 224 threads and expected three resident blocks: each sub-partition
    holds whole warps, so there are two, and other block sizes keep more threads resident."""
    account = launchbox.occupancy("sm_80", threads=224, registers=92)
    assert account.resident_blocks == 2
    assert 3 * 7 * 32 * 96 <= 65536  # which made three seem to fit
    best = launchbox.suggest(arch="sm_80", registers=92).results[0].candidates[0]
    assert best.resident_threads == 640 > 2 * 224


def test_the_blocks_allowed_by_each_limit():
    """Users of a profiler wanted each limit, not only the minimum."""
    account = launchbox.occupancy("sm_90", threads=256, registers=63, shared=48 * 1024, barriers=1)
    limits = {name: getattr(account.limits, name).blocks for name in ("warps", "blocks", "registers", "shared", "barriers")}
    assert limits == {"warps": 8, "blocks": 32, "registers": 4, "shared": 4, "barriers": 64}
    assert account.limiters == ["registers", "shared"]


def test_a_register_limit_chosen_by_its_effect():
    """maxnreg of a Triton kernel was tuned over None, 128 and 256 by running it: occupancy alone shows which of
    them can make a difference."""
    answer = launchbox.occupancy("sm_100", threads=128, registers=[32, 128, 168, 255])
    assert answer.columns.occupancy == [1.0, 0.25, 0.1875, 0.125]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc here")
def test_a_stack_frame_is_not_a_spill(tmp_path):
    """Kernels with sin and cos were rejected for "register spills" that were an array in their slow path, indexed with a
    value unknown at compile time."""
    source = tmp_path / "table.cu"
    source.write_text('extern "C" __global__ void table(float* x, int* i) { float t[32]; '
                      "for (int k = 0; k < 32; ++k) t[i[k] & 31] = x[k]; x[threadIdx.x] = t[i[threadIdx.x] & 31]; }\n")
    subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", tmp_path / "table.cubin", source], check=True)
    (kernel,) = launchbox.inspect((tmp_path / "table.cubin").read_bytes(), threads=256).kernels
    assert kernel.stack_frame_bytes > 0
    assert kernel.spill_store_bytes == kernel.spill_load_bytes == 0


def test_occupancy_for_a_range_of_block_sizes():
    """A user wanted a plot of occupancy by block size for a CuPy kernel: a range of sizes is one call."""
    answer = launchbox.occupancy("sm_86", threads=range(32, 1025, 32), registers=40, shared=8192)
    best = max(answer.columns.resident_warps)
    sizes = [size for size, warps in zip(range(32, 1025, 32), answer.columns.resident_warps) if warps == best]
    assert best == launchbox.suggest(arch="sm_86", registers=40, shared=8192).results[0].candidates[0].resident_threads // 32
    assert 256 in sizes
