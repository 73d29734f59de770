"""Headers in tunings/: reading them, the row of an architecture from a record, and whether header and records agree.

The format is described in docs/tunings.md. Used by bench/measure_rows and tests/bench/tuning_headers_test.py.
"""

import gzip
import json
import math
import os
import re

TABLE = re.compile(r"// table (\w+): (.+)$")
MACRO = re.compile(r"#ifdef (\w+)$")
ONLY = re.compile(r"using (\w+) = launchbox::only<([\w:]+) (\w+)>;$")
BOX = re.compile(r"using (\w+) = launchbox::launch_box<$")
VALUE = r"[\w:.+()-]+"
ROW = re.compile(rf"    launchbox::sm(_a|_f)?<(\d+), ([\w:]+)\{{({VALUE}(?:, {VALUE})*)\}}>(,?)$")
RECORD = re.compile(r"// record: (\S+) ((?:results-)?)fnv1a64:([0-9a-f]{16})$")
BASELINE = "// baseline, not measured"
ROWS_IN_TEXT = re.compile(r"\bsm(_a|_f)?\s*<")


def fnv1a64(data):
    """The hash by which a header names a record: 64-bit FNV-1a of the file's bytes."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def row_text(values):
    return "{" + ", ".join(str(value) for value in values) + "}"


# ---------------------------------------------------------------- statistics, as src/support/sample_statistics.cpp


def median(samples):
    ordered = sorted(samples)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def summarise(samples):
    """(median, low, high): low and high hold the true median with 95 %, by the order of the samples alone."""
    count, rank, outside = len(samples), 0, 0.0
    for below in range(count // 2):
        outside += math.comb(count, below) / 2**count
        if outside > 0.025:
            break
        rank = below + 1
    rank = max(rank, 1)
    ordered = sorted(samples)
    return median(samples), ordered[rank - 1], ordered[count - rank]


def decide(record):
    """The winner of a record: the fastest of the finalists, if it is faster than the row it would replace beyond noise and
    by 1 % or more: less is never a reason to change a source (docs/bounds.md).

    Both ran in each final round, one soon after the other: the ratio of their times is taken round by round.
    """
    finalists = [each for each in record["candidates"] if each.get("final_samples_ns")]
    if not finalists:
        raise ValueError("no candidate was measured to the end")
    fastest = min(finalists, key=lambda each: (median(each["final_samples_ns"]), each["row"]))
    replaced = next((each for each in finalists if each["row"] == record["replaces"]["row"]), None)
    if replaced is None:
        return {"row": fastest["row"], "kept": False, "times_as_fast": None}
    ratios = [old / new for old, new in zip(replaced["final_samples_ns"], fastest["final_samples_ns"])]
    middle, low, high = summarise(ratios)
    if fastest is replaced or low <= 1 or middle < 1.01:
        return {"row": replaced["row"], "kept": True, "times_as_fast": None}
    return {"row": fastest["row"], "kept": False,
            "times_as_fast": {"median": round(middle, 4), "low": round(low, 4), "high": round(high, 4)}}


# ---------------------------------------------------------------- reading


class Row:
    def __init__(self, variant, number, row_type, values, comments, line):
        self.variant, self.number, self.row_type, self.values = variant or "", number, row_type, values
        self.comments, self.line = comments, line

    def architecture(self):
        return f"sm_{self.number}{self.variant[1:]}"

    def rank(self):  # sm_100, sm_100f, sm_100a
        return self.number * 4 + ("", "_f", "_a").index(self.variant)

    def text(self, is_last):
        return (f"    launchbox::sm{self.variant}<{self.number}, {self.row_type}{row_text(self.values)}>"
                + ("" if is_last else ","))

    def serves(self, number):
        """Whether plain code for the architecture can use it."""
        return self.variant == "" and self.number <= number


class Table:
    def __init__(self, name, macro, row_type, rows, begin, end):
        self.name, self.macro, self.row_type, self.rows = name, macro, row_type, rows
        self.begin, self.end = begin, end  # the lines of the rows, from 0

    def row_for(self, number):
        serving = [row for row in self.rows if row.serves(number)]
        return serving[-1] if serving else None


def parse(text, path):
    """The tables of a header. What is not as docs/tunings.md says is a ValueError with file, line and reason."""
    lines, tables, at = text.split("\n"), [], 0

    def fail(line, what):
        raise ValueError(f"{path}:{line + 1}: {what}")

    def expect(pattern, what):
        nonlocal at
        match = pattern.match(lines[at]) if at < len(lines) else None
        if not match:
            fail(min(at, len(lines) - 1), f"expected {what}")
        at += 1
        return match

    while at < len(lines):
        if not TABLE.match(lines[at]):
            if ROWS_IN_TEXT.search(lines[at]):
                fail(at, "a row outside of a table: a table begins with '// table NAME: what it is for'")
            at += 1
            continue
        name = TABLE.match(lines[at]).group(1)
        at += 1
        macro = expect(MACRO, "'#ifdef' and the macro that gives this table one row").group(1)
        only = expect(ONLY, f"'using {name} = launchbox::only<ROW_TYPE {macro}>;'")
        if only.group(1) != name or only.group(3) != macro:
            fail(at - 1, f"'{only.group(1)}' and '{only.group(3)}' instead of the table '{name}' and its macro '{macro}'")
        expect(re.compile(r"#else$"), "'#else'")
        if expect(BOX, f"'using {name} = launchbox::launch_box<'").group(1) != name:
            fail(at - 1, f"another name than that of the table, {name}")
        begin, rows, comments, row_type = at, [], [], only.group(2)
        while at < len(lines) and lines[at] != ">;":
            match = ROW.match(lines[at])
            if match:
                values = [int(value) if value.isdecimal() else value for value in match.group(4).split(", ")]
                if match.group(3) != row_type:
                    fail(at, f"a row of type {match.group(3)} in a table of {row_type}")
                if rows and len(values) != len(rows[0].values):
                    fail(at, f"expected a comment or a row of {len(rows[0].values)} values, as the one above")
                rows.append(Row(match.group(1), int(match.group(2)), row_type, values, comments, at))
                comments = []
            elif lines[at].strip().startswith("// "):
                comments.append(lines[at].strip())
            else:
                fail(at, f"expected a comment or a row such as 'launchbox::sm<90, {row_type}{{256, 15, 2}}>,'")
            at += 1
        if comments or not rows:
            fail(at, f"no row {'below this comment' if comments else 'in the table'}")
        tables.append(Table(name, macro, row_type, rows, begin, at))
        expect(re.compile(r">;$"), "'>;'")
        expect(re.compile(r"#endif$"), "'#endif'")
    return tables


# ---------------------------------------------------------------- a record's row


def provenance(record, record_path, data):
    """The comment lines above the row that a record gives."""
    winner, replaces = record["winner"], record["replaces"]
    old = row_text(replaces["row"])
    origin = f"the row of {replaces['architecture']}"
    if winner["kept"]:
        gain = f"less than 1 % or noise, so that {old}, {origin}, is kept"
    elif winner["times_as_fast"] is None:
        gain = f"not known, since {old}, {origin}, could not be measured"
    else:
        times = winner["times_as_fast"]
        gain = f"{times['median']:.3f} times as fast ({times['low']:.3f} to {times['high']:.3f}) as {old}, {origin}"
    return [f"// measured: {record['device']}, driver {record['driver']}, nvcc {record['toolkit']}, {record['date']}, "
            f"commit {record['commit']}",
            f"// gain: {gain}",
            f"// record: {record_path} fnv1a64:{fnv1a64(data)}"]


def architecture_of(record):
    match = re.fullmatch(r"sm_(\d+)([af]?)", record["architecture"])
    if not match:
        raise ValueError(f"{record['architecture']} is no architecture")
    return int(match.group(1)), "_" + match.group(2) if match.group(2) else ""


def with_record(text, path, record, record_path, data):
    """The header's text with the record's row in its table: replaced, or put where it belongs. All else stays."""
    if record["winner"] != decide(record):
        raise ValueError(f"{record_path}: its winner is not what its samples say: measure again")
    table = next((table for table in parse(text, path) if table.name == record["table"]), None)
    if table is None:
        raise ValueError(f"{path}: no table {record['table']}, which {record_path} is for")
    number, variant = architecture_of(record)
    new = Row(variant, number, table.row_type, record["winner"]["row"], provenance(record, record_path, data), 0)
    rows = sorted([row for row in table.rows if row.rank() != new.rank()] + [new], key=Row.rank)
    lines = []
    for row in rows:
        lines += ["    " + comment for comment in row.comments] + [row.text(row is rows[-1])]
    all_lines = text.split("\n")
    return "\n".join(all_lines[:table.begin] + lines + all_lines[table.end:])


# ---------------------------------------------------------------- header against records


def problems_of(path, root):
    """What is wrong with a header, as lines with file and line; records are looked for below root."""
    shown = os.path.relpath(path, root)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        tables = parse(text, shown)
    except ValueError as error:
        return [str(error)]
    problems = [] if tables else [f"{shown}: no table"]
    for table in tables:
        for before, row in zip([None] + table.rows, table.rows):
            where = f"{shown}:{row.line + 1}: {row.architecture()} of {table.name}: "
            if before and before.rank() >= row.rank():
                problems.append(where + f"not newer than {before.architecture()} above it")
            problems += [where + problem for problem in problems_of_row(table, row, root)]
    return problems


def problems_of_row(table, row, root):
    if row.comments == [BASELINE]:
        return []
    named = RECORD.match(row.comments[-1]) if row.comments else None
    if not named:
        return [f"neither '{BASELINE}' nor a '// record:' is above it"]
    record_path, of_content, stated_hash = named.groups()
    if of_content:  # a store: the row is checked by launchbox emit --check
        return [] if os.path.isfile(os.path.join(root, record_path)) else [f"{record_path} cannot be read"]
    try:
        with open(os.path.join(root, record_path), "rb") as file:
            data = file.read()
        record = json.loads(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
        if stated_hash != fnv1a64(data):
            return [f"{record_path} is another file than it names: {fnv1a64(data)} instead of {stated_hash}"]
        if record.get("schema") == "launchbox.results/1":  # the row is checked by launchbox emit --check
            return []
        if record["table"] != table.name or record["architecture"] != row.architecture():
            return [f"{record_path} is of {record['architecture']} of {record['table']}"]
        if record["winner"] != decide(record):
            return [f"{record_path}: its winner is not what its samples say"]
        if record["winner"]["row"] != row.values:
            return [f"{record_path} says {row_text(record['winner']['row'])}, not {row_text(row.values)}"]
        expected = provenance(record, record_path, data)
    except OSError as error:
        return [f"{record_path} cannot be read: {error.strerror}"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return [f"{record_path} is no record of bench/measure_rows: {error!r}"]
    return [f"'{was}' instead of '{wanted}'" for was, wanted in zip(row.comments, expected) if was != wanted] or \
        ([] if len(row.comments) == len(expected) else ["comments beside measured, gain and record"])
