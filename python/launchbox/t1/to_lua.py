# SPDX-License-Identifier: Apache-2.0
"""Translates Python expressions over tuning parameters into the Lua expressions of launchbox's specs, with the same
value.

Each part of the expression becomes a piece of Lua and what is known about its value: its type and its limits. Anything
that might have another value in Lua is refused, such as an integer beyond 64 bits.
"""
from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field, replace
from typing import Any, Callable, NoReturn, Optional, Sequence, Union

from .expression import Budget, Expression, Refused, called, sign_of, stands_for_list

Number = Union[int, float]
MAX_CHARACTERS, MAX_DOTS = 4096, 90  # of an expression in a spec, and in its line
MAX_INTEGER = 92 * 10 ** 17
EXACT_IN_FLOAT = 2 ** 53
INFINITE = math.inf

# The precedence of Lua's operators.
OR, AND, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POWER, ATOM = range(1, 13)


@dataclass(frozen=True)
class Variable:
    name: str  # in the spec
    values: Sequence[Any]


@dataclass
class Names:
    """What the names in an expression stand for, and their names in the spec."""

    variables: dict[str, Variable] = field(default_factory=dict)  # parameters, and values of workloads
    constants: dict[str, Any] = field(default_factory=dict)
    elements: dict[str, list[str]] = field(default_factory=dict)  # "ProblemSize": the variables for its elements
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True)
class Piece:
    text: str
    level: int = ATOM
    type: str = "bool"  # bool, int, float, str; mixed: int or float
    low: Number = 0  # of a number, or of a bool used as one
    high: Number = 1
    may_fail: bool = False  # may divide by zero, which must not be evaluated unless Python would

    def __post_init__(self) -> None:
        if len(self.text) > MAX_CHARACTERS or self.text.count(".") > MAX_DOTS:
            raise Refused("it is longer than 4,096 characters in Lua, or has more than 90 fractions")

    @property
    def may_be_zero(self) -> bool:
        return self.low <= 0 <= self.high

    @property
    def size(self) -> Number:
        return max(abs(self.low), abs(self.high))

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


def conditions_in_lua(expression: Expression, names: Names) -> list[str]:
    """The expression as conditions that are true or false: several if it is `a and b` and each can be evaluated
    alone."""
    translation = _Translation(expression, names)
    root = expression.root
    try:
        if isinstance(root, ast.BoolOp) and isinstance(root.op, ast.And):
            parts = [translation.condition(part) for part in root.values]
            if not any(part.may_fail for part in parts):
                return [part.text for part in parts]
        return [translation.condition(root).text]
    except RecursionError:
        raise Refused("the expression is nested too deeply") from None


def number_in_lua(expression: Expression, names: Names) -> str:
    try:
        return _Translation(expression, names).number(expression.root).text
    except RecursionError:
        raise Refused("the expression is nested too deeply") from None


def _corners(function: Callable[[Number, Number], Number], a: Piece, b: Piece) -> dict[str, Any]:
    """The limits of `a * b` and the like."""
    values: list[Number] = []
    for x in (a.low, a.high):
        for y in (b.low, b.high):
            try:
                values.append(function(x, y))
            except OverflowError:
                values.append(INFINITE if x > 0 else -INFINITE)
    if any(value != value for value in values):
        return {"low": -INFINITE, "high": INFINITE}
    return {"low": min(values), "high": max(values)}


def _floor(value: Number) -> Number:
    return math.floor(value) if math.isfinite(value) else value


def _power(x: Number, y: Number) -> Number:
    if x == 0 and y < 0:
        return INFINITE
    return x ** y if abs(y) <= 128 else float(x) ** y


def _joined(a: Piece, sign: str, b: Piece, level: int, kind: str = "bool") -> Piece:
    # Always with a blank: `a - -b` is fine, but `a --b` would begin a comment.
    return Piece(f"{a.within(level)} {sign} {b.within(level + 1)}", level, kind, may_fail=a.may_fail or b.may_fail)


