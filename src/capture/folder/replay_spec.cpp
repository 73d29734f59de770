// SPDX-License-Identifier: Apache-2.0
#include "capture/folder/replay_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "image/names/demangle.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string shape_text(const std::array<std::uint32_t, 3>& sizes)
{
    if (sizes[2] > 1) return fmt::format("{} x {} x {}", sizes[0], sizes[1], sizes[2]);
    return sizes[1] > 1 ? fmt::format("{} x {}", sizes[0], sizes[1]) : fmt::format("{}", sizes[0]);
}

// For the first dimension: powers of two of at least a warp, and the program's own size.
std::vector<std::uint32_t> block_sizes(const captured_launch& launch)
{
    const std::uint32_t others = launch.block[1] * launch.block[2];
    std::vector<std::uint32_t> sizes{launch.block[0]};
    for (std::uint32_t size = 1; size <= 1024; size *= 2)
        if (size * others >= 32 && size * others <= launch.max_threads) sizes.push_back(size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// Register limits that change this kernel, and 255, which removes a bound in the PTX.
std::string register_limits(int registers)
{
    std::vector<int> limits{0};
    for (const int limit : {16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 224})
        if (limit < registers) limits.push_back(limit);
    limits.push_back(255);
    return fmt::format("{}", fmt::join(limits, ", "));
}

}  // namespace

std::string replay_spec(const captured_launch& launch, const std::string& name, std::optional<int> registers)
{
    const std::string words = escape_for_terminal(fmt::format("{}", fmt::join(launch.command, " ")));
    const std::string kernel = escape_for_terminal(demangle(launch.kernel));
    const std::uint64_t all = std::uint64_t{launch.grid[0]} * launch.block[0];
    std::string text = fmt::format(
        "# A launch that launchbox captured: {0}\n"
        "# {1} blocks of {2} threads, of {3}\n"
        "[tunable]\n"
        "name = \"{4}\"\n"
        "baseline = {{ threads = {5}, grid = \"same\"{8} }}\n"
        "\n"
        "[parameters]\n"
        "threads = [{6}]\n"
        "# \"same\": as many blocks as the program launches; \"scaled\": as many threads\n"
        "grid = [\"same\", \"scaled\"]\n"
        "{9}"
        "\n"
        "[constraints]\n"
        "all = [\"threads ~= {5} or grid == 'same'\"]\n"
        "\n"
        "[kernel]\n"
        "capture = \"{7}\"\n",
        kernel, shape_text(launch.grid), shape_text(launch.block), words, name, launch.block[0],
        fmt::join(block_sizes(launch), ", "), capture_file, registers ? ", max_registers = 0" : "",
        registers ? fmt::format("# maximum registers per thread: the PTX is compiled again; 0: unchanged\n"
                                "max_registers = [{}]\n",
                                register_limits(*registers))
                  : "");
    if (registers)
        text += fmt::format("source = \"{}\"\nname = \"{}\"\nflags = [\"-maxrregcount={{max_registers}}\"]\n",
                            launch.ptx, escape_for_terminal(launch.kernel));
    const std::string blocks = fmt::format("grid == 'same' and {} or ceil_div({}, threads)", launch.grid[0], all);
    if (launch.block[1] == 1 && launch.block[2] == 1)
        text += "threads = \"threads\"\n";
    else
        text += fmt::format("threads = [\"threads\", {}, {}]\n", launch.block[1], launch.block[2]);
    if (launch.grid[1] == 1 && launch.grid[2] == 1)
        text += fmt::format("blocks = \"{}\"\n", blocks);
    else
        text += fmt::format("blocks = [\"{}\", {}, {}]\n", blocks, launch.grid[1], launch.grid[2]);
    if (launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1})
        text += fmt::format("cluster = [{}]\n", fmt::join(launch.cluster, ", "));
    if (launch.dynamic_shared_bytes > 0)
        text += fmt::format(
            "# as the program passes it, for every block size: write an expression of threads if it depends on "
            "it\ndynamic_shared = {}\n",
            launch.dynamic_shared_bytes);
    return text;
}

}  // namespace launchbox
