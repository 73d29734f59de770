// The rules of the log reader one by one, and invariants that hold for any text.
#include "compiler/log/resource_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "describe.hpp"
#include "scale.hpp"
#include "support/files/files.hpp"

using namespace launchbox;

namespace {

using text_list = std::vector<std::string>;

const std::string folder = LAUNCHBOX_SOURCE_DIR "/tests/data/logs/";

text_list log_names()
{
    text_list names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".log") names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

// A report of one kernel with the given "Used" line.
std::string report(const std::string& used, const std::string& architecture = "sm_80")
{
    return "ptxas info    : Compiling entry function 'k' for '" + architecture +
           "'\nptxas info    : Function properties for k\n"
           "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : " +
           used + "\n";
}

// Whether the kernel has no report: its place is that of the warning.
bool is_told_by_warnings(const kernel_info& kernel)
{
    return !kernel.figures.registers && !kernel.figures.barriers && !kernel.warnings.empty();
}

kernel_info only_kernel(const std::string& text)
{
    const resource_log log = parse_resource_log(text, "log");
    EXPECT_EQ(log.kernels.size(), 1u);
    EXPECT_EQ(describe_all(log.diagnostics), text_list{});
    EXPECT_FALSE(log.ends_inside_a_report);
    return log.kernels.empty() ? kernel_info{} : log.kernels.front();
}

TEST(ResourceLog, RecordsWhereAKernelWasFound)
{
    EXPECT_EQ(only_kernel(report("Used 8 registers")).source, (kernel_source{"log", "ptxas log", "line 1"}));
    const resource_log linked = parse_resource_log(
        "\nnvlink info    : Function properties for 'k':\nnvlink info    : used 8 registers, 0 stack, 0 bytes lmem\n",
        "-");
    ASSERT_EQ(linked.kernels.size(), 1u);
    EXPECT_EQ(linked.kernels.front().source, (kernel_source{"-", "nvlink log", "line 2"}));
}

TEST(ResourceLog, AMissingFieldMeansZeroOnlyForSharedMemory)
{
    const kernel_info kernel = only_kernel(report("Used 8 registers"));
    EXPECT_EQ(kernel.figures.registers, 8);
    EXPECT_EQ(kernel.figures.static_shared_bytes, 0);
    EXPECT_EQ(kernel.figures.barriers, std::nullopt);
    EXPECT_EQ(kernel.figures.cumulative_stack_bytes, std::nullopt);
    EXPECT_EQ(kernel.figures.reserved_shared_bytes, std::nullopt);
    EXPECT_EQ(kernel.bounds.max_threads, std::nullopt);
    EXPECT_TRUE(kernel.figures.constant_banks.empty());
}

TEST(ResourceLog, BarriersOfZeroArePrinted)
{
    EXPECT_EQ(only_kernel(report("Used 8 registers, used 0 barriers")).figures.barriers, 0);
}

TEST(ResourceLog, AddsTheReservedSharedMemory)
{
    EXPECT_EQ(only_kernel(report("Used 47 registers, 60+0 bytes lmem, 28+16 bytes smem")).figures.static_shared_bytes,
              44);
}

TEST(ResourceLog, BanksAreInAscendingOrder)
{
    EXPECT_EQ(only_kernel(report("Used 8 registers, 5 bytes cmem[14], 3 bytes cmem[0]")).figures.constant_banks,
              (std::vector<constant_bank>{{0, 3}, {14, 5}}));
}

TEST(ResourceLog, ReservedSharedMemoryOfTheLinkerIsSubtractedFor90Only)
{
    const auto linked = [](const std::string& target, const std::string& bytes) {
        return parse_resource_log("nvlink info    : Function properties for 'k': " + target +
                                      "\nnvlink info    : used 8 registers, 0 stack, " + bytes +
                                      " bytes smem, 0 bytes lmem " + target + "\n",
                                  "log");
    };
    const kernel_info on_90a = linked("(target: sm_90a)", "1124").kernels.at(0);
    EXPECT_EQ(on_90a.figures.static_shared_bytes, 100);
    EXPECT_EQ(on_90a.figures.reserved_shared_bytes, 1024);
    EXPECT_EQ(linked("(target: sm_90)", "0").kernels.at(0).figures.static_shared_bytes, 0);
    EXPECT_EQ(linked("(target: sm_100)", "1124").kernels.at(0).figures.static_shared_bytes, 1124);
    EXPECT_EQ(linked("(target: sm_100)", "1124").kernels.at(0).figures.reserved_shared_bytes, std::nullopt);
    EXPECT_EQ(linked("", "1024").kernels.at(0).figures.static_shared_bytes, 1024);  // sm_90 would print more
    EXPECT_EQ(linked("", "1124").kernels.at(0).figures.static_shared_bytes, std::nullopt);
    EXPECT_EQ(linked("", "1124").diagnostics.size(), 1u);
}

TEST(ResourceLog, ALineCutByTheEndOfTheLogGivesOnlyCertainFigures)
{
    std::string text = report("Used 8 registers");
    text.pop_back();
    const resource_log cut = parse_resource_log(text, "log");
    EXPECT_EQ(cut.kernels.at(0).figures.registers, 8);
    EXPECT_EQ(cut.kernels.at(0).figures.static_shared_bytes, std::nullopt);
    EXPECT_TRUE(cut.ends_inside_a_report);

    // The banks come after the shared memory, so this line is complete.
    text = report("Used 8 registers, 360 bytes cmem[0]");
    text.pop_back();
    EXPECT_EQ(only_kernel(text).figures.static_shared_bytes, 0);
}

TEST(ResourceLog, TheSameKernelForTwoArchitecturesIsTwoKernels)
{
    const resource_log log = parse_resource_log(report("Used 8 registers") + report("Used 9 registers", "sm_90a"), "");
    ASSERT_EQ(log.kernels.size(), 2u);
    EXPECT_EQ(log.kernels[0].architecture, "sm_80");
    EXPECT_EQ(log.kernels[1].architecture, "sm_90a");
    EXPECT_EQ(log.kernels[1].figures.registers, 9);
}

TEST(ResourceLog, ConcurrentReportsForTwoArchitecturesAreNotGuessed)
{
    const std::string text =
        "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
        "ptxas info    : Function properties for k\n"
        "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 10 registers, used 0 barriers\n"
        "ptxas info    : Function properties for k\n"
        "    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 20 registers, used 0 barriers\n";
    // The first properties follow the line of sm_90, but may belong to the other architecture.
    const resource_log log = parse_resource_log(text, "");
    ASSERT_EQ(log.kernels.size(), 2u);
    for (const kernel_info& kernel : log.kernels) {
        EXPECT_EQ(kernel.figures.registers, std::nullopt);
        EXPECT_EQ(kernel.figures.stack_frame_bytes, std::nullopt);
    }
    EXPECT_FALSE(log.diagnostics.empty());
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLog, AMissingUsedLineIsNotReplacedByThatOfTheNextKernel)
{
    const auto begin = [](const std::string& name) {
        return "ptxas info    : Compiling entry function '" + name +
               "' for 'sm_80'\nptxas info    : Function properties for " + name +
               "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
    };
    const std::string used = "ptxas info    : Used 8 registers\n", time = "ptxas info    : Compile time = 1 ms\n";
    // The second "Used" line may belong to any of the three.
    const resource_log log =
        parse_resource_log(begin("first") + begin("second") + used + begin("third") + time + used + used, "");
    for (const kernel_info& kernel : log.kernels) EXPECT_EQ(kernel.figures.registers, std::nullopt) << kernel.name;
    EXPECT_EQ(log.diagnostics.size(), 2u);
    EXPECT_FALSE(log.ends_inside_a_report);
}

TEST(ResourceLog, OneLostLineCostsOneReport)
{
    const std::string lost =
        "ptxas info    : Compiling entry function 'lost' for 'sm_80'\n"
        "ptxas info    : Function properties for lost\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
    std::string text = lost;
    for (int i = 10; i < 14; ++i) text += report("Used " + std::to_string(i) + " registers");
    const resource_log log = parse_resource_log(text, "");
    ASSERT_EQ(log.kernels.size(), 5u);
    EXPECT_EQ(log.kernels[0].figures.registers, std::nullopt);
    EXPECT_EQ(log.kernels[1].figures.registers, std::nullopt);
    EXPECT_EQ(log.kernels[2].figures.registers, 11);
    EXPECT_EQ(log.kernels[4].figures.registers, 13);
    EXPECT_EQ(log.diagnostics.size(), 1u);
}

TEST(ResourceLog, TwoUsedLinesInARowInvalidateTheFirst)
{
    const resource_log log = parse_resource_log(report("Used 8 registers") + "ptxas info    : Used 9 registers\n", "");
    EXPECT_EQ(log.kernels.at(0).figures.registers, std::nullopt);
    EXPECT_EQ(describe_all(log.diagnostics), text_list{"5: a \"Used\" line that belongs to no entry function"});
}

TEST(ResourceLog, AUsedLineOfANewModuleInvalidatesNothing)
{
    const resource_log log = parse_resource_log(
        report("Used 8 registers") + "ptxas info    : 0 bytes gmem\nptxas info    : Used 9 registers\n", "");
    EXPECT_EQ(log.kernels.at(0).figures.registers, 8);
    EXPECT_EQ(log.diagnostics.size(), 1u);
}

TEST(ResourceLog, WarningsAreAddedToTheNextReportOfTheirKernel)
{
    const std::string warning =
        "ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored\n";
    const resource_log log =
        parse_resource_log(report("Used 8 registers") + warning + report("Used 8 registers", "sm_90"), "");
    EXPECT_TRUE(log.kernels.at(0).warnings.empty());
    EXPECT_EQ(log.kernels.at(1).warnings.size(), 1u);
    EXPECT_EQ(log.messages.at(0).kernel, "k");
}

TEST(ResourceLog, ReadsPlacesInSources)
{
    const auto message = [](const std::string& line) {
        const resource_log log = parse_resource_log(line, "");
        return log.messages.size() == 1 ? describe(log.messages[0]) : std::to_string(log.messages.size());
    };
    EXPECT_EQ(message("foo.cu(12): error: bad"), "1 front end error foo.cu:12: bad");
    EXPECT_EQ(message("a b;$(x).cu(1): error: bad"), "1 front end error a b;$(x).cu:1: bad");
    EXPECT_EQ(message("foo.cu(12): catastrophic error: cannot open"), "1 front end error foo.cu:12: cannot open");
    EXPECT_EQ(message("C:\\x\\foo.cu(12,3): error C2065: bad"), "1 front end error C:\\x\\foo.cu:12: bad");
    EXPECT_EQ(message("foo.cu:12:5: warning: odd [-Wodd]"), "1 front end warning foo.cu:12: odd [-Wodd]");
    EXPECT_EQ(message("foo.cu:12: error: bad"), "1 front end error foo.cu:12: bad");
    EXPECT_EQ(message("cc1plus: fatal error: x.cu: none"), "1 front end error: cc1plus: fatal error: x.cu: none");
    EXPECT_EQ(message("ptxas a, b.ptx, line 3; warning : odd"), "1 ptxas warning a, b.ptx:3: odd");
    EXPECT_EQ(message("nvcc fatal   : Unknown option"), "1 nvcc error: Unknown option");
    EXPECT_EQ(message("nvcc error   : 'ptxas' died due to signal 11"), "1 nvcc error: 'ptxas' died due to signal 11");
    EXPECT_EQ(message("foo.cu(12): note #2-D: see"), "0");
    EXPECT_EQ(message("there was an error: none"), "0");
}

TEST(ResourceLog, ReadsEveryUsedLineOfTheFilesInOrder)
{
    for (const std::string& name : log_names()) {
        // These have lines of no known kernel, or "Used" lines in another order than the kernels.
        if (name == "historical_truncated.log" || name == "interleaved.log") continue;
        const std::string text = read_input(folder + name);
        std::vector<int> expected;
        for (std::size_t at = text.find(" registers"); at != std::string::npos; at = text.find(" registers", at + 1))
            expected.push_back(std::stoi(text.substr(text.rfind(' ', at - 1), at)));
        std::vector<int> found;
        for (const kernel_info& kernel : parse_resource_log(text, name).kernels)
            if (!is_told_by_warnings(kernel)) found.push_back(kernel.figures.registers.value_or(-1));
        EXPECT_EQ(found, expected) << name;
    }
}

TEST(ResourceLog, SeveralArchitecturesRepeatTheirKernels)
{
    const resource_log log = parse_resource_log(read_input(folder + "several_architectures.log"), "");
    std::map<std::string, int> warned, kernels;
    for (const kernel_info& kernel : log.kernels) {
        ++kernels[kernel.architecture];
        warned[kernel.architecture] += static_cast<int>(kernel.warnings.size());
    }
    EXPECT_EQ(kernels, (std::map<std::string, int>{{"sm_80", 7}, {"sm_90", 7}, {"sm_120", 7}}));
    EXPECT_EQ(warned, (std::map<std::string, int>{{"sm_80", 3}, {"sm_90", 3}, {"sm_120", 3}}));
}

TEST(ResourceLog, ConcurrentCompilersAreKeptApart)
{
    const resource_log log = parse_resource_log(read_input(folder + "parallel.log"), "");
    std::map<std::string, std::set<std::string>> figures;
    std::map<std::string, int> warned;
    for (kernel_info kernel : log.kernels) {
        warned[kernel.name] += static_cast<int>(kernel.warnings.size());
        kernel.source = {};
        kernel.warnings.clear();
        if (kernel.figures.registers) figures[kernel.name].insert(describe(kernel));
    }
    EXPECT_EQ(log.kernels.size(), 90u);
    EXPECT_EQ(figures.size(), 15u);
    for (const auto& [name, different] : figures) EXPECT_EQ(different.size(), 1u) << name;
    for (const auto& [name, count] : warned)
        EXPECT_EQ(count,
                  name == "too_many_threads" || name == "too_many_blocks" || name == "limited_below_range" ? 6 : 0);
    EXPECT_FALSE(log.ends_inside_a_report);
}

// Compares a value from the whole log with that from a prefix: it must be equal or unknown.
template <class T>
bool is_part(const std::optional<T>& prefix, const std::optional<T>& whole)
{
    return !prefix || prefix == whole;
}

bool is_part(const kernel_info& prefix, const kernel_info& whole)
{
    return prefix.name == whole.name && (prefix.architecture == whole.architecture || prefix.architecture.empty()) &&
           prefix.source == whole.source && is_part(prefix.figures.registers, whole.figures.registers) &&
           is_part(prefix.figures.barriers, whole.figures.barriers) &&
           is_part(prefix.figures.static_shared_bytes, whole.figures.static_shared_bytes) &&
           is_part(prefix.figures.stack_frame_bytes, whole.figures.stack_frame_bytes) &&
           is_part(prefix.figures.spill_store_bytes, whole.figures.spill_store_bytes) &&
           is_part(prefix.figures.spill_load_bytes, whole.figures.spill_load_bytes) &&
           is_part(prefix.figures.cumulative_stack_bytes, whole.figures.cumulative_stack_bytes) &&
           prefix.figures.constant_banks.size() <= whole.figures.constant_banks.size();
}

// Whether the text, which ends at a line's end, ends inside a report: one has begun and its last line is missing.
bool is_inside_report(std::string_view text)
{
    const auto count = [&](std::string_view words) {
        int found = 0;
        for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) ++found;
        return found;
    };
    return count("info    : Compiling entry") + count("nvlink info    : Function properties") >
               count("ptxas info    : Used") + count("nvlink info    : used") ||
           count("Function properties") > count("bytes stack frame") + count("nvlink info    : used");
}

