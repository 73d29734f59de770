# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for the tests of pages, and checks for every page."""
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains  # noqa: F401 (for the tests)
    from selenium.webdriver.common.keys import Keys  # noqa: F401
except ImportError:  # the tests import these names before programs() decides to skip them
    webdriver = ActionChains = Keys = None

SKIPPED = 77
WIDTHS = (360, 390, 820, 1400)


def programs():
    """Chromium and its driver; exits as skipped if one of them or selenium is not installed."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if webdriver is None or not browser or not driver:
        print("skipped: chromium, chromium-driver and python3-selenium are not all here; ./setup --tests installs them")
        sys.exit(SKIPPED)
    return browser, driver


class Page:
    """One browser, which shows one page after another."""

    def __init__(self):
        browser, driver = programs()
        options = Options()
        options.binary_location = browser
        self.profile = tempfile.mkdtemp(prefix="launchbox-browser-")
        # Without Chrome's sandbox, since tests run as root in containers; the pages are ours.
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--disable-background-networking", "--user-data-dir=" + self.profile):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_script_timeout(60)
        self.size(1400)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def size(self, width, height=1000):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, file, state=""):
        self.driver.get("about:blank")
        self.driver.get(pathlib.Path(file).resolve().as_uri() + state)
        self.until("return document.documentElement.dataset.ready === 'yes'", "the page to start")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, script, *arguments):
        """The value that an asynchronous script passes to `done`, its last argument."""
        return self.driver.execute_async_script("const done = arguments[arguments.length - 1];" + script, *arguments)

    def until(self, script, what):
        end = time.monotonic() + 60
        while not self.run(script):
            if time.monotonic() > end:
                raise AssertionError(f"waited for {what} in vain")
            time.sleep(0.02)

    def find(self, name):
        return self.driver.find_element("id", name)

    def text(self, name):
        return self.run("return document.getElementById(arguments[0]).textContent", name)


failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def check_equal(found, wanted, what):
    check(found == wanted, f"{what}: {str(found)[:300]} instead of {str(wanted)[:300]}")


def check_silent(page, what):
    for entry in page.driver.get_log("browser"):
        check(False, f"{what}: the console says {entry['message'][:300]}")


# Contrast as defined by WCAG 2.1, for every piece of text and its background; names of controls; ids.
LOOK = r"""
const problems = [];
const rgb = (text) => {
    const found = text.match(/rgba?\(([^)]+)\)/);
    if (!found) return null;
    const parts = found[1].split(/[ ,\/]+/).map(Number);
    return {r: parts[0], g: parts[1], b: parts[2], a: parts.length > 3 ? parts[3] : 1};
};
const luminance = (c) => [c.r, c.g, c.b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
        const colour = rgb(getComputedStyle(at).backgroundColor);
        if (colour && colour.a === 1) return colour;
    }
    return {r: 255, g: 255, b: 255, a: 1};
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let texts = 0;
while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.textContent.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE"].includes(element.tagName)) continue;
    if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) || element.closest("[disabled],option")) continue;
    const svg = element.closest("svg"), style = getComputedStyle(element);
    const ink = rgb(svg ? style.fill : style.color);
    let paper = behind(svg ? svg.parentElement : element);
    const cell = element.closest("g.cell");
    if (cell) {
        const hex = cell.querySelector("rect").getAttribute("fill");
        paper = {r: parseInt(hex.slice(1, 3), 16), g: parseInt(hex.slice(3, 5), 16), b: parseInt(hex.slice(5, 7), 16)};
    }
    if (!ink) continue;
    ++texts;
    const [light, dark] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)} of "${node.textContent.trim().slice(0, 40)}"`);
}
for (const control of document.querySelectorAll("input,select,textarea,button,[role=button],[role=tab],canvas,svg[role=img]")) {
    const labelled = (control.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id))
        .filter(Boolean).map((one) => one.textContent).join("");
    const name = control.getAttribute("aria-label") || labelled || [...(control.labels || [])].map((one) => one.textContent).join("") ||
        (["BUTTON", "TD"].includes(control.tagName) ? control.textContent : "") || (control.querySelector(":scope > title") || {}).textContent;
    if (!name || !name.trim()) problems.push("no accessible name: " + control.outerHTML.slice(0, 120));
}
const ids = new Set();
for (const element of document.querySelectorAll("[id]")) {
    if (ids.has(element.id)) problems.push("two elements have the id " + element.id);
    ids.add(element.id);
}
for (const element of document.querySelectorAll("[aria-controls],[aria-labelledby]"))
    for (const id of [element.getAttribute("aria-controls"), element.getAttribute("aria-labelledby")])
        if (id && !document.getElementById(id)) problems.push("nothing has the id " + id);
if (!document.documentElement.lang) problems.push("the page names no language");
if (document.documentElement.scrollWidth > innerWidth + 1)
    problems.push(`${document.documentElement.scrollWidth} pixels wide in ${innerWidth}`);
// Nothing ends outside of the window, but in a box that scrolls.
for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg,option,script,style") && element.tagName !== "svg") continue;
    if (!element.checkVisibility() || element.closest(".scroll,textarea,pre")) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > innerWidth + 1 || box.left < -1))
        problems.push(`${element.tagName} ${element.id} ends at ${Math.round(box.right)} of ${innerWidth}: ${element.textContent.slice(0, 40)}`);
    const hides = ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
    if (hides && element.scrollWidth > element.clientWidth + 1 && element.tagName !== "INPUT" && element.tagName !== "SELECT")
        problems.push(`${element.tagName} ${element.id} is clipped: ${element.textContent.slice(0, 40)}`);
}
// The labels of one axis keep clear of each other.
for (const canvas of document.querySelectorAll("canvas")) {
    const chart = typeof Chart === "undefined" ? null : Chart.getChart(canvas);
    if (!chart || !canvas.checkVisibility()) continue;
    for (const scale of Object.values(chart.scales)) {
        chart.ctx.font = Chart.helpers ? Chart.helpers.toFont(scale.options.ticks.font).string : "12px sans-serif";
        const labels = scale.ticks.map((tick, i) => ({text: String(tick.label || ""), at: scale.getPixelForTick(i)}))
            .filter((label) => label.text !== "").sort((a, b) => a.at - b.at);
        for (const label of labels) label.room = scale.isHorizontal() ? chart.ctx.measureText(label.text).width : 11;
        for (let i = 1; i < labels.length; ++i)
            if (labels[i].at - labels[i - 1].at < (labels[i].room + labels[i - 1].room) / 2)
                problems.push(`${canvas.id || canvas.parentElement.parentElement.id}, ${scale.id}: "${labels[i - 1].text}" and "${labels[i].text}" overlap`);
        if (new Set(labels.map((label) => label.text)).size < labels.length && !chart.options.indexAxis)
            problems.push(`${canvas.id}, ${scale.id}: labels are alike: ${labels.map((label) => label.text)}`);
    }
}
return {problems: [...new Set(problems)], texts};
"""


def check_looks(page, what, picture=None):
    """Labels, contrast and width, in light and dark and at three widths; pictures into the folder `picture`."""
    for theme in ("light", "dark"):
        page.theme(theme)
        for width in WIDTHS:
            page.size(width)
            # Charts update their size in the following frames.
            page.wait_for("let left = 10; const next = () => --left ? requestAnimationFrame(next) : done(); next();")
            found = page.run(LOOK)
            check(found["texts"] > 20, f"{what}: only {found['texts']} texts were looked at")
            for problem in found["problems"][:12]:
                check(False, f"{what}, {theme}, {width} wide: {problem}")
            if picture:
                page.driver.save_screenshot(f"{picture}/{what.replace(' ', '_')}_{theme}_{width}.png")
    page.theme("light")
    page.size(1400)


# In print, in a window as wide as an A4 page: related parts stay together, nothing is wider than the page, and charts
# use colours for a white background.
PAPER = r"""
const problems = [], wide = innerWidth + 1;
if (document.documentElement.scrollWidth > wide) problems.push(`${document.documentElement.scrollWidth} pixels wide in ${innerWidth}`);
for (const element of document.querySelectorAll("main h1,main h2,main h3,main h4,main .tabs"))
    if (element.checkVisibility() && getComputedStyle(element).breakAfter !== "avoid") problems.push("a break may follow " + element.textContent.slice(0, 40));
for (const element of document.querySelectorAll("figure,.card,.canvas,table.heat,tr"))
    if (element.checkVisibility() && getComputedStyle(element).breakInside !== "avoid") problems.push(`${element.tagName} ${element.id} may be broken`);
for (const element of document.querySelectorAll("main *")) {
    if (!element.checkVisibility() || element.closest("svg") && element.tagName !== "svg") continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > wide) problems.push(`${element.tagName} ${element.id} ends at ${Math.round(box.right)} of ${innerWidth}`);
}
let charts = 0;
for (const canvas of document.querySelectorAll("canvas")) {
    const chart = Chart.getChart(canvas);
    if (!chart || !canvas.checkVisibility()) continue;
    ++charts;
    if (chart.options.scales.x.ticks.color !== "#57606a") problems.push(`${canvas.id} is drawn in ${chart.options.scales.x.ticks.color}`);
}
if (getComputedStyle(document.documentElement).getPropertyValue("--ink").trim() !== "#1b1f24") problems.push("the ink is for a dark page");
return {problems: [...new Set(problems)], charts};
"""


def check_paper(page, what):
    page.size(720)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.wait_for("let left = 10; const next = () => --left ? requestAnimationFrame(next) : done(); next();")
    found = page.run(PAPER)
    for problem in found["problems"][:12]:
        check(False, f"{what} on paper: {problem}")
    check(found["charts"] > 0 or what == "kernels", f"{what} on paper: no chart was looked at")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    page.size(1400)


def tool_output(tool, *arguments, status=0):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"launchbox {' '.join(arguments)}: exit status {done.returncode}: {done.stderr[:500]}")
    return done.stdout


def can_calculate(tool, folder):
    return subprocess.run([tool, "report", "--calculator", "-o", f"{folder}/any.html"], capture_output=True).returncode == 0


def has_calculator(tool, folder):
    """Exits as skipped if this build has no calculator."""
    done = subprocess.run([tool, "report", "--calculator", "-o", f"{folder}/calculator.html"], capture_output=True, text=True)
    if done.returncode == 3:
        print("skipped:", done.stderr.strip())
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return f"{folder}/calculator.html"


def finish():
    """Ends the test."""
    if failures:
        print(len(failures), "checks failed")
    sys.exit(1 if failures else 0)
