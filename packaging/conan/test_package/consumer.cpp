// SPDX-License-Identifier: Apache-2.0
#include <launchbox/occupancy.hpp>

using namespace launchbox;
static_assert(resident_blocks(sm_90, {.registers = 32}, {.threads = 256}) == 8);
int main() { return 0; }
