# SPDX-License-Identifier: Apache-2.0
"""Reads and evaluates untrusted Python expressions: only the constructs listed here, and only within limits.

CPython parses them (`ast`), and its own operators calculate; nothing is compiled or run. The words of a text are
checked before CPython sees it, so that nothing makes its parser slow or its stack deep. Besides Python's own errors
there are limits: integers have 64 bits, and the steps, list elements and characters of an expression are counted.
"""
from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from typing import Any, Callable, Container, Iterator, Mapping, NoReturn, Sequence, Union

MAX_TEXT = 256 * 1024  # lists of values may be written out
MAX_DEPTH, MAX_BRACKETS = 64, 40  # of the tree, and open at the same time: Lua cannot read deeper conditions
MAX_STEPS = 1_000_000  # of one expression: nodes, elements and characters
MAX_STEPS_OF_FILE = 5_000_000

LISTS = {"max", "min", "sum", "len", "sorted", "list", "tuple", "reversed"}  # a bare name in these means its list
FUNCTIONS = LISTS | {"range", "abs", "int", "float", "bool", "str", "pow", "round", "any", "all"}
_COUNTS: dict[str, Container[int]] = {  # of arguments, if not one
    "max": range(1, MAX_TEXT), "min": range(1, MAX_TEXT), "range": {1, 2, 3}, "sum": {1, 2}, "pow": {2},
    "list": {0, 1}, "tuple": {0, 1},
}

_NODES = frozenset("Constant Name Load Store List Tuple ListComp GeneratorExp comprehension UnaryOp BinOp BoolOp And "
                   "Or Compare IfExp Subscript Call".split())
_OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "Add": ("+", operator.add), "Sub": ("-", operator.sub), "Mult": ("*", operator.mul), "Div": ("/", operator.truediv),
    "FloorDiv": ("//", operator.floordiv), "Mod": ("%", operator.mod), "Pow": ("**", operator.pow),
    "LShift": ("<<", operator.lshift), "RShift": (">>", operator.rshift), "BitAnd": ("&", operator.and_),
    "BitOr": ("|", operator.or_), "BitXor": ("^", operator.xor), "UAdd": ("+", operator.pos),
    "USub": ("-", operator.neg), "Invert": ("~", operator.inv), "Not": ("not", operator.not_),
    "Eq": ("==", operator.eq), "NotEq": ("!=", operator.ne), "Lt": ("<", operator.lt), "LtE": ("<=", operator.le),
    "Gt": (">", operator.gt), "GtE": (">=", operator.ge), "In": ("in", lambda a, b: a in b),
    "NotIn": ("not in", lambda a, b: a not in b),
}
_WORDS = re.compile(r"""
      (?P<blank>[ \t\r\n]+)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<number>(?:0[xXoObB]\w+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)(?![\w.]))
    | (?P<text>'(?:[^'\\\n]|\\[\\'"nt])*'|"(?:[^"\\\n]|\\[\\'"nt])*")
    | (?P<sign>\*\*|//|==|!=|<=|>=|<<|>>|[-+*/%<>()\[\],&|^~=.])
    """, re.VERBOSE | re.ASCII)


class Refused(Exception):
    """What is wrong with an expression, and where."""


class Budget:
    """The limit of steps for all expressions of a file together."""

    def __init__(self, steps: int = MAX_STEPS_OF_FILE):
        self.left = steps


def sign_of(node: ast.AST) -> str:
    return _OPERATORS[type(node).__name__][0]


def stands_for_list(node: ast.AST, lists: Mapping[str, Any]) -> bool:
    """Whether `node` is a call or a [...] in which a bare name stands for the list of its values."""
    inside = None
    if isinstance(node, ast.Subscript):
        inside = node.value
    elif isinstance(node, ast.Call) and len(node.args) == 1 and called(node) in LISTS:
        inside = node.args[0]
    return isinstance(inside, ast.Name) and inside.id in lists


def called(node: ast.Call) -> str:
    assert isinstance(node.func, ast.Name)
    return node.func.id


