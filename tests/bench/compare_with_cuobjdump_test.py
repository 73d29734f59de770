#!/usr/bin/env python3
"""bench/compare_with_cuobjdump.py, with programs in place of both sides that print known differences.

    compare_with_cuobjdump_test.py REPOSITORY
"""

import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "..")
SCRIPT = os.path.join(REPOSITORY, "bench", "compare_with_cuobjdump.py")
sys.dont_write_bytecode = True  # so that bench/ stays clean
specification = importlib.util.spec_from_file_location("compare", SCRIPT)
compare = importlib.util.module_from_spec(specification)
specification.loader.exec_module(compare)


def resource_usage(cubins):
    """What cuobjdump --dump-resource-usage prints. cubins: [(architecture, [(name, registers, stack, shared, banks)])]"""
    text = ""
    for architecture, functions in cubins:
        text += ("\nFatbin elf code:\n================\n"
                 f"arch = {architecture}\ncode version = [1,8]\nhost = linux\ncompile_size = 64bit\ncompressed\n\n"
                 "Resource usage:\n Common:\n  GLOBAL:0\n")
        for name, registers, stack, shared, banks in functions:
            constants = "".join(f" CONSTANT[{bank}]:{size}" for bank, size in banks.items())
            text += (f" Function {name}:\n  REG:{registers} STACK:{stack} SHARED:{shared} LOCAL:0{constants}"
                     " TEXTURE:0 SURFACE:0 SAMPLER:0\n")
    text += "\nFatbin ptx code:\n================\narch = sm_90\ncode version = [9,0]\nhost = linux\ncompressed\n"
    return text


def kernel(architecture, name, registers, stack, shared, banks, section=".nv_fatbin", reserved=None, cumulative=0):
    return {"name": name, "architecture": architecture, "registers": registers, "stack_frame_bytes": stack,
            "cumulative_stack_bytes": cumulative, "static_shared_bytes": shared, "reserved_shared_bytes": reserved,
            "constant_bytes": {str(bank): size for bank, size in banks.items()} or None,
            "source": {"container": f"fatbin at byte 64 ({section})", "entry": "entry 1"}}