def _all_joined(parts: Sequence[Piece], sign: str, level: int) -> Piece:
    result = parts[0]
    for part in parts[1:]:
        result = _joined(result, sign, part, level)
    return result


def _type_of(*pieces: Piece) -> str:
    """The type of a value calculated from all of them: with a fraction it is a fraction."""
    types = {piece.type for piece in pieces}
    return "int" if types == {"int"} else "float" if "float" in types else "mixed"


def _type_of_one(*pieces: Piece) -> str:
    """The type of a value that is one of them."""
    types = {piece.type for piece in pieces}
    return types.pop() if len(types) == 1 else "mixed"


class _Translation:
    def __init__(self, expression: Expression, names: Names):
        self.expression, self.names = expression, names
        self.lists = {name: variable.values for name, variable in names.variables.items()}

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        self.expression.refuse(node, what)

    def condition(self, node: ast.AST) -> Piece:
        return self.as_truth(self.of(node))

    def number(self, node: ast.AST) -> Piece:
        return self.as_number(node, self.of(node))

    def of(self, node: ast.AST) -> Piece:
        if self.is_constant(node, set()):
            return self.constant(node, self.value(node))
        method: Optional[Callable[[Any], Piece]] = getattr(self, "of_" + type(node).__name__.lower(), None)
        if method is None:
            self.refuse(node, "a list that depends on parameters")
        return method(node)

    def value(self, node: ast.AST) -> Any:
        return self.expression.value(self.names.constants, self.lists, self.names.budget, node)

    def is_constant(self, node: ast.AST, bound: set[str]) -> bool:
        """The value of a node that contains no parameters."""
        if isinstance(node, ast.Name):
            return node.id in self.names.constants or node.id in bound
        parts: list[ast.AST] = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and (
                node.value.id in self.names.elements):
            return False
        if isinstance(node, ast.Call):
            parts = list(node.args)
        if isinstance(node, (ast.Call, ast.Subscript)) and stands_for_list(node, self.lists):
            parts = parts[1:]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            bound = bound | {name.id for loop in node.generators for name in ast.walk(loop.target)
                             if isinstance(name, ast.Name)}
        if isinstance(node, ast.comprehension):
            named = isinstance(node.iter, ast.Name) and node.iter.id in self.lists
            parts = [*node.ifs] if named else [node.iter, *node.ifs]
        return all(self.is_constant(part, bound) for part in parts)

    def constant(self, node: ast.AST, value: Any) -> Piece:
        if isinstance(value, bool):
            return Piece("true" if value else "false", low=int(value), high=int(value))
        if isinstance(value, str):
            if any(not " " <= letter <= "~" for letter in value):
                self.refuse(node, "a string with characters that are not ASCII")
            quoted = value.replace("\\", "\\\\").replace("'", "\\'")
            return Piece(f"'{quoted}'", type="str")
        if isinstance(value, int):
            return self.checked(node, Piece(str(value), UNARY if value < 0 else ATOM, "int", value, value))
        if isinstance(value, float):
            if not math.isfinite(value):
                self.refuse(node, "a number that is not finite")
            return Piece(repr(value), UNARY if math.copysign(1, value) < 0 else ATOM, "float", value, value)
        self.refuse(node, "None or a list where a number is expected")

    @staticmethod
    def variable(of: Variable) -> Piece:
        kinds = {type(value) for value in of.values}
        kind = next(kind for kind in (str, float, int, bool) if kind in kinds)
        if kind in (str, bool):
            return Piece(of.name, type=kind.__name__)
        return Piece(of.name, type=kind.__name__, low=min(of.values), high=max(of.values))

    def as_truth(self, piece: Piece) -> Piece:
        if piece.type == "bool":
            return piece
        nothing = "''" if piece.type == "str" else "0"
        return Piece(f"{piece.within(COMPARE + 1)} ~= {nothing}", COMPARE, may_fail=piece.may_fail)

    def as_number(self, node: ast.AST, piece: Piece) -> Piece:
        if piece.type == "str":
            self.refuse(node, "a string where a number is expected")
        if piece.type != "bool":
            return piece
        return replace(piece, text=f"({piece.within(AND)} and 1 or 0)", level=ATOM, type="int")

    def checked(self, node: ast.AST, piece: Piece) -> Piece:
        if piece.type == "int" and piece.size > MAX_INTEGER:
            self.refuse(node, "a whole number that may exceed 64 bits")
        if piece.type == "mixed" and piece.size > EXACT_IN_FLOAT:
            self.refuse(node, "a whole number, or a fraction, that a fraction may not hold")
        return piece

    def of_name(self, node: ast.Name) -> Piece:
        if node.id not in self.names.variables:
            self.refuse(node, f"unknown name {node.id[:80]}")
        return self.variable(self.names.variables[node.id])

    def of_subscript(self, node: ast.Subscript) -> Piece:
        # ProblemSize[1]
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            at, names = node.slice.value, self.names.elements.get(node.value.id, [])
            if type(at) is int and 0 <= at < len(names):
                return self.variable(self.names.variables[names[at]])
        self.refuse(node, "an element of a list, chosen by parameters")

    # Arithmetic and bits.

    def of_unaryop(self, node: ast.UnaryOp) -> Piece:
        sign = sign_of(node.op)
        if sign == "not":
            value = self.condition(node.operand)
            return Piece(f"not {value.within(UNARY)}", UNARY, may_fail=value.may_fail)
        value = self.number(node.operand)
        if sign == "+":
            return value
        if sign == "~" and value.type != "int":
            self.refuse(node, "~ of a fraction")
        one = 1 if sign == "~" else 0
        # `- -x`: two adjacent signs would begin a comment.
        return self.checked(node, Piece(sign + value.within(UNARY + 1), UNARY, value.type, -value.high - one,
                                        -value.low - one, value.may_fail))

    def of_binop(self, node: ast.BinOp) -> Piece:
        sign = sign_of(node.op)
        left, right = self.of(node.left), self.of(node.right)
        if sign in "&|^":
            return self.bits(node, sign, left, right)
        a, b = self.as_number(node.left, left), self.as_number(node.right, right)
        kind = _type_of(a, b)
        if sign in ("+", "-", "*"):
            function: Callable[[Number, Number], Number] = {
                "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y}[sign]
            result = _joined(a, sign, b, PRODUCT if sign == "*" else SUM, kind)
            return self.checked(node, replace(result, **_corners(function, a, b)))
        if sign in ("<<", ">>"):
            if kind != "int":
                self.refuse(node, "a shift of fractions")
            if a.low < 0 or b.low < 0 or b.high > 62:
                self.refuse(node, "a shift that may be of a negative number or too far")
            result = _joined(a, sign, b, SHIFT, kind)
            shifted = _corners(lambda x, y: x * 2 ** y if sign == "<<" else x // 2 ** y, a, b)
            return self.checked(node, replace(result, **shifted))
        if sign == "**":
            return self.power(node, a, b)
        if sign == "/" or kind != "int":
            if any(piece.type == "int" and piece.size > EXACT_IN_FLOAT for piece in (a, b)):
                self.refuse(node, "a division of numbers that a fraction cannot hold")
            return self.float_division(sign, a, b)
        return self.integer_division(node, sign, a, b)

    def integer_division(self, node: ast.AST, sign: str, a: Piece, b: Piece) -> Piece:
        result = _joined(a, sign, b, PRODUCT, "int")
        result = replace(result, may_fail=result.may_fail or b.may_be_zero)
        if sign == "%":
            high = b.high - 1 if b.high > 0 else 0
            return replace(result, low=b.low + 1 if b.low < 0 else 0,
                           high=min(high, max(a.high, 0)) if a.low >= 0 else high)
        if b.may_be_zero:
            return self.checked(node, replace(result, low=-a.size, high=a.size))
        return self.checked(node, replace(result, **_corners(lambda x, y: x // y, a, b)))

    @staticmethod
    def float_division(sign: str, a: Piece, b: Piece) -> Piece:
        """Python raises for a division by zero, Lua only for integers: then `1 // 0` is evaluated."""
        x, y = a.within(PRODUCT), b.within(PRODUCT + 1)
        # Not floor(a / b): 1.0 // 0.1 is 9.
        text = f"(({x} - {x} % {y}) / {y} + 0.5) // 1" if sign == "//" else f"{x} {sign} {y}"
        level = PRODUCT
        if b.may_be_zero:
            text, level = f"({b.within(COMPARE + 1)} ~= 0 and {text} or 1 // 0)", ATOM
        if sign == "%":
            limits: dict[str, Any] = {"low": min(b.low, 0), "high": max(b.high, 0)}
        elif b.may_be_zero:
            limits = {"low": -INFINITE, "high": INFINITE}
        else:
            limits = _corners(lambda p, q: p / q if sign == "/" else _floor(p / q), a, b)
        # Rounding may move the value across a near limit.
        if 0 < limits["low"] < 1e-300:
            limits["low"] = 0
        if -1e-300 < limits["high"] < 0:
            limits["high"] = 0
        return Piece(text, level, "float", may_fail=a.may_fail or b.may_fail or b.may_be_zero, **limits)

    def power(self, node: ast.AST, a: Piece, b: Piece) -> Piece:
        fails = a.may_fail or b.may_fail
        raised = f"{a.within(POWER + 1)} ^ {b.within(POWER + 1)}"
        if a.type != "int" or b.type != "int" or b.low < 0:
            if a.low < 0 or (a.may_be_zero and b.low < 0):
                self.refuse(node, "a power of a value that may be negative or zero")
            limits = _corners(_power, a, b)
            # Rounding may make it 0, and Python raises if it is too large.
            if not limits["high"] < 1e300:
                self.refuse(node, "a power that may be too large")
            return Piece(raised, POWER, "float", limits["low"] if limits["low"] >= 1e-300 else 0, limits["high"], fails)
        high = max(_power(a.size, b.high), 1)
        low = -high if a.low < 0 else _power(a.low, b.low) if a.low > 0 else 0
        if a.low == a.high == 2 and b.high <= 62:
            text, level = f"1 << {b.within(SHIFT + 1)}", SHIFT
        elif b.low == b.high and 1 <= b.low <= 4:
            text, level = " * ".join([a.within(PRODUCT + 1)] * int(b.low)), PRODUCT
        elif high <= EXACT_IN_FLOAT:
            text, level = raised + " | 0", BIT_OR  # ^ gives a fraction; `| 0` makes it an integer again
        else:
            self.refuse(node, "a power that may be too large")
        return self.checked(node, Piece(text, level, "int", low, high, fails))

    def bits(self, node: ast.AST, sign: str, left: Piece, right: Piece) -> Piece:
        if left.type == right.type == "bool":
            # Unlike with `and`, Python evaluates both sides: a failure on the right must not be hidden.
            if right.may_fail:
                self.refuse(node, f"a division that may be by zero after {sign}")
            if sign == "^":
                return self.compared(node, "!=", left, right)
            return _joined(left, "and", right, AND) if sign == "&" else _joined(left, "or", right, OR)
        a, b = self.as_number(node, left), self.as_number(node, right)
        if _type_of(a, b) != "int":
            self.refuse(node, f"{sign} of fractions")
        result = _joined(a, "~" if sign == "^" else sign, b, {"&": BIT_AND, "|": BIT_OR, "^": BIT_XOR}[sign], "int")
        high = min(2 ** int(max(a.size, b.size)).bit_length() - 1, MAX_INTEGER)
        return replace(result, low=0 if a.low >= 0 and b.low >= 0 else -high - 1, high=high)

    # Conditions.

    def of_boolop(self, node: ast.BoolOp) -> Piece:
        is_or = isinstance(node.op, ast.Or)
        parts = [self.of(part) for part in node.values]
        if all(part.type == "bool" for part in parts):
            return _all_joined(parts, "or" if is_or else "and", OR if is_or else AND)
        # The result is an operand: `a or b` is a if a else b.
        result = parts[-1]
        for part in reversed(parts[:-1]):
            truth = self.as_truth(part)
            result = self.either(node, truth, part, result) if is_or else self.either(node, truth, result, part)
        return result

    def of_compare(self, node: ast.Compare) -> Piece:
        parts, left = [], node.left
        for sign, right in zip(node.ops, node.comparators):
            if isinstance(sign, (ast.In, ast.NotIn)):
                one = self.contained(node, self.of(left), right)
                if isinstance(sign, ast.NotIn):
                    one = Piece(f"not {one.within(UNARY)}", UNARY, may_fail=one.may_fail)
            else:
                one = self.compared(node, sign_of(sign), self.of(left), self.of(right))
            parts.append(one)
            left = right
        return _all_joined(parts, "and", AND)

    def compared(self, node: ast.AST, sign: str, a: Piece, b: Piece) -> Piece:
        equality = sign in ("==", "!=")
        if "str" in (a.type, b.type):
            if not equality:
                self.refuse(node, "the order of strings")
            if a.type != b.type:
                if a.may_fail or b.may_fail:
                    self.refuse(node, "a division that may be by zero beside a string")
                return Piece("false" if sign == "==" else "true")
        elif not equality or not a.type == b.type == "bool":
            a, b = self.as_number(node, a), self.as_number(node, b)
        return _joined(replace(a, text=a.within(COMPARE + 1), level=ATOM), "~=" if sign == "!=" else sign, b, COMPARE)

    def contained(self, node: ast.AST, value: Piece, many: ast.expr) -> Piece:
        if isinstance(many, (ast.List, ast.Tuple)) and not self.is_constant(many, set()):
            choices = [self.of(part) for part in many.elts]
            if any(choice.may_fail for choice in choices[1:]):
                self.refuse(many, "a division that may be by zero in a list")
        else:
            if not self.is_constant(many, set()):
                self.refuse(many, "`in` something that depends on parameters")
            values = self.value(many)
            if not isinstance(values, (list, tuple, range)):
                self.refuse(many, "`in` something that is not a list")
            regular = self.within_range(value, values)
            if regular is not None:
                return regular
            # No parameter is None or a list.
            choices = [self.constant(many, one) for one in values if isinstance(one, (bool, int, float, str))]
        if not choices:
            if value.may_fail:
                self.refuse(node, "a division that may be by zero in an empty list")
            return Piece("false")
        return _all_joined([self.compared(node, "==", value, choice) for choice in choices], "or", OR)

    @staticmethod
    def within_range(value: Piece, values: Sequence[Any]) -> Piece | None:
        """Avoids a list of 127 comparisons for range(8, 1024, 8)."""
        if len(values) <= 6 or value.type != "int" or any(type(one) is not int for one in values):
            return None
        first, step, last = values[0], values[1] - values[0], values[-1]
        if first < 0 or step <= 0 or last >= 2 ** 40 or any(
                values[i] - values[i - 1] != step for i in range(1, len(values))):
            return None
        x = value.within(COMPARE + 1)
        text = f"{x} >= {first} and {x} <= {last}"
        if step > 1:
            text += f" and ({value.text}) % {step} == {first % step}"
        return Piece(text, AND, may_fail=value.may_fail)

    def of_ifexp(self, node: ast.IfExp) -> Piece:
        return self.either(node, self.condition(node.test), self.of(node.body), self.of(node.orelse))

    def either(self, node: ast.AST, condition: Piece, a: Piece, b: Piece) -> Piece:
        """condition ? a : b. In Lua this is `c and a or b` if a is true, as all numbers (also 0) and strings are."""
        fails = condition.may_fail or a.may_fail or b.may_fail
        if a.type == b.type == "bool":
            return Piece(f"{condition.within(AND)} and {a.within(AND + 1)} or not {condition.within(UNARY)} and "
                         f"{b.within(AND + 1)}", OR, may_fail=fails)
        if (a.type == "str") != (b.type == "str"):
            self.refuse(node, "a value that may be a string or a number")
        if a.type != "str":
            a, b = self.as_number(node, a), self.as_number(node, b)
        return self.checked(node, Piece(f"{condition.within(AND)} and {a.within(AND + 1)} or {b.within(AND)}", OR,
                                        _type_of_one(a, b), min(a.low, b.low), max(a.high, b.high), fails))

    # Functions.

    def of_call(self, node: ast.Call) -> Piece:
        name = called(node)
        # max([a, b]), sum((a, b)), any([a, b]).
        arguments: list[ast.expr] = node.args
        listed = len(arguments) == 1 and isinstance(arguments[0], (ast.List, ast.Tuple))
        if listed:
            arguments = getattr(arguments[0], "elts")
        if name in ("max", "min") and len(arguments) >= 2:
            return self.checked(node, self.extreme(name, [self.number(argument) for argument in arguments]))
        if listed and arguments:
            if name == "sum":
                return self.sum(node, [self.number(argument) for argument in arguments])
            if name in ("any", "all"):
                parts = [self.condition(argument) for argument in arguments]
                if any(part.may_fail for part in parts[1:]):
                    self.refuse(node, f"a division that may be by zero in {name}")
                return _all_joined(parts, "or" if name == "any" else "and", OR if name == "any" else AND)
        if name == "pow":
            return self.power(node, self.number(arguments[0]), self.number(arguments[1]))
        if len(arguments) == 1 and not listed:
            if name == "bool":
                return self.condition(arguments[0])
            if name in ("abs", "float", "int", "round"):
                translated: Piece = getattr(self, "call_" + name)(node, self.number(arguments[0]))
                return translated
        self.refuse(node, f"{name} of parameters")

    @staticmethod
    def extreme(name: str, pieces: Sequence[Piece]) -> Piece:
        pick: Callable[..., Number] = min if name == "min" else max
        return Piece(f"{name}({', '.join(piece.text for piece in pieces)})", ATOM, _type_of_one(*pieces),
                     pick(piece.low for piece in pieces), pick(piece.high for piece in pieces),
                     any(piece.may_fail for piece in pieces))

    def sum(self, node: ast.AST, pieces: Sequence[Piece]) -> Piece:
        result = self.checked(node, pieces[0])
        for piece in pieces[1:]:
            total = _joined(result, "+", piece, SUM, _type_of(result, piece))
            result = self.checked(node, replace(total, low=result.low + piece.low, high=result.high + piece.high))
        return result

    @staticmethod
    def call_abs(_: ast.AST, value: Piece) -> Piece:
        if value.low >= 0:
            return value
        low: Number = 0 if value.may_be_zero else min(abs(value.low), abs(value.high))
        return Piece(f"max({value.text}, -{value.within(UNARY + 1)})", ATOM, value.type, low, value.size,
                     value.may_fail)

    @staticmethod
    def call_float(_: ast.AST, value: Piece) -> Piece:
        if value.type == "float":
            return value
        return replace(value, text=f"{value.within(SUM)} + 0.0", level=SUM, type="float")

    def call_int(self, node: ast.AST, value: Piece) -> Piece:
        if value.type == "int":
            return value
        if value.size > EXACT_IN_FLOAT:
            self.refuse(node, "int of a value that may be too large")
        # // 1 rounds down, and int() towards 0; `| 0` makes an integer of it.
        x, minus = value.within(PRODUCT), "-" + value.within(UNARY + 1)
        text = f"{x} // 1" if value.low >= 0 else (
            f"({value.within(COMPARE + 1)} >= 0 and {x} // 1 or -({minus} // 1))")
        return Piece(text + " | 0", BIT_OR, "int", math.trunc(value.low), math.trunc(value.high), value.may_fail)

    def call_round(self, node: ast.AST, value: Piece) -> Piece:
        if value.type != "int":
            self.refuse(node, "round of a fraction")
        return value
