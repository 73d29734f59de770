# SPDX-License-Identifier: Apache-2.0
# Written by python/make_types.py from schema/; changes here are lost.
"""What the tool answers, as types: a record for each object of its JSON."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from .records import Record, Report


class OccupancyAccountKernel(Record):
    """What one kernel uses."""

    name: Optional[str]
    """Short name; null when only figures were given."""
    registers: Optional[int]
    """Per thread; null: unknown, and not counted as a limit."""
    static_shared_bytes: Optional[int]
    """Bytes per block, without the system's reserve; null: unknown, and not counted."""
    local_bytes: int
    """Bytes of stack frame per thread; they do not limit residency."""
    barriers: Optional[int]
    """Named barriers, highest used + 1; null: unknown, and not counted as a limit."""
    max_threads: int
    """The launch bound, threads per block."""


class OccupancyAccountShape(Record):
    """How it is launched."""

    threads: int
    """Per block."""
    dynamic_shared_bytes: Optional[int]
    """Bytes per block. null: the kernel uses some, and its size is not known."""
    cluster_blocks: int
    """Blocks in a cluster; 1: none."""


class OccupancyLimitStep(Record):
    """One step."""

    name: str
    """What is calculated: warps_per_block, registers_per_thread, registers_per_warp, warps_per_sm, launch_check,
    blocks, allocated, per_block_maximum, preferred, barriers_per_block, caching, clusters, settled_by."""
    value: int
    """What comes out."""
    lost: int
    """What rounding wastes here, in the unit of the value (lanes, registers, bytes, warps); 0: nothing."""
    text: str
    """The step for people."""


class OccupancyLimit(Record):
    """How many blocks one resource allows, and by which arithmetic."""

    blocks: Optional[int]
    """Blocks per SM that this resource allows; null: it does not limit."""
    steps: List[OccupancyLimitStep]
    """The arithmetic, in order."""


class OccupancyAccountLimits(Record):
    """One limit a resource."""

    warps: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""
    blocks: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""
    registers: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""
    shared: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""
    barriers: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""
    virtual_resources: Optional[OccupancyLimit]
    """How many blocks one resource allows, and by which arithmetic."""
    clusters: OccupancyLimit
    """How many blocks one resource allows, and by which arithmetic."""


class OccupancyAllowance(Record):
    """The value of one resource now, and the largest with which `blocks` blocks are resident as far as this resource
    goes."""

    resource: Literal['threads', 'registers', 'shared', 'barriers']
    """threads per block, registers per thread, bytes of shared memory per block (static and dynamic), named barriers
    per block."""
    now: int
    """The value of this launch."""
    at_most: Optional[int]
    """The largest value; null: none does."""
    blocks: int
    """Resident blocks per SM that are spoken of."""
    satisfied: bool
    """Whether the value of this launch is small enough."""


class OccupancyAccountNextStepChange(Record):
    """One quantity and what it becomes, in the units of `thresholds`."""

    resource: Literal['threads', 'registers', 'shared', 'barriers']
    from_: int
    """Now."""
    to: int
    """Then."""


class OccupancyAccountNextStep(Record):
    """Part of the tool's answer."""

    text: str
    """The step for people."""
    changes: List[OccupancyAccountNextStepChange]
    """All of them together."""
    resident_blocks: int
    """Blocks per SM afterwards."""
    occupancy: float
    """Afterwards."""


class OccupancyAccountWaves(Record):
    """Part of the tool's answer."""

    grid: int
    """Blocks of the launch."""
    blocks_per_wave: int
    """Blocks resident on the GPU at once."""
    waves: float
    """grid / blocks_per_wave."""
    full_waves: int
    """Waves without an empty block slot."""
    tail_blocks: int
    """Blocks of the last, partial wave; 0: there is none."""
    efficiency: float
    """Block slots used over block slots held, if all blocks take equally long."""


class OccupancyAccountClusters(Record):
    """Part of the tool's answer."""

    cluster_blocks: int
    """Blocks in a cluster."""
    estimate: Optional[int]
    """Resident clusters; null: the shape of this chip's GPCs is not known."""
    low: int
    """At least."""
    high: int
    """At most."""
    gpcs_known: bool
    """Whether the SMs of each GPC were given."""
    settled_by: Literal['cudaOccupancyMaxActiveClusters']
    """The CUDA call that answers it for a GPU at hand."""


class OccupancyAccountCurves(Record):
    """On request: resident warps as one quantity varies."""

    threads: List[List[int]]
    """Pairs of the quantity's value and the resident warps per SM."""
    registers: List[List[int]]
    """Pairs of the quantity's value and the resident warps per SM."""
    shared: List[List[int]]
    """Pairs of the quantity's value and the resident warps per SM."""


class OccupancyAccountRule(Record):
    """Part of the tool's answer."""

    id: Literal['warp_multiple', 'enough_threads', 'divides_sm', 'registers_share', 'shared_share']
    name: str
    """In two words."""
    rule: str
    """In words."""
    kept: Optional[bool]
    """Whether this launch keeps it; null: a figure that it needs is not known."""
    costs: Optional[bool]
    """Whether breaking it costs resident warps or lanes here."""
    figure: str
    """The figures that decide."""


class OccupancyAccount(Record):
    """The occupancy of one launch on one architecture."""

    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    gpu: Optional[str]
    """The GPU that --arch named; null: an architecture was named."""
    sms: Optional[int]
    """Streaming multiprocessors of the GPU; null: not known."""
    mode: Literal['driver', 'spreadsheet']
    """driver: what the GPU does; spreadsheet: what NVIDIA's retired spreadsheet says."""
    kernel: OccupancyAccountKernel
    """What one kernel uses."""
    shape: OccupancyAccountShape
    """How it is launched."""
    at_most: Optional[bool]
    """True: the kernel has shared memory of unknown size, which is not counted; the figures are the most that can be
    resident."""
    resident_blocks: int
    """Blocks on one SM at once; 0: the block cannot be launched."""
    resident_warps: int
    """Warps on one SM at once."""
    warp_slots: int
    """Warps that one SM can hold."""
    occupancy: float
    """resident_warps / warp_slots."""
    obstacle: Optional[str]
    """Why the block cannot be launched; null: it can."""
    limits: OccupancyAccountLimits
    """One limit a resource."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty when something other than a resource forbids the
    launch."""
    thresholds: List[OccupancyAllowance]
    """Per resource, what one block more would need; empty when the block slots are all in use."""
    slack: List[OccupancyAllowance]
    """Per resource, how far it can go before a block is lost; empty when no block is resident."""
    next_step: Optional[OccupancyAccountNextStep]
    """The smallest change that makes more warps resident; null: there is none."""
    grid_obstacle: Optional[str]
    """Why no grid of this size can be launched; null: it can, or there is none."""
    waves: Optional[OccupancyAccountWaves]
    """The grid on the whole GPU; null unless grid and SMs were given and a block is resident."""
    clusters: Optional[OccupancyAccountClusters]
    """An estimate of the resident clusters of the whole GPU; null unless clusters were asked for."""
    notes: List[str]
    """What the reader must know besides."""
    curves: Optional[OccupancyAccountCurves]
    """On request: resident warps as one quantity varies."""
    rules: Optional[List[OccupancyAccountRule]]
    """On request: the rules of thumb for a block size."""


class OccupancySkippedImage(Record):
    """Part of the tool's answer."""

    file: str
    kind: str
    """LTO-IR, or kind 64."""
    architecture: Optional[str]
    images: int


