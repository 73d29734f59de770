# SPDX-License-Identifier: Apache-2.0
"""Translates T1, the JSON in which other tuners describe a problem, into a spec of launchbox."""
from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Iterable, NoReturn

from .._files import clean
from ..tool import Error
from .expression import Budget, Expression, Refused
from .to_lua import Names, Variable, conditions_in_lua

MAX_BYTES = 1 << 20  # of a problem, and of a spec
MAX_PARAMETERS, MAX_VALUES, MAX_CONDITIONS = 64, 100_000, 1000
# Keywords of a spec's expressions, and names with a meaning there.
_TAKEN = frozenset("min max ceil_div and or not true false break do else elseif end for goto if in local nil repeat "
                   "then until while return function sm device arch output name weight".split())
SPECS = "give a T1 problem; docs/t1.md describes them"


@dataclass
class Note:
    """Something that was not translated, or not exactly."""

    place: str  # "ConfigurationSpace.Conditions[2].Expression"
    what: str  # and what to do about it


@dataclass
class Translation:
    spec: str = ""
    notes: list[Note] = field(default_factory=list)
    has_kernel: bool = False  # if not, the spec is incomplete: the user must add [kernel] or [program]


class Writer:
    """Shared by both halves of the translation: the space (here) and the kernel."""

    def __init__(self, file: str, folder: str):
        self.file, self.folder = file, folder  # folder: put before the files that the problem names
        self.lines: list[str] = []
        self.notes: list[Note] = []
        self.names = Names(budget=Budget())
        self.parameters: list[str] = []  # their names in the problem

    def write(self, line: str) -> None:
        self.lines.append(line)

    def note(self, place: str, what: str) -> None:
        self.notes.append(Note(place[:300], what[:700]))

    def note_here(self, place: str, what: str, indent: str = "") -> None:
        """A note that is also a comment in the spec."""
        self.note(place, what)
        # A spec may have 100 dots in a line.
        self.write(f"{indent}# {'.'.join(clean(f'{place[:300]}: {what[:700]}').split('.')[:90])}")

    def name_others(self, part: Any, place: str, known: Iterable[str]) -> None:
        """Notes all other members of the object."""
        for key, value in part.items() if isinstance(part, dict) else ():
            if value is not None and key not in known:
                self.note(f"{place}.{key}" if place else key, "not translated: launchbox has nothing like it")

    def fail(self, place: str, what: str, hint: str) -> NoReturn:
        raise Error(f"{self.file}: {clean(f'{place}: {what}')}", clean(hint))


def toml_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found.group()):04x}", escaped) + '"'


def member(part: Any, key: str) -> Any:
    return part.get(key) if isinstance(part, dict) else None


def string_member(part: Any, key: str) -> str:
    value = member(part, key)
    return value if isinstance(value, str) else ""


def python_text(value: Any) -> str:
    """A JSON value as Python text; a string is already an expression."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(one, (list, dict)) for one in value):
        return "[" + ", ".join(repr(one) if isinstance(one, str) else python_text(one) for one in value) + "]"
    return str(value) if isinstance(value, (bool, int, float)) else "None"


def translate(file: str, text: bytes, folder: str = "") -> Translation:
    """Raises `Error` with file and place if the text is not JSON or not T1, or if parameters cannot be read; everything
    else that has no equivalent becomes a note. `folder` is put before the names of the problem's files: the path from
    the spec to the problem ("" or "kernels/").
    """
    from .kernel import translate_kernel, translate_search

    root = _json_of(file, text)
    space = member(root, "ConfigurationSpace")
    if not isinstance(member(space, "TuningParameters"), list) or not space["TuningParameters"]:
        raise Error(f"{file} is JSON, but not a T1 problem: it has no ConfigurationSpace with TuningParameters", SPECS)
    of = Writer(file, folder)
    of.write(f"# Made by launchbox from the T1 problem {clean(file.rpartition('/')[2])}.")
    of.write("")
    of.name_others(root, "", ("General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget",
                              "BenchmarkConfig", "$schema"))
    of.name_others(space, "ConfigurationSpace", ("TuningParameters", "Conditions"))
    _translate_name(of, root)
    # The baseline is written before the parameters, but needs them.
    before, of.lines = of.lines, []
    _translate_parameters(of, space["TuningParameters"])
    _take_constants(of, root)
    _translate_conditions(of, member(space, "Conditions"))
    baseline = _baseline_of(of, space)
    of.lines = [*before, *([f"baseline = {{ {baseline} }}"] if baseline else []), "", *of.lines]
    translate_search(of, root)
    has_kernel = translate_kernel(of, member(root, "KernelSpecification"))
    spec = "\n".join(of.lines) + "\n"
    if len(spec.encode(errors="replace")) > MAX_BYTES:
        raise Error(f"{file}: its spec is larger than 1 MiB", "give fewer values, arguments or options")
    return Translation(spec, of.notes, has_kernel)


def _json_of(file: str, text: bytes) -> Any:
    def no_number(word: str) -> NoReturn:
        raise ValueError(f"{word} is not a number of JSON")

    try:
        root = json.loads(text, parse_constant=no_number,
                          parse_int=lambda digits: int(digits) if len(digits) < 40 else float(digits))
        json.dumps(root, ensure_ascii=False).encode()  # lone surrogates, which no file can contain
        return root
    except RecursionError:
        raise Error(f"{file} is nested too deeply", SPECS) from None
    except UnicodeEncodeError:
        raise Error(f"{file} is not valid JSON: a string has half of a character", SPECS) from None
    except ValueError as error:
        raise Error(f"{file} is not valid JSON: {clean(str(error))[:200]}", SPECS) from None


def _translate_name(of: Writer, root: Any) -> None:
    general, kernel = member(root, "General"), member(root, "KernelSpecification")
    stem = of.file.rpartition("/")[2].rpartition(".")
    name = (string_member(general, "BenchmarkName") or string_member(kernel, "BenchmarkName")
            or string_member(kernel, "KernelName") or stem[0] or stem[2])
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
    if not name or name[0] in ".-":
        name = "t1" + name
    of.write("[tunable]")
    of.write(f'name = "{name[:100]}"')
    of.name_others(general, "General", ("BenchmarkName", "FormatVersion", "OutputFormat", "OutputType", "OutputFile",
                                        "LoggingLevel", "TimeUnit"))
    if string_member(general, "OutputFile"):
        of.note("General.OutputFile", "not translated: --store FILE names the file of results")


def _name_here(of: Writer, name: str) -> str:
    """A name that is valid in C++ and Python may be a keyword of a spec's expressions."""
    ours = {variable.name for variable in of.names.variables.values()}
    while name in _TAKEN or name in ours:
        name += "_"
    return name


