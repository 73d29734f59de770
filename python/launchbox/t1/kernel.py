# SPDX-License-Identifier: Apache-2.0
"""KernelSpecification, ReferenceArguments, Search and Budget of a T1 problem."""
from __future__ import annotations

import math
import os
import re
import shlex
from typing import Any, NamedTuple

from .expression import Expression, Refused
from .problem import Writer, member, python_text, string_member, toml_string
from .to_lua import number_in_lua

_PLACE = "KernelSpecification"
_TYPES = {"int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "uint16": "uint16_t", "int32": "int",
          "uint32": "unsigned", "int64": "int64_t", "uint64": "uint64_t", "uint": "unsigned"}
# The types of a spec's arguments; CUDA's vector types are these with a digit appended.
_KNOWN_TYPES = frozenset(
    "char,signed char,short,int,long,long long,int8_t,int16_t,int32_t,int64_t,ptrdiff_t,bool,unsigned char,unsigned "
    "short,unsigned,unsigned int,unsigned long,unsigned long long,uint8_t,uint16_t,uint32_t,uint64_t,size_t,float,"
    "double,half,__half,nv_bfloat16,__nv_bfloat16,half2,__half2,__nv_bfloat162,nv_bfloat162,__nv_fp8_e4m3,"
    "__nv_fp8_e5m2".split(","))
_VECTOR = re.compile(r"(u?(char|short|int|long|longlong)|float|double)[1-4]")
MAX_SOURCE = 16 << 20


class _Sizes(NamedTuple):
    threads: list[str]
    blocks: list[str]


def _number(of: Writer, value: Any) -> str:
    """A number or a Python expression as one of a spec."""
    return number_in_lua(Expression(python_text(value)), of.names)


def _in_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _path(of: Writer, path: str) -> str:
    return path if path.startswith("/") else of.folder + path


def translate_search(of: Writer, root: Any) -> None:
    search, budgets = member(root, "Search"), member(root, "Budget")
    if search is not None:
        name = string_member(search, "Name")
        of.note("Search", f"not translated{f' ({name})' if name else ''}: --strategy chooses it")
    for i, budget in enumerate(budgets if isinstance(budgets, list) else [] if budgets is None else [budgets]):
        value = member(budget, "BudgetValue")
        shown = str(value) if type(value) in (int, float) else "N"
        option = {"TuningDuration": f"--budget {shown}s", "ConfigurationCount": f"--budget {shown}",
                  "ConfigurationFraction": f"--budget N with {shown} of the candidates"}
        of.note(f"Budget[{i}]" if isinstance(budgets, list) else "Budget",
                f"not translated: {option.get(string_member(budget, 'Type'), '--budget')} does it")


def translate_kernel(of: Writer, kernel: Any) -> bool:
    """Writes [kernel] and [verify]. False if the problem has no kernel that launchbox can compile."""

    def without(place: str, what: str) -> bool:
        of.note_here(place, f"{what}; add [kernel] or [program] (docs/tune_spec.md)")
        return False

    if not isinstance(kernel, dict):
        return without(_PLACE, "missing, so the spec has no [kernel]")
    of.name_others(kernel, _PLACE, (
        "Language", "CompilerOptions", "BenchmarkName", "KernelName", "KernelFile", "GlobalSizeType", "LocalSize",
        "GlobalSize", "GridDivX", "GridDivY", "GridDivZ", "ProblemSize", "SharedMemory", "Arguments",
        "ReferenceArguments", "Device", "SimulationInput", "Profiling"))
    language = string_member(kernel, "Language")
    if language not in ("", "CUDA"):
        return without(f"{_PLACE}.Language",
                       f"the kernel is {language}, so there is no [kernel]: launchbox compiles CUDA")
    if not language:
        of.note(f"{_PLACE}.Language", "missing: taken as CUDA")
    for needed in ("KernelName", "KernelFile"):
        if not string_member(kernel, needed):
            return without(f"{_PLACE}.{needed}", "missing, so the spec has no [kernel]")
    sizes = _sizes_of(of, kernel)
    if sizes is None:
        return without(_PLACE, "the sizes of the launch could not be read, so there is no [kernel]")
    of.write("[kernel]")
    of.write(f"source = {toml_string(_path(of, kernel['KernelFile']))}")
    of.write(f"name = {toml_string(_in_braces(kernel['KernelName']))}")
    of.write(f"threads = {_listed(sizes.threads)}")
    of.write(f"blocks = {_listed(sizes.blocks)}")
    shared = member(kernel, "SharedMemory")
    if shared not in (None, 0, "0"):
        try:
            of.write(f"dynamic_shared = {toml_string(_number(of, shared))}")
        except Refused as error:
            of.note_here(f"{_PLACE}.SharedMemory", f"not translated: {error}")
    _translate_flags(of, member(kernel, "CompilerOptions"))
    _translate_arguments(of, kernel)
    of.write("")
    _translate_references(of, member(kernel, "ReferenceArguments"))
    for key, why in (("Device", "--gpu chooses"), ("SimulationInput", "--replay answers from recorded results")):
        if member(kernel, key) is not None:
            of.note(f"{_PLACE}.{key}", f"not translated: {why}")
    if member(kernel, "Profiling") is True:
        of.note(f"{_PLACE}.Profiling", "not translated: launchbox has no counters")
    return True