class Occupancy(Report):
    """What `launchbox occupancy --format json` prints."""

    schema: Literal['launchbox.occupancy/1']
    results: List[OccupancyAccount]
    """One a kernel and architecture, in the order asked for."""
    skipped_images: Optional[List[OccupancySkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""


class AdviceKernelLaunch(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    threads: Optional[int]
    """Of a block; null: the source does not show it."""
    dynamic_shared_bytes: Optional[int]
    """Of a block; null: the source does not show it."""


class AdviceKernelMaybeLaunched(Record):
    """Part of the tool's answer."""

    file: str
    line: int


class AdviceKernelArchitecture(Record):
    """Part of the tool's answer."""

    architecture: str
    gpu: Optional[str]
    """The model that the user named."""
    threads: Optional[int]
    """Of a block, for which the figures hold."""
    registers: Optional[int]
    """Of a thread, of the source as it is; so are all that follow up to obstacle."""
    spill_store_bytes: Optional[int]
    """Of a thread."""
    spill_load_bytes: Optional[int]
    """Of a thread."""
    shared_spill_store_bytes: Optional[int]
    """Of a thread, to shared memory."""
    shared_spill_load_bytes: Optional[int]
    """Of a thread, to shared memory."""
    static_shared_bytes: Optional[int]
    """Of a block."""
    dynamic_shared_bytes: Optional[int]
    """Of a block, counted in the figures; null: not known and left out, so that residency is an upper limit."""
    resident_blocks: Optional[int]
    """On one SM."""
    occupancy: Optional[float]
    limiters: List[str]
    obstacle: Optional[str]
    """Why a block can never be launched; null: it can."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """As in launchbox.bounds/1."""
    write: Optional[str]
    """The launch bound to write; null: nothing is to be written."""
    effect: Optional[str]
    """Of writing it, in words; or why nothing is known."""


class AdviceKernel(Record):
    """Part of the tool's answer."""

    name: str
    """Mangled."""
    demangled: str
    short_name: str
    """Without parameters: merge<int, 256>."""
    written: str
    """The launch bound in the source; empty: none."""
    launches: List[AdviceKernelLaunch]
    """In the source, in the order of its text."""
    maybe_launched: List[AdviceKernelMaybeLaunched]
    """Launches by a pointer that may be of it: no other is found, and its address is taken."""
    block_size: Literal['unknown', 'free', 'fixed']
    """Whether another block size would be correct."""
    block_size_reason: Optional[str]
    """Why."""
    threads_assumed: bool
    """No bound, launch or option gives the block size of the figures."""
    architectures: List[AdviceKernelArchitecture]
    notes: List[str]
    """What else to know, the weightiest first."""
    details: List[str]
    """Reasons, and notes of less weight."""
    next: Optional[str]
    """A command to try next."""


class Advice(Report):
    """What `launchbox advise --format json` prints."""

    schema: Literal['launchbox.advice/1']
    file: str
    """The source, as the user named it."""
    compiler: str
    """The version of nvcc, 13.0.88."""
    kernels: List[AdviceKernel]
    """The worst first: what cannot be launched, what spills most, what has the lowest occupancy."""
    errors: List[str]
    """Why an architecture gave nothing."""


class BoundsMeasured(Record):
    """With what the times were taken; null without --measure."""

    command: Optional[str]
    """The benchmark, as the user typed it."""
    build: Optional[str]
    """What was run before each was measured."""
    runs: int
    """Of each row, in turns."""
    architecture: Optional[str]
    """The one that was measured."""
    gpu: Optional[str]
    """null: there is no GPU here."""
    driver: Optional[str]
    """The CUDA version that the driver supports."""
    date: Optional[str]
    """Year, month and day, UTC."""


class BoundsInputSkippedImage(Record):
    """Part of the tool's answer."""

    kind: str
    """LTO-IR, or kind 64."""
    architecture: Optional[str]
    images: int


class BoundsInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'unreadable']
    kernels: int
    """How many were found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""
    errors: List[str]
    """What is wrong with it, the compiler's own messages first."""


class BoundsKernelRowTimeNs(Record):
    """Part of the tool's answer."""

    median: float
    low: float
    """The median lies between low and high with at least 95 %, from 6 samples on."""
    high: float
    count: int
    """Samples."""


class BoundsKernelRow(Record):
    """Part of the tool's answer."""

    threads: int
    """Of a block."""
    attribute: str
    """The weakest of those that give this code; empty: none."""
    also: List[str]
    """The others."""
    registers: Optional[int]
    """Per thread; null: unknown."""
    spill_store_bytes: Optional[int]
    """Per thread; null: unknown."""
    spill_load_bytes: Optional[int]
    """Per thread; null: unknown."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    code_bytes: Optional[int]
    """Machine code; null: unknown."""
    resident_blocks: Optional[int]
    """Of an SM; 0: cannot be launched; null: the registers are not known."""
    occupancy: Optional[float]
    """Resident warps over warp slots."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The limits equal to the resident blocks."""
    obstacle: Optional[str]
    """Why a block of this size can never be launched; null: it can, or it is not known."""
    pareto: bool
    """No row of this block size has as many resident warps, as few spills and as little code, and is better in one of
    them."""
    pareto_of_all: bool
    """No row of any block size has."""
    recommended: bool
    """The one to write, for this block size."""
    as_written: bool
    """The source as it is gives this code."""
    from_ptx: bool
    """From PTX without an attribute, and not compiled from the source with this one, which can give other figures."""
    time_ns: Optional[BoundsKernelRowTimeNs]
    """null: not measured."""
    failure: Optional[str]
    """Why a measurement gave no time; null: it did, or there was none."""


class BoundsKernelThreshold(Record):
    """Part of the tool's answer."""

    threads: int
    """Of a block."""
    blocks: int
    """Resident on an SM."""
    registers: Optional[int]
    """Most registers of a thread that let so many be resident; null: none do."""
    shared_bytes: Optional[int]
    """Most shared memory of a block, static and dynamic; null: none does."""
    barriers: Optional[int]
    """Most named barriers; null: none do."""


class BoundsKernelRecommendation(Record):
    """Part of the tool's answer."""

    threads: int
    """Of a block."""
    attribute: Optional[str]
    """To write; empty: none; null: not known."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """keep: as written is right. no_bound: none is written, and none is better. remove: no attribute beats the one
    written. no_difference: measured, and nothing is faster than as written beyond noise."""
    by_time: bool
    """Measured times decided, not figures."""
    reason: str
    """One sentence."""
    gain: str
    """Against the source as it is, in a few words; empty: none."""
    findings: List[str]
    """What else is to be known, a sentence each."""


class BoundsKernelRecommendationEntry(Record):
    """Part of the tool's answer."""

    threads: int
    """Of a block."""
    attribute: Optional[str]
    """To write; empty: none; null: not known."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """keep: as written is right. no_bound: none is written, and none is better. remove: no attribute beats the one
    written. no_difference: measured, and nothing is faster than as written beyond noise."""
    by_time: bool
    """Measured times decided, not figures."""
    reason: str
    """One sentence."""
    gain: str
    """Against the source as it is, in a few words; empty: none."""
    findings: List[str]
    """What else is to be known, a sentence each."""


class BoundsKernelPortable(Record):
    """Part of the tool's answer."""

    threads: int
    """The block size that it is for."""
    attribute: str
    """What to write: an attribute, or the name of the macro; empty: none."""
    lines: List[str]
    """The macro; empty: none is needed."""
    rows: List[str]
    """The same as rows of a launch box, in comments."""
    notes: List[str]
    """What is to be known of it."""


class BoundsKernel(Record):
    """One kernel for one architecture."""

    name: str
    """As the linker knows it."""
    demangled: str
    """As C++ writes it."""
    short_name: str
    """Without parameters and casts."""
    architecture: str
    """sm_90, sm_90a."""
    declared_at: Optional[AdviceKernelMaybeLaunched]
    """Its declaration; null: unknown."""
    written: str
    """The attribute in the source; empty: none."""
    relocatable: bool
    """Compiled with -rdc: the figures are final only after nvlink."""
    dynamic_shared_bytes: Optional[int]
    """Per block, as asked or as the source launches it; null: not known, and the figures leave it out."""
    dynamic_shared_bytes_per_warp: int
    """And for every 32 threads of a block, where it depends on a block size that is not known."""
    threads_assumed: bool
    """No bound, launch or option gives the block size."""
    threads: List[int]
    """The block sizes looked at, rising."""
    rows: List[BoundsKernelRow]
    """One a block size and machine code."""
    thresholds: List[BoundsKernelThreshold]
    """For each block size, and each number of blocks that other resources let be resident."""
    recommendations: List[BoundsKernelRecommendation]
    """One a block size."""
    recommendation: Optional[BoundsKernelRecommendationEntry]
    """That of the best block size; null: nothing can be recommended."""
    portable: Optional[BoundsKernelPortable]
    """One attribute for all architectures of this kernel; null: only one was asked for, or there is none."""
    findings: List[str]
    """Of the kernel as it is written."""
    not_swept: Optional[str]
    """Why nothing was tried; null: it was."""
    errors: List[str]
    """Attributes that did not compile."""


class Bounds(Report):
    """What `launchbox bounds --format json` prints."""

    schema: Literal['launchbox.bounds/1']
    compiler: str
    """The version of nvcc, 13.0.88."""
    compiles: int
    """Runs of nvcc that this call needed."""
    from_cache: int
    """Compiles that an earlier call had made."""
    whole: bool
    """Every row was compiled from the source (--all, --measure, --apply)."""
    measured: BoundsMeasured
    """With what the times were taken; null without --measure."""
    inputs: List[BoundsInput]
    """One a file, in the order given."""
    kernels: List[BoundsKernel]
    """Those of one kernel one after the other."""
    conflicts: List[str]
    """Declarations whose kernels want different attributes, a sentence each."""


class BuildsCandidateLaunch(Record):
    """How it would be launched, and how much of an SM that would fill; null where it cannot be launched, or for a
    program"""

    threads: int
    """Per block"""
    dynamic_shared_bytes: int
    resident_blocks: int
    """On one SM"""
    occupancy: float


class BuildsCandidate(Record):
    """Part of the tool's answer."""

    tunable: str
    """The name in [tunable]"""
    architecture: Optional[str]
    """sm_90; null for a program that is built for the processor"""
    parameters: Dict[str, Union[float, str, bool]]
    workload: Dict[str, Union[float, str, bool]]
    outcome: Literal['built', 'rejected', 'compile_error', 'compile_timeout']
    reason: Optional[str]
    """One line; null for what is built"""
    baseline: bool
    """The spec's baseline"""
    resources: Optional[Dict[str, Any]]
    """As in launchbox.results/1; null where nothing was compiled, or for a program"""
    launch: BuildsCandidateLaunch
    """How it would be launched, and how much of an SM that would fill; null where it cannot be launched, or for a
    program"""
    from_cache: bool
    """The same was compiled before"""
    log: Optional[str]
    """What the compiler or the build said; null where it said nothing"""


class Builds(Report):
    """What `launchbox tune --build-only --format json` prints: candidates that were built and screened, and not
    measured."""

    schema: Literal['launchbox.builds/1']
    candidates: List[BuildsCandidate]


class CaptureParameter(Record):
    """Part of the tool's answer."""

    offset: int
    bytes: int


class CaptureMemory(Record):
    """Part of the tool's answer."""

    address: str
    bytes: int
    kind: Literal['device', 'pool', 'mapped', 'managed', 'variable']
    before: str
    """The file of the bytes before the launch; compressed with zstd if its name ends with .zst."""
    before_hash: str
    """XXH3 of the bytes."""
    changed_bytes: int
    after: Optional[str]
    """After the launch; not given: it changed nothing."""
    after_hash: Optional[str]
    name: Optional[str]
    """Of a variable."""
    referenced: Optional[bool]
    """Of a variable: captured memory points to it."""


class Capture(Report):
    """capture.json in the folder of `launchbox capture -k NAME -o FOLDER`: a launch as the program made it."""

    schema: Literal['launchbox.capture/1']
    kernel: str
    """As the linker knows it."""
    module: str
    """The file of the cubin that was loaded."""
    module_hash: str
    """XXH3 of the cubin."""
    architecture: str
    ptx: Optional[str]
    """The file with PTX of the kernel; not given: none was found."""
    grid: List[int]
    block: List[int]
    cluster: List[int]
    dynamic_shared_bytes: int
    max_threads: int
    """What the driver allows for a block of this kernel."""
    cooperative: bool
    carveout_percent: int
    """-1: none was asked for."""
    arguments: str
    """The argument block, in hexadecimal."""
    parameters: List[CaptureParameter]
    memory: List[CaptureMemory]
    variables: List[CaptureMemory]
    command: List[str]
    number: int
    """Of the launches that fit -k and --shape."""
    warnings: List[str]


class CheckBudget(Record):
    """Part of the tool's answer."""

    file: str
    rules: int
    """[defaults] counts as one."""


class CheckBaseline(Record):
    """Part of the tool's answer."""

    file: str
    entries: int


class CheckInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'folder', 'package', 'unreadable']
    kernels: int
    """How many were found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""
    errors: List[str]
    """What is wrong with it, the compiler's own messages first."""


class CheckCounts(Record):
    """Part of the tool's answer."""

    kernels: int
    """Kernels x architectures that were checked."""
    checks: int
    """Limits and figures that were looked at."""
    broken: int
    unknown: int
    better: int
    unused_rules: int
    new_kernels: int
    gone_kernels: int
    ptx_only: int
    """Kernels that are there only as PTX, which were not checked."""
    unlinked: int
    """Kernels compiled with -rdc and not linked."""
    renumbered: int
    """Kernels that were found in the baseline by a name without its hash or counter, which changes from build to
    build."""
    unchecked: Optional[int]
    """Inputs, and architectures that were asked for, without a kernel that could be checked; budgets and baselines
    that decided nothing."""
    renamed: int
    """Kernels that were found in the baseline with other parameters, or in another file."""


class CheckFindingSetBy(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    """0: an option of the command line."""


class CheckFindingWrittenAt(Record):
    """Part of the tool's answer."""

    file: str
    line: int


class CheckFinding(Record):
    """Part of the tool's answer."""

    identity: str
    """The name that stays the same from build to build."""
    name: str
    """As the linker knows it."""
    short_name: str
    architecture: Optional[str]
    check: Literal['max_registers', 'max_spill_bytes', 'max_shared_spill_bytes', 'max_stack_bytes', 'max_stack_reserve',
                   'max_image_bytes', 'max_static_shared', 'max_code_bytes', 'min_blocks_per_sm', 'min_occupancy',
                   'require_launch_bounds', 'baseline_build', 'baseline_registers', 'baseline_spill_bytes',
                   'baseline_shared_spill_bytes', 'baseline_stack_bytes', 'baseline_static_shared',
                   'baseline_resident_threads', 'baseline_launch_bounds']
    status: Literal['broken', 'unknown', 'better']
    fails: bool
    value: Optional[float]
    """null: not known."""
    limit: Optional[float]
    """Of the budget, or the figure in the baseline; null: not known there."""
    message: str
    set_by: CheckFindingSetBy
    input: str
    """Of the copy that is worst; - for standard input."""
    written_at: Optional[CheckFindingWrittenAt]


class CheckChangeFigure(Record):
    """Part of the tool's answer."""

    check: Literal['baseline_launch_bounds', 'baseline_resident_threads', 'baseline_spill_bytes',
                   'baseline_shared_spill_bytes', 'baseline_registers', 'baseline_stack_bytes',
                   'baseline_static_shared', 'baseline_build']
    before: Optional[float]
    """null: not known, or no number."""
    after: Optional[float]
    shown_before: str
    """As in the table; empty: a new kernel."""
    shown_after: str
    """As in the table; empty: a kernel that is gone."""


class CheckChange(Record):
    """Part of the tool's answer."""

    change: Literal['worse', 'unknown', 'new', 'better', 'gone']
    identity: str
    """The name that stays the same from build to build."""
    short_name: str
    architecture: Optional[str]
    figures: List[CheckChangeFigure]
    """What differs; of a new or gone kernel all that is known and not 0."""


class CheckUnusedRule(Record):
    """Part of the tool's answer."""

    rule: str
    fails: bool
    set_by: CheckFindingSetBy


class CheckUnchecked(Record):
    """Part of the tool's answer."""

    file: Optional[str]
    """An input, or the budget, baseline or option that decided nothing; null: all inputs together, with --kernel."""
    architecture: Optional[str]
    """The one that --arch asked for; null: nothing at all was checked."""
    kernels: List[str]
    """Short names of those without code for the architecture; empty: all that was named, or none."""
    reason: str
    fails: bool


class CheckOlderCode(Record):
    """Part of the tool's answer."""

    identity: str
    """The name that stays the same from build to build."""
    name: str
    short_name: str
    architecture: str
    """What it was compiled for."""
    runs_on: str
    """What was asked for."""


class CheckNewKernel(Record):
    """Part of the tool's answer."""

    identity: str
    """The name that stays the same from build to build."""
    name: str
    """As the linker knows it."""
    short_name: str
    architecture: Optional[str]


class CheckGoneKernel(Record):
    """Part of the tool's answer."""

    identity: str
    """The name that stays the same from build to build."""
    architecture: Optional[str]
    fails: bool
    """The kernel is there for other architectures, and nothing of it runs on this one."""
    reason: Optional[str]
    """null: it does not fail."""
    set_by: CheckFindingSetBy


class Check(Report):
    """What `launchbox check --format json` prints."""

    schema: Literal['launchbox.check/1']
    passed: bool
    """False: the exit status is not 0."""
    summary: str
    budget: Optional[CheckBudget]
    baseline: Optional[CheckBaseline]
    inputs: List[CheckInput]
    """One a file, in the order given."""
    counts: CheckCounts
    findings: List[CheckFinding]
    changes: List[CheckChange]
    """What differs from the baseline, one a kernel and architecture, the worst first."""
    unused_rules: List[CheckUnusedRule]
    unchecked: Optional[List[CheckUnchecked]]
    """What was asked for and not checked."""
    older_code: Optional[List[CheckOlderCode]]
    """Kernels that were compiled for an older architecture than --arch asks for, and run there."""
    new_kernels: List[CheckNewKernel]
    gone_kernels: List[CheckGoneKernel]


class ComparisonEnvironment(Record):
    """Part of the tool's answer."""

    gpu: Optional[str]
    """Its name; null: no GPU took part."""
    processor: Optional[str]
    """Where there is no GPU."""
    architecture: Optional[str]
    """sm_90."""
    sms: Optional[int]
    """SMs."""
    memory_bytes: Optional[int]
    """Of the GPU."""
    driver: Optional[str]
    """The CUDA version that it supports."""
    toolkit: Optional[str]
    """The compiler."""


class ComparisonRun(Record):
    """Part of the tool's answer."""

    file: str
    """Where it was read."""
    number: int
    """In that file."""
    name: str
    """Of the tunable."""
    environment: int
    """Place in environments[], from 0."""
    host: str
    """Name of the machine."""
    started: str
    """UTC."""
    call: Optional[int]
    """Number of its latest call in that file: of two runs that with the higher is newer. null: the file does not
    number them."""
    version: str
    """Of launchbox."""
    command: str
    """The command line."""
    spec_hash: str
    """Of the spec."""
    task_hash: str
    """Of all in the spec that a result depends on."""
    source_hash: str
    """Of the sources."""
    objective: str
    """What was looked for: time, or another objective."""
    baseline: Optional[Dict[str, Union[bool, float, str]]]
    """What others are compared with."""


class ComparisonComparisonDifference(Record):
    """Part of the tool's answer."""

    what: str
    """GPU, driver, toolkit, task, source, ..."""
    a: Optional[str]
    b: Optional[str]


class ComparisonComparisonWorkloadWinnerA(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    median_ns_a: Optional[float]
    """In A."""
    median_ns_b: Optional[float]
    """In B."""
    over_best: Optional[float]
    """Its time in the other run over that of the fastest there; null: not measured there."""
    over_best_low: Optional[float]
    """Lower end."""
    over_best_high: Optional[float]
    """Upper end."""
    elements_per_second_a: Optional[float]
    """Elements of the workload over its time in A; only where that run's spec names them."""
    bytes_per_second_a: Optional[float]
    """Bytes of the workload over its time in A; only where that run's spec names them."""
    flops_per_second_a: Optional[float]
    """Floating-point operations of the workload over its time in A; only where that run's spec names them."""
    elements_per_second_b: Optional[float]
    """Elements of the workload over its time in B; only where that run's spec names them."""
    bytes_per_second_b: Optional[float]
    """Bytes of the workload over its time in B; only where that run's spec names them."""
    flops_per_second_b: Optional[float]
    """Floating-point operations of the workload over its time in B; only where that run's spec names them."""
    elsewhere: Optional[Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout',
                        'launch_error', 'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory',
                        'worker_died', 'device_lost']]]
    """Its status in the other run; null: not tried."""


class ComparisonComparisonWorkload(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    winner_a: Optional[ComparisonComparisonWorkloadWinnerA]
    """A's winner; null: nothing wins."""
    winner_b: Optional[ComparisonComparisonWorkloadWinnerA]
    """B's winner; null: nothing wins."""
    winner_move: Optional[Literal['equal', 'faster', 'slower', 'unclear']]
    """From A's winner to B's; null: there are not both."""
    ratio: Optional[float]
    """Time in B over time in A."""
    ratio_low: Optional[float]
    """Lower end of what the samples leave open."""
    ratio_high: Optional[float]
    """Upper end."""
    in_both: int
    """Candidates."""
    only_in_a: int
    """Candidates."""
    only_in_b: int
    """Candidates."""
    faster: int
    """Beyond noise."""
    slower: int
    """Beyond noise."""
    equal: int
    """Less than 1 % apart, or not beyond noise."""
    unclear: int
    """Too few samples to tell."""
    shared: int
    """Measured in both, with the code of another: not counted above."""
    expected_by_chance: float
    """So many, at most, would be faster or slower if nothing had moved."""
    median_ratio: Optional[float]
    """Of time in B over time in A; null: none was measured in both."""


class ComparisonComparison(Record):
    """Part of the tool's answer."""

    a: int
    """Place in runs[]: the first run."""
    b: int
    """Place in runs[]."""
    same_task: bool
    """Name and task are the same, as far as they are known."""
    same_machine: bool
    """GPU and processor are the same."""
    differences: List[ComparisonComparisonDifference]
    """Of environment, task and source."""
    workloads_only_in_a: List[Dict[str, Union[bool, float, str]]]
    """Not compared."""
    workloads_only_in_b: List[Dict[str, Union[bool, float, str]]]
    """Not compared."""
    workloads: List[ComparisonComparisonWorkload]
    """Those that both have."""


class ComparisonCandidate(Record):
    """Part of the tool's answer."""

    a: int
    """Place in runs[]."""
    b: int
    """Place in runs[]."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    status_a: Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout', 'launch_error',
                    'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died', 'device_lost']]
    """measured, or what became of it."""
    status_b: Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout', 'launch_error',
                    'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died', 'device_lost']]
    """measured, or what became of it."""
    move: Optional[Literal['equal', 'faster', 'slower', 'unclear']]
    """Of B against A, beyond noise; unclear: too few samples to tell; null: not measured in both."""
    median_ns_a: Optional[float]
    """Of its samples."""
    median_ns_b: Optional[float]
    """Of its samples."""
    ratio: Optional[float]
    """Time in B over time in A."""
    ratio_low: Optional[float]
    """Lower end of what the samples leave open."""
    ratio_high: Optional[float]
    """Upper end."""
    registers_a: Optional[int]
    """Per thread."""
    registers_b: Optional[int]
    """Per thread."""
    spill_bytes_a: Optional[int]
    """Stores and loads, per thread."""
    spill_bytes_b: Optional[int]
    """Stores and loads, per thread."""
    shared: bool
    """In both runs its samples are those of another with the same code."""


class Comparison(Report):
    """Recorded runs against the first of them: launchbox results --compare --format json. Times in nanoseconds unless
    the name says otherwise; null: not known."""

    schema: Literal['launchbox.comparison/1']
    environments: List[ComparisonEnvironment]
    """What results were measured with. Those of two are never compared."""
    runs: List[ComparisonRun]
    """One a task, source and environment, with the latest call that worked on it."""
    comparisons: List[ComparisonComparison]
    """One a further run."""
    candidates: List[ComparisonCandidate]
    """Those in both runs, the largest moves of a workload first."""
    problems: List[str]
    """What was left out of the files, one sentence each."""


class CompilersCompiler(Record):
    """Part of the tool's answer."""

    version: str
    """13.0.88; as the user wrote it where it did not run."""
    flags: Optional[str]
    """Of --flags; not given: there is none."""
    errors: List[str]


class CompilersKernelMade(Record):
    """null: this compiler did not make the kernel."""

    registers: Optional[int]
    """As in launchbox.kernels/2."""
    spill_store_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    spill_load_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    stack_frame_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    static_shared_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    barriers: Optional[int]
    """As in launchbox.kernels/2."""
    code_bytes: Optional[int]
    """As in launchbox.kernels/2."""


class CompilersKernel(Record):
    """Part of the tool's answer."""

    name: str
    """As the linker knows it, by the first compiler that made it."""
    short_name: str
    """For people."""
    architecture: str
    """sm_90a"""
    differs: bool
    """In registers, spills, stack, static shared memory or barriers."""
    made: List[CompilersKernelMade]
    """One for each compiler."""


class Compilers(Report):
    """What `launchbox inspect --nvcc A,B --format json` prints, and with several `--flags`."""

    schema: Literal['launchbox.compilers/1']
    compilers: List[CompilersCompiler]
    """In the order given."""
    kernels: List[CompilersKernel]
    """Those that differ first."""


class ConvergenceSeriesReached(Record):
    """Part of the tool's answer."""

    within: float
    """0.05: at most 5 % above the final best."""
    evaluation: Optional[int]
    """The first that was; null: nothing wins."""
    seconds: Optional[float]
    """Charged until then."""


class ConvergenceSeriesImprovement(Record):
    """Part of the tool's answer."""

    evaluation: int
    """Its number, from 1."""
    seconds: float
    """Charged until it was known."""
    median_ns: Optional[float]
    """Of one workload."""
    cost: Optional[float]
    """Of one workload, with an objective other than time: what candidates are ranked by."""
    score: Optional[float]
    """Over all workloads: more is better."""
    gap: Optional[float]
    """0.05: it takes 5 % longer than the final best, or costs 5 % more."""
    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""


class ConvergenceSeries(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    workload: Optional[Dict[str, Union[bool, float, str]]]
    """null: the score over all workloads."""
    evaluations: int
    """Candidates that were not rejected."""
    seconds: float
    """Compiling and measuring, one after the other."""
    reached: List[ConvergenceSeriesReached]
    """When the best so far was near the final best."""
    improvements: List[ConvergenceSeriesImprovement]
    """Each better than all before; the last is the final best."""


class Convergence(Report):
    """How fast recorded runs found their best: launchbox results --convergence --format json. Times in nanoseconds
    unless the name says otherwise; null: not known."""

    schema: Literal['launchbox.convergence/1']
    environments: List[ComparisonEnvironment]
    """What results were measured with. Those of two are never compared."""
    runs: List[ComparisonRun]
    """One a task, source and environment, with the latest call that worked on it."""
    series: List[ConvergenceSeries]
    """One a run and workload, and one over all workloads where there are several."""
    problems: List[str]
    """What was left out of the files, one sentence each."""


class DevicesGpuHardware(Record):
    """The hardware beside the SMs. null: neither the driver nor NVML reports it."""

    sm_clock_mhz: Optional[int]
    """The highest clock of the SMs."""
    memory_clock_mhz: Optional[int]
    """The highest clock of the memory."""
    memory_bus_bits: Optional[int]
    """Width of the bus to the memory."""
    l2_bytes: Optional[int]
    """The L2 cache."""
    free_memory_bytes: Optional[int]
    """Free when it was asked; of a run, when that began."""
    memory_gb_per_second: Optional[float]
    """What the memory could move at its highest clock: 2 × clock × bus / 8, in 10^9 bytes a second."""
    pci_bus: Optional[str]
    """Its PCI address, "0000:3b:00.0"."""


class DevicesGpu(Record):
    """Part of the tool's answer."""

    index: int
    """The CUDA device number."""
    name: str
    """The product."""
    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    sms: int
    """Streaming multiprocessors."""
    memory_bytes: int
    """Global memory, bytes."""
    threads_per_sm: int
    """Threads that one SM can hold."""
    blocks_per_sm: int
    """Blocks that one SM can hold."""
    registers_per_sm: int
    """32-bit registers."""
    registers_per_block: int
    """32-bit registers."""
    shared_per_sm: int
    """Bytes."""
    shared_per_block: int
    """Bytes without opting in."""
    shared_per_block_opt_in: int
    """Bytes after opting in."""
    reserved_shared_per_block: int
    """Bytes that the system reserves."""
    threads_per_block: int
    """Threads that one block can have."""
    block_dimensions: List[int]
    """Threads that one block can have in x, y, z."""
    grid_dimensions: List[int]
    """Blocks that one grid can have in x, y, z."""
    differences_from_table: List[str]
    """What the driver says and launchbox's table does not; one sentence each."""
    ecc: bool
    """Whether its memory corrects errors."""
    hardware: DevicesGpuHardware
    """The hardware beside the SMs. null: neither the driver nor NVML reports it."""


class DevicesComputeCapabilityGpu(Record):
    """Part of the tool's answer."""

    name: str
    sms: int
    """Streaming multiprocessors."""


class DevicesComputeCapability(Record):
    """Part of the tool's answer."""

    compute_capability: str
    """9.0"""
    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    threads_per_sm: int
    blocks_per_sm: int
    registers_per_sm: int
    """32-bit registers."""
    registers_per_block: int
    """32-bit registers."""
    registers_per_thread: int
    """The most that the compiler assigns."""
    register_unit: int
    """Registers in which a warp's are allocated."""
    sub_partitions: int
    """Of the SM's registers and warps."""
    shared_per_sm: int
    """Bytes."""
    shared_per_block: int
    """Bytes without opting in."""
    shared_per_block_opt_in: int
    """Bytes after opting in."""
    reserved_shared_per_block: int
    """Bytes that the system reserves."""
    shared_unit: int
    """Bytes in which shared memory is allocated."""
    shared_configurations: List[int]
    """Bytes that an SM can offer as shared memory, rising."""
    barriers_per_sm: Optional[int]
    """Named barriers; null: they do not limit."""
    portable_cluster: Optional[int]
    """Blocks in the largest cluster; 0: no clusters; null: unknown."""
    non_portable_cluster: Optional[int]
    """Blocks in the largest cluster after opting in; 0: no clusters; null: unknown."""
    threads_per_block: int
    """Threads that one block can have."""
    block_dimensions: List[int]
    """Threads that one block can have in x, y, z."""
    grid_dimensions: List[int]
    """Blocks that one grid can have in x, y, z."""
    gpus: List[DevicesComputeCapabilityGpu]
    """The GPUs of this compute capability that launchbox knows by name (docs/gpus.md)."""


class Devices(Report):
    """What `launchbox devices --format json` prints."""

    schema: Literal['launchbox.devices/1']
    driver_version: Optional[str]
    """The CUDA version that the driver supports; null without a driver."""
    reason: Optional[str]
    """Why there are no GPUs; null when there are."""
    gpus: List[DevicesGpu]
    """The GPUs of this machine, as the driver reports them. Sizes in bytes."""
    compute_capabilities: Optional[List[DevicesComputeCapability]]
    """Every compute capability known, with the limits of one SM; with --arch those that were named. Left out with
    --here."""


class DiffCounts(Record):
    """Of everything, whatever --top shows."""

    compared: int
    """Pairs of the same kernel and architecture."""
    worse: int
    """Pairs."""
    better: int
    """Pairs."""
    changed: int
    """Pairs that differ and are neither."""
    unchanged: int
    """Pairs in which every known figure is equal."""
    unchanged_with_other_code: int
    """Of these, pairs whose code differs."""
    unchanged_with_unknown_code: int
    """Of these, pairs whose code is not known on both sides."""
    not_comparable: int
    """Pairs whose registers are not known on both sides."""
    appeared: int
    """Kernels that are only in `after`."""
    vanished: int
    """Kernels that are only in `before`."""
    renamed: Optional[int]
    """Of compared: found again in a namespace that is renamed everywhere."""
    renumbered: Optional[int]
    """Of compared: matched without the hash or counter in their names, which changes from build to build."""
    copies_appeared: int
    """More copies of kernels that are in both."""
    copies_vanished: int
    """Fewer copies of kernels that are in both."""


class DiffFigures(Record):
    """null stands for unknown or not given."""

    threads: Optional[int]
    """Per block: --threads, or the launch bound."""
    resident_blocks: Optional[int]
    """Per SM."""
    occupancy: Optional[float]
    """0 to 1."""
    registers: Optional[int]
    """Per thread."""
    spill_store_bytes: Optional[int]
    """Per thread."""
    spill_load_bytes: Optional[int]
    """Per thread."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    min_spill_bytes: Optional[int]
    """Stores and loads together, at least."""
    stack_frame_bytes: Optional[int]
    """Per thread."""
    cumulative_stack_bytes: Optional[int]
    """Stack with the functions that it calls."""
    static_shared_bytes: Optional[int]
    """Per block."""
    barriers: Optional[int]
    """Highest named barrier + 1."""
    bound_threads: Optional[int]
    """First launch bound, its dimensions multiplied."""
    min_blocks: Optional[int]
    """Second launch bound."""
    code_bytes: Optional[int]
    """Of machine code."""
    code_hash: Optional[str]
    """Equal for equal code."""


class DiffChange(Record):
    """Part of the tool's answer."""

    verdict: Literal['worse', 'better', 'changed']
    decided_by: Literal['occupancy', 'spills', 'shared_spills', 'registers', 'stack', 'shared', 'barriers', 'bounds',
                        'code']
    """The first figure that differs."""
    copies: int
    """Pairs with exactly this change."""
    name: str
    """As the linker knows it (after, where it is on both sides)."""
    demangled: str
    """The name as C++ writes it."""
    short_name: str
    """Without return type, parameters and the like."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    before: DiffFigures
    """null stands for unknown or not given."""
    after: DiffFigures
    """null stands for unknown or not given."""


class DiffAppeared(Record):
    """Part of the tool's answer."""

    name: str
    """As the linker knows it (after, where it is on both sides)."""
    demangled: str
    """The name as C++ writes it."""
    short_name: str
    """Without return type, parameters and the like."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    figures: DiffFigures
    """null stands for unknown or not given."""


class Diff(Report):
    """What `launchbox inspect --diff NEW --format json` prints."""

    schema: Literal['launchbox.diff/1']
    before: List[CheckInput]
    """One a file, in the order given."""
    after: List[CheckInput]
    """One a file, in the order given."""
    counts: DiffCounts
    """Of everything, whatever --top shows."""
    not_shown: int
    """Entries that --top left out."""
    changes: List[DiffChange]
    """Worse, better, changed; each by the figure that decided, then the largest difference first."""
    appeared: List[DiffAppeared]
    """Only in `after`."""
    vanished: List[DiffAppeared]
    """Only in `before`."""


class KernelsInputDiagnosis(Record):
    """Part of the tool's answer."""

    id: Literal['host_reads_cuda_arch', 'launch_over_bound', 'launch_over_1024', 'launch_fails', 'launch_needs_opt_in',
                'launch_occupancy', 'maxrregcount_ignored', 'maxrregcount_overrides', 'maxrregcount_raised',
                'setmaxnreg_ignored', 'wgmma_serialised', 'performance_loss', 'no_kernel_waits', 'compiler_warning',
                'macro_never_defined', 'needs_nvlink']
    """Stable name, documented in docs/findings.md."""
    severity: Literal['note', 'warning', 'error']
    message: str
    """With the figure."""
    fix: str
    """What to do."""
    file: Optional[str]
    """Where it stands, as the user named the file; null: on no line."""
    line: Optional[int]
    """From 1; null: on no line."""


class KernelsInputMissing(Record):
    """Part of the tool's answer."""

    architecture: str
    """The one that was asked for."""
    name: str
    """As the linker knows it."""
    short_name: str
    there: List[str]
    """What there is code for; compute_80: PTX."""


class KernelsInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'folder', 'package', 'unreadable']
    kernels: int
    """How many were found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""
    errors: List[str]
    """What is wrong with it, the compiler's own messages first."""
    diagnoses: Optional[List[KernelsInputDiagnosis]]
    """Of a source, what is wrong with its launches, its use of __CUDA_ARCH__ and the compiler's flags, and what the
    compiler warns of."""
    missing: Optional[List[KernelsInputMissing]]
    """Kernels without code for an architecture that --arch asks for, nor other code that runs there."""


class KernelsSelection(Record):
    """What --spilling, --sort and --top chose."""

    spilling: bool
    """Only kernels that are known to spill are listed."""
    spills_unknown: int
    """Kernels whose spills the input does not contain; with --spilling they are not listed."""
    sorted_by: Optional[Literal['registers', 'spills', 'stack', 'shared', 'code', 'occupancy', 'name']]
    """null: in the order in which they were found."""
    not_shown: int
    """Kernels that --top left out."""


class KernelsKernelSource(Record):
    """Where it was found."""

    file: str
    """As the user gave it; - for standard input."""
    container: str
    """What kind of thing told: 'nvcc', 'ptxas log', 'nvlink log', 'cubin', 'ptx'; in a larger file also where it is,
    such as 'a.o: fatbin at byte 64 (.nv_fatbin)'."""
    entry: Optional[str]
    """The place in it, such as 'line 12'; null: there is none."""


class KernelsKernelSpillsBetween(Record):
    """Part of the tool's answer."""

    store_bytes: List[int]
    load_bytes: List[int]


class KernelsKernelSharedVariable(Record):
    """Part of the tool's answer."""

    name: str
    """As the linker knows it."""
    bytes: int


class KernelsKernelLinesTotal(Record):
    """Part of the tool's answer."""

    instructions: Optional[int]
    """With --lines=source alone."""
    memory_reads: Optional[int]
    """Instructions that load from global, shared or generic memory; atomics and asynchronous copies too. With
    --lines=source alone."""
    memory_writes: Optional[int]
    """Likewise, that store. With --lines=source alone."""
    spill_stores: int
    """Instructions."""
    spill_loads: int
    """Instructions."""
    spill_store_bytes: int
    """Per thread."""
    spill_load_bytes: int
    """Per thread."""
    shared_spill_store_bytes: int
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory."""
    shared_spill_load_bytes: int
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory."""
    live_registers: Optional[int]
    """The most at one of its instructions; with --lines=registers, and =source where there is an nvdisasm."""


class KernelsKernelLinesLineFrame(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    function: Optional[str]
    """As the linker knows it; null: the kernel itself, or not told."""


class KernelsKernelLinesLine(Record):
    """Part of the tool's answer."""

    instructions: Optional[int]
    """With --lines=source alone."""
    memory_reads: Optional[int]
    """Instructions that load from global, shared or generic memory; atomics and asynchronous copies too. With
    --lines=source alone."""
    memory_writes: Optional[int]
    """Likewise, that store. With --lines=source alone."""
    spill_stores: int
    """Instructions."""
    spill_loads: int
    """Instructions."""
    spill_store_bytes: int
    """Per thread."""
    spill_load_bytes: int
    """Per thread."""
    shared_spill_store_bytes: int
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory."""
    shared_spill_load_bytes: int
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory."""
    frames: List[KernelsKernelLinesLineFrame]
    """The line itself, then the calls that it was inlined by. Empty: code without a line."""
    live_registers: Optional[int]
    """The most at one of its instructions; with --lines=registers, and =source where there is an nvdisasm."""


class KernelsKernelLines(Record):
    """With --lines, and read from a cubin: what the lines of the source spill. The sums are the image's own figures,
    with those of functions kept apart from their kernel."""

    told: bool
    """Whether the image has line information."""
    all_spills: bool
    """false: the image lists a part of its spills, and these are that part."""
    total: KernelsKernelLinesTotal
    lines: List[KernelsKernelLinesLine]
    """Most spilled bytes first; with --lines=registers and =source all lines of the code, as they are numbered."""


class KernelsKernelCodeMix(Record):
    """Part of the tool's answer."""

    integer: int
    float16: int
    float32: int
    float64: int
    tensor: int
    special: int
    conversion: int
    move: int
    memory: int
    constant: int
    barrier: int
    control: int
    other: int


class KernelsKernelCodeMemoryFrame(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    function: Optional[str]


class KernelsKernelCodeMemory(Record):
    """Part of the tool's answer."""

    space: Literal['global', 'shared', 'local', 'generic', 'texture', 'tensor']
    access: Literal['load', 'store', 'atomic', 'copy']
    bytes: Optional[int]
    """Of one instruction, a thread; null: its name does not show it."""
    loop_depth: int
    """An estimate."""
    instructions: int
    frames: List[KernelsKernelCodeMemoryFrame]


class KernelsKernelCode(Record):
    """Part of the tool's answer."""

    problem: Optional[str]
    instructions: Optional[int]
    mix: Optional[KernelsKernelCodeMix]
    barriers: Optional[int]
    """Of the block."""
    loops: Optional[int]
    """An estimate: places that branches go back to."""
    deepest_loop: Optional[int]
    waits_for_grid: Optional[bool]
    """griddepcontrol.wait, cudaGridDependencySynchronize()."""
    lets_next_grid_begin: Optional[bool]
    """griddepcontrol.launch_dependents."""
    memory: Optional[List[KernelsKernelCodeMemory]]
    """Loads and stores of one line that are alike; most deeply in loops first."""
    not_known: Optional[List[str]]
    """Names of instructions that are counted as other."""


class KernelsKernelRegisterPressureToSave(Record):
    """Part of the tool's answer."""

    registers: int
    """To save."""
    resident_blocks: int
    """On an SM, afterwards."""
    live_at_most: int
    """An estimate: the registers that hold nothing at the peak stay as many as they are."""
    lines: int
    """With more live registers than that."""


class KernelsKernelRegisterPressureLiveAtPeak(Record):
    """Part of the tool's answer."""

    registers: int
    frames: List[KernelsKernelLinesLineFrame]
    """The line itself, then the calls that it was inlined by. Empty: code without a line."""


class KernelsKernelRegisterPressure(Record):
    """Part of the tool's answer."""

    problem: Optional[str]
    live_registers: Optional[int]
    """The most at one instruction."""
    live_uniform_registers: Optional[int]
    """The most at one instruction."""
    live_predicates: Optional[int]
    """The most at one instruction."""
    highest_register: Optional[int]
    """The highest general register that is used; -1: none."""
    peak_at_byte: Optional[int]
    """Of the kernel's code, the first instruction with that many."""
    decoded_by: Optional[Literal['launchbox', 'nvdisasm']]
    exact: Optional[bool]
    """false: doubt says why the figures are approximate."""
    doubt: Optional[str]
    to_save: Optional[KernelsKernelRegisterPressureToSave]
    """Fewer registers with which more blocks are resident, and what that asks of the code; null: registers alone do
    not get there, or what is live or on which lines is not known."""
    live_at_peak: Optional[List[KernelsKernelRegisterPressureLiveAtPeak]]
    """The general registers that are live there, by the line on which they were written; most registers first."""


class KernelsKernelCallee(Record):
    """Part of the tool's answer."""

    name: str
    """Mangled."""
    stack_frame_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    spill_store_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    spill_load_bytes: Optional[int]
    """Bytes per thread; null: unknown."""


class KernelsAccount(Record):
    """The occupancy of one launch on one architecture."""

    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    gpu: Optional[str]
    """The GPU that --arch named; null: an architecture was named."""
    sms: Optional[int]
    """Streaming multiprocessors of the GPU; null: not known."""
    mode: Literal['driver', 'spreadsheet']
    """driver: what the GPU does; spreadsheet: what NVIDIA's retired spreadsheet says."""
    kernel: OccupancyAccountKernel
    """What one kernel uses."""
    shape: OccupancyAccountShape
    """How it is launched."""
    at_most: Optional[bool]
    """True: the kernel has shared memory of unknown size, which is not counted; the figures are the most that can be
    resident."""
    resident_blocks: int
    """Blocks on one SM at once; 0: the block cannot be launched."""
    resident_warps: int
    """Warps on one SM at once."""
    warp_slots: int
    """Warps that one SM can hold."""
    occupancy: float
    """resident_warps / warp_slots."""
    obstacle: Optional[str]
    """Why the block cannot be launched; null: it can."""
    limits: OccupancyAccountLimits
    """One limit a resource."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty when something other than a resource forbids the
    launch."""
    thresholds: List[OccupancyAllowance]
    """Per resource, what one block more would need; empty when the block slots are all in use."""
    slack: List[OccupancyAllowance]
    """Per resource, how far it can go before a block is lost; empty when no block is resident."""
    next_step: Optional[OccupancyAccountNextStep]
    """The smallest change that makes more warps resident; null: there is none."""
    grid_obstacle: Optional[str]
    """Why no grid of this size can be launched; null: it can, or there is none."""
    waves: Optional[OccupancyAccountWaves]
    """The grid on the whole GPU; null unless grid and SMs were given and a block is resident."""
    clusters: Optional[OccupancyAccountClusters]
    """An estimate of the resident clusters of the whole GPU; null unless clusters were asked for."""
    notes: List[str]
    """What the reader must know besides."""
    curves: Optional[OccupancyAccountCurves]
    """On request: resident warps as one quantity varies."""


class KernelsKernelDiagnosis(Record):
    """Part of the tool's answer."""

    id: Literal['bound_ignored', 'bound_over_1024', 'bound_bought_nothing', 'one_argument_collapse',
                'spills_from_bound', 'spills', 'spills_unknown', 'never_launches', 'debug_build', 'local_array',
                'printf_arguments', 'stack_unbounded', 'needs_nvlink', 'setmaxnreg_ignored', 'printf_arguments',
                'wgmma_serialised', 'callee_over_register_limit', 'performance_loss', 'never_waits']
    """Stable name, documented in docs/findings.md."""
    severity: Literal['note', 'warning', 'error']
    message: str
    """With the figure."""
    fix: str
    """What to do."""


class KernelsKernel(Record):
    """One kernel for one architecture. null stands for unknown, never for 0."""

    name: str
    """As the linker knows it. Control characters and bytes that are not UTF-8 appear as \\xNN."""
    demangled: str
    """The name as C++ writes it."""
    short_name: str
    """Without return type, parameters and the like."""
    architecture: Optional[str]
    """sm_90; null: not in the input."""
    runs_on: Optional[str]
    """The architecture that --arch asks for, where this code is for an older one and runs there; occupancy is that of
    this one. null: it is for what was asked."""
    source: KernelsKernelSource
    """Where it was found."""
    registers: Optional[int]
    """Per thread; null: unknown."""
    spill_store_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    spill_load_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    spills_between: Optional[KernelsKernelSpillsBetween]
    """Where the list of spills in the image is cut off: at least and at most; null: the exact figures, or nothing, are
    known."""
    stack_frame_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    cumulative_stack_bytes: Optional[int]
    """Bytes per thread with all functions called; null: unknown."""
    static_shared_bytes: Optional[int]
    """Bytes per block, without the system's reserve; null: unknown."""
    shared_variables: Optional[List[KernelsKernelSharedVariable]]
    """Static shared memory by variable, the largest first; from PTX: not given where there is none."""
    reserved_shared_bytes: Optional[int]
    """Bytes per block that the system reserves; null: unknown."""
    uses_dynamic_shared: Optional[bool]
    """Whether it uses extern __shared__ memory, or may; null: not in the input."""
    dynamic_shared_bytes: Optional[int]
    """Of a launch, by --dynamic-shared or Triton's metadata; null: not told."""
    constant_bytes: Optional[Dict[str, int]]
    """Bytes by constant bank; null: unknown."""
    parameter_bytes: Optional[int]
    """Bytes of the kernel's parameters; null: unknown."""
    barriers: Optional[int]
    """Named barriers, highest used + 1; null: unknown."""
    max_threads: Optional[List[int]]
    """First launch bound [x, y, z]; null: unknown or not given."""
    required_threads: Optional[List[int]]
    """Exact block size [x, y, z]; null: unknown or not given."""
    min_blocks: Optional[int]
    """Second launch bound; null: unknown or not given."""
    min_blocks_inferred: bool
    """min_blocks is not read but concluded from the register cap."""
    register_cap: Optional[int]
    """What the compiler limited registers to, 255: nothing; null: unknown."""
    requested_max_registers: Optional[int]
    """__maxnreg__; null: unknown or not given."""
    maxrregcount: Optional[int]
    """-maxrregcount, where ptxas -v says that it counts for this kernel; null: it does not say so."""
    outranks_maxrregcount: Optional[int]
    """-maxrregcount, where ptxas -v shows that a bound of the kernel counts instead; null: it does not."""
    cluster: Optional[List[int]]
    """Blocks in a cluster [x, y, z]; null: unknown or not given."""
    max_cluster_blocks: Optional[int]
    """Third launch bound; null: unknown or not given."""
    code_bytes: Optional[int]
    """Bytes of machine code; null: unknown."""
    code_hash: Optional[str]
    """Of the machine code: equal for equal code; null: not calculated."""
    toolkit: Optional[str]
    """CUDA version of the compiler that made the code; null: not told."""
    virtual_architecture: Optional[str]
    """What the code was compiled from: compute_80; null: not told."""
    optimisation: Optional[Literal['full', 'reduced', 'fast_compile', 'none', 'debug']]
    """How far the compiler optimised: full as by default, reduced with -Xptxas -O1, fast_compile with -Ofast-compile,
    none with -Xptxas -O0, debug with -G; null: not known."""
    features: List[str]
    """What the code uses; see docs/inputs.md."""
    written_at: AdviceKernelMaybeLaunched
    """Where the kernel is written, from line information (-lineinfo); null: not told."""
    lines: Optional[KernelsKernelLines]
    """With --lines, and read from a cubin: what the lines of the source spill. The sums are the image's own figures,
    with those of functions kept apart from their kernel."""
    code: Optional[KernelsKernelCode]
    """With --lines=memory: what the instructions of the kernel's own code do, each counted once, as their names in
    nvdisasm tell."""
    register_pressure: Optional[KernelsKernelRegisterPressure]
    """With --lines=registers or =source: registers that hold values that are still needed, by the tool's own decoder,
    or where it does not know the code by nvdisasm."""
    relocatable: bool
    """Compiled with -rdc: registers and stack are final only after nvlink."""
    linked: bool
    """The figures are nvlink's."""
    stack_unbounded: bool
    """The compiler cannot determine the stack size."""
    callees: List[KernelsKernelCallee]
    """Device functions that the compiler kept apart."""
    occupancy: Optional[KernelsAccount]
    """As a result of launchbox.occupancy/1; null when threads, registers or architecture are not known."""
    diagnoses: List[KernelsKernelDiagnosis]
    """What the figures show to be wrong."""
    warnings: List[str]
    """The compiler's own warnings about this kernel."""


class Kernels(Report):
    """What `launchbox inspect --format json` prints."""

    schema: Literal['launchbox.kernels/2']
    inputs: List[KernelsInput]
    """One a file, in the order given."""
    selection: KernelsSelection
    """What --spilling, --sort and --top chose."""
    kernels: List[KernelsKernel]
    """One a kernel and architecture."""


class LaunchesGpu(Record):
    """Part of the tool's answer."""

    name: str
    architecture: str
    sms: int


class LaunchesProcess(Record):
    """Part of the tool's answer."""

    process: int
    command: List[str]
    ended: bool
    """By itself, with everything written."""
    launches: int
    kernel_ns: float


class LaunchesKernelOccupancy(Record):
    """Part of the tool's answer."""

    resident_blocks: int
    resident_warps: int
    occupancy: float
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]


class LaunchesKernelWaves(Record):
    """Part of the tool's answer."""

    waves: float
    blocks_per_wave: int
    tail_blocks: int
    efficiency: float


class LaunchesKernelFinding(Record):
    """Part of the tool's answer."""

    id: Literal['small_grid', 'tail', 'partial_warp', 'block_slots', 'low_occupancy', 'debug_build', 'spills']
    text: str
    verb: Literal['bounds', 'inspect', 'suggest', 'tune']
    step: str
    max_gain_ns: Optional[float]
    """What could be gained at most; null: not known."""


class LaunchesKernel(Record):
    """Part of the tool's answer."""

    name: str
    """The mangled name."""
    demangled: str
    gpu: Optional[int]
    """Index into gpus; null: not known."""
    grid: List[int]
    block: List[int]
    cluster: Optional[List[int]]
    """Blocks; null: launched without clusters."""
    dynamic_shared_bytes: int
    carveout_percent: Optional[int]
    """null: none was asked for."""
    cooperative: Optional[bool]
    """Launched by cuLaunchCooperativeKernel or with the attribute, or such a node of a graph. null: CUPTI does not
    report it for nodes within a child graph, and the program has cooperative nodes."""
    extended: bool
    """Not cooperative, and launched with attributes (cuLaunchKernelEx)."""
    in_graph: bool
    processes: int
    """Processes that launched it."""
    launches: int
    total_ns: float
    median_ns: float
    median_of_sample: bool
    """The median is that of a random sample of the launches."""
    min_ns: float
    max_ns: float
    from_image: bool
    """The figures below are those of the module that was loaded; else CUPTI's."""
    image_unknown: Optional[str]
    """Why they are not."""
    architecture: Optional[str]
    registers: Optional[int]
    spill_store_bytes: Optional[int]
    spill_load_bytes: Optional[int]
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    optimisation: Optional[Literal['full', 'reduced', 'fast_compile', 'none', 'debug']]
    """As in launchbox.kernels/2; null: not known."""
    stack_frame_bytes: Optional[int]
    static_shared_bytes: Optional[int]
    barriers: Optional[int]
    max_threads: Optional[List[int]]
    min_blocks: Optional[int]
    occupancy: LaunchesKernelOccupancy
    waves: LaunchesKernelWaves
    sms_used: Optional[int]
    """Where the grid has fewer blocks than the GPU has SMs."""
    findings: List[LaunchesKernelFinding]


class Launches(Report):
    """What `launchbox capture --format json` prints."""

    schema: Literal['launchbox.launches/1']
    command: List[str]
    status: int
    """The program's, as shells have it."""
    signal: Optional[int]
    """The signal that ended the program; null: none."""
    seconds: float
    """Wall time of the program."""
    cupti_version: Optional[int]
    driver_version: Optional[int]
    """CUDA version x 1000."""
    gpus: List[LaunchesGpu]
    processes: List[LaunchesProcess]
    unobserved_processes: int
    """That used CUDA and were not followed."""
    launches: int
    unfinished_launches: int
    """Not over when their process ended; in no other figure."""
    kernel_ns: float
    span_ns: float
    kernels: List[LaunchesKernel]
    warnings: List[str]


class MapAxis(Record):
    """Part of the tool's answer."""

    name: str
    """As the spec or the record has it."""
    of: Literal['parameters', 'workload', 'record']


class MapMapSectionWinner(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    median_ns: Optional[float]
    """null: several workloads together have no time."""
    share: float
    """Of the speed of the fastest that may win: 1 is the fastest."""


class MapNoise(Record):
    """Half of each interval over its median, of the fastest and of those that the samples do not separate it from."""

    least: float
    """0.15: ± 15 %."""
    most: float
    gap: float
    """From the fastest to the next, by their medians."""


class MapMapSection(Record):
    """Part of the tool's answer."""

    at: Dict[str, Union[bool, float, str]]
    """Values of axes that are not parameters."""
    workloads: int
    """Of all kernels and GPUs in it. With several, shares are weighted geometric means."""
    winner: Optional[MapMapSectionWinner]
    """null: nothing wins."""
    next: Optional[MapMapSectionWinner]
    """The next with other code."""
    noise: Optional[MapNoise]
    """Why nothing wins: the samples cannot decide."""
    incomplete: int
    """Candidates that were measured on some of several workloads, and not on all."""
    verdict: str
    """One sentence."""


class MapMap(Record):
    """Part of the tool's answer."""

    by: Dict[str, Union[bool, float, str]]
    """Its values of by[]; what these results do not have is not there."""
    runs: List[int]
    """The records with a result here."""
    unit: Optional[Literal['ms', 'elements/s', 'GB/s', 'GFLOP/s', 'share']]
    """In which people see it; null: what was asked for is not known here."""
    values: List[List[Union[bool, float, str]]]
    """Of each axis."""
    sections: List[MapMapSection]
    """All that is compared with each other: one, unless an axis is not a parameter."""
    cells: int
    """How many of cells[] are its."""
    unplaced: int
    """Results without a value for an axis."""
    replaced: int
    """Results that were measured again later: the newest counts."""


class MapCell(Record):
    """Part of the tool's answer."""

    map: int
    """Place in maps[], from 0."""
    section: int
    """Place in its sections[], from 0."""
    at: Dict[str, Union[bool, float, str]]
    """Its values of the axes."""
    status: Union[Literal['measured', 'incomplete'], Literal['rejected', 'compile_error', 'compile_timeout',
                  'launch_error', 'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died',
                  'device_lost']]
    """incomplete: measured on some of several workloads. Else the most frequent failure, where nothing was
    measured."""
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """The winner, or else the fastest of the cell that may win, or else the fastest; null: nothing was measured."""
    median_ns: Optional[float]
    """null: several workloads together have no time."""
    low_ns: Optional[float]
    """Lower end of its interval."""
    high_ns: Optional[float]
    """Upper end."""
    share: Optional[float]
    """Of the speed of the fastest that may win. Above 1: faster than that, but it cannot win."""
    share_low: Optional[float]
    """Lower end of what its own samples leave open."""
    share_high: Optional[float]
    """Upper end."""
    elements_per_second: Optional[float]
    """Elements of the workload over its median; only where the spec names them; null: not known."""
    bytes_per_second: Optional[float]
    """Bytes of the workload over its median; only where the spec names them; null: not known."""
    flops_per_second: Optional[float]
    """Floating-point operations of the workload over its median; only where the spec names them; null: not known."""
    is_winner: bool
    """It is what to use."""
    equals_best: bool
    """Its interval overlaps that of the fastest, which it is not."""
    noisy: bool
    """Its interval is ± 5 % or more."""
    may_win: bool
    """It was measured completely and, if outputs were verified at all, verified."""
    stopped_early: bool
    """Clearly slower: fewer samples than usual."""
    candidates: int
    """In the cell, those that failed included."""
    measured: int
    """On all workloads of the section."""
    failures: Dict[str, int]
    """By status: how many candidates."""
    reason: Optional[str]
    """An example of the most frequent failure, where nothing was measured."""


class MapEverywhere(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    mean_loss: float
    """Geometric mean of the losses: 0.03 takes 3 % longer."""
    worst_loss: float
    """The largest."""
    worst_map: int
    """Where that is: place in maps[]."""
    losses: List[float]
    """One a map: 0.03 takes 3 % longer than its fastest."""


class Map(Report):
    """The best candidate for each value of one or two parameters, or for each type, size and GPU: launchbox results
    --map or --by, with --format json. Times in nanoseconds; null: not known."""

    schema: Literal['launchbox.map/1']
    environments: List[ComparisonEnvironment]
    """What results were measured with. Those of two are never compared."""
    runs: List[ComparisonRun]
    """The records, the oldest first."""
    axes: List[MapAxis]
    """What is across, and what is down; empty: each map is one cell."""
    by: List[MapAxis]
    """What distinguishes the maps."""
    maps: List[MapMap]
    """One for each combination of values of by[]."""
    cells: List[MapCell]
    """Those of which something is known, map by map and row by row."""
    everywhere: Optional[MapEverywhere]
    """Without axes: the one candidate to use in all maps; null: none may win in all of them."""
    problems: List[str]
    """What was left out of the files, one sentence each."""


class OccupanciesColumns(Record):
    """The figures."""

    architecture: List[str]
    """Architecture: sm_90, sm_90a, sm_100f."""
    resident_blocks: List[int]
    """Blocks on one SM at once; 0: the block cannot be launched."""
    resident_warps: List[int]
    """Warps on one SM at once."""
    warp_slots: List[int]
    """Warps that an SM can hold."""
    occupancy: List[float]
    """Resident warps over warp slots, 0 to 1."""
    limit_warps: List[Optional[int]]
    """Blocks per SM that this resource allows; null: it does not limit."""
    limit_blocks: List[Optional[int]]
    """Blocks per SM that this resource allows; null: it does not limit."""
    limit_registers: List[Optional[int]]
    """Blocks per SM that this resource allows; null: it does not limit."""
    limit_shared: List[Optional[int]]
    """Blocks per SM that this resource allows; null: it does not limit."""
    limit_barriers: List[Optional[int]]
    """Blocks per SM that this resource allows; null: it does not limit."""
    limiters: List[Optional[str]]
    """The resources whose limit equals the result, separated by spaces; null: none."""
    obstacle: List[Optional[str]]
    """Why the block cannot be launched; null: it can."""


class Occupancies(Report):
    """What `launchbox occupancy --questions FILE --format json` prints: each figure as an array with an element a
    launch, in the order of the questions. They are those of launchbox.occupancy/1."""

    schema: Literal['launchbox.occupancies/1']
    launches: int
    """How many there are: the length of each array."""
    columns: OccupanciesColumns
    """The figures."""


class PortabilityGpu(Record):
    """Part of the tool's answer."""

    name: str
    """The GPU, else the processor, else the record's file."""
    architecture: Optional[str]
    """sm_90."""
    runs: List[int]
    """Places in `runs`."""
    candidates: int
    """Measured on all workloads."""
    best: Dict[str, Any]
    """The winner, else the fastest candidate that may win."""
    best_ns: Optional[float]
    """Its time; null with several workloads."""
    baseline_ns: Optional[float]
    """The time of the spec's baseline; null with several workloads, or where it was not measured."""


class PortabilityBaseline(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Any]
    """The candidate."""
    shares: List[Optional[float]]
    """One for each of `gpus`."""
    worst_share: Optional[float]
    """null: not measured on every GPU."""
    mean_share: Optional[float]
    """Geometric; null: not measured on every GPU."""


class PortabilitySetRow(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Any]
    """The candidate."""
    gpus: List[int]
    """Places in `gpus` of those that take this row."""
    losses: List[float]
    """One for each of them."""


class PortabilitySet(Record):
    """Part of the tool's answer."""

    rows: List[PortabilitySetRow]
    worst_loss: float
    worst_gpu: int
    """Place in `gpus`."""
    mean_loss: float
    """Geometric."""


class PortabilityRow(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Any]
    """The candidate."""
    shares: List[Optional[float]]
    """One for each of `gpus`."""
    worst_share: Optional[float]
    """null: not measured on every GPU."""
    mean_share: Optional[float]
    """Geometric; null: not measured on every GPU."""


class Portability(Report):
    """The same candidates on several GPUs, and how few rows are enough for all: launchbox results --portable with
    --format json. A share is the time of the GPU's best over that of the candidate, 0 to 1; with several workloads the
    weighted geometric mean. A loss is 1 / share - 1. Times in nanoseconds; null: not known."""

    schema: Literal['launchbox.portability/1']
    environments: List[ComparisonEnvironment]
    """What results were measured with. Those of two are never compared."""
    runs: List[ComparisonRun]
    """The records, the oldest first."""
    gpus: List[PortabilityGpu]
    """In the order of their files."""
    baseline: Optional[PortabilityBaseline]
    """The spec's baseline; null: the records have none, or different ones."""
    within: float
    """The loss that is accepted: 0.02 for 2 %."""
    smallest: Optional[int]
    """Place in `sets` of the first with which no GPU loses more."""
    exact: bool
    """False for more than 12 GPUs: better sets may exist."""
    sets: List[PortabilitySet]
    """The best worst case with one row, with two, and so on, until more rows gain nothing."""
    rows: List[PortabilityRow]
    """Every candidate: first those that were measured on every GPU, the best worst case first."""
    problems: List[str]
    """What was left out of the files, one sentence each."""


class RegisterLimitsResultBound(Record):
    """Part of the tool's answer."""

    min_blocks: int
    """The second launch bound."""
    verdict: Literal['honoured', 'threads_not_positive', 'too_many_threads', 'too_many_blocks', 'too_many_warps_per_sm']
    """What ptxas does: it honours the bound, or ignores min_blocks because the SM has too few threads, block slots or
    warp slots."""
    register_limit: Optional[int]
    """Registers per thread at most; null: ptxas ignores min_blocks and chooses as for the threads alone."""
    occupancy: Optional[float]
    """Warps of min_blocks blocks over the warp slots of the SM; null: ptxas ignores min_blocks."""


class RegisterLimitsResult(Record):
    """Part of the tool's answer."""

    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    gpu: Optional[str]
    """The GPU that --arch named; null: an architecture was named."""
    threads: int
    """The first launch bound: threads per block."""
    max_min_blocks: int
    """The largest min_blocks that ptxas honours with these threads; 0: none."""
    bounds: List[RegisterLimitsResultBound]
    """Those that --min-blocks named, else each that ptxas honours."""


class RegisterLimits(Report):
    """What `launchbox bounds --format json` prints without a source."""

    schema: Literal['launchbox.register_limits/1']
    results: List[RegisterLimitsResult]
    """One a block size and chip."""


class ResultsRun(Record):
    """Part of the tool's answer."""

    file: str
    """Where it was read."""
    number: int
    """In that file."""
    name: str
    """Of the tunable."""
    environment: int
    """Place in environments[], from 0."""
    host: str
    """Name of the machine."""
    started: str
    """UTC."""
    call: Optional[int]
    """Number of its latest call in that file: of two runs that with the higher is newer. null: the file does not
    number them."""
    version: str
    """Of launchbox."""
    command: str
    """The command line."""
    spec_hash: str
    """Of the spec."""
    task_hash: str
    """Of all in the spec that a result depends on."""
    source_hash: str
    """Of the sources."""
    baseline: Optional[Dict[str, Union[bool, float, str]]]
    """What others are compared with."""
    spec: Optional[str]
    """With --samples: its text."""
    objective: str
    """What was looked for: time; energy; time, energy*2; max p99 where power <= 500. Costs, gains and the winner are
    by it."""


class ResultsBest(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    weight: float
    """Of the workload."""
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """The winner; null: nothing may win."""
    median_ns: Optional[float]
    """The winner's."""
    elements_per_second: Optional[float]
    """Elements of the workload over the winner's median; only where the spec names them; null: not known."""
    bytes_per_second: Optional[float]
    """Bytes of the workload over the winner's median; only where the spec names them; null: not known."""
    flops_per_second: Optional[float]
    """Floating-point operations of the workload over the winner's median; only where the spec names them; null: not
    known."""
    speed_up: Optional[float]
    """The baseline's time over the winner's."""
    speed_up_low: Optional[float]
    """Lower end of what the samples leave open."""
    speed_up_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """The baseline wins."""
    raced: bool
    """A final race decided."""
    equal_within: Optional[float]
    """Another is equal to it within this part (0.004: 0.4 %); null: none is."""
    chosen_among: int
    """So many are as fast as the fastest; 1: no other, or nothing is decided."""
    chosen_by: Optional[Literal['baseline', 'fewer_registers', 'smaller_block', 'smaller_values']]
    """Why this one of them; null: there was no choice. The baseline stays; else fewer registers, then a smaller block,
    then smaller values of parameters."""
    noise: Optional[MapNoise]
    """Why nothing wins: the samples cannot decide; null: they can."""
    verdict: str
    """One sentence."""
    measured: int
    """Candidates."""
    failures: Dict[str, int]
    """By status: how many candidates."""


class ResultsOverallCandidateSpeed(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    speed_up: Optional[float]
    """Over the reference of the workload."""
    speed_up_low: Optional[float]
    """Lower end."""
    speed_up_high: Optional[float]
    """Upper end."""


class ResultsOverallCandidate(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    score: Optional[float]
    """Weighted geometric mean of the speed-ups."""
    score_low: Optional[float]
    """Lower end of what the samples leave open."""
    score_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """It is the baseline."""
    same_as: Optional[Dict[str, Union[bool, float, str]]]
    """The first candidate that has its code on every workload."""
    worst: Dict[str, Union[bool, float, str]]
    """The workload with the least speed-up."""
    speeds: List[ResultsOverallCandidateSpeed]
    """One a workload."""


class ResultsOverall(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    over_baseline: bool
    """Scores are over the baseline; else over the fastest of each workload."""
    workloads: int
    """How many."""
    incomplete: int
    """Candidates without a score: not measured to the end on all workloads."""
    winner: Optional[Dict[str, Union[bool, float, str]]]
    """The one to use on all workloads: the best, or the baseline where that is not known to be slower; null: there is
    none."""
    noise: Optional[MapNoise]
    """Why nothing wins: the samples cannot decide; null: they can."""
    verdict: str
    """One sentence."""
    candidates: List[ResultsOverallCandidate]
    """The best first."""


class ResultsDeviceHardware(Record):
    """What the GPU is built of beside its SMs; null: not known, as in old records."""

    sm_clock_mhz: Optional[int]
    """The highest clock of the SMs."""
    memory_clock_mhz: Optional[int]
    """The highest clock of the memory."""
    memory_bus_bits: Optional[int]
    """Width of the bus to the memory."""
    l2_bytes: Optional[int]
    """The L2 cache."""
    free_memory_bytes: Optional[int]
    """Free when it was asked; of a run, when that began."""
    memory_gb_per_second: Optional[float]
    """What the memory could move at its highest clock: 2 × clock × bus / 8, in 10^9 bytes a second."""
    pci_bus: Optional[str]
    """Its PCI address, "0000:3b:00.0"."""


class ResultsDevice(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    name: str
    """That of no other GPU of the run: "GPU 1", "rank 3 (node7, GPU 1)"."""
    host: str
    uuid: str
    """As the driver has it; empty: unknown."""
    ecc: Optional[bool]
    """Whether its memory corrects errors."""
    hardware: Optional[ResultsDeviceHardware]
    """What the GPU is built of beside its SMs; null: not known, as in old records."""
    calibration_ns: List[float]
    """Samples of the reference, which all GPUs of the run have timed."""
    state: Optional[Dict[str, Any]]
    """The GPU while it timed them, as candidates[].device."""
    measured: int
    failed: int
    busy_seconds: float
    """Spent measuring."""
    seconds: float
    """The whole search."""
    lost: str
    """Why it was left out; empty: it was not."""


class ResultsRaceEntry(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    median_ns: float
    """Of the race's samples."""
    samples: int
    """How many."""
    result_median_ns: Optional[float]
    """Median of the result that brought it into the race; null: not known."""
    samples_ns: Optional[List[float]]
    """With --samples: nanoseconds, in the order in which they were taken."""


class ResultsRace(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    verdict: Literal['winner', 'equal']
    """equal: the first is not separated from the second."""
    equal_within: float
    """With equal: the part within which."""
    counts: bool
    """It decides on the winner. false: results have come or changed since, from which it was not drawn."""
    entries: List[ResultsRaceEntry]
    """The fastest first."""


class ResultsCandidateResources(Record):
    """Part of the tool's answer."""

    name: str
    """As the linker knows it."""
    architecture: str
    """sm_90."""
    registers: Optional[int]
    """Per thread."""
    spill_store_bytes: Optional[int]
    """Per thread."""
    spill_load_bytes: Optional[int]
    """Per thread."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    stack_frame_bytes: Optional[int]
    """Per thread."""
    static_shared_bytes: Optional[int]
    """Per block."""
    barriers: Optional[int]
    """Named barriers."""
    max_threads: Optional[List[int]]
    """x, y, z."""
    required_threads: Optional[List[int]]
    """x, y, z."""
    min_blocks: Optional[int]
    """Second launch bound."""
    register_cap: Optional[int]
    """What the compiler limited registers to."""
    code_bytes: Optional[int]
    """Machine code."""
    launch_threads: Optional[int]
    """Threads of a block in its launches."""


class ResultsCandidatePhaseSeconds(Record):
    """Where `seconds` went, in seconds; absent where it is not known."""

    reference: Optional[float]
    """Waited for the program of [verify], which writes what is right. Absent in older results, where it is a part of
    prepare."""
    load: float
    """Its module."""
    prepare: float
    """Buffers filled, restored and poisoned; the reference uploaded."""
    verify: float
    """The first launch, and its outputs compared."""
    time: float
    """The timed launches."""
    check: float
    """Outputs, inputs and guards after them."""


class ResultsCandidateDevice(Record):
    """Part of the tool's answer."""

    sm_clock_mhz: Optional[int]
    """SM clock."""
    memory_clock_mhz: Optional[int]
    """Memory clock."""
    temperature_celsius: Optional[int]
    """Temperature."""
    power_milliwatts: Optional[int]
    """Power."""
    throttling: str
    """Why it was throttled; empty: it was not, or that is not known."""


class ResultsCandidate(Record):
    """Part of the tool's answer."""

    run: int
    """Place in runs[], from 0."""
    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    weight: float
    """Of the workload."""
    elements: Optional[float]
    """Elements of the workload, where the spec names them."""
    bytes: Optional[float]
    """Bytes of the workload, where the spec names them."""
    flops: Optional[float]
    """Floating-point operations of the workload, where the spec names them."""
    status: Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout', 'launch_error',
                  'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died', 'device_lost']]
    """measured, or what became of it."""
    reason: Optional[str]
    """Why it was not measured."""
    rank: Optional[int]
    """Among the measured of its run and workload, from 1."""
    median_ns: Optional[float]
    """Of the samples."""
    low_ns: Optional[float]
    """Lower end of the median's interval (95 %)."""
    high_ns: Optional[float]
    """Upper end."""
    elements_per_second: Optional[float]
    """Elements of the workload over its median; only where the spec names them; null: not known."""
    bytes_per_second: Optional[float]
    """Bytes of the workload over its median; only where the spec names them; null: not known."""
    flops_per_second: Optional[float]
    """Floating-point operations of the workload over its median; only where the spec names them; null: not known."""
    samples: int
    """How many."""
    dropped: int
    """Samples not kept, since the GPU was throttled."""
    speed_up: Optional[float]
    """The baseline's time over its own."""
    speed_up_low: Optional[float]
    """Lower end of what the samples leave open."""
    speed_up_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """It is the baseline."""
    is_equal: bool
    """It is the fastest, or not slower than it, as far as was measured: in the final race, or by its samples where
    that had no room for it. Of candidates with the same code the one that was measured."""
    is_winner: bool
    """It is best[]'s."""
    verified: bool
    """Its outputs were compared with the reference."""
    stopped_early: bool
    """Clearly slower than the best: fewer samples."""
    same_as: Optional[Dict[str, Union[bool, float, str]]]
    """The candidate with the same code whose samples these are."""
    resources: Optional[ResultsCandidateResources]
    """What the compiler made; null: nothing, or it is a program."""
    deaths: int
    """Processes that died of it."""
    seconds: float
    """Wall time that measuring took."""
    compile_seconds: float
    """Wall time of the compiler."""
    from_cache: bool
    """It was not compiled for this."""
    finished: Optional[str]
    """UTC."""
    phase_seconds: Optional[ResultsCandidatePhaseSeconds]
    """Where `seconds` went, in seconds; absent where it is not known."""
    device: Optional[ResultsCandidateDevice]
    """The GPU while it was measured."""
    samples_ns: Optional[List[float]]
    """With --samples: nanoseconds, in the order in which they were taken."""
    checksum: Optional[str]
    """With --samples: of the outputs."""
    sticky: Optional[bool]
    """With --samples: the process could not go on after it."""
    code: Optional[str]
    """With --samples: equal for equal code."""
    log: Optional[str]
    """With --samples: the compiler's."""
    quantities: Optional[Dict[str, List[float]]]
    """What was measured beside the time, by name; samples of each: energy in joules a launch, power in watts, numbers
    that a program printed, other measurements of another tuner's file."""
    elements_per_joule: Optional[float]
    """Where the work and the energy are known."""
    bytes_per_joule: Optional[float]
    """Where the work and the energy are known."""
    flops_per_joule: Optional[float]
    """Where the work and the energy are known."""
    cost: Optional[float]
    """With an objective other than time: the median of what candidates are ranked by; for several terms their weighted
    geometric mean, with time in milliseconds. null: a quantity is not known, or the time decides."""
    allowed: Optional[bool]
    """With an objective other than time: whether its condition holds."""
    on_front: Optional[bool]
    """With an objective other than time: on the Pareto front of its terms, among candidates that may win."""


class ResultsRow(Record):
    """Part of the tool's answer."""

    name: str
    """The tunable."""
    table: str
    """What the table of the header is for: the tunable, and where it has several the type and size of elements."""
    gpu: Optional[str]
    """null: any GPU of the architecture that has no row of its own."""
    architecture: str
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """null: code for the architecture does not compile."""
    origin: Optional[str]
    """'the row of sm_90, measured here', '..., measured on NVIDIA H200, inherited'; null: there is no row."""


class Results(Report):
    """What launchbox tune has measured: launchbox results --format json. Times in nanoseconds unless the name says
    otherwise; null: not known."""

    schema: Literal['launchbox.results/1']
    environments: List[ComparisonEnvironment]
    """What results were measured with. Those of two are never compared."""
    runs: List[ResultsRun]
    """One a task, source and environment, with the latest call that worked on it."""
    best: List[ResultsBest]
    """One a run and workload."""
    overall: Optional[List[ResultsOverall]]
    """One a run with several workloads."""
    devices: Optional[List[ResultsDevice]]
    """The GPUs of runs, how several compare, and what became of them in the last call."""
    races: List[ResultsRace]
    """The final races."""
    candidates: List[ResultsCandidate]
    """Every result."""
    rows: Optional[List[ResultsRow]]
    """Which row each GPU has in the header that launchbox emit writes of these runs: of the GPUs of a tunable that was
    measured on several, of those of --here, and of the architectures of --arch."""
    problems: List[str]
    """What was left out of the files, one sentence each."""


class RowsGain(Record):
    """How many times as fast as the row that was replaced, with the interval that the samples leave open; null: not
    known."""

    times: float
    low: float
    high: float


class RowsRowWorkload(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    weight: float
    gain: RowsGain
    """How many times as fast as the row that was replaced, with the interval that the samples leave open; null: not
    known."""


class RowsRowThroughput(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    elements_per_second: Optional[float]
    bytes_per_second: Optional[float]
    flops_per_second: Optional[float]


class RowsRow(Record):
    """Part of the tool's answer."""

    architecture: Optional[str]
    """sm_90; null: a processor."""
    parameters: Dict[str, Union[bool, float, str]]
    kept: bool
    """Nothing was faster by 1 % and beyond noise: the row is the old one."""
    replaced: Optional[str]
    """The row that was compared with, and whose it was."""
    gain: RowsGain
    """How many times as fast as the row that was replaced, with the interval that the samples leave open; null: not
    known."""
    loss: Optional[float]
    """in a table for several GPUs: time over that of the GPU's best, minus 1"""
    workloads: List[RowsRowWorkload]
    throughput: Optional[List[RowsRowThroughput]]
    """Of the row on each workload of which the spec says how much work it is: what is done in a second."""
    verified: bool
    """Its outputs were compared with a reference on every workload."""
    gpu: Optional[str]
    processor: Optional[str]
    driver: Optional[str]
    toolkit: Optional[str]
    measured: Optional[str]
    """When, in UTC."""
    version: Optional[str]
    """Of launchbox."""
    record: str
    record_hash: str


class RowsPredicted(Record):
    """Part of the tool's answer."""

    architecture: str
    parameters: Dict[str, Union[bool, float, str]]
    expected_share: float
    """Of the best there, 0 to 1: the weighted mean over the GPUs of the records."""
    candidates: int
    """That it was chosen from."""
    verified: bool
    """Its outputs were compared wherever it was measured."""
    gpus: List[str]
    """Whose records it is predicted from."""
    records: List[str]
    """Their files, each with its hash."""
    compiled: Optional[str]
    """What the compiler made of it for that architecture; null: it was not compiled."""


class RowsTable(Record):
    """Part of the tool's answer."""

    name: str
    type_name: Optional[str]
    """The workload's value that is the type of the elements; null: the table is for all types."""
    element_bytes: Optional[int]
    size_name: Optional[str]
    """The workload's value that is the size of the problem; null: the table is for all sizes."""
    above: Optional[int]
    """Sizes above this."""
    upto: Optional[int]
    """Sizes up to and including this."""
    rows: List[RowsRow]
    predicted: List[RowsPredicted]
    """Rows for architectures without a measurement, with --predict."""


class Rows(Report):
    """Rows that launchbox emit --form json took from records: a table for each part of the workloads."""

    schema: Literal['launchbox.rows/1']
    box: str
    """Name of the table."""
    name: str
    """Of the tunable."""
    tables: List[RowsTable]


class SearchHeldOutGpuPredicted(Record):
    """The best expected from the records of the others."""

    parameters: Dict[str, Union[str, float, bool]]
    """Names and values in their order."""
    loss: Optional[float]
    """Time over that of the best on this GPU, minus 1; null: it failed there."""


class SearchHeldOutGpu(Record):
    """One GPU, whose record was used only to see what each row is worth. A row is null where there is none."""

    name: str
    architecture: Optional[str]
    """null: neither the record nor the name shows it."""
    inherits_from: Optional[str]
    """The GPU of the nearest architecture that is not newer."""
    candidates: int
    """Measured on it."""
    predicted: SearchHeldOutGpuPredicted
    """The best expected from the records of the others."""
    inherited: SearchHeldOutGpuPredicted
    """The best of the GPU that it inherits from."""
    best_common: SearchHeldOutGpuPredicted
    """The one with the best worst case on the others."""
    ten_measured: SearchHeldOutGpuPredicted
    """The best of the ten with the best expectation, when these are measured."""
    baseline: SearchHeldOutGpuPredicted
    """That of the spec, or the first candidate of the record."""


class SearchHeldOut(Record):
    """One space."""

    name: str
    """Of the tunable."""
    files: List[str]
    """Its records."""
    gpus: List[SearchHeldOutGpu]


class SearchProblemStrategyWithinEvaluations(Record):
    """Candidates tried, failing ones too. Median and 90th percentile over the searches; null: not reached."""

    median: Optional[float]
    p90: Optional[float]


class SearchProblemStrategyWithin(Record):
    """One distance."""

    percent: int
    """At most so much slower than the optimum."""
    evaluations: SearchProblemStrategyWithinEvaluations
    """Candidates tried, failing ones too. Median and 90th percentile over the searches; null: not reached."""
    seconds: SearchProblemStrategyWithinEvaluations
    """Recorded compile and measuring time. Median and 90th percentile over the searches; null: not reached."""


class SearchProblemStrategy(Record):
    """One strategy on this problem."""

    strategy: str
    """As it is named on the command line."""
    score: float
    """1: the optimum at once; 0: as chance; below: worse than chance."""
    within: List[SearchProblemStrategyWithin]
    """How soon it was so close to the optimum, at 10, 5 and 1 %."""


class SearchProblem(Record):
    """A recorded space."""

    file: str
    """As it was named."""
    run: int
    """Its number in the file."""
    name: str
    """Of the tunable."""
    device: Optional[str]
    """The GPU, or the processor; null: not in the record."""
    workload: Dict[str, Union[str, float, bool]]
    """Its values by name."""
    candidates: int
    """In the record."""
    measured: int
    """Of these: have a time."""
    rejected: int
    """Of these: were never launched. They cost a search nothing and are no evaluations."""
    best_ns: float
    """Median time of the fastest candidate, nanoseconds."""
    median_ns: float
    """Median of all measured candidates, nanoseconds."""
    evaluations_of_chance: int
    """After so many draws by chance the expected best is 95 % of the way from the median to the optimum:
    calculated."""
    evaluations_of_score: int
    """The scores cover the time that so many evaluations take on average: evaluations_of_chance, or `most` if that is
    less."""
    strategies: List[SearchProblemStrategy]


class Search(Report):
    """What `launchbox bench-search --format json` prints."""

    schema: Literal['launchbox.search/1']
    repeats: int
    """Searches with each strategy on each problem."""
    most: int
    """Evaluations after which a search was given up."""
    seed: int
    """Of the first search; the others have the seeds that follow."""
    interrupted: bool
    """Stopped by the user: problems and strategies that were not finished are missing."""
    notes: List[str]
    """What of the files was left out, and why."""
    left_out: Optional[Literal['gpu', 'architecture']]
    """With --leave-one-out: what is held out; null: nothing is."""
    held_out: Optional[List[SearchHeldOut]]
    """With --leave-one-out: spaces that are recorded on several GPUs, each GPU held out in turn."""
    problems: List[SearchProblem]
    """One for each workload of each recorded run on which something was measured."""


class SizeFileArchitecture(Record):
    """Part of the tool's answer."""

    architecture: Optional[str]
    """null: not in the image."""
    kind: str
    """cubin, PTX, LTO-IR or kind 64."""
    images: int
    """How many."""
    kernels: int
    """In them."""
    stored_bytes: int
    """In the file: what leaving this out saves."""
    bytes: int
    """Decompressed."""


class SizeFileTemplate(Record):
    """Part of the tool's answer."""

    name: str
    """A kernel's name without template arguments."""
    kernels: int
    """Kernels × architectures of that name."""
    code_bytes: int
    """Decompressed."""
    repeated_code_bytes: int
    """As above."""


class SizeFile(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; FILE: MEMBER in a packed file."""
    file_bytes: Optional[int]
    """null: of a member of a packed file, of a source."""
    image_bytes: int
    """Of all images, as they are stored in the file."""
    other_bytes: Optional[int]
    """Of the file beside its images: host code and data, headers, padding."""
    code_bytes: int
    """Machine code of all kernels, decompressed."""
    repeated_code_bytes: int
    """Of it, code that another kernel for the same architecture has too."""
    architectures: List[SizeFileArchitecture]
    """Most bytes first."""
    templates: List[SizeFileTemplate]
    """Most code first."""


class Size(Report):
    """What `launchbox inspect --size --format json` prints."""

    schema: Literal['launchbox.size/1']
    files: List[SizeFile]
    """One a file that holds images."""


class StackReserveGpu(Record):
    """Part of the tool's answer."""

    gpu: str
    """The name under which it is sold."""
    sms: int
    """Streaming multiprocessors."""
    threads: int
    """That can be resident on all of them."""
    stack_bytes: int
    """Per thread, of the deepest stack."""
    reserved_bytes: int
    """stack_bytes × threads."""
    at_least: bool
    """The stack of some kernel has no known limit."""
    kernel: Optional[str]
    """With the deepest stack, as the linker knows it; null: none has a stack."""


class StackReserveNotCounted(Record):
    """Part of the tool's answer."""

    architecture: Optional[str]
    """null: not known."""
    kernels: int
    reason: str


class StackReserve(Report):
    """What `launchbox inspect --stack-reserve --format json` prints: an estimate of what the driver sets aside."""

    schema: Literal['launchbox.stack_reserve/1']
    gpus: List[StackReserveGpu]
    """Models of GPUs that can run a kernel, rising by compute capability."""
    not_counted: List[StackReserveNotCounted]
    """Kernels of which it is not known on any model how much they need."""


class SuggestionsResultKernel(Record):
    """What one kernel uses."""

    name: Optional[str]
    """Short name; null when only figures were given."""
    registers: int
    """Per thread."""
    static_shared_bytes: int
    """Bytes per block."""
    barriers: int
    """Named barriers, highest used + 1."""
    max_threads: int
    """The launch bound, threads per block."""


class SuggestionsResultCandidateRule(Record):
    """Part of the tool's answer."""

    id: Literal['warp_multiple', 'enough_threads', 'divides_sm', 'registers_share', 'shared_share']
    name: str
    """In two words."""
    rule: str
    """In words."""
    kept: Optional[bool]
    """Whether this candidate keeps it; null: a figure that it needs is not known."""
    costs: Optional[bool]
    """Whether breaking it costs resident warps or lanes here."""
    figure: str
    """The figures that decide."""


class SuggestionsResultCandidate(Record):
    """Part of the tool's answer."""

    threads: int
    """Per block."""
    dynamic_shared_bytes: int
    """Bytes per block of this size."""
    resident_blocks: int
    """Per SM."""
    resident_threads: int
    """Per SM: what candidates are compared by."""
    occupancy: float
    """Resident threads over the threads of the SM, 0 to 1: what candidates are ranked by."""
    warp_occupancy: float
    """Resident warps over the warp slots of the SM: a partial warp counts as a whole one."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty when something other than a resource forbids the
    launch."""
    rules: List[SuggestionsResultCandidateRule]
    """The rules of thumb for a block size."""


class SuggestionsResult(Record):
    """Part of the tool's answer."""

    architecture: str
    """Architecture: sm_90, sm_90a, sm_100f."""
    gpu: Optional[str]
    """The GPU that --arch named; null: an architecture was named."""
    sms: Optional[int]
    """Streaming multiprocessors of the GPU; null: not known."""
    kernel: SuggestionsResultKernel
    """What one kernel uses."""
    dynamic_shared: Optional[str]
    """The expression for bytes of dynamic shared memory per block; null: none."""
    at_most: Optional[bool]
    """True: the kernel uses dynamic shared memory of unknown size, which is not counted; the figures are the most that
    can be resident."""
    cluster_blocks: int
    """Blocks in a cluster: --cluster, or the kernel's own; 1: none."""
    obstacle: Optional[str]
    """Why no block size can be launched; null: there is one."""
    fixed: Optional[str]
    """Why no other block size is correct, and sizes are not ranked; null: nothing says so."""
    notes: List[str]
    """What a launch of the suggested block size needs besides: attributes to set, a grid of whole clusters."""
    threads: Optional[int]
    """The suggested block size, that of the first candidate; null: no block size can be launched."""
    candidates: List[SuggestionsResultCandidate]
    """Best first."""


class Suggestions(Report):
    """What `launchbox suggest --format json` prints."""

    schema: Literal['launchbox.suggestions/2']
    results: List[SuggestionsResult]
    """One a kernel and architecture."""
    skipped_images: Optional[List[OccupancySkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""


class SummaryInputArchitecture(Record):
    """All images and kernels of one architecture."""

    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    image: Optional[str]
    """cubin, PTX, LTO-IR; null: a source or a log, which holds no images."""
    relocatable: bool
    """Compiled for linking: not what runs."""
    linked: bool
    """The figures are nvlink's, from a log."""
    images: Optional[int]
    """How many; null: no binary."""
    stored_bytes: Optional[int]
    """Bytes of the images in the file, compressed or not; null: no binary."""
    bytes: Optional[int]
    """Bytes of the images when decompressed; null: no binary."""
    kernels: int
    """Kernels; of PTX those that have no cubin."""
    unique_kernels: int
    """Kernels of different identity."""
    code_bytes: Optional[int]
    """Machine code of the kernels whose size is known; null: of none."""
    code_unknown: int
    """Kernels whose code size is not known."""
    spilling: Optional[int]
    """Kernels that spill; null: known of none."""
    spills_unknown: int
    """Kernels of which it is not known whether they spill."""
    spills_at_least: Optional[int]
    """Of spilling: kernels of which more bytes are spilled than are counted."""
    spill_store_bytes: Optional[int]
    """Bytes per thread, summed over the kernels; null: known of none."""
    spill_load_bytes: Optional[int]
    """Bytes per thread, summed over the kernels; null: known of none."""
    shared_spill_store_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Of registers spilled to shared memory, bytes per thread, no part of the figures for local memory; null:
    unknown."""
    largest_registers: Optional[int]
    """Registers per thread of the kernel with most; null: unknown."""


class SummaryInputToolkit(Record):
    """Part of the tool's answer."""

    toolkit: str
    """CUDA version of the compiler."""
    kernels: int
    """Compiled by it."""


class SummaryInputCopy(Record):
    """Part of the tool's answer."""

    short_name: str
    """Of one of them."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    copies: int
    """How often the same code is there."""
    extra_code_bytes: Optional[int]
    """Bytes of all but one; null: unknown."""


class SummaryInputDiffering(Record):
    """Part of the tool's answer."""

    short_name: str
    """Of one of them."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    codes: int
    """How many different codes there are."""


class SummaryInputRunsOnGpu(Record):
    """Part of the tool's answer."""

    compute_capability: str
    by_cubin: int
    """Kernels with a cubin that runs there."""
    by_ptx: int
    """Further kernels with PTX that the driver can compile for it."""


class SummaryInputRunsOn(Record):
    """Part of the tool's answer."""

    kernels: int
    """Unique kernels in images that are not relocatable: what there is to run."""
    gpus: List[SummaryInputRunsOnGpu]
    """Every GPU of the table of limits."""
    later_gpus_by_ptx: int
    """Kernels with PTX that can be compiled for GPUs of later compute capabilities."""


class SummaryInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'folder', 'package', 'unreadable']
    kernels: int
    """Kernels times architectures and copies."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed and not read: LTO-IR, and entries of a kind that is not known."""
    errors: List[str]
    """What is wrong with it, the compiler's own messages first."""
    unique_kernels: int
    """Kernels of different identity: by name as C++ writes it, and the source file where the symbol names one."""
    only_ptx: int
    """Kernels without a cubin."""
    architectures: List[SummaryInputArchitecture]
    """What runs first, then relocatable images."""
    toolkits: List[SummaryInputToolkit]
    """The compilers that made the code."""
    toolkit_unknown: int
    """Kernels whose toolkit is not in the input."""
    copies: List[SummaryInputCopy]
    """Kernels that are there more than once with the same code for one architecture, the largest waste first.
    Relocatable images do not count."""
    differing: List[SummaryInputDiffering]
    """Kernels of the same identity and architecture with different code."""
    code_not_compared: int
    """Kernels whose code is not known, so that copies cannot be told."""
    ptx: List[str]
    """Virtual architectures of the PTX, rising."""
    runs_on: Optional[SummaryInputRunsOn]
    """On which GPUs; null: a source or a log."""


class Summary(Report):
    """What `launchbox inspect --summary --format json` prints."""

    schema: Literal['launchbox.summary/1']
    inputs: List[SummaryInput]
    """One a file, in the order given."""


# The class of each answer, by its member `schema`.
REPORTS = {
    'launchbox.advice/1': Advice,
    'launchbox.bounds/1': Bounds,
    'launchbox.builds/1': Builds,
    'launchbox.capture/1': Capture,
    'launchbox.check/1': Check,
    'launchbox.comparison/1': Comparison,
    'launchbox.compilers/1': Compilers,
    'launchbox.convergence/1': Convergence,
    'launchbox.devices/1': Devices,
    'launchbox.diff/1': Diff,
    'launchbox.kernels/2': Kernels,
    'launchbox.launches/1': Launches,
    'launchbox.map/1': Map,
    'launchbox.occupancies/1': Occupancies,
    'launchbox.occupancy/1': Occupancy,
    'launchbox.portability/1': Portability,
    'launchbox.register_limits/1': RegisterLimits,
    'launchbox.results/1': Results,
    'launchbox.rows/1': Rows,
    'launchbox.search/1': Search,
    'launchbox.size/1': Size,
    'launchbox.stack_reserve/1': StackReserve,
    'launchbox.suggestions/2': Suggestions,
    'launchbox.summary/1': Summary,
}
