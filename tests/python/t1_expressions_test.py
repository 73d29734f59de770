# SPDX-License-Identifier: Apache-2.0
"""Python expressions compared with Python itself: random ones, evaluated here, and as conditions in the tool."""
import itertools
import math
import random
import time

import pytest

from candidates import candidates_of
from launchbox.t1 import to_lua
from launchbox.t1.expression import Budget, Expression, Refused

INTEGERS = "a", "b"
SPACE = {"a": [1, 8, -3, 0, 32], "b": [2, 5], "c": [0.5, 3.0, -2.25], "t": [True, False], "s": ["up", "down"]}
POINTS = [dict(zip(SPACE, values)) for values in itertools.product(*SPACE.values())]
NAMES = to_lua.Names({name: to_lua.Variable(name, values) for name, values in SPACE.items()})
SPEC = """[tunable]
name = "random"
[parameters]
a = [1, 8, -3, 0, 32]
b = [2, 5]
c = [0.5, 3.0, -2.25]
t = [true, false]
s = ["up", "down"]
[program]
run = ["true"]
[constraints]
all = [{}]
"""


class Grammar:
    """Random expressions, mostly valid, and harmless, since the tests pass them to Python's eval."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def number(self, depth):
        if depth <= 0:
            return self.pick("a b a b c t 1 2 3 7 -4 0 32 1.5 0.1 64 True".split())

        def n():
            return self.number(depth - 1)

        return self.pick([
            lambda: f"{n()} + {n()}", lambda: f"{n()} - {n()}", lambda: f"{n()} * {n()}", lambda: f"({n()}) // ({n()})",
            lambda: f"({n()}) % ({n()})", lambda: f"{n()} / {n()}",
            lambda: f"-{self.number(0)}{self.pick([' ** 2', ' ** 3', ' ** b', ' * 2', ' ** c'])}",
            lambda: f"{self.pick(['max', 'min'])}({n()}, {n()})", lambda: f"{self.pick(['max', 'min', 'sum'])}([{n()}, {n()}])",
            lambda: f"{self.pick(['abs', 'int', 'float', 'round', 'bool'])}({n()})",
            lambda: f"({n()} if {self.truth(depth - 1)} else {n()})", lambda: f"({n()}{self.pick([' or ', ' and '])}{n()})",
            lambda: f"({n()}{self.pick([' + ', ' - ', ' * ', ' << ', ' >> ', ' & ', ' | ', ' ^ '])}{self.number(0)})",
            lambda: f"~{self.pick('ab3')}", lambda: f"pow({n()}, {self.pick(['2', 'b', '3'])})",
            lambda: f"len([x for x in {self.list(depth - 1)} if x])",
        ])()

    def truth(self, depth):
        if depth <= 0:
            return self.pick(["t", "a == 8", "b > 1", "not t", "s == 'up'", "a", "s != 'down'", "t == 1"])

        def n():
            return self.number(depth - 1)

        def t():
            return self.truth(depth - 1)

        return self.pick([
            lambda: n() + self.pick([" < ", " <= ", " == ", " != ", " >= ", " > "]) + n(),
            lambda: n() + self.pick([" < ", " <= "]) + n() + self.pick([" < ", " <= ", " == "]) + n(),
            lambda: f"({t()} or {t()})", lambda: f"{t()} and {t()}", lambda: f"not ({t()})",
            lambda: n() + self.pick([" in ", " not in "]) + self.pick(
                ["[1, 2, 8]", "(a, b)", "range(0, 64, 8)", "[1.5, True, 'up']", "[a // b, c]", "list(range(9))"]),
            lambda: f"s{self.pick([' in [1, s]', ' == 1', chr(32) + 'in (' + repr('up') + ', 3)', ' not in []'])}",
            lambda: f"{self.pick(['any', 'all'])}([{t()}, {t()}])",
            lambda: f"({t()} if {t()} else {t()})", lambda: f"({t()}{self.pick([' & ', ' | ', ' ^ '])}({t()}))", n,
        ])()

    def list(self, depth):
        if depth <= 0:
            return self.pick(["[a, b, c]", "[3, 1, 2]", "list(range(a))", "(1, b)", "[]", "['x', s]"])

        def many():
            return self.list(depth - 1)

        return self.pick([
            lambda: f"{many()} + {many()}",
            lambda: f"[x * {self.number(0)} for x in {many()}{self.pick(['', ' if x > 1', ' if x % 2'])}]",
            lambda: f"sorted({many()})", lambda: f"list({many()}) * {self.pick(['2', '0', 'b'])}",
            lambda: f"[{self.number(depth - 1)}, {many()}[{self.pick(['0', '-1', '1'])}]]",
            lambda: f"[max({many()}), len({many()}), sum({many()})]", lambda: f"list(reversed({many()}))",
            lambda: f"[x + y for x, y in [({self.number(0)}, 1), {many()}]]", lambda: f"tuple({many()})",
        ])()

    def any(self, depth):
        return self.pick([self.number, self.truth, self.list])(depth)


def of_python(code, names):
    """repr of the value, or None if Python raises, or if the value exceeds 64 bits or is complex."""
    try:
        value = eval(code, dict(names))  # pylint: disable=eval-used
    except Exception:  # pylint: disable=broad-except
        return None
    return repr(value)


@pytest.mark.filterwarnings("ignore")
def test_random_expressions_have_the_same_value_as_in_python():
    grammar = Grammar(20261126)
    equal = errors = refused = 0
    for i in range(2500):
        text = grammar.any(1 + i % 4)
        expression, code = Expression(text), compile(text, "", "eval")
        for names in grammar.random.sample(POINTS, 8):
            python = of_python(code, names)
            try:
                ours = repr(expression.value(names, {}, Budget()))
            except Refused as error:
                ours = None
                if python is not None:  # left out on purpose
                    assert "64 bits" in str(error) or "complex" in str(error) or "of a list" in str(error) or (
                        "sum of strings" in str(error)), f"{text} with {names}: {error}"
                    refused += 1
                    continue
            assert ours == python, f"{text} with {names}"
            equal, errors = equal + (python is not None), errors + (python is None)
    assert equal > 10_000 and errors > 1000 and refused < 1000


def accepted_by_python(text):
    """The points at which the condition is true in Python, or None if it raises at one."""
    code, points = compile(text, "", "eval"), []
    for names in POINTS:
        try:
            if eval(code, dict(names)):  # pylint: disable=eval-used
                points.append(list(names.values()))
        except Exception:  # pylint: disable=broad-except
            return None
    return points


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_conditions_accept_the_same_candidates_as_python(seed):
    """10,000 random conditions, each with 120 points."""
    grammar = Grammar(seed)
    texts, specs, reasons = [], [], {}
    for i in range(2500):
        text = grammar.truth(1 + i % 4)
        try:
            conditions = to_lua.conditions_in_lua(Expression(text), NAMES)
        except Refused as error:
            why = str(error).partition(" (column")[0]
            reasons[why] = reasons.get(why, 0) + 1
            continue
        texts.append(text)
        specs.append(SPEC.format(", ".join('"' + one.replace("\\", "\\\\") + '"' for one in conditions)))
    assert len(texts) > 1250, reasons
    errors = empty = 0
    for text, spec, answer in zip(texts, specs, candidates_of(specs)):
        python, ours = accepted_by_python(text), answer.get("candidates")
        if ours is None and "no candidate" in answer["error"]:
            ours = []
        assert ours == python, f"{text}\n{spec}\n{answer.get('error')}"
        errors, empty = errors + (python is None), empty + (python == [])
    assert errors > 20 and empty > 20


TOO_MUCH = [
    "[0]*10**9", "range(10**12)", "[[0]*1000]*10000000", "'a'*10**12", "[0]*9223372036854775807",
    "[i for i in range(10**6) for j in range(10**6)]", "len(range(-9223372036854775807, 9223372036854775807))",
    "sum([1 for i in range(1000) for j in range(1000) for k in range(1000)])",
    "[[[[0]*100]*100]*100]*100 == [[[[0]*100]*100]*100]*100", "sorted([[[[0]*100]*100]*100]*100)",
    "[x for x in [1] " + "for x in [x, x] " * 60 + "]", "[[[[0]*999]*999]*999] in [[[[[0]*999]*999]*999]]",
    "max([[[0]*999]*999]*2, [[[0]*999]*999]*2)", "('a'*9999 in 'a'*9999) + " * 60 + "1", "sum([[1]]*9999, [])",
]


@pytest.mark.parametrize("text", TOO_MUCH)
def test_too_much_work_is_refused_early_and_takes_no_memory(text):
    with pytest.raises(Refused, match="it needs more than 1,000,000 steps or elements"):
        Expression(text).value({}, {}, Budget())


@pytest.mark.parametrize("text", ["9**9**9", "2**64", "10**19", "9223372036854775807 + 1", "3**-0 * 2**63", "1 << 63",
                                  "1 << 10**9", "-2 << 10**9", "(-3)**99", "2**9223372036854775807", "int(1e300)",
                                  "99999999999999999999", "9" * 300, "9" * 100_000, "abs(-2**63)", "-(-2**63)", "round(1e99)",
                                  "0x" + "f" * 99, "int('9'*39)", "sum([2**62, 2**62])"])
def test_integers_have_64_bits(text):
    with pytest.raises(Refused, match="not fit in 64 bits"):
        Expression(text).value({}, {}, Budget())


DEEP = ["(" * 100_000, "[" * 100_000 + "]" * 100_000, "1" + "+1" * 50_000, "-" * 100_000 + "1", "not " * 60_000 + "1",
        "1 if 1 else " * 20_000 + "2", "2" + "**2" * 50_000, "a" + "[0]" * 50_000, "max(" * 50_000 + "1" + ")" * 50_000,
        "lambda: " * 20_000, "~" * 200_000, "[1" + " for x in [1]" * 15_000 + "]", "not(" * 40 + "1" + ")" * 40 + "+1" * 200,
        "1" + " if x else 2" * 9_000, "- + ~ not " * 9_000, "(" * 51 + "1" + ")" * 51, "(1," * 45 + ")" * 45 + "+1" * 99,
        "await " * 9_000 + "x", "1" + "<-1" * 999]


@pytest.mark.parametrize("text", DEEP)
def test_deep_nesting_does_not_reach_the_parser(text):
    with pytest.raises(Refused, match="nested too deeply|is not allowed in an expression"):
        Expression(text)


def test_the_deepest_allowed_nesting_works():
    """Our limit is below those of Python's and Lua's stacks, in chains of one operator and of random operators."""
    grammar, steps = random.Random(3), [
        "-{}", "~int({})", "not {}", "1 + {}", "a - {}", "max(a, {})", "abs({})", "int({})", "(a if t else {})", "({} if t else b)",
        "({} < 3)", "({})", "2 * {}", "{} % 7", "{} == 1", "bool({})", "(t or {})", "({} or a)"]
    chains = ["-" * 60 + "a > 0", "not " * 61 + "t", "a" + " + a" * 60 + " > 0", "(" * 40 + "a" + ")" * 40 + " > 0",
              "(a if t else " * 24 + "b" + ")" * 24 + " > 0", "max(a, " * 40 + "b" + ")" * 40 + " > 0",
              "a" + " % 33 + 1" * 30 + " > 0", "abs(" * 40 + "a" + ")" * 40 + " > 0", "int(" * 6 + "c" + ")" * 6 + " == 3",
              "(" * 40 + "a" + " + 1)" * 40 + " > 50", " and ".join(["t"] * 300), " or ".join(["a > 31"] * 300),
              "a in [" + "7, " * 200 + "8]", "not(" * 40 + "t" + ")" * 40, "(t | " * 40 + "t" + ")" * 40,
              "(t if t else " * 3 + "t" + ")" * 3, "-(not " * 30 + "a" + ")" * 30 + " > 0"]
    for i in range(600):
        text = "a" if i % 2 else "t"
        for _ in range(grammar.randrange(20, 60)):
            text = (grammar.choice(steps) if i % 3 else steps[(i + len(text)) % len(steps)]).format(text)
        chains.append(text)
    specs, read = [], []
    for text in chains:
        try:
            conditions = to_lua.conditions_in_lua(Expression(text), NAMES)
        except Refused:
            continue
        read.append(text)
        specs.append(SPEC.format(", ".join(f'"{one}"' for one in conditions)))
    assert read[:17] == chains[:17] and len(read) > 100
    for text, answer in zip(read, candidates_of(specs)):
        if "no candidate" in answer.get("error", ""):
            answer["candidates"] = []
        assert answer.get("candidates") == accepted_by_python(text), f"{text}\n{answer.get('error')}"


def test_a_condition_does_not_grow_without_limit():
    for text in ["(t if " * 30 + "t" + " else t == 1)" * 30,
                 "a in " + repr([i * i for i in range(9_000)]), "(" * 40 + "a" + " ** 4)" * 40 + " > 1"]:
        begin = time.process_time()
        with pytest.raises(Refused, match="longer than 4,096|64 bits|too large"):
            to_lua.conditions_in_lua(Expression(text), NAMES)
        assert time.process_time() - begin < 20


@pytest.mark.parametrize("text, what", [
    ("a.append(1)", "modules and methods are not supported (column 2 of 'a.append(1)')"),
    ("math.log2(8)", "modules and methods are not supported (column 5 of 'math.log2(8)')"),
    ("open('x')", "the function open is not supported (column 1 of 'open('x')')"),
    ("[1, 2", "] is missing (column 6 of '[1, 2')"),
    ("3 + x", "unknown name x (column 5 of '3 + x')"),
    ("", "the expression is empty (column 1 of '')"),
    (" \n\t", "the expression is empty"),
    ("1 % 0", "a division by zero (column 1 of '1 % 0')"),
    ("'a' + 1", "+ does not apply to str and int"),
    ("'%999999999d' % 1", "% does not apply to str and int"),
    ("{1}", "{ is not allowed in an expression (column 1 of '{1}')"),
    ("a[1:2]", ": is not allowed"), ("(x := 1)", ": is not allowed"), ("f'{a}'", "a prefix"), ("b'a'", "a prefix"),
    ("'''a'''", ""), ("'a", "a quote is not closed"), ("'\\x41'", "a \\ that is not supported"), ("1 # 2", "# is not"),
    ("1; 2", "; is not"), ("a@b", "@ is not"), ("\\\n1", "\\ is not"), ("1j", "not a number"), ("1_", "decimal"),
    ("0777", "leading zeros"), ("0x", "not a number"), ("1.2.3", "not a number"), ("\0", "a character is not"),
    ("é", "a character is not"), ("１", "a character is not"), ("ｍax(1)", "a character is not"),
    ("1) + (2", "unexpected ')'"), ("[1)", "unexpected ')'"), ("1 is 1", "`is` is not supported"),
    ("1 is not 1", "`is` is not supported"), ("(yield)", "yield is not supported"), ("[*range(3)]", "* is not supported"),
    ("max(*[1])", "* is not supported"), ("max(1, default=2)", "named arguments"), ("max(**{})", "{ is not"),
    ("(x for x in [1])", "a comprehension in round brackets"), ("[x async for x in [1]]", "`for` needs"),
    ("[1 for x[0] in [1]]", "`for` needs"), ("[1 for [x, y] in [[1, 2]]]", "`for` needs"),
    ("[1 for (x, (y, z)) in [1]]", "`for` needs"), ("[1 for x, y in [(1, 2, 3)]]", "another number of names"),
    ("(1)(2)", "only functions with a name"), ("max(1)(2)", "only functions"), ("[max][0](1)", "only functions"),
    ("().__class__", "modules and methods"), ("max.__class__", "modules and methods"), ("pow(2, 3, 5)", "pow does not take 3"),
    ("sum('a', '')", "sum of strings"), ("str([1])", "str of a list"), ("float('nan')", "not a number"),
    ("int('1_0')", "not a number"), ("1e999", "a number is too large"), ("(-8)**0.5", "complex"), ("1 << -1", "negative shift"),
    ("[1][5]", "out of range"), ("range(1, 2, 0)", "zero"), ("max([])", "of an empty list"), ("[1, 'a'] < ['a', 1]", "'<'"),
    ("lambda: 1", ": is not"), ("lambda", ""), ("if", ""), ("None.x", ""), ("print", "unknown name print"), ("1 2", ""),
])
def test_unsupported_syntax_is_named_with_its_place(text, what):
    with pytest.raises(Refused) as raised:
        Expression(text).value({}, {}, Budget())
    assert what in str(raised.value)


def test_forms_of_tuning_problems():
    for text, value in [
            ("[16*i for i in range(1,9)]", [16, 32, 48, 64, 80, 96, 112, 128]), ("[1] + [2 * i for i in range(1, 4)]", [1, 2, 4, 6]),
            ("[1, 2, 4] + list(range(32, 128+1, 32))", [1, 2, 4, 32, 64, 96, 128]), ("[2**i for i in range(0, 6)]", [1, 2, 4, 8, 16, 32]),
            ("[x*y for x in [1, 2] for y in (3, 5) if x*y > 3 if x*y != 6]", [5, 10]), ("[a - b for a, b in [(5, 1), [7, 2]]]", [4, 5]),
            ("sorted([3, 1, 2])[-1]", 3), ("sum(i for i in range(5))", 10), ("['a' 'b', \"it's\"]", ["ab", "it's"]), ("32, 64", (32, 64)),
            ("[\n  1,\n  2,\n]", [1, 2]), ("1_000 + 0x10 + .5", 1016.5), ("1 +\n 2", 3), ("sum([0.1] * 10)", 0.9999999999999999),
            ("'\\'\\n\\\\'", "'\n\\"), ("- 9223372036854775807 - 1", -2**63)]:
        assert Expression(text).value({}, {}, Budget()) == value


def test_a_name_alone_means_its_list():
    for text, value in [("max(w) * 100 + w", 1503), ("len(w) + w[1]", 17), ("max(w, 1)", 3), ("[v for v in w]", [3, 15]),
                        ("[w for w in [1]]", [1]), ("[len([w]) for w in [1]]", [1]), ("sum(w)", 18)]:
        assert Expression(text).value({"w": 3}, {"w": [3, 15]}, Budget()) == value


def test_all_expressions_of_a_file_share_one_budget():
    budget = Budget(900_000)
    text = Expression("len([i for i in range(90000)])")
    with pytest.raises(Refused, match="the expressions of this file need more than 5,000,000 steps"):
        for _ in range(100):
            text.value({}, {}, budget)


def translated(text, **more):
    names = to_lua.Names({"x": to_lua.Variable("x", [1, 2, 64]), "y": to_lua.Variable("y", [16, 32]),
                          "f": to_lua.Variable("f", [0.5, 1.0]), "t": to_lua.Variable("t", [True, False]),
                          "s": to_lua.Variable("s", ["up", "it's"])}, **more)
    try:
        return "; ".join(to_lua.conditions_in_lua(Expression(text), names))
    except Refused as error:
        return f"refused: {error}"


@pytest.mark.parametrize("text, lua", [
    ("32 <= x*y <= 1024", "32 <= x * y and x * y <= 1024"), ("x != 2 and y > 16", "x ~= 2; y > 16"),
    ("x in [1, 2]", "x == 1 or x == 2"), ("not (x == 1 and t)", "not (x == 1 and t)"), ("x", "x ~= 0"),
    ("t == 1", "(t and 1 or 0) == 1"), ("s == \"it's\"", "s == 'it\\'s'"), ("x ** 2 < 100", "x * x < 100"),
    ("max(x) <= 64", "true"), ("y // x / 2 == 4", "y // x / 2 == 4"), ("x in range(8, 1024, 8)",
                                                                       "x >= 8 and x <= 1016 and (x) % 8 == 0"),
    # A division that may fail is not evaluated on its own.
    ("y > 16 and y % (x - 1) == 0", "y > 16 and y % (x - 1) == 0"),
    ("2 ** x % 7 == 0", "refused: a power that may be too large (column 1 of '2 ** x % 7 == 0')"),
    ("x * 10**18 > 1", "refused: a whole number that may exceed 64 bits (column 1 of 'x * 10**18 > 1')"),
    ("s < 'b'", "refused: the order of strings (column 1 of 's < 'b'')"),
    ("round(f) == 1", "refused: round of a fraction (column 1 of 'round(f) == 1')"),
    ("(x if t else 0.5) * 2**60 * 2**60 > 1", "refused: a whole number, or a fraction, that a fraction may not hold "
                                              "(column 1 of '(x if t else 0.5) * 2**60 * 2**60 > 1')"),
    ("x in (y, 1 // (x - 1))", "refused: a division that may be by zero in a list (column 6 of 'x in (y, 1 // (x - 1))')"),
    ("s == 'é'", "refused: a string with characters that are not ASCII (column 6 of 's == 'é'')"),
])
def test_conditions_stay_readable(text, lua):
    assert translated(text) == lua


def test_infinity_is_not_a_value():
    assert math.isinf(1e308 * 10)
    assert translated("f < 1e308 * 10").startswith("refused: a number that is not finite")
