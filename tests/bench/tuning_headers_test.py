#!/usr/bin/env python3
"""Headers in tunings/ say what the records under measurements/ say; and bench/measure_rows, told by programs that stand in
for nvcc and the GPU, makes such records and headers.

    tuning_headers_test.py REPOSITORY
"""

import glob
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(REPOSITORY, "bench"))
import tuning_header

HEADERS = [path for folder in ("include/launchbox/tunings", "examples/tunings")
           for path in sorted(glob.glob(os.path.join(REPOSITORY, folder, "*.hpp")))]
RECORDS = sorted(glob.glob(os.path.join(REPOSITORY, "measurements", "*", "rows_*.json")))


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class TheRepository(unittest.TestCase):
    def test_its_headers_agree_with_their_records(self):
        self.assertIn("block_sort.hpp", [os.path.basename(header) for header in HEADERS])
        for header in HEADERS:
            self.assertEqual(tuning_header.problems_of(header, REPOSITORY), [])

    def test_every_record_is_named_by_a_header(self):
        text = "".join(map(read, HEADERS))
        for record in RECORDS:
            self.assertIn(f"// record: {os.path.relpath(record, REPOSITORY)} fnv1a64:", text)

    def test_the_example_in_the_documentation_has_this_format(self):
        blocks = re.findall(r"```cpp\n(.*?)```", read(REPOSITORY, "docs", "tunings.md"), re.S)
        tables = [table for block in blocks for table in tuning_header.parse(block, "docs/tunings.md")]
        self.assertEqual([row.architecture() for row in tables[0].rows], ["sm_75", "sm_80", "sm_90"])
        self.assertTrue(tuning_header.RECORD.match(tables[0].rows[2].comments[2]))


class TheHash(unittest.TestCase):
    def test_it_is_fnv1a(self):  # from the test vectors of the draft "The FNV Non-Cryptographic Hash Algorithm"
        self.assertEqual(tuning_header.fnv1a64(b""), "cbf29ce484222325")
        self.assertEqual(tuning_header.fnv1a64(b"a"), "af63dc4c8601ec8c")
        self.assertEqual(tuning_header.fnv1a64(b"foobar"), "85944171f73967e8")


class TheInterval(unittest.TestCase):
    def test_it_holds_the_median_with_95_percent_and_no_narrower_one_does(self):
        for count in range(6, 40):
            samples = list(range(count))
            middle, low, high = tuning_header.summarise(samples)
            outside = 2 * sum(math.comb(count, k) for k in range(low + 1)) / 2**count
            self.assertEqual((middle, low + high), ((count - 1) / 2, count - 1))
            self.assertLessEqual(outside, 0.05)
            self.assertGreater(outside + 2 * math.comb(count, low + 1) / 2**count, 0.05)


# What stands in for nvcc: makes a program that prints the row that it was given and a time from a list of its own.
NVCC = """#!{python}
import os, re, sys
if "--version" in sys.argv:
    sys.exit(print("Cuda compilation tools, release 13.0, V13.0.88"))
given = next(word for word in sys.argv if word.startswith("-DSORT_ROW="))
threads, items, min_blocks = row = [int(n) for n in re.fullmatch(r"-DSORT_ROW={{(\\d+)\\\\,(\\d+)\\\\,(\\d+)}}", given).groups()]
if "-ptx" in sys.argv:
    assert sys.argv[-1].endswith("x.cu") and ("-arch=sm_100" in sys.argv) != ("-arch=sm_120" in sys.argv)
    sys.exit("x.cu(1): error: too large" if "-arch=sm_120" in sys.argv and tuple(row) == (256, 15, 2) else 0)
assert "-arch=sm_90" in sys.argv
if threads == 1024:
    sys.exit('x.hpp(1): error: static assertion failed with "launch_box: too many"')
program = sys.argv[sys.argv.index("-o") + 1]
milliseconds = {times}.get(tuple(row), 2)
shown = f"{{threads:,}} threads, {{items}} items" + (", tile 5,000" if threads > 999 else "") + (f", min_blocks {{min_blocks}}" if min_blocks else "")
if threads == 64:
    body = "echo WRONG; exit 1"
elif threads == 32:
    body = "echo 'sort<int>: 256 threads, 11 items'; echo 'time: 1 ms'"
else:  # three passes, a bit apart; and a bit slower in some runs, in others for each candidate
    body = f'run=0; test -f "$0.runs" && read -r run <"$0.runs"; echo $(( (run + 1) % 3 )) >"$0.runs"\\n'
    body += f"echo 'sort<int>: {{shown}}'; echo 'int: 5 keys: every tile is sorted'\\ncase $run in\\n"
    for run in range(3):
        time = milliseconds * (1 + (run + items) % 3 / 1000)
        body += f"{{run}}) " + "".join(f"echo 'int time: {{time + i / 10000:.6f}} ms'; " for i in (-1, 0, 1)) + ";;\\n"
    body += "esac"
open(program, "w").write("#!/bin/sh\\n" + body)
os.chmod(program, 0o755)
"""