def _toml_value(value: Any) -> str:
    if isinstance(value, str):
        return toml_string(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _toml_values(values: list[Any]) -> str:
    """The values of a parameter; 32, 64, ..., 1024 as a range if that is shorter."""
    if len(values) > 10 and all(type(value) is int for value in values) and abs(values[0]) < 2 ** 40:
        step = values[1] - values[0]
        if 0 < step < 2 ** 40 and all(b - a == step for a, b in zip(values, values[1:])):
            return f"{{ from = {values[0]}, to = {values[-1]}{f', step = {step}' if step > 1 else ''} }}"
    texts = [_toml_value(value) for value in values]
    if len(texts) <= 20:
        return f"[{', '.join(texts)}]"
    lines = [f"  {', '.join(texts[i:i + 10])}," for i in range(0, len(texts), 10)]
    return "\n".join(["[", *lines, "]"])


def _translate_parameters(of: Writer, parameters: list[Any]) -> None:
    if len(parameters) > MAX_PARAMETERS:
        of.fail("ConfigurationSpace.TuningParameters", f"there are {len(parameters)} parameters",
                "at most 64 are allowed; tune fewer at once")
    of.write("[parameters]")
    for i, parameter in enumerate(parameters):
        place = f"ConfigurationSpace.TuningParameters[{i}]"
        name = member(parameter, "Name")
        if not isinstance(name, str):
            of.fail(place, "Name is missing", "give every parameter a name")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,89}", name):
            of.fail(f"{place}.Name", f"'{name[:80]}' cannot be a macro", "use letters, digits and _")
        if name in of.names.variables:
            of.fail(f"{place}.Name", f"{name} appears twice", "rename one of them")
        of.name_others(parameter, place, ("Name", "Type", "Values", "Default"))
        here = _name_here(of, name)
        if here != name:
            of.note_here(f"{place}.Name", f"called {here} here, since {name} is a word of launchbox's expressions; the "
                                          "macro keeps its name")
        values = _values_of(of, member(parameter, "Values"), f"{place}.Values")
        once = list(dict.fromkeys(values))
        if len(once) < len(values):
            of.note_here(f"{place}.Values", "duplicate values are used once")
        of.write(f"{here} = {_toml_values(once)}")
        of.names.variables[name] = Variable(here, once)
        of.parameters.append(name)
    of.write("")


def _values_of(of: Writer, given: Any, place: str) -> list[Any]:
    """The values, converted to one type: True among numbers is 1, an integer among fractions is a fraction."""
    if given is None or isinstance(given, dict):
        of.fail(place, "the values are missing", 'write "Values": "[32, 64, 128]"')
    try:
        value = Expression(python_text(given)).value({}, {}, of.names.budget)
    except Refused as error:
        of.fail(place, str(error), "write it differently; docs/t1.md lists what is supported")
    values = list(value) if isinstance(value, (list, tuple, range)) else [value]
    if not values:
        of.fail(place, "the list is empty", "give at least one value")
    if len(values) > MAX_VALUES:
        of.fail(place, f"there are {len(values)} values", "at most 100,000 are allowed")
    kinds = {type(one) for one in values}
    if not kinds <= {str} and not kinds <= {bool, int, float}:
        of.fail(place, "the values are not all numbers, strings or booleans", "give values of one type")
    if any(isinstance(one, float) and not math.isfinite(one) for one in values):
        of.fail(place, "a value is not finite", "take it out")
    common = next(kind for kind in (str, float, int, bool) if kind in kinds)
    return [common(one) for one in values]


