#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The calculator in a browser, against the tool:  calculator_test.py TOOL REPOSITORY [PICTURES]"""
import base64
import json
import os
import pathlib
import random
import re
import sys
import tempfile

import browser
from browser import Keys, check, check_equal

TOOL, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
SEED = int(os.environ.get("LAUNCHBOX_SEED", "21"))
EXHAUSTIVE = os.environ.get("LAUNCHBOX_EXHAUSTIVE") == "1"
# many_test.py compares the model itself at 50,000 points; here the page's questions and answers are tested.
POINTS = 2000 if EXHAUSTIVE else 125

# Fills in the fields and returns what the page then shows, one question after the other.
ANSWERS = """
const questions = arguments[0], answers = [], about = document.documentElement.dataset;
(async () => {
    for (const question of questions) {
        for (const [name, value] of Object.entries(question)) {
            const field = document.getElementById(name);
            field.value = value;
            field.dispatchEvent(new Event("input", {bubbles: true}));
        }
        while (about.answered !== about.asked) await new Promise((next) => setTimeout(next, 1));
        const text = (id) => document.getElementById(id).textContent;
        const {curves, ...account} = window.account;
        answers.push({account, curves: {threads: curves.threads, registers: curves.registers, shared: curves.shared}, occupancy: text("occupancy"), blocks: text("blocks"), warps: text("warps"), obstacle: text("obstacle")});
    }
    done(answers);
})();
"""


def random_states(page):
    """Random questions for all architectures, for the page and for the tool."""
    source = random.Random(SEED)
    print("seed", SEED)
    rows = page.run("return [...document.getElementById('architecture').options].map((one) => one.value)")
    check(len(rows) >= 20, f"only {len(rows)} architectures")
    questions = []
    for i in range(POINTS):
        given = {"architecture": rows[i % len(rows)], "threads": source.choice([32 * source.randint(1, 32), source.randint(1, 1100)]),
                 "registers": source.randint(0, 255), "static_shared_bytes": source.choice([0, source.randint(0, 49152)]),
                 "dynamic_shared_bytes": source.choice([0, 0, source.randint(0, 120000)]), "barriers": source.randint(0, 16),
                 "carveout": source.choice([-1, -1, source.randint(0, 100)]), "cache": source.choice(["none", "shared", "l1", "equal"]),
                 "caching": source.choice(["off", "off", "preferred", "strict"]), "opt_in": source.choice(["max", "default", "bytes"]), "opt_in_bytes": source.randint(0, 200000),
                 "max_threads": source.choice([1024, 1024, 256])}
        if given["architecture"] in ("sm_20", "sm_21", "sm_30"):
            given["registers"] = min(given["registers"], 63)  # the tool refuses more than a thread can have
        questions.append(given)
    return questions


def tool_answer(given):
    names = {"architecture": "--arch", "threads": "--threads", "registers": "--registers", "static_shared_bytes": "--shared",
             "dynamic_shared_bytes": "--dynamic-shared", "barriers": "--barriers", "carveout": "--carveout", "cache": "--cache",
             "caching": "--caching", "max_threads": "--max-threads"}
    words = [f"{names[name]}={value}" for name, value in given.items() if not name.startswith("opt_in")]
    # The page's "max" is the tool's default.
    if given.get("opt_in", "max") != "max":
        words.append(f"--max-dynamic-shared={given['opt_in_bytes'] if given['opt_in'] == 'bytes' else given['opt_in']}")
    return json.loads(browser.tool_output(TOOL, "occupancy", "--format", "json", "--curves", *words))["results"][0]