TEST(ResourceLog, APrefixGivesNothingThatTheWholeLogDoesNot)
{
    for (const std::string& name : log_names()) {
        const std::string text = read_input(folder + name);
        const resource_log whole = parse_resource_log(text, name);
        const std::size_t step = text.size() < 4096 ? 1 : 37;
        for (std::size_t size = 0; size < text.size(); size += step) {
            const resource_log part = parse_resource_log(text.substr(0, size), name);
            const auto told = static_cast<std::size_t>(std::ranges::count_if(part.kernels, is_told_by_warnings));
            ASSERT_LE(part.kernels.size() - told, whole.kernels.size()) << name << " to " << size;
            for (std::size_t i = 0; i < std::min(part.kernels.size(), whole.kernels.size()); ++i) {
                // A second "Used" line invalidates the first.
                const bool taken_back = part.kernels[i].figures.registers && !whole.kernels[i].figures.registers;
                // Figures of a warning move to its kernel's report when that is read.
                const bool moved = is_told_by_warnings(part.kernels[i]) &&
                                   std::ranges::count(whole.kernels, part.kernels[i].name, &kernel_info::name) > 0;
                ASSERT_TRUE(taken_back || moved || is_part(part.kernels[i], whole.kernels[i]))
                    << name << " to " << size << "\n"
                    << describe(part.kernels[i]) << "\n"
                    << describe(whole.kernels[i]);
            }
        }
    }
}