def _take_constants(of: Writer, root: Any) -> None:
    """ProblemSize becomes a workload; plain numbers in BenchmarkConfig become constants."""
    config = member(root, "BenchmarkConfig")
    for key, value in config.items() if isinstance(config, dict) else ():
        if type(value) is int and abs(value) < 2 ** 63 and key not in of.names.variables:
            of.names.constants[key] = value
    given = member(member(root, "KernelSpecification"), "ProblemSize")
    if given is None or given == []:
        return
    sizes: list[int] = []
    for one in given if isinstance(given, list) else [given]:
        try:
            size = Expression(python_text(one)).value({}, {}, of.names.budget)
        except Refused:
            size = None
        if type(size) is not int or size <= 0 or len(sizes) == 3:
            of.note_here("KernelSpecification.ProblemSize",
                         "not translated: it is not one, two or three whole numbers above 0")
            return
        sizes.append(size)
    # The same names as readers of recorded results use.
    of.write("[[workload]]")
    for letter, size in zip("xyz", sizes):
        name = _name_here(of, letter)
        of.write(f"{name} = {size}")
        # A key that no expression can name; expressions use ProblemSize[i].
        of.names.variables[f"ProblemSize {name}"] = Variable(name, [size])
        of.names.elements.setdefault("ProblemSize", []).append(f"ProblemSize {name}")
    of.write("")
    of.names.constants["ProblemSize"] = sizes


def _expression_of(condition: Any) -> Any:
    return condition if isinstance(condition, str) else member(condition, "Expression")


def _translate_conditions(of: Writer, conditions: Any) -> None:
    if conditions is None or conditions == []:
        return
    if not isinstance(conditions, list):
        of.note_here("ConfigurationSpace.Conditions", "not translated: it is not a list")
        return
    of.write("[constraints]")
    of.write("all = [")
    count = 0
    for i, condition in enumerate(conditions):
        place = f"ConfigurationSpace.Conditions[{i}]"
        if i >= MAX_CONDITIONS:
            of.note_here(place, f"LEFT OUT with all behind it, so the space is larger than the problem's: there are "
                                f"{len(conditions)} conditions, and at most 1,000 are allowed", "  ")
            break
        of.name_others(condition, place, ("Expression", "Parameters"))
        try:
            text = _expression_of(condition)
            if not isinstance(text, str):
                raise Refused("it is not a string")
            ours = conditions_in_lua(Expression(text), of.names)
            count += len(ours)
            if count > MAX_CONDITIONS:
                count -= len(ours)
                raise Refused("there are more than 1,000 conditions")
            for one in ours:
                of.write(f"  {toml_string(one)},")
        except Refused as error:
            of.note_here(f"{place}.Expression", f"LEFT OUT, so the space is larger than the problem's: {error}", "  ")
    of.write("]")
    of.write("")


def _baseline_of(of: Writer, space: Any) -> str:
    """Every parameter's Default, if together they are a candidate."""
    defaults = [member(parameter, "Default") for parameter in space["TuningParameters"]]
    if all(default is None for default in defaults):
        return ""

    def none(why: str) -> str:
        of.note("ConfigurationSpace.TuningParameters[].Default", f"there is no baseline: {why}")
        return ""

    names: dict[str, Any] = dict(of.names.constants)
    baseline = []
    for name, default in zip(of.parameters, defaults):
        variable = of.names.variables[name]
        if default is None:
            return none(f"{name} has no Default")
        found = _known_value(variable, default[0] if isinstance(default, list) and len(default) == 1 else default)
        if found is None:
            shown = json.dumps(default)[:40]
            return none(f"the Default of {name}, {shown}, is not one of its values")
        baseline.append(f"{variable.name} = {_toml_value(found)}")
        names[name] = found
    lists = {name: of.names.variables[name].values for name in of.parameters}
    conditions = member(space, "Conditions")
    for i, condition in enumerate(conditions[:MAX_CONDITIONS] if isinstance(conditions, list) else []):
        text = _expression_of(condition)
        try:
            if isinstance(text, str) and not Expression(text).value(names, lists, of.names.budget):
                return none(f"the Defaults break Conditions[{i}]: {text[:200]}")
        except Refused:
            pass  # the spec also leaves it out, or it fails there for these values with a message
    return ", ".join(baseline)


def _known_value(variable: Variable, default: Any) -> Any | None:
    """The value that a Default stands for, which may be written as a string."""
    for known in variable.values:
        if isinstance(default, str):
            if default in ([known] if isinstance(known, str) else [str(known), f"{known:g}"]):
                return known
        elif not isinstance(known, str) and isinstance(default, (bool, int, float)) and known == default:
            return known
    return None