def _listed(three: list[str]) -> str:
    count = max([1, *(i + 1 for i, one in enumerate(three) if one != "1")])
    texts = [toml_string(one) for one in three[:count]]
    return texts[0] if count == 1 else f"[{', '.join(texts)}]"


def _dimension(sizes: Any, i: int) -> Any:
    """{"X": "a", "Y": "b"}, a list, or a single value."""
    if isinstance(sizes, dict):
        return sizes.get("XYZ"[i])
    if isinstance(sizes, list):
        return sizes[i] if i < len(sizes) else None
    return sizes if i == 0 else None


def _sizes_of(of: Writer, kernel: dict[str, Any]) -> _Sizes | None:
    """The threads and blocks. Blocks follow from ProblemSize if the file divides it (GridDivX, GridDivY, which are not
    in the schema), else from GlobalSize.
    """
    local, given = member(kernel, "LocalSize"), member(kernel, "GlobalSize")
    kind = string_member(kernel, "GlobalSizeType")
    problem = of.names.elements.get("ProblemSize", [])
    divides = bool(problem) and any(isinstance(member(kernel, f"GridDiv{axis}"), list) for axis in "XYZ")
    threads, blocks = ["1"] * 3, ["1"] * 3
    place = ""
    try:
        for i, axis in enumerate("XYZ"):
            place = f"{_PLACE}.LocalSize.{axis}"
            usual = f"block_size_{axis.lower()}"
            if _dimension(local, i) is not None:
                threads[i] = _number(of, _dimension(local, i))
            elif usual in of.names.variables:
                threads[i] = of.names.variables[usual].name
            elif i == 0:
                raise Refused("missing")
            if divides:
                if i < len(problem):
                    place = f"{_PLACE}.GridDiv{axis}"
                    divisor = _divisor(of, member(kernel, f"GridDiv{axis}"), threads[i])
                    size = of.names.variables[problem[i]].name
                    blocks[i] = size if divisor == "1" else f"ceil_div({size}, {divisor})"
                continue
            place = f"{_PLACE}.GlobalSize.{axis}"
            if _dimension(given, i) is not None:
                size = _number(of, _dimension(given, i))
                in_threads = kind in ("OpenCL", "Vulkan") and threads[i] != "1"
                blocks[i] = f"ceil_div({size}, {threads[i]})" if in_threads else size
            elif i == 0:
                raise Refused("missing")
    except Refused as error:
        of.note(place, str(error))
        return None
    if divides and given is not None:
        of.note(f"{_PLACE}.GlobalSize", "not used: GridDivX and GridDivY with ProblemSize give the blocks")
    if not divides and kind not in ("", "CUDA", "OpenCL", "Vulkan"):
        of.note(f"{_PLACE}.GlobalSizeType", f"{kind} is not known: taken as blocks")
    return _Sizes(threads, blocks)


def _divisor(of: Writer, divisors: Any, threads: str) -> str:
    if not isinstance(divisors, list):
        return threads
    product = " * ".join(f"({python_text(one)})" for one in divisors)
    return number_in_lua(Expression(product), of.names) if product else "1"


def _translate_flags(of: Writer, options: Any) -> None:
    """Parameters reach the kernel as macros."""
    flags: list[str] = []
    for option in options if isinstance(options, list) else [options]:
        if isinstance(option, str):
            try:
                flags += [_in_braces(word) for word in shlex.split(option)]
            except ValueError as error:
                of.note_here(f"{_PLACE}.CompilerOptions", f"not translated: {str(error).lower()} in {option}")
    flags += [f"-D{name}={{{of.names.variables[name].name}}}" for name in of.parameters]
    of.write("flags = [")
    for flag in flags:
        of.write(f"  {toml_string(flag)},")
    of.write("]")