def cubin_with(symbols):
    """An ELF file with nothing but a symbol table: [(name, whether it is a kernel)]."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _ in symbols)
    table, at = b"", 1
    for name, entry in symbols:
        table += struct.pack("<IBBHQQ", at, 0x12, 0x10 if entry else 0, 1, 0, 0)
        at += len(name) + 1
    sections = 64 + len(names) + len(table)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, sections, 0, 64, 0, 0, 64, 3, 0)
    return (header + names + table + bytes(64) +
            struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64, len(names), 0, 0, 1, 0) +
            struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, 64 + len(names), len(table), 1, 0, 8, 24))


class Parsing(unittest.TestCase):
    def test_every_function_with_its_architecture_and_figures(self):
        text = resource_usage([("sm_90a", [("_Z1fv", 17, 8, 1024, {0: 336, 2: 60})]), ("sm_75", [("g", 255, 0, 0, {})])])
        self.assertEqual(
            list(compare.parse_cuobjdump(text.splitlines())),
            [("sm_90a", "_Z1fv", {"REG": 17, "STACK": 8, "SHARED": 1024, "LOCAL": 0, "CONSTANT[0]": 336,
                                  "CONSTANT[2]": 60, "TEXTURE": 0, "SURFACE": 0, "SAMPLER": 0}),
             ("sm_75", "g", {"REG": 255, "STACK": 0, "SHARED": 0, "LOCAL": 0, "TEXTURE": 0, "SURFACE": 0,
                             "SAMPLER": 0})])

    def test_a_function_without_figures_does_not_get_those_of_the_next(self):
        text = " Function a:\n Function b:\n  REG:1 STACK:2 SHARED:3\n  REG:9\n"
        self.assertEqual([(name, figures["REG"]) for _, name, figures in compare.parse_cuobjdump(text.splitlines())],
                         [("b", 1)])

    def test_symbols_of_a_cubin(self):
        self.assertEqual(list(compare.function_symbols(cubin_with([("k", True), ("device", False)]))),
                         [("k", True), ("device", False)])
        self.assertEqual(list(compare.function_symbols(b"no cubin")), [])


class Comparing(unittest.TestCase):
    def compare(self, text, kernels, cubin=b"", as_ptx=()):
        """The record of one library, from stand-ins for both programs."""
        with tempfile.TemporaryDirectory() as folder:
            paths = {name: os.path.join(folder, name)
                     for name in ["text", "json", "libx.so", "cubin", "cuobjdump", "launchbox", "record"]}
            for name, content in [("text", text), ("libx.so", "library"),
                                  ("json", json.dumps({"kernels": [*kernels, *as_ptx]}))]:
                with open(paths[name], "w", encoding="utf-8") as file:
                    file.write(content)
            with open(paths["cubin"], "wb") as file:
                file.write(cubin)
            programs = {"cuobjdump": f'case "$1" in --version) echo "Cuda compilation tools, V13.0.88";;\n'
                                     f'  --extract-elf) cp "{paths["cubin"]}" ./a.cubin;;\n'
                                     f'  *) cat "{paths["text"]}";; esac',
                        "launchbox": f'cat "{paths["json"]}"'}
            for name, body in programs.items():
                with open(paths[name], "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n" + body + "\n")
                os.chmod(paths[name], 0o755)
            ran = subprocess.run([sys.executable, SCRIPT, "--launchbox", paths["launchbox"], "--cuobjdump",
                                  paths["cuobjdump"], "--rounds", "1", "--json", paths["record"], paths["libx.so"]],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            self.assertEqual(ran.returncode, 0, ran.stdout)
            with open(paths["record"], encoding="utf-8") as file:
                record = json.load(file)
            self.assertEqual(record["cuobjdump"], "13.0.88")
            self.assertEqual(record["schema"], "launchbox.record/1")
            return record["libraries"][0]

    def test_equal_figures_with_repeated_names(self):
        text = resource_usage([("sm_90", [("k", 32, 0, 1024 + 64, {0: 528}), ("l", 16, 8, 0, {0: 528, 3: 8})]),
                               ("sm_90", [("k", 40, 0, 0, {0: 528})]), ("sm_80", [("k", 32, 0, 64, {0: 352})])])
        result = self.compare(text, [
            kernel("sm_80", "k", 32, 0, 64, {0: 352}),
            kernel("sm_90", "k", 40, 0, 0, {0: 528}),
            kernel("sm_90", "k", 32, 0, 64, {0: 528}, reserved=1024),
            kernel("sm_90a", "l", 16, 8, 0, {0: 528, 3: 8}),
        ], as_ptx=[kernel("compute_90", "k", None, None, None, {})])
        self.assertEqual((result["functions_of_cuobjdump"], result["kernels_of_launchbox"], result["equal"],
                          result["differing"], result["only_in_cuobjdump"], result["only_in_launchbox"]),
                         (4, 4, 4, 0, 0, 0))
        self.assertEqual(result["kernels_only_as_ptx"], 1)
        self.assertGreater(result["seconds_cuobjdump"], 0)

    def test_the_reserved_memory_of_kernels_without_shared_memory(self):
        text = resource_usage([("sm_90", [("k", 32, 0, 0, {}), ("k", 32, 0, 1024, {}), ("l", 32, 0, 16, {})])])
        result = self.compare(text, [kernel("sm_90", "k", 32, 0, 0, {}, reserved=1024),
                                     kernel("sm_90", "k", 32, 0, 0, {}, reserved=1024),
                                     kernel("sm_90", "l", 32, 0, 16, {}, reserved=1024)])
        self.assertEqual((result["equal"], result["differing"]), (2, 1))
        self.assertEqual(result["differing_by_field"], {"shared, sm_90": 1})

    def test_each_different_field(self):
        theirs = ("k", 32, 16, 1088, {0: 528, 3: 8})
        for field, ours in [("registers", (33, 16, 64, {0: 528, 3: 8})), ("stack", (32, 8, 64, {0: 528, 3: 8})),
                            ("shared", (32, 16, 65, {0: 528, 3: 8})), ("constant bank 3", (32, 16, 64, {0: 528})),
                            ("constant bank 0", (32, 16, 64, {0: 520, 3: 8})),
                            ("shared: launchbox does not know", (32, 16, None, {0: 528, 3: 8}))]:
            with self.subTest(field):
                result = self.compare(resource_usage([("sm_90", [theirs])]),
                                      [kernel("sm_90", "k", *ours, reserved=1024)])
                self.assertEqual((result["equal"], result["differing"]), (0, 1))
                self.assertEqual(result["differing_by_field"], {field + ", sm_90": 1})
                self.assertEqual(result["examples"][0]["name"], "k")

    def test_a_cumulative_stack_is_distinguished(self):
        result = self.compare(resource_usage([("sm_90", [("k", 32, 64, 0, {})])]),
                              [kernel("sm_90", "k", 32, 16, 0, {}, cumulative=64)])
        self.assertEqual((result["equal"], result["equal_in_the_cumulative_stack"], result["differing"]), (1, 1, 0))

    def test_kernels_of_only_one_side(self):
        text = resource_usage([("sm_90", [("k", 32, 0, 0, {}), ("device", 20, 0, 0, {}), ("lost", 9, 0, 0, {})])])
        result = self.compare(text, [kernel("sm_90", "k", 32, 0, 0, {}),
                                     kernel("sm_90", "m", 32, 0, 0, {}, section=".cask_resource"),
                                     kernel("sm_90", "k", 32, 0, 0, {}, section="__nv_relfatbin")],
                              cubin_with([("k", True), ("device", False), ("lost", True)]))
        self.assertEqual((result["equal"], result["differing"]), (1, 0))
        self.assertEqual(result["only_in_cuobjdump_by_kind"], {"device function": 1, "kernel": 1})
        self.assertEqual(result["only_in_launchbox"], 2)
        self.assertEqual(result["only_in_launchbox_by_section"].get(".cask_resource"), 1)
        self.assertEqual([each["name"] for each in result["examples"]], ["lost"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