def agrees_with_the_tool(page):
    questions = random_states(page)
    answers = []
    for i in range(0, len(questions), 50):
        answers += page.wait_for(ANSWERS, questions[i : i + 50])
    check_equal(len(answers), len(questions), "answers")
    obstacles = 0
    for given, answer in zip(questions, answers):
        wanted = tool_answer(given)
        check_equal(answer["curves"], wanted.pop("curves"), f"curves of {given}")
        check_equal(answer["account"], wanted, f"{given}")
        check_equal(answer["blocks"], str(wanted["resident_blocks"]), f"blocks shown of {given}")
        check_equal(answer["warps"], f"{wanted['resident_warps']} of {wanted['warp_slots']}", f"warps shown of {given}")
        shown = float(answer["occupancy"].removesuffix(" %"))
        check(abs(shown - 100 * wanted["occupancy"]) <= 0.051, f"occupancy {shown} shown of {given}")
        check_equal(answer["obstacle"] != "", wanted["obstacle"] is not None, f"obstacle shown of {given}")
        obstacles += wanted["obstacle"] is not None
        if len(browser.failures) > 5:
            return
    check(0 < obstacles < len(questions), f"{obstacles} of {len(questions)} cannot be launched: no fair draw")


def types_and_slides(page, file):
    page.open(file, "#architecture=sm_90&threads=256&registers=63&static_shared_bytes=11264")
    check_equal(page.text("blocks"), "4", "blocks of the example")
    field = page.find("registers")
    field.click()
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("48")
    page.until("return document.getElementById('blocks').textContent === '5'", "48 typed registers to count")
    page.until("return location.hash.includes('registers=48')", "the address to have what was typed")
    slider = page.find("registers-slider")
    slider.send_keys(Keys.ARROW_RIGHT)
    page.until("return document.getElementById('registers').value === '49'", "the slider to move")
    wanted = tool_answer({"architecture": "sm_90", "threads": 256, "registers": 49, "static_shared_bytes": 11264, "barriers": 1})
    page.until(f"return document.getElementById('blocks').textContent === '{wanted['resident_blocks']}'", "the slider's answer")
    # An emptied field changes nothing, and shows its value again when it loses the focus.
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.BACKSPACE)
    field.send_keys(Keys.TAB)
    check_equal(page.run("return document.getElementById('registers').value"), "49", "an emptied field")
    # The same address shows the same page.
    page.until("return location.hash.includes('registers=49')", "the address to follow")
    state = page.run("return location.hash")
    page.open(file, state)
    check_equal(page.run("return [account.kernel.registers, account.shape.threads, account.resident_blocks]"),
                [49, 256, wanted["resident_blocks"]], "the page behind the address")
    page.open(file, "#architecture=nothing&threads=x&registers=-5&opt_in=1&cache=<b>&kernel=<b>x</b>&rows=,,")
    check(page.text("occupancy").endswith("%"), "an address with nonsense")
    said = page.text("address-said")
    for words in ("'nothing' is not a known architecture", "'x' is not a whole number", "'-5' is not between 0 and 255", "'1' is not one of max"):
        check(words in said, f"of an address with nonsense: {said}")
    check_equal(page.text("kernel-name"), "<b>x</b>", "a name in the address is text")


def reads_logs_and_files(page, file):
    page.open(file)
    log = (REPOSITORY / "tests/data/logs/basic_sm_90.log").read_text()
    field = page.find("log")
    page.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new InputEvent('input', {bubbles: true}))", field, log)
    page.until("return document.documentElement.dataset.read === '1'", "the log to be read")
    kernels = json.loads(browser.tool_output(TOOL, "inspect", "--format", "json", str(REPOSITORY / "tests/data/logs/basic_sm_90.log")))["kernels"]
    options = page.run("return [...document.getElementById('kernels').options].map((one) => one.textContent)")
    check_equal(len(options), len(kernels), "kernels listed of the log")
    for kernel in kernels:
        check(any(str(kernel["registers"]) + " registers" in text for text in options), f"registers of {kernel['name']}")
    page.run("const list = document.getElementById('kernels'); list.selectedIndex = 0; list.dispatchEvent(new Event('change'))")
    check_equal(page.run("return document.getElementById('registers').value"), str(kernels[0]["registers"]), "registers taken")

    hostile = "<script>alert(1)</script>"
    text = (f"ptxas info    : Compiling entry function '{hostile}' for 'sm_80'\nptxas info    : Function properties for {hostile}\n"
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 40 registers, used 1 barriers, 352 bytes cmem[0]\n")
    page.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new InputEvent('input', {bubbles: true}))", field, text)
    page.until("return document.getElementById('kernel-name').textContent.includes('script')", "the hostile kernel to be chosen")
    check_equal(page.text("kernel-name"), hostile, "the hostile name")
    check_equal(page.run("return document.querySelectorAll('main script').length"), 0, "scripts inside the page")

    page.run("arguments[0].value = 'make: nothing to be done'; arguments[0].dispatchEvent(new InputEvent('input', {bubbles: true}))", field)
    page.until("return document.getElementById('read').textContent.includes('no kernel')", "what is no log to be refused")
    reads_a_binary(page, REPOSITORY / "tests/fuzz/corpus/cubin/sm_90.cubin")


