// Live registers by our own decoder against those of nvdisasm, at every instruction of kernels in any files.
//
//     live_registers_differences [--nvdisasm PATH] [--every N] [--at-most BYTES] [--show N] [-o RECORD.json] FILE...
//
// Takes every Nth kernel of each image, without kernels of more than BYTES of code. Compares the number of live
// registers in each of the four files, and which general registers are live. Prints a row for each architecture; exit
// status 1 if a kernel that we call exact differs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "compiler/disassembly/nvdisasm.hpp"
#include "image/binary.hpp"
#include "image/code/live_code.hpp"
#include "image/code/live_registers.hpp"
#include "image/container/elf.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox::bench {

namespace {

struct sums {
    std::size_t kernels = 0, instructions = 0, unsure_kernels = 0;
    std::size_t kernels_that_differ = 0, instructions_that_differ = 0, unsure_that_differ = 0;
    std::size_t of_calls = 0, of_unknown = 0, of_targets = 0, of_masks = 0, not_shown = 0;
};

struct options {
    std::string nvdisasm;
    std::size_t every = 1;
    std::int64_t at_most = 1 << 20;
    int show = 5;
};

class comparison {
public:
    comparison(const options& with) : with_(with) {}

    void examine(const cubin_examination& cubin);
    bool print() const;
    void write(const std::string& file, const std::vector<std::string>& files) const;

private:
    void ask(const cubin_examination& cubin, const elf_image& image, int sm,
             const std::function<bool(std::size_t)>& wanted);
    void compare(const cubin_examination& cubin, const disassembled_kernels& batch, const elf_image& image, int sm);

