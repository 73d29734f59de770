#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/image/code/operand_table.inc: which fields of machine instructions name registers, and how many.

    bench/make_operand_table.py --samples TOOL --nvdisasm NVDISASM [--architectures 75,80,...] [--keep FOLDER]
                                [-o src/image/code/operand_table.inc] [--compare TABLE.inc] LIBRARY...

Needs nvcc in PATH, nvdisasm, and `instruction_samples` (built with LAUNCHBOX_BENCH). Takes instructions of every kind
from the libraries and varies them: with register and predicate numbers that distinguish the fields, and with single
bits changed. nvdisasm reports which registers each one reads and writes (the marks of --print-life-ranges). From that
follow, for each opcode: the fields; the smallest set of bits that decides how many registers a field stands for and
explains all answers; and the bits that were the same in all valid instructions, so that code with other values is
called unknown.

nvdisasm runs once for each 2,500 instructions, on all cores. With --keep, answers are saved in FOLDER after each of
these runs and reused, so that an interrupted run can continue. The table in the tree comes from 15 libraries of CUDA
13. --compare tests another table, for example the one in the tree, with the same instructions. Exit status 1 if a table
contradicts an answer.
"""
import argparse
import collections
import concurrent.futures
import math
import os
import pathlib
import pickle
import random
import re
import struct
import subprocess
import sys
import tempfile

FAMILIES = {"old": (75, 80, 86, 87, 89, 90), "new": (100, 103, 110, 120, 121)}
# Architectures at which encodings may change within a family: pseudo-bits after the 105 non-scheduling bits of an
# instruction.
STEPS = {"old": (80, 86, 89, 90), "new": (103, 110, 120, 121)}
INSTRUCTION_BITS = 105
SCHEDULING = 0x000fe20000000000
NOP = struct.pack("<QQ", 0x7918, 0x000fc00000000000)
EXIT = struct.pack("<QQ", 0x794d, 0x000fea0003800000)
MASK = (1 << 64) - 1
AT_ONCE = 2500  # nvdisasm's time for one function grows faster than its size
# Branches, calls, returns and convergence barriers, which src/image/code/control_flow.cpp handles.
FLOW = {0x343, 0x348, 0x547, 0x941, 0x942, 0x943, 0x944, 0x945, 0x947, 0x948, 0x949, 0x94a, 0x94c, 0x94d, 0x950, 0x958,
        0x959, 0x95b, 0x95c}
# Fields that may hold a register, and predicate fields; those from 150 on are 100 bits lower and inverted.
GENERAL = (16, 24, 32, 64, 40, 48, 52, 72)
UNIFORM = (16, 24, 32, 64, 40, 48, 56, 72)
PREDICATE = (12, 68, 77, 81, 84, 87, 16, 24, 32, 64, 74, 187, 164)
POSITIONS = {"R": GENERAL, "U": UNIFORM, "P": PREDICATE, "Q": PREDICATE}
UNUSUAL = {"R": (40, 48, 52, 72), "U": (40, 48, 56, 72), "P": (16, 24, 32, 64, 74, 187, 164),
           "Q": (16, 24, 32, 64, 74, 187, 164)}
FILES = {b"GPR": "R", b"PRED": "P", b"UGPR": "U", b"UPRED": "Q"}
FILE_NUMBER = {"R": 0, "U": 1, "P": 2, "Q": 3}
# nvdisasm only tracks UR4 to UR62.
FIRST_UNIFORM, LAST_UNIFORM = 4, 62

Answer = collections.namedtuple("Answer", "reads writes")  # sets of (file, number)


def field(word, at, bits):
    return word >> at & ((1 << bits) - 1)


def with_field(word, at, bits, value):
    return word & ~(((1 << bits) - 1) << at) | value << at


# --- nvdisasm ---------------------------------------------------------------------------------------------------------

def sections_of(image):
    table = struct.unpack_from("<Q", image, 40)[0]
    count, names = struct.unpack_from("<HH", image, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", image, table + 64 * i) for i in range(count)]
    return table, rows, [image[rows[names][4] + row[0]:].split(b"\0")[0].decode() for row in rows]


def image_with(template, code):
    """The image of kernel k, with its code replaced."""
    image = bytearray(template)
    table, rows, names = sections_of(template)
    text, symbols = names.index(".text.k"), rows[names.index(".symtab")]
    image += bytes(-len(image) % 128)
    struct.pack_into("<QQ", image, table + 64 * text + 24, len(image), len(code))
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, _, _, section = struct.unpack_from("<IBBH", image, at)
        if section == text and template[rows[symbols[6]][4] + name:].startswith(b"k\0"):
            struct.pack_into("<Q", image, at + 16, len(code))
    return bytes(image) + code


INSTRUCTION = re.compile(rb"\s*/\*([0-9a-f]{4,})\*/")


def life_ranges(output):
    """(section, byte, {file: [(number, mark)]}) of each instruction."""
    groups, header, in_header, table, section = None, [], False, -1, None
    for line in output.splitlines():
        if line.startswith(b".text."):
            section = line[6:line.find(b":")]
        rule = line.find(b"// +-")
        if rule >= 0:
            if not in_header or rule != table or not header:
                table, header, in_header = rule, [], True
                continue
            in_header, groups = False, []
            first = next(i for i, text in enumerate(header) if b"GPR" in text or b"PRED" in text)
            last = next(i for i, text in enumerate(header) if b"#" in text)
            at = header[first].find(b"|")
            while (end := header[first].find(b"|", at + 1)) >= 0:
                counts = header[last].find(b"#", at)
                columns = [(c, int(b"".join(text[c:c + 1] for text in header[first + 1:last + 1]).strip()))
                           for c in range(counts + 1, end) if header[last][c:c + 1].isdigit()]
                groups.append((FILES[header[first][at + 1:end].strip()], columns))
                at = end
        elif table >= 0 and in_header:
            if line[table:table + 4] == b"// |":
                header.append(line[table:])
        elif groups is not None and (found := INSTRUCTION.match(line)):
            text = line[table:]
            yield section, int(found[1], 16), {
                file: [(number, text[c:c + 1]) for c, number in columns] for file, columns in groups}


class Oracle:
    def __init__(self, nvdisasm, sm, folder):
        self.nvdisasm, self.folder = nvdisasm, pathlib.Path(folder)
        source, cubin = self.folder / f"k{sm}.cu", self.folder / f"k{sm}.cubin"
        source.write_text('extern "C" __global__ void k(int* p) { *p = 1; }\n')
        subprocess.check_call(["nvcc", "-cubin", f"-arch=sm_{sm}", "-o", str(cubin), str(source)])
        self.template = cubin.read_bytes()

    def ask(self, words, keep=None):
        """{word: Answer} for the valid ones. `keep`: a file with earlier answers."""
        asked, answers = pickle.loads(keep.read_bytes()) if keep and keep.exists() else (set(), {})
        left = sorted(set(words) - asked)
        random.shuffle(left)
        batches = [left[at:at + AT_ONCE] for at in range(0, len(left), AT_ONCE)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in concurrent.futures.as_completed([pool.submit(lambda b=b: (b, self._ask(b))) for b in batches]):
                asked.update(done.result()[0])
                answers.update(done.result()[1])
                if keep:
                    new = keep.with_suffix(".new")
                    new.write_bytes(pickle.dumps((asked, answers)))
                    new.replace(keep)
                print(f"\r{len(asked)} of {len(set(words) | asked)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        return answers

    def _ask(self, words):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return self._ask_in(pathlib.Path(folder) / "ask.cubin", words)

    def _ask_in(self, file, words):
        code = [struct.pack("<QQ", word & MASK, word >> 64 | SCHEDULING) for word in words]
        bad = set()
        while True:
            file.write_bytes(image_with(self.template, b"".join(code) + EXIT))
            ran = subprocess.run([self.nvdisasm, "-c", "-plr", "-lrm", "narrow", str(file)], capture_output=True)
            if ran.returncode == 0 and b"disabled" not in ran.stderr:
                break
            new = {int(at, 16) // 16 for at in re.findall(rb"at address 0x([0-9a-f]+)", ran.stderr)} - bad
            if not new or max(new) >= len(words):
                if len(words) == 1:
                    return {}
                half = len(words) // 2
                return {**self._ask_in(file, words[:half]), **self._ask_in(file, words[half:])}
            for i in new:
                code[i] = NOP
            bad |= new
        answers = {}
        for section, byte, marks in life_ranges(ran.stdout):
            i = byte // 16
            if section != b"k" or i >= len(words) or i in bad:
                continue
            answers[words[i]] = Answer(*(frozenset((file, number) for file, all_of in marks.items()
                                                   for number, mark in all_of if mark in letters)
                                         for letters in (b"vx", b"^x")))
        return answers


# --- what to ask ------------------------------------------------------------------------------------------------------

REGISTERS = ((40, 8, 16, 24), (8, 16, 24, 40), (16, 24, 40, 8), (24, 40, 8, 16))  # of the fields at 16, 24, 32, 64
PREDICATES = ((0, 1, 2, 3, 4, 5), (3, 4, 5, 6, 0, 2), (6, 0, 1, 2, 3, 4))
PREDICATE_FIELDS = (12, 68, 77, 81, 84, 87)


def with_registers(word, numbers):
    for at, number in zip((16, 24, 32, 64), numbers):
        word = with_field(word, at, 8, number)
    return word


def questions(samples, of_each):
    """The samples of one opcode: unchanged, with other registers and predicates, with single bits changed."""
    by_modifiers = {}
    for word in samples:
        by_modifiers.setdefault(word >> 72, word)
    chosen = list(by_modifiers.values())[:of_each] + samples[:max(0, 10 - len(by_modifiers))] + samples[:40]
    words = set(chosen)
    for n, word in enumerate(chosen):
        for numbers in REGISTERS if n < 8 else random.sample(REGISTERS, 2):
            other = with_registers(word, numbers)
            words.add(other)
            at = random.choice(PREDICATE_FIELDS[1:])
            words.add(with_field(other, at, 3, random.randrange(7)))
            for at, number in zip(PREDICATE_FIELDS, random.choice(PREDICATES)):
                other = with_field(other, at, 3, number)
            words.add(other)
    for word in chosen[:3]:
        words |= {word ^ 1 << bit for bit in range(12, INSTRUCTION_BITS)}
    for word in chosen[:5]:
        other = with_registers(word, random.choice(REGISTERS))
        words |= {other ^ 1 << bit for bit in (*range(40, 64), *range(72, INSTRUCTION_BITS))}
    return words


# --- what the answers mean --------------------------------------------------------------------------------------------

def bits_of(file, family):
    return 8 if file == "R" else 3 if file in "PQ" else 6 if family == "old" else 8


def number_in(word, at, bits):
    return ~field(word, at - 100, bits) & ((1 << bits) - 1) if at >= 150 else field(word, at, bits)


def is_counted(file, number):
    return file != "U" or FIRST_UNIFORM <= number <= LAST_UNIFORM


def explain(word, numbers, file, positions, family):
    """({position: (width, sure) or None}, numbers that no field explains). None: the field has no register."""
    bits = bits_of(file, family)
    none = (1 << bits) - 1
    end = 63 if file == "U" else none
    values = [(number_in(word, at, bits), at) for at in positions]
    starts = collections.Counter(value for value, _ in values if value != none)
    found, left = {}, set(numbers)
    for value, at in values:
        if value == none or not is_counted(file, value):
            found[at] = None
        elif value not in numbers:
            found[at] = (0, True)
        elif file in "PQ":
            left.discard(value)
            found[at] = (1, starts[value] == 1)
        else:
            width = 1
            while value + width in numbers and value + width not in starts:
                width += 1
            left -= set(range(value, value + width))
            found[at] = (width, starts[value] == 1 and value + width not in numbers and value + width < end and
                         value - 1 not in numbers)
    return found, left


def fields_of(answers, file, family):
    """The fewest positions that explain all answers, unusual ones only if needed; and what they do not explain."""
    positions = list(POSITIONS[file])
    unexplained = [word for word, numbers in answers if explain(word, numbers, file, positions, family)[1]]
    rest = [(word, numbers) for word, numbers in answers if word not in set(unexplained)]
    explains = collections.Counter()
    for word, numbers in rest:
        for at, one in explain(word, numbers, file, positions, family)[0].items():
            explains[at] += bool(one and one[0])
    for at in sorted(positions, key=lambda at: (at not in UNUSUAL[file], explains[at])):
        fewer = [other for other in positions if other != at]
        if all(not explain(word, numbers, file, fewer, family)[1] for word, numbers in rest):
            positions = fewer
    return positions, unexplained


def select(points, candidates):
    """Bits that decide the width, a table by their values, and how many of its entries are contradictory."""
    def entropy(group):
        counts = collections.Counter(width for _, width in group)
        return -sum(n * math.log(n / len(group)) for n in counts.values())

    chosen, groups = [], [points]
    while True:
        mixed = [group for group in groups if len({width for _, width in group}) > 1]
        if not mixed:
            break
        best = None
        for bit in candidates:
            if bit in chosen:
                continue
            left = 0
            for group in mixed:
                halves = [[p for p in group if p[0] >> bit & 1 == side] for side in (0, 1)]
                left += sum(entropy(half) for half in halves if half)
            if best is None or left < best[0] - 1e-9:
                best = (left, bit)
        if best is None or best[0] >= sum(map(entropy, mixed)) - 1e-9:
            break
        chosen.append(best[1])
        groups = [half for group in groups for side in (0, 1)
                  if (half := [p for p in group if p[0] >> best[1] & 1 == side])]

    def table_of(bits):
        table = collections.defaultdict(set)
        for word, width in points:
            table[tuple(word >> bit & 1 for bit in bits)].add(width)
        return table

    table = table_of(chosen)
    contradictions = sum(len(widths) > 1 for widths in table.values())
    for bit in list(chosen) if contradictions == 0 else []:
        fewer = [other for other in chosen if other != bit]
        smaller = table_of(fewer)
        if all(len(widths) == 1 for widths in smaller.values()):
            chosen, table = fewer, smaller
    return chosen, {key: min(w) if len(w) == 1 else None for key, w in table.items()}, contradictions


def learn(answers, family):
    """{opcode: (slots, fixed mask, fixed value)}, and sentences about contradictions."""
    by_opcode, model, misfits = collections.defaultdict(list), {}, []
    for word, answer in answers:
        by_opcode[word & 0xfff].append((word, answer))
    for opcode, all_of in sorted(by_opcode.items()):
        found, taken = [], set(range(12))
        for use in (0, 1):
            for file in "RUPQ":
                of_file = [(word, frozenset(n for f, n in answer[use] if f == file)) for word, answer in all_of]
                if not any(numbers for _, numbers in of_file):
                    continue
                positions, unexplained = fields_of(of_file, file, family)
                if unexplained:
                    misfits.append(f"{opcode:#x}: {len(unexplained)} answers name registers that no field holds, "
                                   f"as {unexplained[0]:#x}")
                for at in positions:
                    found.append((use, file, at, of_file, positions))
                    taken |= set(range(at % 100 if at >= 150 else at, (at % 100 if at >= 150 else at) +
                                       bits_of(file, family)))
        slots = []
        every_bit = (*range(72, INSTRUCTION_BITS), *range(40, 64), *range(105, 109), *range(64, 72), *range(12, 40))
        for use, file, at, of_file, positions in found:
            points = []
            for word, numbers in of_file:
                one = explain(word, numbers, file, positions, family)[0][at]
                if one is not None and one[1]:
                    points.append((word, one[0]))
            bits, table, wrong = select(points, [bit for bit in every_bit if bit not in taken])
            if wrong:
                first = at - 100 if at >= 150 else at
                own = range(first, first + bits_of(file, family))
                bits, table, wrong = select(points, [bit for bit in every_bit if bit not in own])
            if wrong:
                misfits.append(f"{opcode:#x}: how many registers the field at {at} stands for is contradictory")
            if not all(width == 0 for width in table.values()):
                slots.append((use, file, at, bits, table))
        ones, zeros = 0, 0
        for word, _ in all_of:
            ones, zeros = ones | word, zeros | ~word
        fixed = ((1 << INSTRUCTION_BITS) - 1) & ~(ones & zeros) & ~0xfff
        model[opcode] = (slots, fixed, ones & fixed)
    return model, misfits


def predict(model, word, family):
    """The predicted answer; None if the instruction is unknown."""
    if word & 0xfff not in model:
        return None
    slots, fixed, value = model[word & 0xfff]
    if (word ^ value) & fixed:
        return None
    sets = (set(), set())
    for use, file, at, bits, table in slots:
        number = number_in(word, at, bits_of(file, family))
        none = (1 << bits_of(file, family)) - 1
        if number == none:
            continue
        width = table.get(tuple(word >> bit & 1 for bit in bits))
        if width is None:
            return None
        sets[use].update((file, n) for n in range(number, number + width) if n < none and is_counted(file, n))
    return Answer(*map(frozenset, sets))


# --- the table --------------------------------------------------------------------------------------------------------

def table_text(models, architectures):
    slots, selectors, widths = [], [], bytearray()

    def place(numbers, stretch):
        at = bytes(stretch).find(bytes(numbers))
        if at < 0:
            at = len(stretch)
            stretch.extend(numbers)
        return at

    def array(kind, name, items, in_line):
        return [f"constexpr std::array<{kind}, {len(items)}> {name}{{{{",
                *("    " + ", ".join(items[i:i + in_line]) + "," for i in range(0, len(items), in_line)), "}};"]

    lines = ["// Made by bench/make_operand_table.py. Not to be edited.", "// SPDX-License-Identifier: Apache-2.0",
             "// clang-format off",
             f"constexpr int known_architectures[] = {{{', '.join(map(str, architectures))}}};",
             "constexpr std::array<std::array<int, 4>, 2> architecture_steps{{{{" + ", ".join(map(str, STEPS["old"])) +
             "}}, {{" + ", ".join(map(str, STEPS["new"])) + "}}}};"]
    for number, family in enumerate(FAMILIES):
        rows = []
        for opcode, (of_opcode, fixed, value) in sorted(models[family].items()):
            rows.append(f"{{{opcode:#x}, {len(slots)}, {fixed & MASK:#x}, {fixed >> 64:#x}, {value & MASK:#x}, "
                        f"{value >> 64:#x}}}")
            for use, file, at, bits, table in of_opcode:
                by_value = [255] * (1 << len(bits))
                for key, width in table.items():
                    by_value[int("0" + "".join(map(str, key)), 2)] = 255 if width is None else width
                slots.append(f"{{{use * 4 + FILE_NUMBER[file]}, {at - 100 + 128 if at >= 150 else at}, {len(bits)}, "
                             f"{place(bits, selectors) if bits else 0}, {place(by_value, widths)}}}")
        rows.append(f"{{0xffff, {len(slots)}, 0, 0, 0, 0}}")
        lines += array("opcode_row", f"opcode_rows_{number}", rows, 2)
    lines += array("operand_slot", "operand_slots", slots, 6)
    lines += array("std::uint8_t", "operand_selectors", [str(n) for n in selectors], 30)
    lines += array("std::uint8_t", "operand_widths", [str(n) for n in widths], 30)
    return "\n".join(lines) + "\n"


def table_from(text):
    """What `table_text` wrote: the architectures, and the models of the families."""
    def array(name):
        body = re.search(r"\b" + name + r"(?:\[\])? ?= ?\{([^}]*)\}|\b" + name + r"\{\{(.*?)\n\}\};", text, re.S)
        return body[1] or body[2]

    def numbers(name):
        return [int(n, 0) for n in re.findall(r"\w+", array(name))]

    def rows(name):
        return [[int(n, 0) for n in row.split(",")] for row in re.findall(r"\{([^{}]*)\}", array(name))]

    slots, selectors, widths, models = rows("operand_slots"), numbers("operand_selectors"), numbers("operand_widths"), {}
    letter = {number: file for file, number in FILE_NUMBER.items()}
    for number, family in enumerate(FAMILIES):
        of_family = rows(f"opcode_rows_{number}")
        models[family] = {}
        for row, following in zip(of_family, of_family[1:]):
            of_opcode = []
            for use, at, count, first_bit, first_width in slots[row[1]:following[1]]:
                table = {tuple(i >> count - 1 - b & 1 for b in range(count)): widths[first_width + i]
                         for i in range(1 << count)}
                of_opcode.append((use >> 2, letter[use & 3], at - 128 + 100 if at >= 128 else at,
                                  selectors[first_bit:first_bit + count],
                                  {key: None if width == 255 else width for key, width in table.items()}))
            models[family][row[0]] = (of_opcode, row[2] | row[3] << 64, row[4] | row[5] << 64)
    return numbers("known_architectures"), models


def agreement(model, answers, family):
    """How many answers the table predicts, calls unknown and contradicts; and some that it contradicts."""
    predicted = [(word, answer, predict(model, word, family)) for word, answer in answers]
    wrong = [(word, answer, said) for word, answer, said in predicted if said is not None and said != answer]
    unknown = sum(said is None for _, _, said in predicted)
    return len(answers) - unknown - len(wrong), unknown, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY")
    parser.add_argument("--samples", required=True, metavar="TOOL", help="the program instruction_samples")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--architectures", default=",".join(str(a) for all_of in FAMILIES.values() for a in all_of))
    parser.add_argument("--of-each", type=int, default=25, help="instructions per opcode that differ in modifiers")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("-o", "--output", default="src/image/code/operand_table.inc")
    parser.add_argument("--compare", metavar="TABLE.inc", help="also test this table")
    options = parser.parse_args()
    random.seed(1)
    other = table_from(pathlib.Path(options.compare).read_text()) if options.compare else None
    architectures = [int(a) for a in options.architectures.split(",")]
    samples = {a: collections.defaultdict(list) for a in architectures}
    for line in subprocess.check_output([options.samples, *options.libraries], text=True).splitlines():
        sm, low, high = line.split()
        word = int(low, 16) | int(high, 16) << 64
        if int(sm) in samples and word & 0xfff not in FLOW:
            samples[int(sm)][word & 0xfff].append(word)

    models, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        keep = pathlib.Path(options.keep or folder)
        keep.mkdir(parents=True, exist_ok=True)
        for family, members in FAMILIES.items():
            steps = {a: sum((a >= step) << INSTRUCTION_BITS + i for i, step in enumerate(STEPS[family])) for a in members}
            answers, oracles = {}, {}
            for sm in sorted(set(members) & set(architectures)):
                file = keep / f"answers_{sm}.pickle"
                oracles[sm] = Oracle(options.nvdisasm, sm, folder)
                words = set()
                for all_of in samples[sm].values():
                    random.shuffle(all_of)
                    words |= questions(all_of, options.of_each)
                answers[sm] = oracles[sm].ask(words, file)
                print(f"sm_{sm}: {len(words)} questions, {len(answers[sm])} answers", file=sys.stderr, flush=True)

            def all_answers():
                return [(word | steps[sm], answer) for sm, of_sm in answers.items() for word, answer in of_sm.items()]

            # A second pass also asks about the samples that the first table does not cover.
            for last in (False, True):
                models[family], misfits = learn(all_answers(), family)
                if last:
                    break
                for sm in answers:
                    unknown = {word for all_of in samples[sm].values() for word in all_of
                               if word not in answers[sm] and predict(models[family], word | steps[sm], family) is None}
                    answers[sm].update(oracles[sm].ask(unknown))
            for sentence in misfits:
                print(sentence, file=sys.stderr)
            given = all_answers()
            for name, model in ((options.output, models[family]), (options.compare, other and other[1][family])):
                if model is None or not given:
                    continue
                right, unknown, of_wrong = agreement(model, given, family)
                wrong += len(of_wrong)
                print(f"{family}, {name}: {len(given)} answers, {right} predicted, {unknown} called unknown, "
                      f"{len(of_wrong)} wrong", file=sys.stderr, flush=True)
                for word, answer, said in of_wrong[:5]:
                    print(f"  {word:#x}: nvdisasm {answer}, the table {said}", file=sys.stderr)
    known = sorted(set(architectures))
    pathlib.Path(options.output).write_text(table_text(models, known))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
