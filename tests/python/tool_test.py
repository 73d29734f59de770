# SPDX-License-Identifier: Apache-2.0
"""The tool is found, or its absence is reported in one line."""
import os
import subprocess
import sys

import pytest

import launchbox
from launchbox import tool


def python(*words, **environment):
    inherited = {name: value for name, value in os.environ.items() if name != "LAUNCHBOX_TOOL"}
    return subprocess.run([sys.executable, *words], env={**inherited, **environment}, capture_output=True, text=True,
                          check=False)


def test_the_version_is_the_tools():
    printed = subprocess.run([tool.path(), "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.startswith(f"launchbox {launchbox.version()}\n")


def test_the_module_can_be_run_as_the_command():
    done = python("-m", "launchbox", "inspct", LAUNCHBOX_TOOL=tool.path())
    assert done.returncode == 2
    assert "inspct" in done.stderr


@pytest.mark.parametrize("chosen", ["", "/nowhere/launchbox", "/tmp", "/etc/passwd"])
def test_a_missing_tool_is_reported_in_one_line(tmp_path, chosen):
    done = python("-m", "launchbox", "devices", PATH=str(tmp_path), LAUNCHBOX_TOOL=chosen)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("launchbox: ")


def test_an_error_has_the_tools_message():
    with pytest.raises(launchbox.Error, match="/nowhere.so") as raised:
        tool.ask(["inspect", "/nowhere.so"])
    assert raised.value.status == 2
