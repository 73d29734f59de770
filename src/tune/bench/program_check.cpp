// SPDX-License-Identifier: Apache-2.0
#include "tune/bench/program_check.hpp"

#include <algorithm>

#include "image/binary.hpp"
#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

namespace {

int threads_of(const std::optional<std::array<int, 3>>& bound)
{
    return bound ? (*bound)[0] * (*bound)[1] * (*bound)[2] : 0;
}

std::string bounds_in_words(const kernel_info& kernel)
{
    const int threads = threads_of(kernel.bounds.max_threads);
    std::string text = threads > 0 ? "a bound of " + std::to_string(threads) + " threads" : "no launch bound";
    if (kernel.bounds.register_cap)
        text += " and a cap of " + std::to_string(*kernel.bounds.register_cap) + " registers";
    return text;
}

// A symbol with internal linkage contains a hash that changes with every build.
bool same_kernel(const kernel_info& one, const kernel_info& other)
{
    return one.name == other.name ||
           kernel_identity(one.name, demangle(one.name)) == kernel_identity(other.name, demangle(other.name));
}

binary_contents contents_of(const std::string& program)
{
    const mapped_file file(program);
    return read_binary(file.bytes(), program);
}

}  // namespace

program_check check_program(const std::string& program, const kernel_info& expected)
{
    const binary_contents contents = contents_of(program);
    program_check result;
    for (const std::vector<kernel_info>& image : contents.kernels)
        for (const kernel_info& kernel : image) {
            if (kernel.architecture != expected.architecture || !same_kernel(kernel, expected)) continue;
            result.found = true;
            const bool same_threads = threads_of(kernel.bounds.max_threads) == threads_of(expected.bounds.max_threads);
            const bool same_cap = !kernel.bounds.register_cap || !expected.bounds.register_cap ||
                                  *kernel.bounds.register_cap == *expected.bounds.register_cap;
            if (!same_threads || !same_cap)
                return {.contradicts = true, .found = true, .text = bounds_in_words(kernel)};
            if (kernel.figures.registers != expected.figures.registers && kernel.figures.registers &&
                expected.figures.registers)
                result.text = "it has " + std::to_string(*kernel.figures.registers) + " registers in the program and " +
                              std::to_string(*expected.figures.registers) + " here: it is built with other flags";
        }
    return result;
}

bool contains_kernels(const std::string& program)
{
    const binary_contents contents = contents_of(program);
    return std::any_of(contents.kernels.begin(), contents.kernels.end(),
                       [](const std::vector<kernel_info>& image) { return !image.empty(); });
}

}  // namespace launchbox