TEST(ResourceLog, DetectsWhereALogWasCut)
{
    for (const std::string& name : log_names()) {
        // Written by hand in other forms, or with unreadable lines.
        if (name.starts_with("historical_") || name == "build_noise.log" || name == "parallel.log") continue;
        const std::string text = read_input(folder + name);
        for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) {
            const std::string part = text.substr(0, end + 1);
            ASSERT_EQ(parse_resource_log(part, name).ends_inside_a_report, is_inside_report(part))
                << name << " to " << end;
        }
    }
}

TEST(ResourceLog, JunkIsReadSafely)
{
    const std::uint64_t seed = random_seed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    text_list logs;
    for (const std::string& name : log_names()) logs.push_back(read_input(folder + name));

    for (int round = 0; round < 2000; ++round) {
        std::string text = logs[below(logs.size())].substr(0, 4096);
        const std::string other = logs[below(logs.size())];
        for (std::size_t change = below(20); change > 0 && !text.empty(); --change) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
                case 0:
                    text[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    text.erase(at, below(200));
                    break;
                case 2:
                    text.insert(at, other.substr(below(other.size()), below(200)));
                    break;
                case 3:
                    text.insert(at, std::to_string(random()));
                    break;
            }
        }
        const resource_log log = parse_resource_log(text, "junk");
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
        // Lines that ran together are split where the name of a tool begins the next.
        std::size_t starts = lines;
        for (const std::string_view tool : {"ptxas", "nvlink"})
            for (std::size_t at = text.find(tool); at != std::string::npos; at = text.find(tool, at + 1)) ++starts;
        ASSERT_LE(log.kernels.size(), starts);
        for (const kernel_info& kernel : log.kernels) {
            ASSERT_FALSE(kernel.name.empty());
            ASSERT_GE(kernel.figures.registers.value_or(0), 0);
            ASSERT_GE(kernel.figures.static_shared_bytes.value_or(0), 0);
        }
        for (const log_diagnostic& diagnostic : log.diagnostics) ASSERT_LE(diagnostic.line, lines);
    }
}

}  // namespace