def _translate_arguments(of: Writer, kernel: dict[str, Any]) -> None:
    arguments = member(kernel, "Arguments")
    if not isinstance(arguments, list) or not arguments:
        of.note_here(f"{_PLACE}.Arguments", "missing: add the kernel's parameters, if it has any")
        return
    source = _source_of(of, kernel["KernelFile"])
    parameters: dict[str, int] = {}  # how often each name occurs
    variables: dict[str, str] = {}
    of.write("arguments = [")
    for i, argument in enumerate(arguments):
        _Argument(of, argument, f"{_PLACE}.Arguments[{i}]", source, parameters, variables).translate()
    of.write("]")
    if variables:
        of.lines += ["variables = [", *variables.values(), "]"]


def _source_of(of: Writer, name: str) -> str:
    """Empty if the file cannot be read: the compiler reports that later."""
    try:
        path = os.path.join(os.path.dirname(of.file), name)
        if os.path.isfile(path) and os.path.getsize(path) <= MAX_SOURCE:
            with open(path, encoding="latin-1") as file:
                return file.read(MAX_SOURCE)
    except (OSError, ValueError):
        pass
    return ""


def _declares_constant(source: str, name: str) -> bool:
    """Whether a source has "__constant__ TYPE NAME"; true if the source is missing."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.ASCII)
    return not source or any(word.search(declaration.partition(";")[0])
                             for declaration in source.split("__constant__")[1:])


class _Argument:
    """One of the kernel's arguments on its way into the spec."""

    def __init__(self, of: Writer, argument: Any, place: str, source: str, parameters: dict[str, int],
                 variables: dict[str, str]):
        self.of, self.argument, self.place, self.source = of, argument, place, source
        self.parameters, self.variables = parameters, variables
        self.name = string_member(argument, "Name")
        self.memory = string_member(argument, "MemoryType")
        self.type, self.factor = self.find_type()

    def find_type(self) -> tuple[str, str]:
        """The C++ type, or ""; and a factor such as " * 12" if one element of the problem is that many of these."""
        given = string_member(self.argument, "Type")
        ours = _TYPES.get(given, given)
        plain = re.sub(r"^(::|std::|cuda::std::)(?=.*_t$)", "", ours)
        if plain in _KNOWN_TYPES or _VECTOR.fullmatch(plain):
            return ours, ""
        # An unknown type of known size becomes that many bytes.
        size = member(self.argument, "TypeSize")
        if type(size) is int and 0 < size < 1_000_000 and self.memory != "Scalar":
            return "unsigned char", f" * {size}"
        return "", ""

    def translate(self) -> None:
        if not self.name:
            return self.leave_out("it has no Name, and is left out: the parameters after it move")
        self.of.name_others(self.argument, self.place, (
            "Name", "Type", "Size", "TypeSize", "MemoryType", "AccessType", "FillType", "FillValue", "DataSource",
            "RandomSeed", "MemType", "Output"))
        if self.memory == "Local":
            return self.leave_out("left out: CUDA has no parameter in shared memory")
        if not self.type:
            return self.leave_out("left out: unknown type "
                                  f"'{string_member(self.argument, 'Type')}'; the parameters after it move")
        # KTT's symbols are variables of the module. Kernel Tuner's constants are both variables and kernel parameters.
        symbol = self.memory in ("Symbol", "Constant")
        if symbol or string_member(self.argument, "MemType") == "Constant":
            self.write_variable(not symbol)
        if symbol:
            return None
        given = self.name
        while self.name in self.parameters:
            self.parameters[given] += 1
            self.name = f"{given}_{self.parameters[given]}"
        if self.name != given:
            self.of.note_here(f"{self.place}.Name", f"called {self.name} here, since {given} appears twice", "  ")
        self.parameters[self.name] = 1
        if self.memory == "Scalar" or (not self.memory and member(self.argument, "Size") is None):
            return self.write_scalar()
        count, filling = self.count(), self.filling()
        return self.of.write(f"  {self.start()}, count = {toml_string(count)}{filling}{self.role()} }},")

    def start(self) -> str:
        return f"{{ name = {toml_string(self.name)}, type = {toml_string(self.type)}"

    def leave_out(self, why: str) -> None:
        self.of.note_here(self.place, f"{self.name}: {why}" if self.name else why, "  ")

    def write_variable(self, parameter_too: bool) -> None:
        if parameter_too and not _declares_constant(self.source, self.name):
            return self.of.note_here(f"{self.place}.MemType", f"{self.name}: a parameter only, since the source "
                                                              f"declares no __constant__ {self.name}", "  ")
        if self.memory == "Scalar" or member(self.argument, "Size") is None:
            value = self.number(member(self.argument, "FillValue")) or "0"
            what = f", value = {toml_string(value)}"
        else:
            what = f", count = {toml_string(self.count())}{self.filling()}"
        self.variables.setdefault(self.name, f"  {self.start()}{what} }},")
        return None

    def write_scalar(self) -> None:
        value = member(self.argument, "FillValue")
        scalar = None if value is None else self.number(value)
        if scalar is None:
            self.of.note_here(f"{self.place}.FillValue", f"{self.name} has no value that can be read: taken as 0")
        self.of.write(f"  {self.start()}, value = {toml_string(scalar or '0')} }},")

    def count(self) -> str:
        size = python_text(member(self.argument, "Size"))
        try:
            return number_in_lua(Expression(f"({size}){self.factor}" if self.factor else size), self.of.names)
        except Refused as error:
            self.of.note_here(f"{self.place}.Size", f"taken as 1 element: {error}")
            return "1"

    def filling(self) -> str:
        fill, value = string_member(self.argument, "FillType"), member(self.argument, "FillValue")
        if fill == "Constant" and value is not None:
            constant = self.number(value)
            if constant is None:
                self.of.note_here(f"{self.place}.FillValue", f"{self.name} has no value that can be read: zeros")
            if constant is None or constant in ("0", "0.0"):
                return ""
            return f', fill = "constant", value = {toml_string(constant)}'
        if fill == "Random":
            filling = ', fill = "random"'
            if type(value) in (int, float) and 0 < value < 1e300:
                filling += f", low = 0, high = {float(value)!r}"
            seed = member(self.argument, "RandomSeed")
            return filling + (f", seed = {seed}" if type(seed) is int and 0 <= seed < 2 ** 63 else "")
        data = string_member(self.argument, "DataSource")
        if fill == "BinaryRaw" and data:
            return f', fill = "file", file = {toml_string(_in_braces(_path(self.of, data)))}'
        if fill not in ("", "Constant"):
            self.of.note_here(f"{self.place}.FillType",
                              f"{self.name} is filled with zeros: {fill} is not translated; write the data into a .npy "
                              'and name it with fill = "file"')
        return ""

    def role(self) -> str:
        access = string_member(self.argument, "AccessType")
        if access == "ReadWrite":
            return ', role = "in_out"'
        return ', role = "output"' if access == "WriteOnly" or member(self.argument, "Output") in (1, True) else ""

    def number(self, given: Any) -> str | None:
        try:
            return _number(self.of, given)
        except Refused:
            return None