HEADER = """// kept
#pragma once
struct sort_row {
    int threads, items, min_blocks = 0;
};

// table other: keys of 8 bytes
#ifdef OTHER_ROW
using other = launchbox::only<sort_row OTHER_ROW>;
#else
using other = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<80, sort_row{256, 7, 0}>
>;
#endif

// table sort: keys of 4 bytes
#ifdef SORT_ROW
using sort = launchbox::only<sort_row SORT_ROW>;
#else
using sort = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<80, sort_row{256, 11, 0}>,
    // baseline, not measured
    launchbox::sm<100, sort_row{256, 13, 0}>
>;
#endif
// kept
"""

FAST = {(256, 15, 2): 1.0, (256, 15, 0): 1.5, (256, 11, 0): 2.0}


class MeasureRows(unittest.TestCase):
    """In a repository of its own, with programs that take the times of `times`, in milliseconds."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.realpath(self.folder.name)
        for name in ("bench", "tools", "tunings", "measurements"):
            os.mkdir(os.path.join(self.root, name))
        for name in ("measure_rows", "tuning_header.py"):
            shutil.copy(os.path.join(REPOSITORY, "bench", name), os.path.join(self.root, "bench", name))
        self.write("tools/nvidia-smi", '#!/bin/sh\necho "NVIDIA H200, 580.82, 9.0"\n')
        self.write("tunings/sort.hpp", HEADER)
        self.header = os.path.join(self.root, "tunings", "sort.hpp")
        self.record = os.path.join(self.root, "measurements", "rows_sort.json")

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if text.startswith("#!"):
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def run_tool(self, *words):
        environment = {**os.environ, "PATH": os.path.join(self.root, "tools") + ":" + os.environ["PATH"],
                       "LAUNCHBOX_COMMIT": "abc1234"}
        return subprocess.run([sys.executable, os.path.join(self.root, "bench", "measure_rows"), *words],
                              capture_output=True, text=True, env=environment, cwd=self.root)

    def measure(self, times, candidates=("256x11-15/2x0,2",), heirs=""):
        self.write("tools/nvcc", NVCC.format(python=sys.executable, times=times))
        done = self.run_tool("x.cu", "--header", self.header, "--table", "sort", "--candidates", *candidates, "--rounds",
                             "2", "--finalists", "2", "--heirs", heirs, "-o", self.record, "--", "--time")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(read(self.record)), done.stdout

    def apply(self, *records):
        return self.run_tool("--header", self.header, *(records or [self.record]))

    def problems(self):
        return tuning_header.problems_of(self.header, self.root)

    def test_numbers_with_commas_and_a_tile_are_read_as_explain_writes_them(self):
        record, _ = self.measure({(1000, 11, 2): 1.0}, ("256,1000x11x0,2",))
        self.assertEqual(record["winner"]["row"], [1000, 11, 2])

    def test_the_fastest_row_gets_into_the_header_and_nothing_else_changes(self):
        record, printed = self.measure(FAST)
        self.assertEqual(record["winner"]["row"], [256, 15, 2])
        self.assertAlmostEqual(record["winner"]["times_as_fast"]["median"], 2, places=2)
        self.assertEqual(record["replaces"], {"row": [256, 11, 0], "architecture": "sm_80"})
        # 2 finalists and the row that would be replaced, which is not among them
        finalists = [each["row"] for each in record["candidates"] if "final_samples_ns" in each]
        self.assertEqual(sorted(finalists), [[256, 11, 0], [256, 15, 0], [256, 15, 2]])
        self.assertEqual({len(each["final_samples_ns"]) for each in record["candidates"] if "final_samples_ns" in each}, {9})
        self.assertIn("{256, 15, 2}", printed.splitlines()[2])
        self.assertEqual(self.apply().returncode, 0)
        expected = HEADER.replace("    // baseline, not measured\n    launchbox::sm<100", f"""\
    // measured: NVIDIA H200, driver 580.82, nvcc 13.0.88, {record['date']}, commit abc1234
    // gain: {record['winner']['times_as_fast']['median']:.3f} times as fast (1.998 to 2.002) as {{256, 11, 0}}, the row of sm_80
    // record: measurements/rows_sort.json fnv1a64:{tuning_header.fnv1a64(read(self.record).encode())}
    launchbox::sm<90, sort_row{{256, 15, 2}}>,
    // baseline, not measured
    launchbox::sm<100""")
        written = re.sub(r"\(\d\.\d{3} to \d\.\d{3}\)", "(1.998 to 2.002)", read(self.header))
        self.assertEqual(written, expected)
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.apply().returncode, 0)  # again: the same text
        self.assertEqual(re.sub(r"\(\d\.\d{3} to \d\.\d{3}\)", "(1.998 to 2.002)", read(self.header)), expected)

    def test_a_row_that_is_not_faster_beyond_noise_and_by_1_percent_does_not_replace(self):
        for milliseconds in (2, 1.9999, 1.985):
            record, _ = self.measure({(256, 15, 2): milliseconds})
            self.assertEqual(record["winner"], {"row": [256, 11, 0], "kept": True, "times_as_fast": None})
        self.assertIn("no gain: row kept", self.apply().stdout)
        self.assertIn("// gain: less than 1 % or noise, so that {256, 11, 0}, the row of sm_80, is kept", read(self.header))
        self.assertEqual(self.problems(), [])
        record, _ = self.measure({(256, 15, 2): 1.95})
        self.assertEqual(record["winner"]["row"], [256, 15, 2])

    def test_a_gain_within_noise_is_none_however_large(self):
        old, new = [100, 100, 140, 100, 140, 100], [90, 105, 90, 105, 90, 105]
        record = {"replaces": {"row": [1, 1, 0]}, "candidates": [{"row": [1, 1, 0], "final_samples_ns": old},
                                                                {"row": [2, 1, 0], "final_samples_ns": new}]}
        self.assertTrue(tuning_header.decide(record)["kept"])
        record["candidates"][1]["final_samples_ns"] = [90, 95, 90, 95, 90, 95]
        self.assertFalse(tuning_header.decide(record)["kept"])

    def test_what_does_not_compile_run_or_have_its_row_is_named_and_never_wins(self):
        record, printed = self.measure(FAST, ["256x15x2", "1024x11x0", "64x11x0", "32x11x0"])
        status = {each["row"][0]: (each["status"], each.get("reason")) for each in record["candidates"]}
        self.assertEqual(status[1024], ("not compiled", "launch_box: too many"))
        self.assertEqual(status[64], ("failed", "exit status 1: WRONG"))
        self.assertEqual(status[32][0], "failed")
        self.assertIn("another macro", status[32][1])
        self.assertEqual(record["winner"]["row"], [256, 15, 2])
        for row in ("{1024, 11, 0}", "{64, 11, 0}", "{32, 11, 0}"):
            self.assertIn(row, printed)

    def test_a_row_that_an_heir_cannot_hold_does_not_win(self):
        record, _ = self.measure(FAST, heirs="sm_100,sm_120")
        fastest = next(each for each in record["candidates"] if each["row"] == [256, 15, 2])
        self.assertEqual((fastest["status"], fastest["reason"]), ("not for heirs", "sm_120: x.cu(1): error: too large"))
        self.assertEqual((record["winner"]["row"], record["heirs"]), ([256, 15, 0], ["sm_100", "sm_120"]))

    def test_candidates_with_too_large_a_tile_are_left_out(self):
        self.write("tools/nvcc", NVCC.format(python=sys.executable, times=FAST))
        done = self.run_tool("x.cu", "--header", self.header, "--table", "sort", "--candidates", "256x13-15/2x0,2",
                             "--element-bytes", "4", "--most-shared", str(256 * 13 * 4), "-o", self.record, "--", "--time")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads(read(self.record))
        self.assertEqual((record["left_out"], [each["row"] for each in record["candidates"]]),
                         (2, [[256, 11, 0], [256, 13, 0], [256, 13, 2]]))

    def test_a_header_that_was_edited_is_found(self):
        self.measure(FAST)
        self.apply()
        good = read(self.header)
        for old, new, expected in [
                ("sort_row{256, 15, 2}", "sort_row{256, 17, 2}", "says {256, 15, 2}, not {256, 17, 2}"),
                ("driver 580.82", "driver 570", "instead of '// measured: NVIDIA H200, driver 580.82"),
                ("times as fast", "times faster", "instead of '// gain:"),
                ("launchbox::sm<90,", "launchbox::sm<89,", "is of sm_90 of sort"),
                ("launchbox::sm<100,", "launchbox::sm<90,", "not newer than sm_90 above it"),
                ("    // baseline, not measured\n    launchbox::sm<100", "    launchbox::sm<100", "neither"),
                ("    // measured: N", "    // by hand\n    // measured: N", "instead of '// measured"),
                ("rows_sort.json", "rows_sorted.json", "cannot be read"),
                ("using sort = launchbox::only", "using sorts = launchbox::only", "instead of the table 'sort'"),
                ("// table sort: keys of 4 bytes\n", "", "a row outside of a table"),
                ("sort_row{256, 13, 0}", "sort_row{256, 13}", "expected a comment or a row"),
                ("sm<80, sort_row{256, 11, 0}", "sm<80, other_row{256, 11, 0}", "a row of type other_row"),
                ("fnv1a64:", "fnv1a64:0", "neither")]:
            self.assertIn(old, good)
            self.write("tunings/sort.hpp", good.replace(old, new))
            self.assertIn(expected, "\n".join(self.problems()), f"{old} -> {new}")
            self.assertEqual(self.run_tool("--check", self.header).returncode, 1)
        self.write("tunings/sort.hpp", good)
        self.assertEqual(self.run_tool("--check", self.header).returncode, 0)

    def test_a_record_that_was_edited_is_found(self):
        record, _ = self.measure(FAST)
        self.apply()
        good = read(self.record)
        self.write("measurements/rows_sort.json", good + "\n")
        self.assertIn("is another file than it names", self.problems()[0])

        def with_hash_corrected(text):
            self.write("measurements/rows_sort.json", text)
            header = re.sub(r"fnv1a64:\w+", "fnv1a64:" + tuning_header.fnv1a64(text.encode()), read(self.header))
            self.write("tunings/sort.hpp", header)
            return self.problems()

        self.assertEqual(with_hash_corrected(good + "\n"), [])
        for each in record["candidates"]:
            if each["row"] == [256, 15, 0]:
                each["final_samples_ns"] = [sample / 9 for sample in each["final_samples_ns"]]
        self.assertIn("its winner is not what its samples say", with_hash_corrected(json.dumps(record))[0])
        self.assertEqual(self.apply().returncode, 2)
        self.assertIn("is no record", with_hash_corrected("{}")[0])
        self.assertIn("is no record", with_hash_corrected("[1")[0])

    def test_wrong_input_is_one_line_and_writes_nothing(self):
        self.measure(FAST)
        before = read(self.header)
        self.write("measurements/empty.json", "[]")
        measuring = ["x.cu", "--header", self.header, "--table", "sort", "-o", self.record + "2", "--candidates"]
        for words in ([], ["--header", self.header, self.record + "?"], ["--header", self.record, self.record],
                      ["--header", self.header, os.path.join(self.root, "measurements/empty.json")],
                      measuring + ["256x7"], measuring + ["256xAx0"], measuring + ["256x7x0", "--table", "no"],
                      measuring + ["256x7x0", "--arch", "sm_75"], measuring + ["256x7x0", "--nvcc", "no-nvcc"]):
            done = self.run_tool(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (words, done.stderr))
            self.assertTrue(done.stderr.startswith("measure_rows: "), done.stderr)
        self.assertEqual(read(self.header), before)
        self.assertFalse(os.path.exists(self.record + "2"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
