// Prints a few examples of each kind of machine instruction in binaries. make_operand_table.py asks nvdisasm about
// them.
//
//     instruction_samples [--each N] FILE... > samples.txt
//
// A line is `SM LOW HIGH`: the number of the architecture and the two words of an instruction in hexadecimal. Two
// instructions are of the same kind if architecture, opcode and modifiers (bits 72 to 104) are equal.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "image/binary.hpp"
#include "image/container/elf.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox::bench {

namespace {

constexpr std::size_t instruction_bytes = 16;
constexpr unsigned of_one_opcode = 200;  // taken with any modifiers

struct instruction {
    int sm = 0;
    std::uint64_t low = 0, high = 0;
};

class sample_set {
public:
    explicit sample_set(unsigned each) : each_(each) {}

    void add(const instruction& one)
    {
        // Without the scheduling bits, which do not affect operands.
        const std::uint64_t high = one.high & ((std::uint64_t{1} << 41) - 1);
        const std::uint64_t opcode = one.low & 0xfff;
        const std::uint64_t kind = mixed(opcode | static_cast<std::uint64_t>(one.sm) << 12, high >> 8);
        const std::uint64_t itself = mixed(kind, mixed(one.low, high));
        const std::uint64_t of_opcode = opcode | static_cast<std::uint64_t>(one.sm) << 12;
        unsigned& of_kind = kinds_[kind];
        unsigned& in_all = opcodes_[of_opcode];
        if (of_kind >= each_ && in_all >= of_one_opcode) return;
        if (!seen_.insert(itself).second) return;
        ++of_kind;
        ++in_all;
        std::printf("%d %016llx %016llx\n", one.sm, static_cast<unsigned long long>(one.low),
                    static_cast<unsigned long long>(high));
    }

private:
    static std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
    {
        a ^= b * 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2);
        a ^= a >> 29;
        return a * 0xbf58476d1ce4e5b9U;
    }
    unsigned each_;
    std::unordered_map<std::uint64_t, unsigned> kinds_, opcodes_;
    std::unordered_set<std::uint64_t> seen_;
};

void add_code(sample_set& samples, std::mutex& busy, const cubin_examination& cubin)
{
    std::vector<image_diagnostic> ignored;
    const std::optional<elf_image> image = read_elf(cubin.bytes, ignored);
    if (!image || !cubin.kernels.front().capability) return;
    const int sm = cubin.kernels.front().capability->number();
    const std::lock_guard alone(busy);
    for (const elf_section& section : image->sections) {
        if (!section.name.starts_with(".text.")) continue;
        for (std::size_t at = 0; section.content.size() - at >= instruction_bytes; at += instruction_bytes)
            samples.add({sm, read_number<std::uint64_t>(section.content, at),
                         read_number<std::uint64_t>(section.content, at + 8)});
    }
}

}  // namespace

}  // namespace launchbox::bench

int main(int count, char** words)
{
    using namespace launchbox;
    unsigned each = 2;
    std::vector<std::string> files;
    for (int i = 1; i < count; ++i) {
        if (std::string_view(words[i]) == "--each" && i + 1 < count)
            each = static_cast<unsigned>(std::atoi(words[++i]));
        else
            files.emplace_back(words[i]);
    }
    bench::sample_set samples(each);
    std::mutex busy;
    for (const std::string& file : files) {
        const mapped_file bytes(file);
        const binary_options options{
            .examine = [&](const cubin_examination& cubin) { bench::add_code(samples, busy, cubin); },
            .before_linking = true};
        const binary_contents contents = read_binary(bytes.bytes(), file, options);
        std::fprintf(stderr, "%s: %zu images\n", file.c_str(), contents.images.size());
    }
}