    const options& with_;
    std::mutex busy_;
    std::map<int, sums> of_architecture_;
    int shown_ = 0;
};

// nvdisasm only tracks UR4 to UR62.
int uniform_that_nvdisasm_counts(const register_set& live)
{
    constexpr std::uint64_t counted = 0x7ffffffffffffff0;
    return std::popcount(live.uniform[0] & counted);
}

bool has_calls(const kernel_info& kernel, std::string_view code, const elf_image& image, int sm)
{
    const code_marks marks = code_marks_of(image, kernel.name, kernel.figures.registers.value_or(0));
    return find_live_registers(code, sm, marks).doubts.calls > 0;
}

void comparison::examine(const cubin_examination& cubin)
{
    std::vector<image_diagnostic> ignored;
    const std::optional<elf_image> image = read_elf(cubin.bytes, ignored);
    if (!image || !cubin.kernels.front().capability) return;
    const int sm = cubin.kernels.front().capability->number();
    if (!operand_decoder(sm).supported()) return;
    std::size_t index = std::hash<std::string>()(cubin.kernels.front().name) % with_.every;
    std::vector<bool> wanted;
    for (const kernel_info& kernel : cubin.kernels)
        wanted.push_back(index++ % with_.every == 0 && kernel.figures.code_bytes.value_or(0) <= with_.at_most);
    // For nvdisasm, the registers that a call changes depend on the other kernels in the query, so ask about these
    // alone.
    for (std::size_t k = 0; k < cubin.kernels.size(); ++k) {
        if (!wanted[k] || !has_calls(cubin.kernels[k], image->sections[cubin.sections[k]].content, *image, sm))
            continue;
        wanted[k] = false;
        ask(cubin, *image, sm, [&, k](std::size_t other) { return other == k; });
    }
    ask(cubin, *image, sm, [&](std::size_t k) { return wanted[k]; });
}

void comparison::ask(const cubin_examination& cubin, const elf_image& image, int sm,
                     const std::function<bool(std::size_t)>& wanted)
{
    const kernel_info* const first = cubin.kernels.data();
    disassemble(
        cubin, {with_.nvdisasm, {"--print-life-ranges", "--life-range-mode", "narrow"}},
        [&](const kernel_info& kernel) { return wanted(static_cast<std::size_t>(&kernel - first)); },
        [&](const disassembled_kernels& batch) {
            const std::lock_guard alone(busy_);
            compare(cubin, batch, image, sm);
        });
}

void comparison::compare(const cubin_examination& cubin, const disassembled_kernels& batch, const elf_image& image,
                         int sm)
{
    struct found {
        live_code live;
        std::size_t kernel = 0, seen = 0, differing = 0;
    };
    std::unordered_map<std::string, found> ours;
    sums& sum = of_architecture_[sm];
    for (const std::size_t k : batch.kernels) {
        const std::string_view code = image.sections[cubin.sections[k]].content;
        const kernel_info& kernel = cubin.kernels[k];
        const code_marks marks = code_marks_of(image, kernel.name, kernel.figures.registers.value_or(0));
        ours.emplace(".text." + kernel.name, found{find_live_registers(code, sm, marks), k});
    }
    life_range_reader reader([&](const live_instruction& one) {
        const auto at = ours.find(std::string(one.section));
        if (at == ours.end() || one.byte / 16 >= at->second.live.live.size()) return;
        found& mine = at->second;
        ++mine.seen;
        const register_set& live = mine.live.live[one.byte / 16];
        register_set general;
        for (const auto& [number, is_written] : one.general)
            general.general[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << (number % 64);
        const bool same = general.general == live.general && one.live[1] == live.predicate_count() &&
                          one.live[2] == uniform_that_nvdisasm_counts(live) &&
                          one.live[3] == live.uniform_predicate_count();
        if (same) return;
        if (mine.differing++ > 0 || shown_ >= with_.show) return;
        ++shown_;
        std::printf("  sm_%d %.60s at %#llx: nvdisasm %d %d %d %d, ours %d %d %d %d;", sm, at->first.c_str() + 6,
                    static_cast<unsigned long long>(one.byte), one.live[0], one.live[1], one.live[2], one.live[3],
                    live.general_count(), live.predicate_count(), uniform_that_nvdisasm_counts(live),
                    live.uniform_predicate_count());
        for (int r = 0; r < 255; ++r) {
            const bool theirs = general.general[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1;
            const bool mines = live.general[static_cast<std::size_t>(r) / 64] >> (r % 64) & 1;
            if (theirs != mines) std::printf(" %cR%d", theirs ? '-' : '+', r);
        }
        std::printf("; %zu unknown (%03x), %zu calls, %zu targets\n", mine.live.doubts.unknown_instructions,
                    mine.live.doubts.first_unknown, mine.live.doubts.calls, mine.live.doubts.unknown_targets);
    });
    batch.for_each_line([&](std::string_view line) { reader.line(line); });
    for (const auto& [name, mine] : ours) {
        const live_doubts& doubts = mine.live.doubts;
        ++sum.kernels;
        if (mine.seen == 0) ++sum.not_shown;
        sum.instructions += mine.seen;
        sum.of_calls += doubts.calls > 0;
        sum.of_unknown += doubts.unknown_instructions > 0;
        sum.of_targets += doubts.unknown_targets > 0;
        sum.of_masks += doubts.predicate_masks > 0;
        sum.unsure_kernels += doubts.any();
        if (mine.differing == 0) continue;
        (doubts.any() ? sum.unsure_that_differ : sum.kernels_that_differ) += 1;
        sum.instructions_that_differ += mine.differing;
    }
}

bool comparison::print() const
{
    std::printf("%6s %8s %12s %9s %12s | %8s (%s, %s, %s, %s) %s | %s\n", "arch", "kernels", "instructions",
                "exact!=", "instr !=", "approx.", "calls", "opcodes", "targets", "masks", "approx!=", "not shown");
    bool same = true;
    for (const auto& [sm, sum] : of_architecture_) {
        std::printf("%6d %8zu %12zu %9zu %12zu | %8zu (%zu, %zu, %zu, %zu) %zu | %zu\n", sm, sum.kernels,
                    sum.instructions, sum.kernels_that_differ, sum.instructions_that_differ, sum.unsure_kernels,
                    sum.of_calls, sum.of_unknown, sum.of_targets, sum.of_masks, sum.unsure_that_differ, sum.not_shown);
        same &= sum.kernels_that_differ == 0;
    }
    return same;
}

void comparison::write(const std::string& file, const std::vector<std::string>& files) const
{
    nlohmann::ordered_json record{{"schema", "launchbox.record/1"},
                                  {"command", "bench/live_registers_differences"},
                                  {"every", with_.every},
                                  {"at_most_bytes", with_.at_most},
                                  {"files", nlohmann::ordered_json::array()},
                                  {"architectures", nlohmann::ordered_json::array()}};
    std::array<char, 16> date{};
    const std::time_t now = std::time(nullptr);
    std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
    record["date"] = date.data();
    for (const std::string& one : files) record["files"].push_back(std::filesystem::path(one).filename().string());
    for (const auto& [sm, sum] : of_architecture_)
        record["architectures"].push_back({{"architecture", "sm_" + std::to_string(sm)},
                                           {"kernels", sum.kernels},
                                           {"instructions", sum.instructions},
                                           {"exact_kernels", sum.kernels - sum.unsure_kernels},
                                           {"exact_kernels_that_differ", sum.kernels_that_differ},
                                           {"approximate_kernels", sum.unsure_kernels},
                                           {"approximate_kernels_that_differ", sum.unsure_that_differ},
                                           {"with_calls", sum.of_calls},
                                           {"with_unknown_instructions", sum.of_unknown},
                                           {"with_unknown_targets", sum.of_targets},
                                           {"with_predicate_masks", sum.of_masks}});
    std::ofstream(file) << record.dump(2) << "\n";
}

}  // namespace

}  // namespace launchbox::bench

int main(int count, char** words)
{
    using namespace launchbox;
    bench::options with;
    std::vector<std::string> files;
    std::string record;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--nvdisasm" && i + 1 < count)
            with.nvdisasm = words[++i];
        else if (word == "--every" && i + 1 < count)
            with.every = static_cast<std::size_t>(std::max(1, std::atoi(words[++i])));
        else if (word == "--at-most" && i + 1 < count)
            with.at_most = std::atoll(words[++i]);
        else if (word == "--show" && i + 1 < count)
            with.show = std::atoi(words[++i]);
        else if (word == "-o" && i + 1 < count)
            record = words[++i];
        else
            files.emplace_back(word);
    }
    if (with.nvdisasm.empty()) with.nvdisasm = find_nvdisasm({}).string();
    bench::comparison comparison(with);
    for (const std::string& file : files) {
        const mapped_file bytes(file);
        const binary_options read{.examine = [&](const cubin_examination& cubin) { comparison.examine(cubin); }};
        (void)read_binary(bytes.bytes(), file, read);
    }
    if (!record.empty()) comparison.write(record, files);
    return comparison.print() ? 0 : 1;
}