def reads_a_binary(page, path):
    wanted = json.loads(browser.tool_output(TOOL, "inspect", "--format", "json", str(path)))["kernels"]
    wanted = sorted(kernel["registers"] for kernel in wanted if kernel["registers"] is not None)
    for how in ("choose", "drop"):
        before = page.run("return document.documentElement.dataset.read || '0'")
        if how == "choose":
            page.find("file").send_keys(str(path))
        else:
            page.run("""
                const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0)), data = new DataTransfer();
                data.items.add(new File([bytes], "dropped.cubin"));
                document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
                """, base64.b64encode(path.read_bytes()).decode())
        page.until(f"return document.documentElement.dataset.read !== '{before}'", f"to {how} a file")
        listed = page.run("return [...document.getElementById('kernels').options].map((one) => one.textContent)")
        found = sorted(int(re.search(r"(\d+) registers", text).group(1)) for text in listed)
        check(found, f"no kernel of {path.name} is listed")
        check_equal(found, wanted, f"registers by {how} of {path.name}")


def refuses_what_is_too_much(page, file, folder):
    page.open(file)
    large, noise, cut = folder / "large.so", folder / "noise.bin", folder / "cut.bin"
    with open(large, "wb") as out:
        out.truncate(500 << 20)
    noise.write_bytes(bytes(random.Random(SEED).randrange(256) for _ in range(200000)))
    # The header of an ELF file that claims content that is missing.
    cut.write_bytes(b"\x7fELF\x02\x01\x01\x07" + b"\0" * 8 + b"\x02\0\xbe\0\x01\0\0\0" + b"\xff" * 200)
    for path, words in ((large, "500 MB"), (noise, "no kernel"), (cut, "without a kernel")):
        before = page.run("return document.documentElement.dataset.read || '0'")
        page.find("file").send_keys(str(path))
        page.until(f"return document.documentElement.dataset.read !== '{before}'", f"{path.name} to be read")
        check(words in page.text("read"), f"{path.name}: {page.text('read')}")
    page.run("location.hash = '#architecture=sm_80&threads=128&registers=64'")
    page.until("return account.architecture === 'sm_80' && account.shape.threads === 128", "an answer after all that")


def works_by_keyboard(page, file):
    page.open(file, "#architecture=sm_90&threads=256&registers=63")
    page.run("document.activeElement.blur()")
    chain = browser.ActionChains(page.driver)
    reached, tags = set(), set()
    for _ in range(70):
        chain.send_keys(Keys.TAB).perform()
        chain.reset_actions()
        found = page.run("const e = document.activeElement, s = getComputedStyle(e), p = e.closest('label,summary') || e;"
                         "return [e.id, e.tagName, s.outlineStyle !== 'none' || getComputedStyle(p).outlineStyle !== 'none']")
        if found[1] == "BODY":
            break
        check(found[2], f"no outline around {found[0] or found[1]}")
        reached.add(found[0])
        tags.add(found[1])
    for name in ("architecture", "threads", "threads-slider", "registers", "static_shared_bytes", "dynamic_shared_bytes", "barriers",
                 "log", "file", "copy"):
        check(name in reached, f"{name} is not reached by the Tab key")
    check("CANVAS" in tags and "TD" in tags and "SUMMARY" in tags, f"reached by the Tab key: {tags}")
    # The arrow keys move between the cliffs of the registers curve, and Enter takes the value.
    page.run("document.querySelector('#chart-registers canvas').focus()")
    chain.send_keys(Keys.ARROW_RIGHT).perform()
    chain.reset_actions()
    said = page.run("return document.querySelector('#chart-registers .said').textContent")
    points = page.run("return account.curves.registers")
    now = next(i for i, point in enumerate(points) if point[0] >= 63)
    cliff = next(point for point in points[now:] if point[1] != points[now][1])
    check(said.startswith(f"{cliff[0]} registers per thread: {cliff[1]} warps") and "before this cliff" in said, f"the cliff says: {said}")
    chain.send_keys(Keys.ENTER).perform()
    page.until(f"return document.getElementById('registers').value === '{cliff[0]}'", "the cliff's value to be taken")
    # The arrow keys work in the map once it is drawn with the new value.
    page.until("return document.documentElement.dataset.answered === document.documentElement.dataset.asked", "the answer")
    page.run("document.querySelector('#map td[tabindex=\"0\"]').focus()")
    for key in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER):
        chain.send_keys(key).perform()
        chain.reset_actions()
    page.until("return document.getElementById('threads').value === '96'", "the cell of the map to be taken")


