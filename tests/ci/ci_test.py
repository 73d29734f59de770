#!/usr/bin/env python3
"""check/action.yml and check/gitlab.yml, executed step by step like GitHub's and GitLab's runners.

    ci_test.py TOOL REPOSITORY

The wheel in the folder that LAUNCHBOX_WHEELS names is installed; without one, a stand-in whose program is TOOL. Exit
status: 0 all passed, 1 not, 77 skipped (no python3-yaml or no pip).
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    print("skipped: install python3-yaml")
    sys.exit(77)

from runner import Runner, content, stand_in_wheel

TOOL, REPOSITORY = (os.path.abspath(each) for each in sys.argv[1:3])
if subprocess.run(["/usr/bin/python3", "-m", "pip", "--version"], capture_output=True, check=False).returncode:
    print("skipped: install python3-pip")
    sys.exit(77)

MAIN = {"ref_name": "main", "sha": "aaa1", "event": {}}
PULL = {"base_ref": "main", "ref_name": "7/merge", "sha": "bbb1",
        "event": {"pull_request": {"number": 7, "base": {"sha": "aaa1"}}}}


def log_of(kernels):
    """What ptxas -v prints: {name: (registers, bytes of spills)}."""
    text = ""
    for name, (registers, spills) in kernels.items():
        text += (f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
                 f"ptxas info    : Function properties for {name}\n"
                 f"    {spills} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
                 f"ptxas info    : Used {registers} registers, used 0 barriers, 352 bytes cmem[0]\n")
    return text


BEFORE = {"scale": (32, 0), "sort": (64, 0), "reduce": (40, 8), "old": (20, 0)}


class Checks(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)
        folder = os.path.join(self.kept.name, "wheels")
        wheel = os.environ.get("LAUNCHBOX_WHEELS") or stand_in_wheel(folder, TOOL)
        self.runner = Runner(REPOSITORY, self.kept.name, wheel)
        self.service = self.runner.service
        self.addCleanup(self.service.server.server_close)
        self.addCleanup(self.service.server.shutdown)

    def build(self, kernels):
        self.write("build/app.log", log_of(kernels))

    def write(self, name, text):
        with open(os.path.join(self.runner.work, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_on(self, event, **inputs):
        return self.runner.action({"files": "build/app.log", "wheel": self.runner.wheel, **inputs}, event)

    def main_branch(self, kernels):
        self.build(kernels)
        self.assertEqual(self.run_on(MAIN), 0, self.runner.log)


class Action(Checks):
    def test_a_pull_request_gets_one_table_which_later_runs_update(self):
        self.main_branch(BEFORE)
        self.assertEqual(list(self.runner.caches), ["launchbox/kernels/main/aaa1"])
        self.assertEqual(self.service.requests, [])
        self.service.add("a remark", "somebody")
        self.build({"scale": (48, 0), "sort": (60, 0), "reduce": (40, 8), "fresh": (10, 0)})
        self.assertEqual(self.run_on(PULL), 1, self.runner.log)
        (body,) = self.service.own()
        rows = [line for line in body.splitlines() if line.startswith("| `")]
        self.assertEqual(rows, [
            r"| `scale` | sm\_90 | worse | 32 registers | 48 registers |",
            r"| `fresh` | sm\_90 | new | – | 10 registers |",
            r"| `sort` | sm\_90 | better | 64 registers | 60 registers |",
            r"| `old` | sm\_90 | gone | 20 registers | – |"])
        self.assertNotIn("reduce", body)
        self.assertIn("Compared with aaa1, of main.", body)
        self.assertNotIn("--write-baseline", body)
        self.assertIn(rows[0], self.runner.summary)
        self.assertIn("::error file=build/app.log,line=1,title=launchbox%3A baseline_registers::scale on sm_90",
                      self.runner.log)
        # The next commit fixes it: the same comment is updated.
        self.build({**BEFORE, "sort": (60, 0)})
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        (body,) = self.service.own()
        self.assertNotIn("worse", body)
        self.assertIn("| better |", body)
        self.build(BEFORE)
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        (body,) = self.service.own()
        self.assertIn("all checks passed", body)
        self.assertNotIn("| kernel |", body)
        self.assertEqual(len(self.service.comments), 2)
        self.assertEqual(list(self.runner.caches), ["launchbox/kernels/main/aaa1"])

    def test_no_comment_if_nothing_changed(self):
        self.main_branch(BEFORE)
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        self.assertEqual(self.service.comments, [])
        self.assertNotIn("| kernel |", self.runner.summary)
        self.assertNotIn("::error", self.runner.log)

    def test_a_fork_may_not_write_and_only_has_the_summary(self):
        self.main_branch(BEFORE)
        self.service.may_write = False
        self.build({**BEFORE, "scale": (30, 0)})
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        self.assertEqual(self.service.comments, [])
        self.assertIn("::notice::No comment, since the token may not write (403)", self.runner.log)
        self.assertIn("| `scale` |", self.runner.summary)

    def test_a_failing_api_does_not_fail_the_job(self):
        self.main_branch(BEFORE)
        self.build({**BEFORE, "scale": (30, 0)})
        for status in (500, 429, 404):
            self.service.fails_with = status
            self.assertEqual(self.run_on(PULL), 0, self.runner.log)
            self.assertIn(f"({status})", self.runner.log)
        self.service.server.shutdown()
        self.service.server.server_close()
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        self.assertIn("::warning::No comment (", self.runner.log)

    def test_a_first_run_without_a_baseline_says_that_nothing_was_compared(self):
        self.build(BEFORE)
        self.assertEqual(self.run_on(PULL), 0, self.runner.log)
        self.assertIn("There are no figures of main yet: nothing was compared.", self.runner.summary)
        self.assertEqual(self.runner.caches, {})
        self.assertEqual(self.service.own(), [])
        # A budget is checked nevertheless.
        self.write("launchbox.budget.toml", "[defaults]\nmax_registers = 60\n")
        self.assertEqual(self.run_on(PULL), 1, self.runner.log)
        self.assertIn("sort", self.service.own()[0])

    def test_a_broken_baseline_is_reported(self):
        self.main_branch(BEFORE)
        for broken in (b"", b"launchbox.baseline/9\n", b"launchbox.baseline/1\nsm_90 regs=1\n", b"\xff\x00" * 50):
            self.runner.caches["launchbox/kernels/main/aaa1"] = (".launchbox/kernels/target.baseline", broken)
            self.assertEqual(self.run_on(PULL), 2, self.runner.log)
            self.assertIn("target.baseline:", self.runner.log)
            self.assertIn("launchbox check failed with exit status 2", self.runner.summary)
        self.assertEqual(len(self.service.own()), 1)

    def test_the_newest_baseline_of_the_branch_if_its_commit_has_none(self):
        self.main_branch(BEFORE)
        self.build({**BEFORE, "scale": (33, 0)})
        self.assertEqual(self.run_on({**MAIN, "sha": "aaa2"}), 0, self.runner.log)
        self.assertEqual(self.run_on({**MAIN, "ref_name": "main-old", "sha": "ccc"}), 0, self.runner.log)
        later = {**PULL, "event": {"pull_request": {"number": 7, "base": {"sha": "aaa3"}}}}
        self.assertEqual(self.run_on(later), 0, self.runner.log)
        self.assertIn("Compared with aaa2, of main.", self.runner.summary)
        self.assertEqual(self.run_on(PULL), 1, self.runner.log)
        # A pull request to another branch on which nothing ran: the default branch is used.
        stacked = {**PULL, "base_ref": "feature/one", "event": {
            "repository": {"default_branch": "main"}, "pull_request": {"number": 7, "base": {"sha": "ddd"}}}}
        self.assertEqual(self.run_on(stacked), 0, self.runner.log)
        self.assertIn("Compared with aaa2, of main.", self.runner.summary)

    def test_several_checks_in_one_repository(self):
        self.main_branch(BEFORE)
        self.assertEqual(self.run_on(MAIN, name="other"), 0)
        self.build({**BEFORE, "scale": (33, 0)})
        self.assertEqual(self.run_on(PULL), 1)
        self.assertEqual(self.run_on(PULL, name="other"), 1)
        self.assertEqual(len(self.service.own()), 2)
        for name in ("a b", "$(touch x)", "../x", ""):
            self.assertEqual(self.run_on(PULL, name=name), 2)
            self.assertIn("::error::name is", self.runner.log)

    def test_the_inputs_of_the_action(self):
        self.main_branch(BEFORE)
        self.build({**BEFORE, "scale": (33, 0)})
        self.assertEqual(self.run_on(PULL, fail="false", comment="false"), 0)
        self.assertEqual(self.service.requests, [])
        self.assertEqual(self.runner.outputs["status"], "1")
        found = json.loads(content(os.path.join(self.runner.work, self.runner.outputs["json"])))
        self.assertEqual(found["schema"], "launchbox.check/1")
        self.assertEqual(self.run_on(PULL, files="build/none", fail="false"), 2)
        self.write("kept.baseline", "launchbox.baseline/1\nsm_90 regs=33 spills=0/0 stack=0 shared=0 resident=? scale\n")
        self.assertEqual(self.run_on(PULL, baseline="kept.baseline"), 0, self.runner.log)
        self.assertEqual(self.run_on(PULL, baseline="missing"), 2)
        self.assertEqual(self.run_on(PULL, args="--arch sm_90 --stack-reserve 1K", files="build/*.log"), 1)
        self.assertEqual(self.run_on(PULL, wheel="no-such-folder"), 2)
        self.assertIn("there is no no-such-folder", self.runner.log)

    def test_a_comment_of_another_user_is_not_changed(self):
        self.main_branch(BEFORE)
        marked = "<!-- launchbox check: kernels -->\nmine"
        self.service.add(marked, "somebody")
        for number in range(250):  # three pages
            self.service.add(f"remark {number}", "somebody")
        ours = self.service.add("<!-- launchbox check: kernels -->\nbefore")
        self.build({**BEFORE, "scale": (33, 0)})
        self.assertEqual(self.run_on(PULL), 1, self.runner.log)
        self.assertEqual(self.service.comments[0]["body"], marked)
        self.assertIn("scale", next(each["body"] for each in self.service.comments if each["id"] == ours))
        self.assertEqual(len(self.service.comments), 252)

    def test_five_thousand_changes_and_hostile_names(self):
        names = [f"k{number}_" + "x" * 150 for number in range(5000)]
        hostile = ["a|b", "`tick`", "<img src=x onerror=y>", "@everyone", "::error::x", "a::b::c", "](http://x)", "$(id)"]
        self.main_branch({name: (32, 0) for name in [*names, *hostile]})
        self.build({name: (33, 0) for name in [*names, *hostile]})
        self.assertEqual(self.run_on(PULL), 1, self.runner.log[-2000:])
        (body,) = self.service.own()
        self.assertLessEqual(len(body), 65536)
        self.assertIn("more are not shown", body)
        self.assertLessEqual(len(self.runner.summary.encode()), 1 << 20)
        commands = [line for line in self.runner.log.splitlines() if line.startswith("::")]
        self.assertEqual(len(commands), 10)
        self.build({name: (33, 0) for name in hostile} | {name: (32, 0) for name in names})
        self.assertEqual(self.run_on(PULL), 1)
        (body,) = self.service.own()
        rows = [line for line in body.splitlines() if line.startswith("| ")][2:]
        self.assertEqual(len(rows), len(hostile), rows)
        for row in rows:
            self.assertEqual(row.count("|"), 6, row)
            self.assertTrue(row.startswith(("| `", "| <code>")), row)


class GitLab(Checks):
    def setUp(self):
        super().setUp()
        self.template = content(os.path.join(REPOSITORY, "check", "gitlab.yml"))

    def job(self, merge_request, **variables):
        predefined = {"CI_JOB_NAME_SLUG": "kernels", "CI_API_V4_URL": self.service.url, "CI_PROJECT_ID": "3"}
        predefined.update({"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7",
                           "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"} if merge_request else
                          {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main", "CI_MERGE_REQUEST_IID": ""})
        wheel = [os.path.join(self.runner.wheel, each) for each in sorted(os.listdir(self.runner.wheel))
                 if each.endswith(("x86_64.whl", "any.whl"))][0]
        return self.runner.gitlab_job(self.template, {"LAUNCHBOX_FILES": "build/app.log", "LAUNCHBOX_WHEEL": wheel,
                                                      **variables}, predefined)

    def test_a_merge_request_is_compared_with_its_target(self):
        self.build(BEFORE)
        self.assertEqual(self.job(True), 0, self.runner.log)
        self.assertIn("There are no figures of main yet", self.runner.log)
        self.assertEqual(self.runner.caches, {})
        self.assertEqual(self.job(False), 0, self.runner.log)
        self.assertEqual(list(self.runner.caches), ["launchbox-kernels-main"])
        self.assertEqual(self.job(True), 0, self.runner.log)
        self.service.is_project_token = True
        self.assertEqual(self.job(True, LAUNCHBOX_TOKEN="secret"), 0, self.runner.log)
        self.assertEqual(self.service.comments, [])
        self.build({**BEFORE, "scale": (48, 0)})
        for _ in range(2):
            self.assertEqual(self.job(True, LAUNCHBOX_TOKEN="secret"), 1, self.runner.log)
            self.assertEqual(len(self.service.own()), 1)
            self.assertIn("| `scale` |", self.service.own()[0])
        self.assertIn("scale", self.runner.log)
        xml = content(os.path.join(self.runner.work, ".launchbox/kernels.xml"))
        self.assertIn('failures="1"', xml)
        # A token without write permission, and figures that cannot be read.
        self.service.may_write = False
        self.assertEqual(self.job(True, LAUNCHBOX_TOKEN="secret"), 1)
        self.assertIn("No note (", self.runner.log)
        self.runner.caches["launchbox-kernels-main"] = b"nonsense"
        self.assertEqual(self.job(True), 2, self.runner.log)
        self.assertEqual(self.job(False), 0, self.runner.log)
        self.assertEqual(self.job(True), 0, self.runner.log)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
