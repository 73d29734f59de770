// Checks with nvdisasm the live registers that live_code_test.cpp expects for its tiny programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/disassembly/nvdisasm.hpp"
#include "compiler/run/toolchain.hpp"
#include "image/code/live_registers.hpp"
#include "image/container/elf.hpp"
#include "image/cubin.hpp"
#include "image/tiny_code.hpp"
#include "image/tiny_programs.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace {

void put(std::string& bytes, std::size_t at, std::uint64_t number, std::size_t size)
{
    std::memcpy(bytes.data() + at, &number, size);
}

// The cubin of `__global__ void k(int*)` with other code, the register count that the programs assume, and another
// offset in its list of exits. It handles no more of the ELF format than that.
std::string image_with(std::string image, const std::string& code, std::uint32_t listed_exit)
{
    const auto table = read_number<std::uint64_t>(image, 40);
    std::vector<image_diagnostic> ignored;
    const elf_image elf = read_elf(image, ignored).value();
    std::string changed = image;
    changed.resize((image.size() + 127) / 128 * 128);
    for (std::size_t i = 0; i < elf.sections.size(); ++i) {
        const elf_section& section = elf.sections[i];
        if (section.name == ".text.k") {
            put(changed, table + 64 * i + 24, changed.size(), 8);
            put(changed, table + 64 * i + 32, code.size(), 8);
        }
        constexpr std::string_view registers("\x04\x2f\x08\x00", 4), exits("\x04\x1c\x04\x00", 4);
        if (const std::size_t at = section.content.find(registers);
            section.name == ".nv.info" && at + 12 <= section.size)
            put(changed, section.offset + at + 8, tiny_registers, 4);
        if (const std::size_t at = section.content.find(exits); section.name == ".nv.info.k" && at + 8 <= section.size)
            put(changed, section.offset + at + 4, listed_exit, 4);
    }
    for (const elf_symbol& symbol : elf.symbols)
        if (elf.symbol_name(symbol) == "k") put(changed, symbol.offset + 16, code.size(), 8);
    return changed + code;
}

struct seen {
    std::vector<std::string> general;
    std::vector<std::array<int, 4>> counts;
};

seen ask(const std::filesystem::path& nvdisasm, const std::filesystem::path& cubin, std::size_t instructions)
{
    const subprocess_result said =
        run({nvdisasm.string(), "-c", "--print-life-ranges", "--life-range-mode", "narrow", cubin.string()});
    EXPECT_EQ(said.exit_code, 0) << said.output.substr(0, 500);
    seen found{std::vector<std::string>(instructions), std::vector<std::array<int, 4>>(instructions)};
    life_range_reader reader([&](const live_instruction& one) {
        const std::size_t i = one.byte / 16;
        if (one.section != ".text.k" || i >= instructions) return;
        register_set general;
        for (const auto& [number, written] : one.general)
            general.general[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << (number % 64);
        found.general[i] = registers_text(general);
        found.counts[i] = one.live;
    });
    for (std::size_t at = 0; at < said.output.size();) {
        const std::size_t end = std::min(said.output.find('\n', at), said.output.size());
        reader.line(std::string_view(said.output).substr(at, end - at));
        at = end + 1;
    }
    EXPECT_EQ(reader.not_understood(), 0u);
    return found;
}

TEST(life_ranges, the_expected_live_registers_are_those_of_nvdisasm)
{
    const std::filesystem::path nvdisasm = find_nvdisasm_if_any({});
    if (nvdisasm.empty()) GTEST_SKIP() << "no nvdisasm: pip install nvidia-cuda-nvdisasm";
    std::optional<toolchain> tools;
    try {
        tools = find_toolchain();
    } catch (const error& none) {
        GTEST_SKIP() << none.what();
    }
    const temporary_directory folder;
    const std::filesystem::path source = folder.path() / "k.cu", cubin = folder.path() / "k.cubin";
    write_file_atomically(source, "extern \"C\" __global__ void k(int* p) { *p = 1; }\n");
    const subprocess_result compiled =
        run({tools->nvcc.string(), "-cubin", "-arch=sm_90", "-o", cubin.string(), source.string()},
            {.directory = {}, .environment = tools->environment});
    ASSERT_EQ(compiled.exit_code, 0) << compiled.output;
    const std::string image(mapped_file(cubin.string()).bytes());
    for (const tiny_program& program : tiny_programs) {
        const std::string code = tiny_code(program.text).bytes();
        write_file_atomically(cubin, image_with(image, code, program.listed_exit));
        const seen said = ask(nvdisasm, cubin, code.size() / 16);
        std::size_t i = 0, at = 0;
        while (at <= program.live.size() && i < said.general.size()) {
            const std::size_t end = std::min(program.live.find('|', at), program.live.size());
            const std::string_view live = program.live.substr(at, end - at);
            // General registers by number; of the others only the count.
            std::string general;
            std::array<int, 4> counts{};
            for (std::size_t word = 0; word < live.size();) {
                const std::size_t space = std::min(live.find(' ', word), live.size());
                const std::string_view name = live.substr(word, space - word);
                const std::size_t file = name.starts_with("UP")   ? 3
                                         : name.starts_with("UR") ? 2
                                         : name[0] == 'P'         ? 1
                                                                  : 0;
                ++counts[file];
                if (file == 0) general += (general.empty() ? "" : " ") + std::string(name);
                word = space + 1;
            }
            EXPECT_EQ(said.general[i], general) << program.name << ", instruction " << i;
            EXPECT_EQ(said.counts[i], counts) << program.name << ", instruction " << i;
            ++i;
            at = end + 1;
        }
        EXPECT_EQ(i * 16, code.size()) << program.name;
    }
}

}  // namespace

}  // namespace launchbox