class Expression:
    """A parsed expression. Raises `Refused` for anything that is not an expression, or is not supported here."""

    def __init__(self, text: str):
        self.text = text
        if len(text) > MAX_TEXT:
            raise Refused("a Python expression is longer than 256 KiB")
        plain = self._checked_words()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.root: ast.expr = ast.parse(f"({plain})", mode="eval").body
        except SyntaxError as error:
            self.refuse_at(max((error.offset or 2) - 2, 0), error.msg or "invalid syntax")
        except (RecursionError, MemoryError):
            raise Refused("the expression is nested too deeply") from None
        except ValueError as error:
            raise Refused(str(error)) from None
        self._check_nodes()

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        self.refuse_at(getattr(node, "col_offset", 1) - 1, what)

    def refuse_at(self, column: int, what: str) -> NoReturn:
        shown = self.text[:60] + ("..." if len(self.text) > 60 else "")
        raise Refused(f"{what} (column {column + 1} of '{shown}')")

    def _checked_words(self) -> str:
        """The text, with only blanks between its words.

        The depth of CPython's parser depends on brackets, and on operators without a comma, `and` or `or` between them.
        Text that is too deep is refused here, since old versions of CPython crash on it.
        """
        words: list[str] = []
        open_brackets: list[str] = []
        counts = [0]  # operators since the last comma, for each open bracket
        at = 0
        while at < len(self.text):
            found = _WORDS.match(self.text, at)
            if found is None:
                self.refuse_at(at, self._no_word(at))
            word, kind = found.group(), found.lastgroup
            if kind == "name" and self.text[found.end():found.end() + 1] in ("'", '"') and word not in _KEYWORDS:
                self.refuse_at(at, "strings with a prefix are not supported")
            if word in ("''", '""') and self.text[found.end():found.end() + 1] == word[0]:
                self.refuse_at(at, "strings in three quotes are not supported")
            if kind == "number" and len(word) > 400:
                self.refuse_at(at, "a number does not fit in 64 bits")
            if word in ("(", "["):
                open_brackets.append(")" if word == "(" else "]")
                counts.append(0)
            elif word in (")", "]"):
                if not open_brackets or open_brackets.pop() != word:
                    self.refuse_at(at, f"unexpected '{word}'")
                counts.pop()
            elif word == ",":
                counts[-1] = 0
            elif kind == "sign" or word in ("not", "if", "else", "lambda", "for", "await"):
                counts[-1] += 1
            if len(counts) + sum(counts) > 10 * MAX_DEPTH or len(open_brackets) > MAX_BRACKETS:
                self.refuse_at(at, "the expression is nested too deeply")
            words.append(" " * len(word) if kind == "blank" else word)
            at = found.end()
        if open_brackets:
            self.refuse_at(at, f"{open_brackets[-1]} is missing")
        plain = "".join(words)
        if not plain.strip():
            self.refuse_at(0, "the expression is empty")
        return plain

    def _no_word(self, at: int) -> str:
        letter = self.text[at]
        if letter in "'\"":
            return "a quote is not closed, or has a \\ that is not supported"
        if letter.isdigit() and letter.isascii():
            return "this is not a number"
        return f"{letter} is not allowed in an expression" if "!" <= letter <= "~" else (
            "a character is not allowed in an expression")

    def _check_nodes(self) -> None:
        """Refuses nodes that are not listed, and trees that are too deep."""
        level: list[ast.AST] = [self.root]
        arguments: set[int] = set()  # generators that are a call's only argument
        for _ in range(MAX_DEPTH):
            for node in level:
                self._check(node, arguments)
            level = [inside for node in level for inside in ast.iter_child_nodes(node)]
        if level:
            self.refuse(level[0], "the expression is nested too deeply")

    def _check(self, node: ast.AST, arguments: set[int]) -> None:
        if isinstance(node, ast.Attribute):
            self.refuse_at((node.value.end_col_offset or 1) - 1, "modules and methods are not supported")
        kind = type(node).__name__
        if kind not in _NODES and kind not in _OPERATORS:
            self.refuse(node, f"{_NOT_SUPPORTED.get(kind, kind)} is not supported")
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int) and node.value >= 2 ** 63:
                self.refuse(node, f"the number {str(node.value)[:40]} does not fit in 64 bits")
            if isinstance(node.value, float) and not math.isfinite(node.value):
                self.refuse(node, "a number is too large")
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                self._check(node.func, arguments)
            if not isinstance(node.func, ast.Name):
                self.refuse(node, "only functions with a name can be called")
            if node.func.id not in FUNCTIONS:
                self.refuse(node, f"the function {node.func.id[:80]} is not supported")
            if node.keywords:
                self.refuse(node, "named arguments are not supported")
            if len(node.args) not in _COUNTS.get(node.func.id, {1}):
                self.refuse(node, f"{node.func.id} does not take {len(node.args)} values here")
            if len(node.args) == 1:
                arguments.add(id(node.args[0]))
        elif isinstance(node, ast.GeneratorExp) and id(node) not in arguments:
            self.refuse(node, "a comprehension in round brackets is only supported as a function's argument")
        elif isinstance(node, ast.comprehension):
            names = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            if node.is_async or not all(isinstance(name, ast.Name) for name in names):
                self.refuse(node.target, "`for` needs a name, or several")

    def value(self, names: Mapping[str, Any], lists: Mapping[str, Sequence[Any]], budget: Budget,
              node: ast.AST | None = None) -> Any:
        """The value of the expression, or of a part of it. Raises `Refused` where Python would raise, and for too much
        work.

        `lists`: the lists that bare names stand for in max(), min(), sum(), len(), sorted(), list(), in `for x in
        NAME`, and before [...]: there, tuners use a parameter's name for the list of its values.
        """
        try:
            return _Evaluation(self, names, lists, budget).of(self.root if node is None else node)
        except RecursionError:
            raise Refused("the expression is nested too deeply") from None