def clusters_have_the_maximum_of_the_chip(page, file):
    page.open(file, "#architecture=sm_110&threads=256&registers=32&cluster_blocks=16&sms=20")
    check("has at most 8" in page.text("obstacle"), f"16 blocks on 11.0: {page.text('obstacle')}")
    check_equal(page.run("return document.getElementById('cluster_blocks').max"), "8", "the field on 11.0")
    page.open(file, "#architecture=sm_110&threads=256&registers=32&cluster_blocks=8&sms=20")
    check_equal(page.text("obstacle"), "", "8 blocks on 11.0")
    check_equal(page.run("return account.curves.clusters.length"), 8, "the curve of 11.0")
    page.open(file, "#architecture=sm_90&threads=256&registers=32&cluster_blocks=16&sms=132")
    check("NonPortableClusterSizeAllowed" in page.text("notes"), f"16 blocks on 9.0: {page.text('notes')}")
    check_equal(page.run("return account.curves.clusters.length"), 16, "the curve of 9.0")
    page.open(file, "#architecture=sm_120&threads=256&registers=32&cluster_blocks=16&sms=170")
    check("not published" in page.text("notes"), f"16 blocks on 12.0: {page.text('notes')}")


def map_agrees(page, file):
    page.open(file, "#architecture=sm_80&threads=224&registers=52&static_shared_bytes=5000&rows=sm_75,sm_80,sm_90,sm_120")
    rows = page.run("return [...document.querySelectorAll('#map tbody tr')].map((row) => [...row.cells].map((one) => one.textContent))")
    check_equal([row[0].split()[0] for row in rows], ["sm_75", "sm_80", "sm_90", "sm_120"], "rows of the map")
    given = {"registers": 52, "static_shared_bytes": 5000, "barriers": 1}
    for row in rows:
        for column in (0, 6, 15, 31):
            answer = tool_answer({"architecture": row[0].split()[0], "threads": 32 * (column + 1), **given})
            check_equal(row[column + 1], str(int(100 * answer["occupancy"] + 0.5)), f"map {row[0]} {32 * (column + 1)}")


ALL_ANSWERED = "return document.documentElement.dataset.answered === document.documentElement.dataset.asked"


def typed(page, name, text):
    """The page's reaction to a text in a field: its value, the message below it, and the result."""
    page.run("const field = document.getElementById(arguments[0]); field.value = arguments[1];"
             "field.dispatchEvent(new Event('input', {bubbles: true}))", name, text)
    page.until(ALL_ANSWERED, f"an answer to {text} in {name}")
    return page.run("const said = document.getElementById(arguments[0] + '-said'), all = {static_shared_bytes: account.kernel.static_shared_bytes,"
                    "dynamic_shared_bytes: account.shape.dynamic_shared_bytes, registers: account.kernel.registers, threads: account.shape.threads,"
                    "barriers: account.kernel.barriers};"
                    "return {value: all[arguments[0]], said: said.hidden ? '' : said.textContent, refused: document.getElementById('refused').textContent,"
                    "invalid: document.getElementById(arguments[0]).getAttribute('aria-invalid'), text: document.getElementById(arguments[0]).value}", name)


