# SPDX-License-Identifier: Apache-2.0
# Written by python/make_types.py from schema/; changes here are lost.
"""What the tool answers, as types: a record for each object of its JSON."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from .records import Record, Report


class OccupancyAccountKernel(Record):
    """What one kernel uses."""

    name: Optional[str]
    """Short name; null if only figures were given."""
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
    """The result."""
    lost: int
    """What the rounding leaves unused, in the unit of the value (lanes, registers, bytes, warps); 0: nothing."""
    text: str
    """The step as text."""


class OccupancyLimit(Record):
    """The number of blocks that one resource allows, with the arithmetic."""

    blocks: Optional[int]
    """Blocks per SM that this resource allows; null: it does not limit."""
    steps: List[OccupancyLimitStep]
    """The arithmetic, in order."""


class OccupancyAccountLimits(Record):
    """One limit per resource."""

    warps: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""
    blocks: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""
    registers: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""
    shared: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""
    barriers: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""
    virtual_resources: Optional[OccupancyLimit]
    """The number of blocks that one resource allows, with the arithmetic."""
    clusters: OccupancyLimit
    """The number of blocks that one resource allows, with the arithmetic."""


class OccupancyAllowance(Record):
    """The current value of one resource, and the largest with which this resource allows `blocks` resident blocks."""

    resource: Literal['threads', 'registers', 'shared', 'barriers']
    """threads per block, registers per thread, bytes of shared memory per block (static and dynamic), named barriers
    per block."""
    now: int
    """The value of this launch."""
    at_most: Optional[int]
    """The largest value; null: there is none."""
    blocks: int
    """The resident blocks per SM that this entry is about."""
    satisfied: bool
    """Whether the value of this launch is small enough."""


class OccupancyAccountNextStepChange(Record):
    """One quantity, before and after, in the units of `thresholds`."""

    resource: Literal['threads', 'registers', 'shared', 'barriers']
    from_: int
    """Before."""
    to: int
    """After."""


class OccupancyAccountNextStep(Record):
    """Part of the tool's answer."""

    text: str
    """The step as text."""
    changes: List[OccupancyAccountNextStepChange]
    """All changes together."""
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
    """Blocks of the last, partial wave; 0: none."""
    efficiency: float
    """Used block slots over available block slots, if all blocks take equally long."""


class OccupancyAccountClusters(Record):
    """Part of the tool's answer."""

    cluster_blocks: int
    """Blocks in a cluster."""
    estimate: Optional[int]
    """Resident clusters; null: the GPCs of this chip are unknown."""
    low: int
    """At least."""
    high: int
    """At most."""
    gpcs_known: bool
    """Whether the SMs of each GPC were given."""
    settled_by: Literal['cudaOccupancyMaxActiveClusters']
    """The CUDA call that gives the exact number on the GPU."""


class OccupancyAccountCurves(Record):
    """With --curves: resident warps as one quantity varies."""

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
    """Whether this launch keeps the rule; null: a necessary figure is unknown."""
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
    """driver: as the GPU; spreadsheet: as NVIDIA's retired spreadsheet."""
    kernel: OccupancyAccountKernel
    """What one kernel uses."""
    shape: OccupancyAccountShape
    """How it is launched."""
    at_most: Optional[bool]
    """True: the kernel has shared memory of unknown size, which is not counted; the figures are upper limits."""
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
    """One limit per resource."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty if something other than a resource prevents the
    launch."""
    thresholds: List[OccupancyAllowance]
    """For each resource, the value for one more block; empty if all block slots are in use."""
    slack: List[OccupancyAllowance]
    """For each resource, the largest value with which no block is lost; empty if no block is resident."""
    next_step: Optional[OccupancyAccountNextStep]
    """The smallest change that makes more warps resident; null: none."""
    grid_obstacle: Optional[str]
    """Why no grid of this size can be launched; null: it can, or no grid was given."""
    waves: Optional[OccupancyAccountWaves]
    """The grid on the whole GPU; null without grid or SMs, or if no block is resident."""
    clusters: Optional[OccupancyAccountClusters]
    """An estimate of the resident clusters of the whole GPU; null without clusters."""
    notes: List[str]
    """Assumptions and warnings."""
    curves: Optional[OccupancyAccountCurves]
    """With --curves: resident warps as one quantity varies."""
    rules: Optional[List[OccupancyAccountRule]]
    """With --rules: the rules of thumb for a block size."""


class OccupancySkippedImage(Record):
    """Part of the tool's answer."""

    file: str
    kind: str
    """LTO-IR, or kind 64."""
    architecture: Optional[str]
    images: int


