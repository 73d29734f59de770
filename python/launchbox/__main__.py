# SPDX-License-Identifier: Apache-2.0
"""`python -m launchbox ...` is the command `launchbox ...`, with the additional commands `t1` and `configs`."""
import os
import sys

from . import tool


def main() -> None:
    if sys.argv[1:2] == ["t1"]:
        from . import t1
        sys.exit(t1.main(sys.argv[2:]))
    if sys.argv[1:2] == ["configs"]:
        from . import configs
        sys.exit(configs.main(sys.argv[2:]))
    try:
        path = tool.path()
    except tool.Error as error:
        sys.exit(f"launchbox: {error}")
    os.execv(path, ["launchbox", *sys.argv[1:]])


if __name__ == "__main__":
    main()