def texts_are_understood_or_refused(page, file):
    """No text is understood as something else: each text in each field, compared with the tool for the same text."""
    sizes = {"48K": 49152, "48k": 49152, "48 KiB": 49152, "49,152": 49152, " 1024 ": 1024, "0": 0, "1M": 1048576}
    counts = {"16": 16, " 8 ": 8, "007": 7}
    nonsense = ("0x10", "1e3", "-1", "1.5", "48X", "1,5", "NaN", "Infinity", "4K8", "12abc", "--2", "9" * 30, "<b>", "４８")
    page.open(file, "#architecture=sm_90&threads=96&registers=40")
    sizes_fields, counts_fields = ("static_shared_bytes", "dynamic_shared_bytes"), ("registers", "threads", "barriers")
    for i, name in enumerate((*sizes_fields, *counts_fields)):
        good = {**sizes} if name in sizes_fields else {**counts}
        bad = nonsense if name in sizes_fields else (*nonsense, "48K", "48 KiB")
        if not EXHAUSTIVE:  # each text in one field of each type
            bad = bad[i::2] if name in sizes_fields else bad[i - 2 :: 3]
        for text, value in good.items():
            found = typed(page, name, text)
            check_equal((found["value"], found["invalid"], found["refused"]), (value, "false", ""), f"{text!r} in {name}")
            if name == "static_shared_bytes":
                answer = json.loads(browser.tool_output(TOOL, "occupancy", "--arch=sm_90", "--threads=96", "--registers=40",
                                                        f"--shared={text}", "--format", "json"))["results"][0]
                check_equal(answer["kernel"]["static_shared_bytes"], value, f"the tool's --shared={text!r}")
        before = typed(page, name, "5")["value"]
        for text in bad:
            found = typed(page, name, text)
            check_equal((found["value"], found["invalid"], found["text"]), (before, "true", text), f"{text!r} in {name}")
            check(text.strip()[:10] in found["said"] and "result is for 5" in found["refused"], f"{text!r} in {name} is refused: {found}")
        found = typed(page, name, "")
        check("empty" in found["said"] and "result is for 5" in found["refused"], f"an empty {name}: {found}")
        found = typed(page, name, "6")
        check_equal((found["said"], found["refused"], found["value"]), ("", "", 6), f"{name} after that")
    # When the field loses the focus, a refused text is kept, and an accepted one is shown as digits.
    for text, shown in (("48X", "48X"), ("48K", "49152")):
        typed(page, "dynamic_shared_bytes", text)
        page.run("document.getElementById('dynamic_shared_bytes').dispatchEvent(new Event('change'))")
        page.until(f"return document.getElementById('dynamic_shared_bytes').value === '{shown}'", f"{text} to be left")
    page.open(file, "#architecture=H100&threads=96&registers=40&dynamic_shared_bytes=48K&gpu=rtx%205090")
    check_equal(page.run("return [account.architecture, account.shape.dynamic_shared_bytes]"), ["sm_90", 49152], "names and sizes in an address")


def gpus_have_names(page, file):
    page.open(file, "#architecture=sm_90&threads=256&registers=63")
    options = page.run("return [...document.getElementById('architecture').options].map((one) => one.textContent)")
    for architecture, gpu in (("sm_80", "A100"), ("sm_90", "H100"), ("sm_120", "RTX 5090"), ("sm_75", "T4"), ("sm_70", "V100")):
        check(any(text.startswith(architecture) and gpu in text for text in options), f"{gpu} beside {architecture}: {options}")
    page.open(file, "#gpu=Titan+X&threads=64")
    check("can be GTX Titan X, Titan X Pascal" in page.text("address-said"), f"a name of two GPUs: {page.text('address-said')}")
    rows = page.run("return [...document.querySelectorAll('#map tbody th')].map((one) => one.textContent)")
    check("sm_90 H100" in rows, f"names beside the rows: {rows}")
    page.run("const field = document.getElementById('gpu'); field.value = 'RTX 5090'; field.dispatchEvent(new Event('input'))")
    page.until(ALL_ANSWERED, "an answer for a GPU")
    check_equal(page.run("return [account.architecture, document.getElementById('sms').value]"), ["sm_120", "170"], "a GPU by its name")
    page.run("const field = document.getElementById('architecture'); field.value = 'sm_80'; field.dispatchEvent(new Event('input'))")
    check_equal(page.run("return document.getElementById('gpu').value"), "", "the GPU after another architecture")