def _translate_references(of: Writer, references: Any) -> None:
    """Writes the tolerance with which outputs are compared."""
    if not isinstance(references, list) or not references:
        of.write("# The problem does not specify a tolerance. If the order of additions may change:")
        of.write("# [verify]")
        of.write("# relative = 1e-5")
        return
    limits = {"absolute": 0.0, "relative": 0.0}
    for i, reference in enumerate(references):
        place = f"{_PLACE}.ReferenceArguments[{i}]"
        method, threshold = string_member(reference, "ValidationMethod"), member(reference, "ValidationThreshold")
        kind = "relative" if method == "SideBySideRelativeComparison" else "absolute"
        if type(threshold) in (int, float) and 0 <= threshold < 1e300:
            limits[kind] = max(limits[kind], float(threshold))
        if method == "AbsoluteDifference":
            of.note_here(f"{place}.ValidationMethod", "AbsoluteDifference adds up the differences: here each element "
                                                      "may differ by the threshold")
        of.note_here(place, f"the reference itself ({string_member(reference, 'FillType') or 'no FillType'}) is not "
                            "translated: outputs are compared with the baseline's; [verify] against takes a .npy or a "
                            "command")
    if any(limits.values()):
        of.write("[verify]")
    for kind, limit in limits.items():
        if limit > 0:
            of.write(f"{kind} = {limit!r}")