_NUMBER = re.compile(r"[-+\d.eE]{1,40}", re.ASCII)  # strings that int() and float() may read
_KEYWORDS = {"and", "or", "not", "in", "if", "else", "for", "is"}
_NOT_SUPPORTED = {"Starred": "*", "Lambda": "lambda", "Yield": "yield", "Await": "await", "Is": "`is`", "IsNot": "`is`"}


class _Evaluation:
    def __init__(self, expression: Expression, names: Mapping[str, Any], lists: Mapping[str, Sequence[Any]],
                 budget: Budget):
        self.expression, self.names, self.lists, self.budget = expression, dict(names), lists, budget
        self.inside: set[str] = set()  # names of `for`
        self.left = MAX_STEPS

    def of(self, node: ast.AST) -> Any:
        self.work(node, 1)
        method: Callable[[Any], Any] = getattr(self, "of_" + type(node).__name__.lower())
        try:
            return method(node)
        except ZeroDivisionError:
            self.refuse(node, "a division by zero")
        except (TypeError, ValueError, OverflowError, IndexError) as error:
            self.refuse(node, str(error))

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        self.expression.refuse(node, what)

    def work(self, node: ast.AST, amount: int) -> None:
        self.left -= amount
        self.budget.left -= amount
        if self.left < 0:
            self.refuse(node, "it needs more than 1,000,000 steps or elements")
        if self.budget.left < 0:
            self.refuse(node, "the expressions of this file need more than 5,000,000 steps")

    def weigh(self, node: ast.AST, value: Any) -> Any:
        """Counts everything in a value before Python walks through it, since lists may share their parts."""
        if isinstance(value, (str, list, tuple, range)):
            self.work(node, len(value))
            if isinstance(value, (list, tuple)):
                for part in value:
                    if isinstance(part, (str, list, tuple, range)):
                        self.weigh(node, part)
        return value

    def checked(self, node: ast.AST, value: Any) -> Any:
        if isinstance(value, int) and not -(2 ** 63) <= value < 2 ** 63:
            self.refuse(node, "a whole number does not fit in 64 bits")
        if isinstance(value, complex):
            self.refuse(node, "complex numbers are not supported")
        return value

    def of_constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            self.refuse(node, f"unknown name {node.id[:80]}")
        return self.names[node.id]

    def of_list(self, node: ast.List) -> list[Any]:
        return [self.of(part) for part in node.elts]

    def of_tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple([self.of(part) for part in node.elts])

    def of_listcomp(self, node: Union[ast.ListComp, ast.GeneratorExp]) -> list[Any]:
        outside = self.names, self.inside
        self.names, self.inside = dict(self.names), set(self.inside)
        try:
            return list(self.loop(node, 0))
        finally:
            self.names, self.inside = outside

    of_generatorexp = of_listcomp

    def loop(self, node: Union[ast.ListComp, ast.GeneratorExp], which: int) -> Iterator[Any]:
        if which == len(node.generators):
            yield self.of(node.elt)
            return
        here = node.generators[which]
        for value in self.elements(node, self.list_of(here.iter)):
            self.work(node, 1)
            self.assign(node, here.target, value)
            if all(self.of(condition) for condition in here.ifs):
                yield from self.loop(node, which + 1)

    def assign(self, node: ast.AST, target: ast.expr, value: Any) -> None:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = self.elements(node, value) if isinstance(target, ast.Tuple) else [value]
        if len(names) != len(values):
            self.refuse(node, "a `for` with another number of names than values")
        for name, one in zip(names, values):
            assert isinstance(name, ast.Name)
            self.names[name.id] = one
            self.inside.add(name.id)

    def list_of(self, node: ast.AST) -> Any:
        """Where a list is expected, a bare name stands for its values."""
        if isinstance(node, ast.Name) and node.id in self.lists and node.id not in self.inside:
            return list(self.lists[node.id])
        return self.of(node)

    def elements(self, node: ast.AST, value: Any) -> Sequence[Any]:
        if not isinstance(value, (str, list, tuple, range)):
            self.refuse(node, f"a value of the type {type(value).__name__} is not a list")
        self.work(node, len(value))
        return value

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        sign, function = _OPERATORS[type(node.op).__name__]
        value = self.of(node.operand)
        # Python will make ~ of booleans an error.
        return self.checked(node, function(int(value) if isinstance(value, bool) and sign != "not" else value))

    def of_binop(self, node: ast.BinOp) -> Any:
        left = self.of(node.left)
        return self.binary(node, type(node.op).__name__, left, self.of(node.right))

    def binary(self, node: ast.AST, which: str, a: Any, b: Any) -> Any:
        sign, function = _OPERATORS[which]
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):  # True is 1
            if sign in ("**", "<<") and isinstance(a, int) and isinstance(b, int) and b > 63 and (
                    abs(a) > 1 if sign == "**" else a != 0):
                self.refuse(node, "a whole number does not fit in 64 bits")
            return self.checked(node, function(a, b))
        if sign == "+" and type(a) is type(b) and isinstance(a, (str, list, tuple)):
            self.work(node, len(a) + len(b))
            return a + b
        if sign == "*":
            many, times = (b, a) if isinstance(a, int) else (a, b)
            if isinstance(many, (str, list, tuple)) and isinstance(times, int):
                self.work(node, len(many) * max(times, 0))
                return many * times
        self.refuse(node, f"{sign} does not apply to {type(a).__name__} and {type(b).__name__}")

    def of_boolop(self, node: ast.BoolOp) -> Any:
        value = None
        for part in node.values:
            value = self.of(part)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value

    def of_compare(self, node: ast.Compare) -> bool:
        left = self.of(node.left)
        for sign, part in zip(node.ops, node.comparators):
            right = self.of(part)
            if not _OPERATORS[type(sign).__name__][1](self.weigh(node, left), self.weigh(node, right)):
                return False
            left = right
        return True

    def of_ifexp(self, node: ast.IfExp) -> Any:
        return self.of(node.body if self.of(node.test) else node.orelse)

    def of_subscript(self, node: ast.Subscript) -> Any:
        many, at = self.list_of(node.value), self.of(node.slice)
        if not isinstance(many, (str, list, tuple, range)) or not isinstance(at, int):
            self.refuse(node, f"[...] does not apply to {type(many).__name__} and {type(at).__name__}")
        return many[at]

    def of_call(self, node: ast.Call) -> Any:
        name = called(node)
        alone = len(node.args) == 1 and name in LISTS
        arguments = [self.list_of(part) if alone else self.of(part) for part in node.args]
        return self.checked(node, getattr(self, f"call_{name}", self.call_builtin)(node, *arguments))

    def call_builtin(self, node: ast.Call, value: Any = ()) -> Any:
        name = called(node)
        if name in ("int", "float", "bool", "str", "abs", "round"):
            if isinstance(value, (list, tuple, range)) and name != "bool":
                self.refuse(node, f"{name} of a list is not supported")
            if isinstance(value, str) and name in ("int", "float") and not _NUMBER.fullmatch(value):
                self.refuse(node, f"{name} of a string that is not a number")
        elif name in ("sorted", "reversed"):
            value = self.weigh(node, list(self.elements(node, value)))
        else:
            value = self.elements(node, value)
        if name == "reversed":
            return value[::-1]
        functions: dict[str, Callable[[Any], Any]] = {
            "int": int, "float": float, "bool": bool, "str": str, "abs": abs, "round": round, "sorted": sorted,
            "list": list, "tuple": tuple, "len": len, "any": any, "all": all}
        return functions[name](value)

    def call_pow(self, node: ast.Call, a: Any, b: Any) -> Any:
        return self.binary(node, "Pow", a, b)

    def call_range(self, node: ast.Call, *bounds: Any) -> range:
        if not all(isinstance(bound, int) for bound in bounds):
            self.refuse(node, "range takes whole numbers")
        made = range(*bounds)
        # len() has its own limit.
        self.work(node, max(0, (made.stop - made.start) // made.step))
        return made

    def call_max(self, node: ast.Call, *values: Any) -> Any:
        many = self.elements(node, values[0]) if len(values) == 1 else values
        if not many:
            self.refuse(node, f"{called(node)} of an empty list")
        return (max if called(node) == "max" else min)(self.weigh(node, list(many)))

    call_min = call_max

    def call_sum(self, node: ast.Call, values: Any, total: Any = 0) -> Any:
        # Adds one after the other: since 3.12 Python's sum() rounds fractions differently.
        if isinstance(total, str):
            self.refuse(node, "sum of strings is not supported")
        for value in self.elements(node, values):
            total = self.binary(node, "Add", total, value)
        return total
