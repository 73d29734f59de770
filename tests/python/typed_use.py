# SPDX-License-Identifier: Apache-2.0
"""Typed uses of the package: mypy checks this file, nothing runs it."""
from typing import List, Optional

import launchbox


def uses() -> None:
    blocks: int = launchbox.occupancy("sm_90", threads=256).resident_blocks
    many: List[int] = launchbox.occupancy("sm_90", threads=[256]).columns.resident_blocks
    kernel = launchbox.inspect("a.so", threads=256).kernels[0]
    registers: Optional[int] = kernel.registers
    files: List[str] = [each.file for each in launchbox.inspect("a.so", summary=True).inputs]
    passed: bool = launchbox.check("a.so").passed
    launchbox.inspect("a.so").kernel  # type: ignore[attr-defined]
    launchbox.occupancy("sm_90", threads=256).resident_block  # type: ignore[attr-defined]
    print(blocks, many, registers, files, passed)
