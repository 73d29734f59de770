// What the instructions of a kernel do, judged by their names: loads and stores by space and width, kinds of
// arithmetic, barriers, and the loop depth of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace launchbox {

enum class memory_space : std::uint8_t { global, shared, local, generic, texture, tensor };
enum class access_kind : std::uint8_t { load, store, atomic, copy };

const char* name_of(memory_space space);
const char* name_of(access_kind access);

/// Loads and stores of the same kind on one line.
struct memory_use {
    std::uint32_t place = ~std::uint32_t{0};  ///< of `line_places::places`; no_line: unknown
    memory_space space = memory_space::global;
    access_kind access = access_kind::load;
    int bytes = 0;       ///< per instruction and thread; 0: the name does not tell (bulk copies, textures)
    int loop_depth = 0;  ///< surrounding loops; an estimate from backward branches
    std::uint32_t instructions = 0;

    friend bool operator==(const memory_use&, const memory_use&) = default;
};

enum class instruction_class : std::uint8_t {
    integer,
    float16,
    float32,
    float64,
    tensor,
    special,
    conversion,
    move,
    memory,
    constant,
    barrier,
    control,
    other
};
inline constexpr std::size_t instruction_classes = 13;

const char* name_of(instruction_class which);

/// The kernel's own code section, with each instruction counted once.
struct code_traffic {
    std::vector<memory_use> uses;  ///< deepest loops first, then most bytes
    std::array<std::uint32_t, instruction_classes> mix{};
    std::uint32_t instructions = 0;  ///< without padding at the end
    std::uint32_t barriers = 0;      ///< of the block: BAR
    int loops = 0, deepest_loop = 0;
    bool waits_for_grid = false;           ///< griddepcontrol.wait, cudaGridDependencySynchronize()
    bool lets_next_grid_begin = false;     ///< griddepcontrol.launch_dependents
    std::vector<std::string> not_known{};  ///< names of instructions counted as `other`
    std::string problem{};                 ///< why nothing is known

    friend bool operator==(const code_traffic&, const code_traffic&) = default;
};

}  // namespace launchbox
