# SPDX-License-Identifier: Apache-2.0
"""`python -m launchbox ...` is the command `launchbox ...`."""
import os
import sys

from . import tool


def main() -> None:
    try:
        path = tool.path()
    except tool.Error as error:
        sys.exit(f"launchbox: {error}")
    os.execv(path, ["launchbox", *sys.argv[1:]])


if __name__ == "__main__":
    main()