class Occupancy(Report):
    """Output of `launchbox occupancy --format json`."""

    schema: Literal['launchbox.occupancy/1']
    results: List[OccupancyAccount]
    """One per kernel and architecture, in the order of the input."""
    skipped_images: Optional[List[OccupancySkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""


class AdviceKernelLaunch(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    threads: Optional[int]
    """Per block; null: the source does not show it."""
    dynamic_shared_bytes: Optional[int]
    """Per block; null: the source does not show it."""


class AdviceKernelMaybeLaunched(Record):
    """Part of the tool's answer."""

    file: str
    line: int


class AdviceKernelArchitecture(Record):
    """Part of the tool's answer."""

    architecture: str
    gpu: Optional[str]
    """The GPU model that the user named."""
    threads: Optional[int]
    """The block size for which the figures apply."""
    registers: Optional[int]
    """Per thread, of the unchanged source, like all following members up to obstacle."""
    spill_store_bytes: Optional[int]
    """Per thread."""
    spill_load_bytes: Optional[int]
    """Per thread."""
    shared_spill_store_bytes: Optional[int]
    """Per thread, to shared memory."""
    shared_spill_load_bytes: Optional[int]
    """Per thread, to shared memory."""
    static_shared_bytes: Optional[int]
    """Per block."""
    dynamic_shared_bytes: Optional[int]
    """Per block, included in the figures; null: unknown and left out, so that resident blocks are an upper limit."""
    resident_blocks: Optional[int]
    """On one SM."""
    occupancy: Optional[float]
    limiters: List[str]
    obstacle: Optional[str]
    """Why a block cannot be launched; null: it can."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """As in launchbox.bounds/1."""
    write: Optional[str]
    """The launch bound to write; null: no change."""
    effect: Optional[str]
    """The effect of writing it, in words; or why it is unknown."""


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
    """Launches in the source, in the order of the text."""
    maybe_launched: List[AdviceKernelMaybeLaunched]
    """Launches through a pointer that may be of this kernel: its address is taken, and no other launch was found."""
    block_size: Literal['unknown', 'free', 'fixed']
    """Whether another block size gives correct results."""
    block_size_reason: Optional[str]
    """Why."""
    threads_assumed: bool
    """True: no bound, launch or option gives the block size of the figures."""
    architectures: List[AdviceKernelArchitecture]
    notes: List[str]
    """Notes, the most important first."""
    details: List[str]
    """Reasons, and less important notes."""
    next: Optional[str]
    """A command to try next."""


class Advice(Report):
    """Output of `launchbox advise --format json`."""

    schema: Literal['launchbox.advice/1']
    file: str
    """The source, as the user named it."""
    compiler: str
    """The version of nvcc, 13.0.88."""
    kernels: List[AdviceKernel]
    """The worst first: kernels that cannot be launched, then by spills, then by occupancy."""
    errors: List[str]
    """Why an architecture has no result."""


class BoundsMeasured(Record):
    """How the times were measured; null without --measure."""

    command: Optional[str]
    """The benchmark, as the user typed it."""
    build: Optional[str]
    """The command that was run before each measurement."""
    runs: int
    """Runs of each row, in turns."""
    architecture: Optional[str]
    """The measured architecture."""
    gpu: Optional[str]
    """null: this machine has no GPU."""
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
    """The number of kernels found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""
    errors: List[str]
    """Errors of this input, the compiler's messages first."""


class BoundsKernelRowTimeNs(Record):
    """Part of the tool's answer."""

    median: float
    low: float
    """The 95 % confidence interval of the median is from low to high, with 6 samples or more."""
    high: float
    count: int
    """The number of samples."""


class BoundsKernelRow(Record):
    """Part of the tool's answer."""

    threads: int
    """Per block."""
    attribute: str
    """The weakest attribute that gives this code; empty: none."""
    also: List[str]
    """The other attributes that give this code."""
    registers: Optional[int]
    """Per thread; null: unknown."""
    spill_store_bytes: Optional[int]
    """Per thread; null: unknown."""
    spill_load_bytes: Optional[int]
    """Per thread; null: unknown."""
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    code_bytes: Optional[int]
    """Bytes of machine code; null: unknown."""
    resident_blocks: Optional[int]
    """Blocks resident on an SM; 0: cannot be launched; null: the registers are unknown."""
    occupancy: Optional[float]
    """Resident warps over warp slots."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks."""
    obstacle: Optional[str]
    """Why a block of this size cannot be launched; null: it can, or that is unknown."""
    pareto: bool
    """True: no row of this block size is at least as good in resident warps, spills and code size, and better in one
    of them."""
    pareto_of_all: bool
    """The same over the rows of all block sizes."""
    recommended: bool
    """True: the row to write, for this block size."""
    as_written: bool
    """True: the unchanged source gives this code."""
    from_ptx: bool
    """True: compiled from PTX without an attribute; compiling the source with this attribute can give other
    figures."""
    time_ns: Optional[BoundsKernelRowTimeNs]
    """null: not measured."""
    failure: Optional[str]
    """Why a measurement failed; null: it succeeded, or there was none."""


class BoundsKernelThreshold(Record):
    """Part of the tool's answer."""

    threads: int
    """Per block."""
    blocks: int
    """Blocks resident on an SM."""
    registers: Optional[int]
    """The most registers per thread with which this many blocks are resident; null: there is no such number."""
    shared_bytes: Optional[int]
    """The most shared memory per block, static and dynamic; null: there is no such size."""
    barriers: Optional[int]
    """The most named barriers; null: there is no such number."""


class BoundsKernelRecommendation(Record):
    """Part of the tool's answer."""

    threads: int
    """Per block."""
    attribute: Optional[str]
    """The attribute to write; empty: none; null: unknown."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """keep: the source is right. no_bound: there is none, and none is better. remove: no attribute is better than the
    one in the source. no_difference: measured, and nothing is faster than the source beyond noise."""
    by_time: bool
    """True: measured times decided, not figures."""
    reason: str
    """One sentence."""
    gain: str
    """Relative to the unchanged source, in a few words; empty: none."""
    findings: List[str]
    """Further remarks, one sentence each."""


class BoundsKernelRecommendationEntry(Record):
    """Part of the tool's answer."""

    threads: int
    """Per block."""
    attribute: Optional[str]
    """The attribute to write; empty: none; null: unknown."""
    verdict: Literal['unknown', 'cannot_launch', 'keep', 'no_bound', 'remove', 'write', 'no_difference']
    """keep: the source is right. no_bound: there is none, and none is better. remove: no attribute is better than the
    one in the source. no_difference: measured, and nothing is faster than the source beyond noise."""
    by_time: bool
    """True: measured times decided, not figures."""
    reason: str
    """One sentence."""
    gain: str
    """Relative to the unchanged source, in a few words; empty: none."""
    findings: List[str]
    """Further remarks, one sentence each."""


class BoundsKernelPortable(Record):
    """Part of the tool's answer."""

    threads: int
    """The block size for which it applies."""
    attribute: str
    """What to write: an attribute, or the name of the macro; empty: none."""
    lines: List[str]
    """The lines of the macro; empty: none is needed."""
    rows: List[str]
    """The same as rows of a launch box, as comments."""
    notes: List[str]
    """Remarks."""


class BoundsKernel(Record):
    """One kernel for one architecture."""

    name: str
    """The mangled name."""
    demangled: str
    """The C++ declaration."""
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
    """Per block, as given or as the source launches it; null: unknown, and left out of the figures."""
    dynamic_shared_bytes_per_warp: int
    """In addition for every 32 threads of a block, if it depends on an unknown block size."""
    threads_assumed: bool
    """True: no bound, launch or option gives the block size."""
    threads: List[int]
    """The block sizes that were tried, ascending."""
    rows: List[BoundsKernelRow]
    """One per block size and machine code."""
    thresholds: List[BoundsKernelThreshold]
    """For each block size, and each number of resident blocks that other resources allow."""
    recommendations: List[BoundsKernelRecommendation]
    """One per block size."""
    recommendation: Optional[BoundsKernelRecommendationEntry]
    """The recommendation of the best block size; null: none."""
    portable: Optional[BoundsKernelPortable]
    """One attribute for all architectures of this kernel; null: only one architecture was given, or there is none."""
    findings: List[str]
    """Findings of the unchanged kernel."""
    not_swept: Optional[str]
    """Why no other bound was tried; null: other bounds were tried."""
    errors: List[str]
    """Attributes that did not compile."""


class Bounds(Report):
    """Output of `launchbox bounds --format json`."""

    schema: Literal['launchbox.bounds/1']
    compiler: str
    """The version of nvcc, 13.0.88."""
    compiles: int
    """Runs of nvcc in this call."""
    from_cache: int
    """Compiles taken from the cache."""
    whole: bool
    """Every row was compiled from the source (--all, --measure, --apply)."""
    measured: BoundsMeasured
    """How the times were measured; null without --measure."""
    inputs: List[BoundsInput]
    """One per file, in the order given."""
    kernels: List[BoundsKernel]
    """Grouped by kernel."""
    conflicts: List[str]
    """Declarations whose kernels need different attributes, one sentence each."""


class BuildsCandidateLaunch(Record):
    """How it would be launched, and its resident blocks; null if it cannot be launched, or for a program"""

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
    """sm_90; null for a program that is built for the CPU"""
    parameters: Dict[str, Union[float, str, bool]]
    workload: Dict[str, Union[float, str, bool]]
    outcome: Literal['built', 'rejected', 'compile_error', 'compile_timeout']
    reason: Optional[str]
    """The reason of a failure, one line; null if it was built"""
    baseline: bool
    """The spec's baseline"""
    resources: Optional[Dict[str, Any]]
    """As in launchbox.results/1; null if nothing was compiled, or for a program"""
    launch: BuildsCandidateLaunch
    """How it would be launched, and its resident blocks; null if it cannot be launched, or for a program"""
    from_cache: bool
    """True: taken from the compile cache"""
    log: Optional[str]
    """Output of the compiler or the build; null if there was none"""


class Builds(Report):
    """Output of `launchbox tune --build-only --format json`: candidates that were built and screened, but not
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
    """The file of the bytes after the launch; missing: nothing changed."""
    after_hash: Optional[str]
    name: Optional[str]
    """Of a variable."""
    referenced: Optional[bool]
    """For a variable: captured memory points to it."""


class Capture(Report):
    """capture.json in the folder of `launchbox capture -k NAME -o FOLDER`: a captured launch."""

    schema: Literal['launchbox.capture/1']
    kernel: str
    """The mangled name."""
    module: str
    """The file of the cubin that was loaded."""
    module_hash: str
    """XXH3 of the cubin."""
    architecture: str
    ptx: Optional[str]
    """The file with the PTX of the kernel; missing: none was found."""
    grid: List[int]
    block: List[int]
    cluster: List[int]
    dynamic_shared_bytes: int
    max_threads: int
    """The driver's limit for a block of this kernel."""
    cooperative: bool
    carveout_percent: int
    """-1: none was requested."""
    arguments: str
    """The argument block, in hexadecimal."""
    parameters: List[CaptureParameter]
    memory: List[CaptureMemory]
    variables: List[CaptureMemory]
    command: List[str]
    number: int
    """Its number among the launches that match -k and --shape."""
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
    """The number of kernels found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""
    errors: List[str]
    """Errors of this input, the compiler's messages first."""


class CheckCounts(Record):
    """Part of the tool's answer."""

    kernels: int
    """The number of kernels x architectures that were checked."""
    checks: int
    """The number of limits and figures that were checked."""
    broken: int
    unknown: int
    better: int
    unused_rules: int
    new_kernels: int
    gone_kernels: int
    ptx_only: int
    """Kernels that exist only as PTX, which were not checked."""
    unlinked: int
    """Kernels compiled with -rdc and not linked."""
    renumbered: int
    """Kernels that were matched with the baseline without the hash or counter in the name, which changes with every
    build."""
    unchecked: Optional[int]
    """Inputs, and architectures of --arch, without a kernel that could be checked; budgets and baselines that checked
    nothing."""
    renamed: int
    """Kernels that were matched with the baseline although their parameters or file differ."""


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
    """A name that is the same in every build."""
    name: str
    """The mangled name."""
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
    """The limit of the budget, or the figure in the baseline; null: unknown there."""
    message: str
    set_by: CheckFindingSetBy
    input: str
    """The input of the worst copy; - for standard input."""
    written_at: Optional[CheckFindingWrittenAt]


class CheckChangeFigure(Record):
    """Part of the tool's answer."""

    check: Literal['baseline_launch_bounds', 'baseline_resident_threads', 'baseline_spill_bytes',
                   'baseline_shared_spill_bytes', 'baseline_registers', 'baseline_stack_bytes',
                   'baseline_static_shared', 'baseline_build']
    before: Optional[float]
    """null: unknown, or not a number."""
    after: Optional[float]
    shown_before: str
    """As in the table; empty: a new kernel."""
    shown_after: str
    """As in the table; empty: a kernel that is gone."""


class CheckChange(Record):
    """Part of the tool's answer."""

    change: Literal['worse', 'unknown', 'new', 'better', 'gone']
    identity: str
    """A name that is the same in every build."""
    short_name: str
    architecture: Optional[str]
    figures: List[CheckChangeFigure]
    """The figures that differ; for a new or gone kernel all that are known and not 0."""


class CheckUnusedRule(Record):
    """Part of the tool's answer."""

    rule: str
    fails: bool
    set_by: CheckFindingSetBy


class CheckUnchecked(Record):
    """Part of the tool's answer."""

    file: Optional[str]
    """An input, or the budget, baseline or option that checked nothing; null: all inputs together, with --kernel."""
    architecture: Optional[str]
    """The architecture of --arch; null: nothing at all was checked."""
    kernels: List[str]
    """Short names of the kernels without code for the architecture; empty: all of them, or none."""
    reason: str
    fails: bool


class CheckOlderCode(Record):
    """Part of the tool's answer."""

    identity: str
    """A name that is the same in every build."""
    name: str
    short_name: str
    architecture: str
    """The architecture of the code."""
    runs_on: str
    """The architecture of --arch."""


class CheckNewKernel(Record):
    """Part of the tool's answer."""

    identity: str
    """A name that is the same in every build."""
    name: str
    """The mangled name."""
    short_name: str
    architecture: Optional[str]


class CheckGoneKernel(Record):
    """Part of the tool's answer."""

    identity: str
    """A name that is the same in every build."""
    architecture: Optional[str]
    fails: bool
    """True: the kernel is there for other architectures, but has no code that runs on this one."""
    reason: Optional[str]
    """null: it does not fail."""
    set_by: CheckFindingSetBy


class Check(Report):
    """Output of `launchbox check --format json`."""

    schema: Literal['launchbox.check/1']
    passed: bool
    """False: the exit status is not 0."""
    summary: str
    budget: Optional[CheckBudget]
    baseline: Optional[CheckBaseline]
    inputs: List[CheckInput]
    """One per file, in the order given."""
    counts: CheckCounts
    findings: List[CheckFinding]
    changes: List[CheckChange]
    """Differences from the baseline, one per kernel and architecture, the worst first."""
    unused_rules: List[CheckUnusedRule]
    unchecked: Optional[List[CheckUnchecked]]
    """Requested parts that were not checked."""
    older_code: Optional[List[CheckOlderCode]]
    """Kernels whose code is for an older architecture than that of --arch, on which it runs."""
    new_kernels: List[CheckNewKernel]
    gone_kernels: List[CheckGoneKernel]


class ComparisonEnvironment(Record):
    """Part of the tool's answer."""

    gpu: Optional[str]
    """Its name; null: measured without a GPU."""
    processor: Optional[str]
    """The processor, for a measurement without a GPU."""
    architecture: Optional[str]
    """sm_90."""
    sms: Optional[int]
    """The number of SMs."""
    memory_bytes: Optional[int]
    """Of the GPU."""
    driver: Optional[str]
    """The CUDA version that the driver supports."""
    toolkit: Optional[str]
    """The compiler."""


class ComparisonRun(Record):
    """Part of the tool's answer."""

    file: str
    """The file that it was read from."""
    number: int
    """Its number in that file."""
    name: str
    """The name of the tunable."""
    environment: int
    """Index into environments[], from 0."""
    host: str
    """Name of the machine."""
    started: str
    """UTC."""
    call: Optional[int]
    """Number of its latest call in that file: the run with the higher number is newer. null: the file does not number
    calls."""
    version: str
    """The version of launchbox."""
    command: str
    """The command line."""
    spec_hash: str
    """Hash of the spec."""
    task_hash: str
    """Hash of everything in the spec that a result depends on."""
    source_hash: str
    """Hash of the sources."""
    objective: str
    """The objective: time, or another one."""
    baseline: Optional[Dict[str, Union[bool, float, str]]]
    """The parameters that others are compared with."""


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
    """Its time in the other run divided by the fastest time there; null: not measured there."""
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
    """A's winner; null: none."""
    winner_b: Optional[ComparisonComparisonWorkloadWinnerA]
    """B's winner; null: none."""
    winner_move: Optional[Literal['equal', 'faster', 'slower', 'unclear']]
    """From A's winner to B's; null: one of them is missing."""
    ratio: Optional[float]
    """Time in B over time in A."""
    ratio_low: Optional[float]
    """Lower end of the confidence interval."""
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
    """Measured in both with the same code as another candidate: not counted above."""
    expected_by_chance: float
    """How many, at most, would seem faster or slower by chance if nothing had changed."""
    median_ratio: Optional[float]
    """Of time in B over time in A; null: none was measured in both."""


class ComparisonComparison(Record):
    """Part of the tool's answer."""

    a: int
    """Index into runs[]: the first run."""
    b: int
    """Index into runs[]."""
    same_task: bool
    """Name and task are equal, as far as known."""
    same_machine: bool
    """GPU and processor are equal."""
    differences: List[ComparisonComparisonDifference]
    """Of environment, task and source."""
    workloads_only_in_a: List[Dict[str, Union[bool, float, str]]]
    """Not compared."""
    workloads_only_in_b: List[Dict[str, Union[bool, float, str]]]
    """Not compared."""
    workloads: List[ComparisonComparisonWorkload]
    """Workloads in both runs."""


class ComparisonCandidate(Record):
    """Part of the tool's answer."""

    a: int
    """Index into runs[]."""
    b: int
    """Index into runs[]."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    status_a: Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout', 'launch_error',
                    'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died', 'device_lost']]
    """measured, or a failure."""
    status_b: Union[Literal['measured'], Literal['rejected', 'compile_error', 'compile_timeout', 'launch_error',
                    'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died', 'device_lost']]
    """measured, or a failure."""
    move: Optional[Literal['equal', 'faster', 'slower', 'unclear']]
    """Of B against A, beyond noise; unclear: too few samples to tell; null: not measured in both."""
    median_ns_a: Optional[float]
    """Of its samples."""
    median_ns_b: Optional[float]
    """Of its samples."""
    ratio: Optional[float]
    """Time in B over time in A."""
    ratio_low: Optional[float]
    """Lower end of the confidence interval."""
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
    """True: in both runs its samples are those of another candidate with the same code."""


class Comparison(Report):
    """Recorded runs compared with the first of them: launchbox results --compare --format json. Times in nanoseconds
    unless the name says otherwise; null: not known."""

    schema: Literal['launchbox.comparison/1']
    environments: List[ComparisonEnvironment]
    """The machines and software of the measurements. Results of two environments are never mixed."""
    runs: List[ComparisonRun]
    """One per task, source and environment, with the latest call that worked on it."""
    comparisons: List[ComparisonComparison]
    """One per further run."""
    candidates: List[ComparisonCandidate]
    """Candidates in both runs, the largest changes of a workload first."""
    problems: List[str]
    """Parts of the files that were left out, one sentence each."""


class CompilersCompiler(Record):
    """Part of the tool's answer."""

    version: str
    """13.0.88; as the user wrote it if it did not run."""
    flags: Optional[str]
    """The flags of --flags; missing: none."""
    errors: List[str]


class CompilersKernelMade(Record):
    """null: this compiler did not compile the kernel."""

    registers: Optional[int]
    """As in launchbox.kernels/2."""
    spill_store_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    spill_load_bytes: Optional[int]
    """As in launchbox.kernels/2."""
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
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
    """The mangled name, from the first compiler that compiled it."""
    short_name: str
    """For people."""
    architecture: str
    """sm_90a"""
    differs: bool
    """True: registers, spills, stack, static shared memory or barriers differ."""
    made: List[CompilersKernelMade]
    """One for each compiler."""


class Compilers(Report):
    """Output of `launchbox inspect --nvcc A,B --format json`, and with several `--flags`."""

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
    """The first evaluation within this distance; null: no winner."""
    seconds: Optional[float]
    """Seconds until then."""


class ConvergenceSeriesImprovement(Record):
    """Part of the tool's answer."""

    evaluation: int
    """Its number, from 1."""
    seconds: float
    """Seconds until then."""
    median_ns: Optional[float]
    """Of one workload."""
    cost: Optional[float]
    """Of one workload, with an objective other than time: the cost by which candidates are ranked."""
    score: Optional[float]
    """Over all workloads: higher is better."""
    gap: Optional[float]
    """0.05: it takes 5 % longer than the final best, or costs 5 % more."""
    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""


class ConvergenceSeries(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
    workload: Optional[Dict[str, Union[bool, float, str]]]
    """null: the score over all workloads."""
    evaluations: int
    """Candidates that were not rejected."""
    seconds: float
    """Compiling and measuring, one after the other."""
    reached: List[ConvergenceSeriesReached]
    """When the best so far came near the final best."""
    improvements: List[ConvergenceSeriesImprovement]
    """Candidates that are better than all before; the last is the final best."""


class Convergence(Report):
    """How soon recorded runs found their best candidate: launchbox results --convergence --format json. Times in
    nanoseconds unless the name says otherwise; null: not known."""

    schema: Literal['launchbox.convergence/1']
    environments: List[ComparisonEnvironment]
    """The machines and software of the measurements. Results of two environments are never mixed."""
    runs: List[ComparisonRun]
    """One per task, source and environment, with the latest call that worked on it."""
    series: List[ConvergenceSeries]
    """One per run and workload, and one over all workloads if there are several."""
    problems: List[str]
    """Parts of the files that were left out, one sentence each."""


class DevicesGpuHardware(Record):
    """Other hardware than the SMs. null: neither the driver nor NVML reports it."""

    sm_clock_mhz: Optional[int]
    """The highest clock of the SMs."""
    memory_clock_mhz: Optional[int]
    """The highest clock of the memory."""
    memory_bus_bits: Optional[int]
    """Width of the bus to the memory."""
    l2_bytes: Optional[int]
    """The L2 cache."""
    free_memory_bytes: Optional[int]
    """Free memory now; of a run, when it began."""
    memory_gb_per_second: Optional[float]
    """Bandwidth at the highest memory clock: 2 × clock × bus / 8, in 10^9 bytes per second."""
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
    """Differences between the driver's figures and launchbox's table, one sentence each."""
    ecc: bool
    """Whether its memory corrects errors."""
    hardware: DevicesGpuHardware
    """Other hardware than the SMs. null: neither the driver nor NVML reports it."""


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
    """The most registers that the compiler assigns."""
    register_unit: int
    """The unit in which registers are allocated to a warp."""
    sub_partitions: int
    """Sub-partitions of the SM."""
    shared_per_sm: int
    """Bytes."""
    shared_per_block: int
    """Bytes without opting in."""
    shared_per_block_opt_in: int
    """Bytes after opting in."""
    reserved_shared_per_block: int
    """Bytes that the system reserves."""
    shared_unit: int
    """The unit in which shared memory is allocated, bytes."""
    shared_configurations: List[int]
    """The sizes to which an SM's shared memory can be set, ascending."""
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
    """Output of `launchbox devices --format json`."""

    schema: Literal['launchbox.devices/1']
    driver_version: Optional[str]
    """The CUDA version that the driver supports; null without a driver."""
    reason: Optional[str]
    """Why there are no GPUs; null if there are some."""
    gpus: List[DevicesGpu]
    """The GPUs of this machine, as the driver reports them. Sizes in bytes."""
    compute_capabilities: Optional[List[DevicesComputeCapability]]
    """Every known compute capability, with the limits of one SM; with --arch only those named. Missing with --here."""


class DiffCounts(Record):
    """Counts over everything, regardless of --top."""

    compared: int
    """Pairs of the same kernel and architecture."""
    worse: int
    """Pairs."""
    better: int
    """Pairs."""
    changed: int
    """Pairs that differ but are neither worse nor better."""
    unchanged: int
    """Pairs in which every known figure is equal."""
    unchanged_with_other_code: int
    """Of these, pairs whose code differs."""
    unchanged_with_unknown_code: int
    """Of these, pairs whose code is unknown on one side."""
    not_comparable: int
    """Pairs whose registers are unknown on one side."""
    appeared: int
    """Kernels that are only in `after`."""
    vanished: int
    """Kernels that are only in `before`."""
    renamed: Optional[int]
    """Of compared: matched although a namespace was renamed."""
    renumbered: Optional[int]
    """Of compared: matched without the hash or counter in their names, which changes with every build."""
    copies_appeared: int
    """Additional copies of kernels that are in both."""
    copies_vanished: int
    """Missing copies of kernels that are in both."""


class DiffFigures(Record):
    """null: unknown or not given."""

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
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
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
    """The mangled name (of after, if it is on both sides)."""
    demangled: str
    """The C++ declaration."""
    short_name: str
    """The name without return type and parameters."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    before: DiffFigures
    """null: unknown or not given."""
    after: DiffFigures
    """null: unknown or not given."""


class DiffAppeared(Record):
    """Part of the tool's answer."""

    name: str
    """The mangled name (of after, if it is on both sides)."""
    demangled: str
    """The C++ declaration."""
    short_name: str
    """The name without return type and parameters."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    figures: DiffFigures
    """null: unknown or not given."""


class Diff(Report):
    """Output of `launchbox inspect --diff NEW --format json`."""

    schema: Literal['launchbox.diff/1']
    before: List[CheckInput]
    """One per file, in the order given."""
    after: List[CheckInput]
    """One per file, in the order given."""
    counts: DiffCounts
    """Counts over everything, regardless of --top."""
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
    """The file, as the user named it; null: on no line."""
    line: Optional[int]
    """From 1; null: on no line."""


class KernelsInputMissing(Record):
    """Part of the tool's answer."""

    architecture: str
    """The architecture of --arch."""
    name: str
    """The mangled name."""
    short_name: str
    there: List[str]
    """The architectures that have code; compute_80: PTX."""


class KernelsInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'folder', 'package', 'unreadable']
    kernels: int
    """The number of kernels found in it."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""
    errors: List[str]
    """Errors of this input, the compiler's messages first."""
    diagnoses: Optional[List[KernelsInputDiagnosis]]
    """Findings in a source: about its launches, its use of __CUDA_ARCH__ and the compiler's flags, and the compiler's
    warnings."""
    missing: Optional[List[KernelsInputMissing]]
    """Kernels without code that runs on an architecture of --arch."""


class KernelsSelection(Record):
    """The selection by --spilling, --sort and --top."""

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
    """The kind of the source: 'nvcc', 'ptxas log', 'nvlink log', 'cubin', 'ptx'; in a larger file also where it is,
    such as 'a.o: fatbin at byte 64 (.nv_fatbin)'."""
    entry: Optional[str]
    """The place in it, such as 'line 12'; null: none."""


class KernelsKernelSpillsBetween(Record):
    """Part of the tool's answer."""

    store_bytes: List[int]
    load_bytes: List[int]


class KernelsKernelSharedVariable(Record):
    """Part of the tool's answer."""

    name: str
    """The mangled name."""
    bytes: int


class KernelsKernelLinesTotal(Record):
    """Part of the tool's answer."""

    instructions: Optional[int]
    """Only with --lines=source."""
    memory_reads: Optional[int]
    """Instructions that load from global, shared or generic memory; atomics and asynchronous copies too. Only with
    --lines=source."""
    memory_writes: Optional[int]
    """Instructions that store to them. Only with --lines=source."""
    spill_stores: int
    """Instructions."""
    spill_loads: int
    """Instructions."""
    spill_store_bytes: int
    """Per thread."""
    spill_load_bytes: int
    """Per thread."""
    shared_spill_store_bytes: int
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory."""
    shared_spill_load_bytes: int
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory."""
    live_registers: Optional[int]
    """The most live registers at one of its instructions; with --lines=registers, and with =source if nvdisasm is
    installed."""


class KernelsKernelLinesLineFrame(Record):
    """Part of the tool's answer."""

    file: str
    line: int
    function: Optional[str]
    """The mangled name; null: the kernel itself, or unknown."""


class KernelsKernelLinesLine(Record):
    """Part of the tool's answer."""

    instructions: Optional[int]
    """Only with --lines=source."""
    memory_reads: Optional[int]
    """Instructions that load from global, shared or generic memory; atomics and asynchronous copies too. Only with
    --lines=source."""
    memory_writes: Optional[int]
    """Instructions that store to them. Only with --lines=source."""
    spill_stores: int
    """Instructions."""
    spill_loads: int
    """Instructions."""
    spill_store_bytes: int
    """Per thread."""
    spill_load_bytes: int
    """Per thread."""
    shared_spill_store_bytes: int
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory."""
    shared_spill_load_bytes: int
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory."""
    frames: List[KernelsKernelLinesLineFrame]
    """The line itself, then the calls through which it was inlined. Empty: code without a line."""
    live_registers: Optional[int]
    """The most live registers at one of its instructions; with --lines=registers, and with =source if nvdisasm is
    installed."""


class KernelsKernelLines(Record):
    """With --lines, from a cubin: the spills of each source line. The sums equal the image's figures, including
    functions that the compiler did not inline."""

    told: bool
    """Whether the image has line information."""
    all_spills: bool
    """false: the image lists only a part of its spills, and so do these lines."""
    total: KernelsKernelLinesTotal
    lines: List[KernelsKernelLinesLine]
    """Most spilled bytes first; with --lines=registers and =source all lines with code, in order."""


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
    """Per instruction and thread; null: not shown by its name."""
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
    """An estimate: targets of backward branches."""
    deepest_loop: Optional[int]
    waits_for_grid: Optional[bool]
    """griddepcontrol.wait, cudaGridDependencySynchronize()."""
    lets_next_grid_begin: Optional[bool]
    """griddepcontrol.launch_dependents."""
    memory: Optional[List[KernelsKernelCodeMemory]]
    """Equal loads and stores of one line; the most deeply nested in loops first."""
    not_known: Optional[List[str]]
    """Names of the instructions that are counted as other."""


class KernelsKernelRegisterPressureToSave(Record):
    """Part of the tool's answer."""

    registers: int
    """The number of registers to save."""
    resident_blocks: int
    """On an SM, afterwards."""
    live_at_most: int
    """An estimate, assuming that as many registers stay unused at the peak."""
    lines: int
    """Lines with more live registers than that."""


class KernelsKernelRegisterPressureLiveAtPeak(Record):
    """Part of the tool's answer."""

    registers: int
    frames: List[KernelsKernelLinesLineFrame]
    """The line itself, then the calls through which it was inlined. Empty: code without a line."""


class KernelsKernelRegisterPressure(Record):
    """Part of the tool's answer."""

    problem: Optional[str]
    live_registers: Optional[int]
    """The most live registers at one instruction."""
    live_uniform_registers: Optional[int]
    """The most live registers at one instruction."""
    live_predicates: Optional[int]
    """The most live registers at one instruction."""
    highest_register: Optional[int]
    """The highest general register that is used; -1: none."""
    peak_at_byte: Optional[int]
    """Offset in the kernel's code of the first instruction with that many."""
    decoded_by: Optional[Literal['launchbox', 'nvdisasm']]
    exact: Optional[bool]
    """false: `doubt` gives the reason why the figures are approximate."""
    doubt: Optional[str]
    to_save: Optional[KernelsKernelRegisterPressureToSave]
    """The number of registers with which more blocks are resident, and what the code must change for that; null:
    registers alone are not enough, or live values or lines are unknown."""
    live_at_peak: Optional[List[KernelsKernelRegisterPressureLiveAtPeak]]
    """The general registers that are live at the peak, by the line on which they were written; most registers
    first."""


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
    """driver: as the GPU; spreadsheet: as NVIDIA's retired spreadsheet."""
    kernel: OccupancyAccountKernel
    """What one kernel uses."""
    shape: OccupancyAccountShape
    """How it is launched."""
    at_most: Optional[bool]
    """True: the kernel has shared memory of unknown size, which is not counted; the figures are upper limits."""
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
    """One limit per resource."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty if something other than a resource prevents the
    launch."""
    thresholds: List[OccupancyAllowance]
    """For each resource, the value for one more block; empty if all block slots are in use."""
    slack: List[OccupancyAllowance]
    """For each resource, the largest value with which no block is lost; empty if no block is resident."""
    next_step: Optional[OccupancyAccountNextStep]
    """The smallest change that makes more warps resident; null: none."""
    grid_obstacle: Optional[str]
    """Why no grid of this size can be launched; null: it can, or no grid was given."""
    waves: Optional[OccupancyAccountWaves]
    """The grid on the whole GPU; null without grid or SMs, or if no block is resident."""
    clusters: Optional[OccupancyAccountClusters]
    """An estimate of the resident clusters of the whole GPU; null without clusters."""
    notes: List[str]
    """Assumptions and warnings."""
    curves: Optional[OccupancyAccountCurves]
    """With --curves: resident warps as one quantity varies."""


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
    """One kernel for one architecture. null means unknown, never 0."""

    name: str
    """The mangled name. Control characters and bytes that are not UTF-8 appear as \\xNN."""
    demangled: str
    """The C++ declaration."""
    short_name: str
    """The name without return type and parameters."""
    architecture: Optional[str]
    """sm_90; null: not in the input."""
    runs_on: Optional[str]
    """The architecture of --arch, if the code is for an older one and runs on it; occupancy is that on this
    architecture. null: the code is for the requested architecture."""
    source: KernelsKernelSource
    """Where it was found."""
    registers: Optional[int]
    """Per thread; null: unknown."""
    spill_store_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    spill_load_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    spills_between: Optional[KernelsKernelSpillsBetween]
    """If the list of spills in the image is cut off: at least and at most; null: the exact figures, or nothing, are
    known."""
    stack_frame_bytes: Optional[int]
    """Bytes per thread; null: unknown."""
    cumulative_stack_bytes: Optional[int]
    """Bytes per thread, including the functions that it calls; null: unknown."""
    static_shared_bytes: Optional[int]
    """Bytes per block, without the system's reserve; null: unknown."""
    shared_variables: Optional[List[KernelsKernelSharedVariable]]
    """Static shared memory by variable, the largest first; from PTX, missing without PTX."""
    reserved_shared_bytes: Optional[int]
    """Bytes per block that the system reserves; null: unknown."""
    uses_dynamic_shared: Optional[bool]
    """Whether it uses, or may use, extern __shared__ memory; null: not in the input."""
    dynamic_shared_bytes: Optional[int]
    """Of a launch, from --dynamic-shared or Triton's metadata; null: unknown."""
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
    """True: min_blocks is inferred from the register cap."""
    register_cap: Optional[int]
    """The limit of registers that the compiler used; 255: no limit; null: unknown."""
    requested_max_registers: Optional[int]
    """__maxnreg__; null: unknown or not given."""
    maxrregcount: Optional[int]
    """-maxrregcount, if ptxas -v reports that it applies to this kernel; else null."""
    outranks_maxrregcount: Optional[int]
    """-maxrregcount, if ptxas -v shows that a bound of the kernel applies instead; else null."""
    cluster: Optional[List[int]]
    """Blocks in a cluster [x, y, z]; null: unknown or not given."""
    max_cluster_blocks: Optional[int]
    """Third launch bound; null: unknown or not given."""
    code_bytes: Optional[int]
    """Bytes of machine code; null: unknown."""
    code_hash: Optional[str]
    """Hash of the machine code, equal for equal code; null: not calculated."""
    toolkit: Optional[str]
    """CUDA version of the compiler; null: unknown."""
    virtual_architecture: Optional[str]
    """The virtual architecture that the code was compiled from: compute_80; null: unknown."""
    optimisation: Optional[Literal['full', 'reduced', 'fast_compile', 'none', 'debug']]
    """The optimisation level: full by default, reduced with -Xptxas -O1, fast_compile with -Ofast-compile, none with
    -Xptxas -O0, debug with -G; null: not known."""
    features: List[str]
    """What the code uses; see docs/inputs.md."""
    written_at: AdviceKernelMaybeLaunched
    """Where the kernel is in the source, from line information (-lineinfo); null: unknown."""
    lines: Optional[KernelsKernelLines]
    """With --lines, from a cubin: the spills of each source line. The sums equal the image's figures, including
    functions that the compiler did not inline."""
    code: Optional[KernelsKernelCode]
    """With --lines=memory: the instructions of the kernel's own code by kind, each counted once, by their names in
    nvdisasm."""
    register_pressure: Optional[KernelsKernelRegisterPressure]
    """With --lines=registers or =source: registers with values that are still needed, from the tool's own decoder, or
    for unknown code from nvdisasm."""
    relocatable: bool
    """Compiled with -rdc: registers and stack are final only after nvlink."""
    linked: bool
    """The figures are nvlink's."""
    stack_unbounded: bool
    """The compiler cannot determine the stack size."""
    callees: List[KernelsKernelCallee]
    """Device functions that the compiler did not inline."""
    occupancy: Optional[KernelsAccount]
    """As an element of results[] of launchbox.occupancy/1; null if threads, registers or architecture are unknown."""
    diagnoses: List[KernelsKernelDiagnosis]
    """Findings."""
    warnings: List[str]
    """The compiler's own warnings about this kernel."""


class Kernels(Report):
    """Output of `launchbox inspect --format json`."""

    schema: Literal['launchbox.kernels/2']
    inputs: List[KernelsInput]
    """One per file, in the order given."""
    selection: KernelsSelection
    """The selection by --spilling, --sort and --top."""
    kernels: List[KernelsKernel]
    """One per kernel and architecture."""


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
    """True: the process ended normally, with everything written."""
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
    """The largest possible gain; null: unknown."""


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
    """Blocks in a cluster; null: launched without clusters."""
    dynamic_shared_bytes: int
    carveout_percent: Optional[int]
    """null: none was requested."""
    cooperative: Optional[bool]
    """Launched by cuLaunchCooperativeKernel, with the attribute, or as such a node of a graph. null: CUPTI does not
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
    """True: the figures below are those of the loaded module; else CUPTI's."""
    image_unknown: Optional[str]
    """Why they are not those of the loaded module."""
    architecture: Optional[str]
    registers: Optional[int]
    spill_store_bytes: Optional[int]
    spill_load_bytes: Optional[int]
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
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
    """If the grid has fewer blocks than the GPU has SMs."""
    findings: List[LaunchesKernelFinding]


class Launches(Report):
    """Output of `launchbox capture --format json`."""

    schema: Literal['launchbox.launches/1']
    command: List[str]
    status: int
    """The program's exit status, as in a shell."""
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
    """Processes that used CUDA but were not followed."""
    launches: int
    unfinished_launches: int
    """Launches that had not ended when their process did; not included in other figures."""
    kernel_ns: float
    span_ns: float
    kernels: List[LaunchesKernel]
    warnings: List[str]


class MapAxis(Record):
    """Part of the tool's answer."""

    name: str
    """As in the spec or the record."""
    of: Literal['parameters', 'workload', 'record']


class MapMapSectionWinner(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    median_ns: Optional[float]
    """null: several workloads together have no time."""
    share: float
    """Speed relative to the fastest candidate that may win: 1 is the fastest."""


class MapNoise(Record):
    """Half of the interval over the median, of the fastest and of the candidates that the samples do not separate from
    it."""

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
    """The number of workloads of all kernels and GPUs in it. With several, shares are weighted geometric means."""
    winner: Optional[MapMapSectionWinner]
    """null: no winner."""
    next: Optional[MapMapSectionWinner]
    """The next candidate with other code."""
    noise: Optional[MapNoise]
    """Why there is no winner: the samples do not decide."""
    incomplete: int
    """Candidates that were measured on some but not all of several workloads."""
    verdict: str
    """One sentence."""


class MapMap(Record):
    """Part of the tool's answer."""

    by: Dict[str, Union[bool, float, str]]
    """Its values of by[]; values that these results do not have are missing."""
    runs: List[int]
    """The records with a result in this map."""
    unit: Optional[Literal['ms', 'elements/s', 'GB/s', 'GFLOP/s', 'share']]
    """The unit shown in the table; null: the requested one is not available."""
    values: List[List[Union[bool, float, str]]]
    """The values of each axis."""
    sections: List[MapMapSection]
    """Groups of results that are compared with each other: one, unless an axis is not a parameter."""
    cells: int
    """The number of its entries in cells[]."""
    unplaced: int
    """Results without a value for an axis."""
    replaced: int
    """Results that were measured again later; the newest counts."""


class MapCell(Record):
    """Part of the tool's answer."""

    map: int
    """Index into maps[], from 0."""
    section: int
    """Index into its sections[], from 0."""
    at: Dict[str, Union[bool, float, str]]
    """Its values of the axes."""
    status: Union[Literal['measured', 'incomplete'], Literal['rejected', 'compile_error', 'compile_timeout',
                  'launch_error', 'illegal_access', 'hang', 'trap', 'wrong_result', 'out_of_memory', 'worker_died',
                  'device_lost']]
    """measured; incomplete: measured on some of several workloads; or the most frequent failure, if nothing was
    measured."""
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """The winner, else the fastest of the cell that may win, else the fastest; null: nothing was measured."""
    median_ns: Optional[float]
    """null: several workloads together have no time."""
    low_ns: Optional[float]
    """Lower end of its interval."""
    high_ns: Optional[float]
    """Upper end."""
    share: Optional[float]
    """Speed relative to the fastest candidate that may win. Above 1: faster, but it cannot win."""
    share_low: Optional[float]
    """Lower end of the confidence interval from its own samples."""
    share_high: Optional[float]
    """Upper end."""
    elements_per_second: Optional[float]
    """Elements of the workload over its median; only where the spec names them; null: not known."""
    bytes_per_second: Optional[float]
    """Bytes of the workload over its median; only where the spec names them; null: not known."""
    flops_per_second: Optional[float]
    """Floating-point operations of the workload over its median; only where the spec names them; null: not known."""
    is_winner: bool
    """True: the candidate to use."""
    equals_best: bool
    """True: its interval overlaps that of the fastest, and it is not the fastest."""
    noisy: bool
    """Its interval is ± 5 % or more."""
    may_win: bool
    """True: measured completely and, if any outputs were verified, verified."""
    stopped_early: bool
    """True: clearly slower, so it has fewer samples than usual."""
    candidates: int
    """Candidates in the cell, including failed ones."""
    measured: int
    """On all workloads of the section."""
    failures: Dict[str, int]
    """The number of candidates by status."""
    reason: Optional[str]
    """An example of the most frequent failure, if nothing was measured."""


class MapEverywhere(Record):
    """Part of the tool's answer."""

    parameters: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    mean_loss: float
    """Geometric mean of the losses: 0.03 takes 3 % longer."""
    worst_loss: float
    """The largest."""
    worst_map: int
    """Index into maps[] of the largest loss."""
    losses: List[float]
    """One per map: 0.03 takes 3 % longer than its fastest."""


class Map(Report):
    """The best candidate for each value of one or two parameters, or for each type, size and GPU: launchbox results
    --map or --by, with --format json. Times in nanoseconds; null: not known."""

    schema: Literal['launchbox.map/1']
    environments: List[ComparisonEnvironment]
    """The machines and software of the measurements. Results of two environments are never mixed."""
    runs: List[ComparisonRun]
    """The records, the oldest first."""
    axes: List[MapAxis]
    """The axis across and the axis down; empty: each map is one cell."""
    by: List[MapAxis]
    """What distinguishes the maps."""
    maps: List[MapMap]
    """One for each combination of values of by[]."""
    cells: List[MapCell]
    """Cells with results, map by map and row by row."""
    everywhere: Optional[MapEverywhere]
    """Without axes: the one candidate to use in all maps; null: none may win in all."""
    problems: List[str]
    """Parts of the files that were left out, one sentence each."""


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
    """Output of `launchbox occupancy --questions FILE --format json`: each figure of launchbox.occupancy/1 as an array
    with one element per launch, in the order of the input."""

    schema: Literal['launchbox.occupancies/1']
    launches: int
    """The number of launches: the length of each array."""
    columns: OccupanciesColumns
    """The figures."""


class PortabilityGpu(Record):
    """Part of the tool's answer."""

    name: str
    """The GPU, else the processor, else the record's file."""
    architecture: Optional[str]
    """sm_90."""
    runs: List[int]
    """Indices into `runs`."""
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
    """Indices into `gpus` of the GPUs that use this row."""
    losses: List[float]
    """One for each of them."""


class PortabilitySet(Record):
    """Part of the tool's answer."""

    rows: List[PortabilitySetRow]
    worst_loss: float
    worst_gpu: int
    """Index into `gpus`."""
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
    """The machines and software of the measurements. Results of two environments are never mixed."""
    runs: List[ComparisonRun]
    """The records, the oldest first."""
    gpus: List[PortabilityGpu]
    """In the order of their files."""
    baseline: Optional[PortabilityBaseline]
    """The spec's baseline; null: the records have none, or different ones."""
    within: float
    """The accepted loss: 0.02 for 2 %."""
    smallest: Optional[int]
    """Index into `sets` of the first with which no GPU loses more."""
    exact: bool
    """False for more than 12 GPUs: better sets may exist."""
    sets: List[PortabilitySet]
    """The best worst case with one row, with two, and so on, until more rows gain nothing."""
    rows: List[PortabilityRow]
    """Every candidate: first those that were measured on every GPU, the best worst case first."""
    problems: List[str]
    """Parts of the files that were left out, one sentence each."""


class RegisterLimitsResultBound(Record):
    """Part of the tool's answer."""

    min_blocks: int
    """The second launch bound."""
    verdict: Literal['honoured', 'threads_not_positive', 'too_many_threads', 'too_many_blocks', 'too_many_warps_per_sm']
    """What ptxas does: it honours the bound, or ignores min_blocks because the SM has too few threads, block slots or
    warp slots."""
    register_limit: Optional[int]
    """The most registers per thread; null: ptxas ignores min_blocks and uses the cap of the threads alone."""
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
    """The values of --min-blocks, else every one that ptxas honours."""


class RegisterLimits(Report):
    """Output of `launchbox bounds --format json` without a source."""

    schema: Literal['launchbox.register_limits/1']
    results: List[RegisterLimitsResult]
    """One per block size and chip."""


class ResultsRun(Record):
    """Part of the tool's answer."""

    file: str
    """The file that it was read from."""
    number: int
    """Its number in that file."""
    name: str
    """The name of the tunable."""
    environment: int
    """Index into environments[], from 0."""
    host: str
    """Name of the machine."""
    started: str
    """UTC."""
    call: Optional[int]
    """Number of its latest call in that file: the run with the higher number is newer. null: the file does not number
    calls."""
    version: str
    """The version of launchbox."""
    command: str
    """The command line."""
    spec_hash: str
    """Hash of the spec."""
    task_hash: str
    """Hash of everything in the spec that a result depends on."""
    source_hash: str
    """Hash of the sources."""
    baseline: Optional[Dict[str, Union[bool, float, str]]]
    """The parameters that others are compared with."""
    spec: Optional[str]
    """With --samples: its text."""
    objective: str
    """The objective: time; energy; time, energy*2; max p99 where power <= 500. It determines costs, gains and the
    winner."""


class ResultsBest(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    weight: float
    """Of the workload."""
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """The winner; null: none."""
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
    """The baseline's time divided by the winner's."""
    speed_up_low: Optional[float]
    """Lower end of the confidence interval."""
    speed_up_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """True: the winner is the baseline."""
    raced: bool
    """True: a final race decided."""
    equal_within: Optional[float]
    """Another candidate is equal to it within this share (0.004: 0.4 %); null: none is."""
    chosen_among: int
    """The number of candidates equal to the fastest; 1: no other, or no decision."""
    chosen_by: Optional[Literal['baseline', 'fewer_registers', 'smaller_block', 'smaller_values']]
    """Why this one was chosen among equal ones; null: there was no choice. The baseline stays; else fewer registers,
    then a smaller block, then smaller values of parameters."""
    noise: Optional[MapNoise]
    """Why there is no winner: the samples do not decide; null: they do."""
    verdict: str
    """One sentence."""
    measured: int
    """Candidates."""
    failures: Dict[str, int]
    """The number of candidates by status."""


class ResultsOverallCandidateSpeed(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    speed_up: Optional[float]
    """Relative to the reference of the workload."""
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
    """Lower end of the confidence interval."""
    score_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """True: this is the baseline."""
    same_as: Optional[Dict[str, Union[bool, float, str]]]
    """The first candidate with the same code on every workload."""
    worst: Dict[str, Union[bool, float, str]]
    """The workload with the smallest speed-up."""
    speeds: List[ResultsOverallCandidateSpeed]
    """One per workload."""


class ResultsOverall(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
    over_baseline: bool
    """True: scores are relative to the baseline; else to the fastest of each workload."""
    workloads: int
    """The number of workloads."""
    incomplete: int
    """Candidates without a score: not measured completely on all workloads."""
    winner: Optional[Dict[str, Union[bool, float, str]]]
    """The candidate to use on all workloads: the best, or the baseline if that is not measurably slower; null:
    none."""
    noise: Optional[MapNoise]
    """Why there is no winner: the samples do not decide; null: they do."""
    verdict: str
    """One sentence."""
    candidates: List[ResultsOverallCandidate]
    """The best first."""


class ResultsDeviceHardware(Record):
    """The hardware of the GPU other than its SMs; null: unknown, as in old records."""

    sm_clock_mhz: Optional[int]
    """The highest clock of the SMs."""
    memory_clock_mhz: Optional[int]
    """The highest clock of the memory."""
    memory_bus_bits: Optional[int]
    """Width of the bus to the memory."""
    l2_bytes: Optional[int]
    """The L2 cache."""
    free_memory_bytes: Optional[int]
    """Free memory now; of a run, when it began."""
    memory_gb_per_second: Optional[float]
    """Bandwidth at the highest memory clock: 2 × clock × bus / 8, in 10^9 bytes per second."""
    pci_bus: Optional[str]
    """Its PCI address, "0000:3b:00.0"."""


class ResultsDevice(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
    name: str
    """That of no other GPU of the run: "GPU 1", "rank 3 (node7, GPU 1)"."""
    host: str
    uuid: str
    """The UUID from the driver; empty: unknown."""
    ecc: Optional[bool]
    """Whether its memory corrects errors."""
    hardware: Optional[ResultsDeviceHardware]
    """The hardware of the GPU other than its SMs; null: unknown, as in old records."""
    calibration_ns: List[float]
    """Samples of the reference, which all GPUs of the run have timed."""
    state: Optional[Dict[str, Any]]
    """The state of the GPU while it timed them, as in candidates[].device."""
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
    """The number of samples."""
    result_median_ns: Optional[float]
    """Median of the result that brought it into the race; null: not known."""
    samples_ns: Optional[List[float]]
    """With --samples: samples in nanoseconds, in the order in which they were taken."""


class ResultsRace(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
    workload: Dict[str, Union[bool, float, str]]
    """Names and values in their order."""
    verdict: Literal['winner', 'equal']
    """equal: the first is not separated from the second."""
    equal_within: float
    """With equal: the share within which they are equal."""
    counts: bool
    """True: it decides the winner. false: results were added or changed since the race."""
    entries: List[ResultsRaceEntry]
    """The fastest first."""


class ResultsCandidateResources(Record):
    """Part of the tool's answer."""

    name: str
    """The mangled name."""
    architecture: str
    """sm_90."""
    registers: Optional[int]
    """Per thread."""
    spill_store_bytes: Optional[int]
    """Per thread."""
    spill_load_bytes: Optional[int]
    """Per thread."""
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
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
    """How `seconds` was spent, in seconds; missing if unknown."""

    reference: Optional[float]
    """Waiting for the program of [verify], which makes the reference. Missing in older results, where it is part of
    prepare."""
    load: float
    """Loading its module."""
    prepare: float
    """Filling, restoring and poisoning buffers; uploading the reference."""
    verify: float
    """The first launch and the comparison of its outputs."""
    time: float
    """The timed launches."""
    check: float
    """Checking outputs, inputs and guards afterwards."""


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
    """Why it was throttled; empty: it was not, or unknown."""


class ResultsCandidate(Record):
    """Part of the tool's answer."""

    run: int
    """Index into runs[], from 0."""
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
    """measured, or a failure."""
    reason: Optional[str]
    """Why it was not measured."""
    rank: Optional[int]
    """Its rank among the measured candidates of its run and workload, from 1."""
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
    """The number of samples."""
    dropped: int
    """Samples that were dropped because the GPU was throttled."""
    speed_up: Optional[float]
    """The baseline's time divided by its own."""
    speed_up_low: Optional[float]
    """Lower end of the confidence interval."""
    speed_up_high: Optional[float]
    """Upper end."""
    is_baseline: bool
    """True: this is the baseline."""
    is_equal: bool
    """True: it is the fastest, or not measurably slower, in the final race or, if it was not in the race, by its
    samples. Among candidates with the same code, only the measured one."""
    is_winner: bool
    """True: it is the winner in best[]."""
    verified: bool
    """True: its outputs were compared with the reference."""
    stopped_early: bool
    """True: clearly slower than the best, so it has fewer samples."""
    same_as: Optional[Dict[str, Union[bool, float, str]]]
    """The candidate with the same code to which these samples belong."""
    resources: Optional[ResultsCandidateResources]
    """Resources of the compiled kernel; null: not compiled, or a program."""
    deaths: int
    """The number of processes that it killed."""
    seconds: float
    """Wall time that measuring took."""
    compile_seconds: float
    """Wall time of the compiler."""
    from_cache: bool
    """True: taken from the compile cache."""
    finished: Optional[str]
    """UTC."""
    phase_seconds: Optional[ResultsCandidatePhaseSeconds]
    """How `seconds` was spent, in seconds; missing if unknown."""
    device: Optional[ResultsCandidateDevice]
    """The state of the GPU during the measurement."""
    samples_ns: Optional[List[float]]
    """With --samples: samples in nanoseconds, in the order in which they were taken."""
    checksum: Optional[str]
    """With --samples: checksum of the outputs."""
    sticky: Optional[bool]
    """With --samples: true if the process could not continue afterwards."""
    code: Optional[str]
    """With --samples: hash of the code, equal for equal code."""
    log: Optional[str]
    """With --samples: the compiler's output."""
    quantities: Optional[Dict[str, List[float]]]
    """Other measured quantities, samples by name: energy in joules per launch, power in watts, numbers that a program
    printed, other measurements of another tuner's file."""
    elements_per_joule: Optional[float]
    """If the work and the energy are known."""
    bytes_per_joule: Optional[float]
    """If the work and the energy are known."""
    flops_per_joule: Optional[float]
    """If the work and the energy are known."""
    cost: Optional[float]
    """With an objective other than time: the median cost by which candidates are ranked; for several terms their
    weighted geometric mean, with time in milliseconds. null: a quantity is unknown, or the time decides."""
    allowed: Optional[bool]
    """With an objective other than time: whether its condition holds."""
    on_front: Optional[bool]
    """With an objective other than time: on the Pareto front of its terms, among candidates that may win."""


class ResultsRow(Record):
    """Part of the tool's answer."""

    name: str
    """The tunable."""
    table: str
    """What the table is for: the tunable and, if it has several tables, the type and size of elements."""
    gpu: Optional[str]
    """null: any GPU of the architecture without a row of its own."""
    architecture: str
    parameters: Optional[Dict[str, Union[bool, float, str]]]
    """null: code for the architecture does not compile."""
    origin: Optional[str]
    """'the row of sm_90, measured here', '..., measured on NVIDIA H200, inherited'; null: there is no row."""


class Results(Report):
    """Measurements of launchbox tune: launchbox results --format json. Times in nanoseconds unless the name says
    otherwise; null: not known."""

    schema: Literal['launchbox.results/1']
    environments: List[ComparisonEnvironment]
    """The machines and software of the measurements. Results of two environments are never mixed."""
    runs: List[ResultsRun]
    """One per task, source and environment, with the latest call that worked on it."""
    best: List[ResultsBest]
    """One per run and workload."""
    overall: Optional[List[ResultsOverall]]
    """One per run with several workloads."""
    devices: Optional[List[ResultsDevice]]
    """The GPUs of runs, how several compare, and their state in the last call."""
    races: List[ResultsRace]
    """The final races."""
    candidates: List[ResultsCandidate]
    """Every result."""
    rows: Optional[List[ResultsRow]]
    """The row of each GPU in the header that launchbox emit writes from these runs: for the GPUs of a tunable that was
    measured on several, those of --here, and the architectures of --arch."""
    problems: List[str]
    """Parts of the files that were left out, one sentence each."""


class RowsGain(Record):
    """Speed-up over the replaced row, with its confidence interval; null: unknown."""

    times: float
    low: float
    high: float


class RowsRowWorkload(Record):
    """Part of the tool's answer."""

    workload: Dict[str, Union[bool, float, str]]
    weight: float
    gain: RowsGain
    """Speed-up over the replaced row, with its confidence interval; null: unknown."""


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
    """True: nothing was faster by 1 % and beyond noise, so the old row is kept."""
    replaced: Optional[str]
    """The row that it was compared with, and its origin."""
    gain: RowsGain
    """Speed-up over the replaced row, with its confidence interval; null: unknown."""
    loss: Optional[float]
    """In a table for several GPUs: time divided by the GPU's best time, minus 1"""
    workloads: List[RowsRowWorkload]
    throughput: Optional[List[RowsRowThroughput]]
    """Throughput of the row on each workload whose work the spec gives."""
    verified: bool
    """True: its outputs were compared with a reference on every workload."""
    gpu: Optional[str]
    processor: Optional[str]
    driver: Optional[str]
    toolkit: Optional[str]
    measured: Optional[str]
    """When, in UTC."""
    version: Optional[str]
    """The version of launchbox."""
    record: str
    record_hash: str


class RowsPredicted(Record):
    """Part of the tool's answer."""

    architecture: str
    parameters: Dict[str, Union[bool, float, str]]
    expected_share: float
    """Expected share of the best there, 0 to 1: the weighted mean over the GPUs of the records."""
    candidates: int
    """The number of candidates that it was chosen from."""
    verified: bool
    """True: its outputs were compared wherever it was measured."""
    gpus: List[str]
    """The GPUs from whose records it is predicted."""
    records: List[str]
    """Their files, each with its hash."""
    compiled: Optional[str]
    """The compiler's figures for that architecture; null: not compiled."""


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
    """Output of launchbox emit --format json: rows from records, with a table for each part of the workloads."""

    schema: Literal['launchbox.rows/1']
    box: str
    """Name of the table."""
    name: str
    """The name of the tunable."""
    tables: List[RowsTable]


class SearchHeldOutGpuPredicted(Record):
    """The best expected row from the records of the others."""

    parameters: Dict[str, Union[str, float, bool]]
    """Names and values in their order."""
    loss: Optional[float]
    """Time divided by the best time on this GPU, minus 1; null: it failed there."""


class SearchHeldOutGpu(Record):
    """One held-out GPU, whose record was used only to evaluate each row. A row is null if there is none."""

    name: str
    architecture: Optional[str]
    """null: neither the record nor the name contains it."""
    inherits_from: Optional[str]
    """The GPU with the nearest architecture that is not newer."""
    candidates: int
    """Measured on it."""
    predicted: SearchHeldOutGpuPredicted
    """The best expected row from the records of the others."""
    inherited: SearchHeldOutGpuPredicted
    """The best row of the GPU that it inherits from."""
    best_common: SearchHeldOutGpuPredicted
    """The row with the best worst case on the others."""
    ten_measured: SearchHeldOutGpuPredicted
    """The fastest of the ten best expected rows, if these are measured."""
    baseline: SearchHeldOutGpuPredicted
    """The baseline of the spec, or the first candidate of the record."""


class SearchHeldOut(Record):
    """One space."""

    name: str
    """The name of the tunable."""
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
    """At most this much slower than the optimum."""
    evaluations: SearchProblemStrategyWithinEvaluations
    """Candidates tried, failing ones too. Median and 90th percentile over the searches; null: not reached."""
    seconds: SearchProblemStrategyWithinEvaluations
    """Recorded compile and measuring time. Median and 90th percentile over the searches; null: not reached."""


class SearchProblemStrategy(Record):
    """One strategy on this problem."""

    strategy: str
    """Its name on the command line."""
    score: float
    """1: the optimum immediately; 0: as random search; below 0: worse."""
    within: List[SearchProblemStrategyWithin]
    """How soon it came within 10, 5 and 1 % of the optimum."""


class SearchProblem(Record):
    """A recorded space."""

    file: str
    """As named on the command line."""
    run: int
    """Its number in the file."""
    name: str
    """The name of the tunable."""
    device: Optional[str]
    """The GPU, or the processor; null: not in the record."""
    workload: Dict[str, Union[str, float, bool]]
    """Its values by name."""
    candidates: int
    """In the record."""
    measured: int
    """Of these: with a time."""
    rejected: int
    """Of these: never launched. They cost a search nothing and do not count as evaluations."""
    best_ns: float
    """Median time of the fastest candidate, nanoseconds."""
    median_ns: float
    """Median of all measured candidates, nanoseconds."""
    evaluations_of_chance: int
    """The number of random draws after which the expected best is 95 % of the way from the median to the optimum
    (calculated)."""
    evaluations_of_score: int
    """The scores cover the average time of this many evaluations: evaluations_of_chance, or `most` if that is less."""
    strategies: List[SearchProblemStrategy]


class Search(Report):
    """Output of `launchbox bench-search --format json`."""

    schema: Literal['launchbox.search/1']
    repeats: int
    """Searches with each strategy on each problem."""
    most: int
    """Evaluations after which a search ends."""
    seed: int
    """Seed of the first search; the others follow from it."""
    interrupted: bool
    """True: stopped by the user; unfinished problems and strategies are missing."""
    notes: List[str]
    """Parts of the files that were left out, and why."""
    left_out: Optional[Literal['gpu', 'architecture']]
    """With --leave-one-out: what is held out; else null."""
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
    """The number of images."""
    kernels: int
    """Kernels in them."""
    stored_bytes: int
    """Bytes in the file, which leaving this out would save."""
    bytes: int
    """Decompressed."""


class SizeFileTemplate(Record):
    """Part of the tool's answer."""

    name: str
    """A kernel's name without template arguments."""
    kernels: int
    """Kernels × architectures with that name."""
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
    """Bytes of the file outside its images: host code and data, headers, padding."""
    code_bytes: int
    """Machine code of all kernels, decompressed."""
    repeated_code_bytes: int
    """Of it, code that another kernel for the same architecture also has."""
    architectures: List[SizeFileArchitecture]
    """Most bytes first."""
    templates: List[SizeFileTemplate]
    """Most code first."""


class Size(Report):
    """Output of `launchbox inspect --size --format json`."""

    schema: Literal['launchbox.size/1']
    files: List[SizeFile]
    """One per file that holds images."""


class StackReserveGpu(Record):
    """Part of the tool's answer."""

    gpu: str
    """The product name."""
    sms: int
    """Streaming multiprocessors."""
    threads: int
    """Threads that can be resident on all SMs."""
    stack_bytes: int
    """Bytes per thread of the deepest stack."""
    reserved_bytes: int
    """stack_bytes × threads."""
    at_least: bool
    """True: the stack of at least one kernel has no known limit."""
    kernel: Optional[str]
    """Mangled name of the kernel with the deepest stack; null: no kernel has a stack."""


class StackReserveNotCounted(Record):
    """Part of the tool's answer."""

    architecture: Optional[str]
    """null: not known."""
    kernels: int
    reason: str


class StackReserve(Report):
    """Output of `launchbox inspect --stack-reserve --format json`: an estimate of the memory that the driver
    reserves."""

    schema: Literal['launchbox.stack_reserve/1']
    gpus: List[StackReserveGpu]
    """GPU models that can run a kernel, by ascending compute capability."""
    not_counted: List[StackReserveNotCounted]
    """Kernels whose need is unknown on every model."""


class SuggestionsResultKernel(Record):
    """What one kernel uses."""

    name: Optional[str]
    """Short name; null if only figures were given."""
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
    """Whether this candidate keeps the rule; null: a necessary figure is unknown."""
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
    """Per SM; candidates are compared by this."""
    occupancy: float
    """Resident threads over the threads of the SM, 0 to 1; candidates are ranked by this."""
    warp_occupancy: float
    """Resident warps over the warp slots of the SM: a partial warp counts as a whole one."""
    limiters: List[Literal['warps', 'blocks', 'registers', 'shared', 'barriers', 'virtual_resources']]
    """The resources whose limit equals the resident blocks; empty if something other than a resource prevents the
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
    """True: the kernel uses dynamic shared memory of unknown size, which is not counted; the figures are upper
    limits."""
    cluster_blocks: int
    """Blocks in a cluster: --cluster, or the kernel's own; 1: none."""
    obstacle: Optional[str]
    """Why no block size can be launched; null: there is one."""
    fixed: Optional[str]
    """Why only this block size is correct, so that sizes are not ranked; null: sizes are ranked."""
    notes: List[str]
    """What else a launch with the suggested block size needs: attributes to set, a grid of whole clusters."""
    threads: Optional[int]
    """The suggested block size, that of the first candidate; null: no block size can be launched."""
    candidates: List[SuggestionsResultCandidate]
    """Best first."""


class Suggestions(Report):
    """Output of `launchbox suggest --format json`."""

    schema: Literal['launchbox.suggestions/2']
    results: List[SuggestionsResult]
    """One per kernel and architecture."""
    skipped_images: Optional[List[OccupancySkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""


class SummaryInputArchitecture(Record):
    """All images and kernels of one architecture."""

    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    image: Optional[str]
    """cubin, PTX, LTO-IR; null: a source or a log, which contains no images."""
    relocatable: bool
    """True: input of the device linker, which does not run."""
    linked: bool
    """The figures are nvlink's, from a log."""
    images: Optional[int]
    """The number of images; null: not a binary."""
    stored_bytes: Optional[int]
    """Bytes of the images in the file, compressed or not; null: not a binary."""
    bytes: Optional[int]
    """Bytes of the images when decompressed; null: not a binary."""
    kernels: int
    """Kernels; of PTX only those without a cubin."""
    unique_kernels: int
    """Distinct kernels."""
    code_bytes: Optional[int]
    """Machine code of the kernels whose size is known; null: known of none."""
    code_unknown: int
    """Kernels whose code size is not known."""
    spilling: Optional[int]
    """Kernels that spill; null: known of none."""
    spills_unknown: int
    """Kernels whose spills are unknown."""
    spills_at_least: Optional[int]
    """Of spilling: kernels that spill more bytes than are counted."""
    spill_store_bytes: Optional[int]
    """Bytes per thread, summed over the kernels; null: known of none."""
    spill_load_bytes: Optional[int]
    """Bytes per thread, summed over the kernels; null: known of none."""
    shared_spill_store_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    shared_spill_load_bytes: Optional[int]
    """Bytes per thread of registers spilled to shared memory, not included in the figures for local memory; null:
    unknown."""
    largest_registers: Optional[int]
    """Registers per thread of the kernel with the most; null: unknown."""


class SummaryInputToolkit(Record):
    """Part of the tool's answer."""

    toolkit: str
    """CUDA version of the compiler."""
    kernels: int
    """Kernels compiled by it."""


class SummaryInputCopy(Record):
    """Part of the tool's answer."""

    short_name: str
    """The short name of one of them."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    copies: int
    """How often the same code is there."""
    extra_code_bytes: Optional[int]
    """Bytes of all but one; null: unknown."""


class SummaryInputDiffering(Record):
    """Part of the tool's answer."""

    short_name: str
    """The short name of one of them."""
    architecture: Optional[str]
    """sm_90, compute_90; null: not in the input."""
    codes: int
    """The number of different codes."""


class SummaryInputRunsOnGpu(Record):
    """Part of the tool's answer."""

    compute_capability: str
    by_cubin: int
    """Kernels with a cubin that runs there."""
    by_ptx: int
    """Additional kernels with PTX that the driver can compile for it."""


class SummaryInputRunsOn(Record):
    """Part of the tool's answer."""

    kernels: int
    """Unique kernels in images that are not relocatable."""
    gpus: List[SummaryInputRunsOnGpu]
    """Every compute capability of the table of limits."""
    later_gpus_by_ptx: int
    """Kernels with PTX that can be compiled for GPUs of later compute capabilities."""


class SummaryInput(Record):
    """Part of the tool's answer."""

    file: str
    """As the user gave it; - for standard input."""
    kind: Literal['CUDA source', 'compiler log', 'cubin', 'PTX', 'fat binary', 'object file', 'executable',
                  'shared library', 'archive', 'other binary', 'folder', 'package', 'unreadable']
    kernels: int
    """Kernels × architectures × copies."""
    skipped_images: Optional[List[BoundsInputSkippedImage]]
    """Images that are listed but not read: LTO-IR, and entries of an unknown kind."""
    errors: List[str]
    """Errors of this input, the compiler's messages first."""
    unique_kernels: int
    """Distinct kernels: by C++ name, and by source file if the symbol names one."""
    only_ptx: int
    """Kernels without a cubin."""
    architectures: List[SummaryInputArchitecture]
    """Executable images first, then relocatable ones."""
    toolkits: List[SummaryInputToolkit]
    """The compilers of the code."""
    toolkit_unknown: int
    """Kernels whose toolkit is not in the input."""
    copies: List[SummaryInputCopy]
    """Kernels that occur more than once with the same code for one architecture, the largest waste first. Relocatable
    images do not count."""
    differing: List[SummaryInputDiffering]
    """Kernels of the same name and architecture with different code."""
    code_not_compared: int
    """Kernels whose code is unknown, so that copies cannot be recognised."""
    ptx: List[str]
    """Virtual architectures of the PTX, ascending."""
    runs_on: Optional[SummaryInputRunsOn]
    """The GPUs that can run it; null: a source or a log."""


class Summary(Report):
    """Output of `launchbox inspect --summary --format json`."""

    schema: Literal['launchbox.summary/1']
    inputs: List[SummaryInput]
    """One per file, in the order given."""


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