# The contrast between the chosen cell and the frame around it, of which the better of two colours counts.
FRAME = r"""
const lum = (text) => text.match(/\d+(\.\d+)?/g).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const cells = document.querySelectorAll("#map td.chosen"), cell = cells[0], style = getComputedStyle(cell);
const frame = [style.outlineColor, style.boxShadow].filter((text) => /rgb/.test(text)).map(lum);
const zero = [...document.querySelectorAll("#map td")].find((one) => one.textContent === "0");
const full = [...document.querySelectorAll("#map td")].find((one) => one.textContent === "100");
return {cells: cells.length, width: parseFloat(style.outlineWidth), rings: frame.length, contrast: Math.max(...frame.map((one) => contrast(one, lum(style.backgroundColor)))),
        among: contrast(...frame), text: cell.textContent, pressed: cell.getAttribute("aria-pressed"),
        zero: zero ? lum(getComputedStyle(zero).backgroundColor) : null, full: full ? lum(getComputedStyle(full).backgroundColor) : null};
"""


def the_chosen_cell_is_seen(page, file):
    for theme in ("light", "dark"):
        page.theme(theme)
        for state, percent in (("sm_80&threads=256&registers=32", "100"), ("sm_80&threads=1024&registers=255", "0"), ("sm_90&threads=256&registers=63", "50")):
            page.open(file, "#architecture=" + state + "&rows=sm_80,sm_90&barriers=1")
            found = page.run(FRAME)
            check_equal((found["cells"], found["text"], found["pressed"]), (1, percent, "true"), f"the chosen cell of {state}")
            check(found["width"] >= 2 and found["rings"] == 2 and found["contrast"] >= 4.5 and found["among"] >= 4.5,
                  f"the frame of {state} in {theme}: {found}")
            if found["zero"] is not None and found["full"] is not None:
                check(found["zero"] < found["full"], f"0 % is as bright as 100 %: {found}")
    page.theme("light")


def numbers_have_one_form(page, file):
    page.open(file)
    forms = json.loads((REPOSITORY / "tests/data/numbers.json").read_text())
    for value, text in forms["numbers"]:
        check_equal(page.run("return numberText(arguments[0])", value), text, f"the page's form of {value}")
    for values, texts in forms["ticks"]:
        check_equal(page.run("return tickTexts(arguments[0])", values), texts, f"the page's labels of {values}")
    page.open(file, "#architecture=sm_90&threads=256&registers=63&static_shared_bytes=11264")
    text = browser.tool_output(TOOL, "occupancy", "--arch", "sm_90", "--threads", "256", "--registers", "63", "--shared", "11264", "--barriers", "1")
    check("62.5 %" in page.text("next") and "62.5 %" in text, f"one form of percent: {page.text('next')} and {text}")


def main():
    browser.programs()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = browser.has_calculator(TOOL, name)
        page = browser.Page()
        try:
            page.open(file)
            agrees_with_the_tool(page)
            types_and_slides(page, file)
            reads_logs_and_files(page, file)
            refuses_what_is_too_much(page, file, folder)
            works_by_keyboard(page, file)
            clusters_have_the_maximum_of_the_chip(page, file)
            map_agrees(page, file)
            texts_are_understood_or_refused(page, file)
            gpus_have_names(page, file)
            the_chosen_cell_is_seen(page, file)
            numbers_have_one_form(page, file)
            page.open(file, "#architecture=sm_90&threads=256&registers=63&sms=132&cluster_blocks=4&kernel=merge")
            page.run("for (const one of document.querySelectorAll('details')) one.open = true")
            browser.check_looks(page, "calculator", PICTURES)
            browser.check_paper(page, "calculator")
            browser.check_silent(page, "calculator")
        finally:
            page.close()
    browser.finish()


main()
