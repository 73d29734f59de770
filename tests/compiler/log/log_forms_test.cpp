// Logs as people pass them on: with lines left out, in strings of other programs, copied from pages.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/log/resource_log.hpp"
#include "describe.hpp"

namespace launchbox {
namespace {

using line_list = std::vector<std::string>;

struct right_figures {
    int registers;
    std::int64_t stack, stores, loads;
};

const std::map<std::string, right_figures> right_of_forms{
    {"dot", {24, 0, 0, 0}}, {"gather", {26, 8, 4, 4}}, {"scan", {128, 96, 88, 104}}, {"tiles", {40, 16, 0, 0}}};

line_list log_lines(bool compile_time)
{
    line_list lines;
    for (const auto& [name, is] : right_of_forms) {
        lines.insert(lines.end(),
                     {"ptxas info    : Compiling entry function '" + name + "' for 'sm_86'",
                      "ptxas info    : Function properties for " + name,
                      "    " + std::to_string(is.stack) + " bytes stack frame, " + std::to_string(is.stores) +
                          " bytes spill stores, " + std::to_string(is.loads) + " bytes spill loads",
                      "ptxas info    : Used " + std::to_string(is.registers) +
                          " registers, used 1 barriers, 364 bytes cmem[0]"});
        if (compile_time) lines.emplace_back("ptxas info    : Compile time = 3.100 ms");
    }
    return lines;
}

std::string joined_lines(const line_list& lines, const std::string& end = "\n")
{
    std::string text;
    for (const std::string& line : lines) text += line + end;
    return text;
}

// Counts the known figures; a wrong figure is a test failure.
int known_figures(const resource_log& log)
{
    int known = 0;
    for (const kernel_info& kernel : log.kernels) {
        const auto right = right_of_forms.find(kernel.name);
        if (right == right_of_forms.end()) {
            ADD_FAILURE() << "a kernel of no log: " << kernel.name;
            continue;
        }
        const right_figures& is = right->second;
        for (const auto& [found, figure] :
             {std::pair<std::optional<std::int64_t>, std::int64_t>{kernel.figures.registers, is.registers},
              {kernel.figures.stack_frame_bytes, is.stack},
              {kernel.figures.spill_store_bytes, is.stores},
              {kernel.figures.spill_load_bytes, is.loads}}) {
            known += found ? 1 : 0;
            if (found) {
                EXPECT_EQ(*found, figure) << kernel.name;
            }
        }
    }
    return known;
}

constexpr int count_of_forms = 16;

TEST(log_forms, with_lines_left_out_no_kernel_gets_anothers_figures)
{
    for (const bool compile_time : {true, false}) {
        const line_list whole = log_lines(compile_time);
        for (const char* mark : {"...", "  [...]", "(\u2026)", "<snip>"}) {
            int known = 0;
            for (std::size_t from = 0; from < whole.size(); ++from)
                for (std::size_t to = from + 1; to <= whole.size(); ++to) {
                    SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
                    line_list lines(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(from));
                    lines.emplace_back(mark);
                    lines.insert(lines.end(), whole.begin() + static_cast<std::ptrdiff_t>(to), whole.end());
                    known += known_figures(parse_resource_log(joined_lines(lines), ""));
                }
            EXPECT_GT(known, 500) << mark;  // complete reports before and after are read
        }
    }
}

// Without a mark of the omission, if the rest contradicts itself: lines `from` to `to` of the log are missing.
TEST(log_forms, a_report_that_lacks_what_the_others_have_is_rejected)
{
    const line_list whole = log_lines(false);
    for (const auto& [from, to] :
         {std::pair<std::size_t, std::size_t>{1, 7}, {2, 5}, {2, 7}, {3, 5}, {3, 6}, {1, 11}}) {
        SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
        line_list lines = whole;
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.begin() + static_cast<std::ptrdiff_t>(to));
        const resource_log log = parse_resource_log(joined_lines(lines), "");
        EXPECT_LT(known_figures(log), count_of_forms);
        EXPECT_FALSE(log.diagnostics.empty());
    }
}

// If all reports lack the same lines, they were filtered by a search.
TEST(log_forms, lines_filtered_by_a_search_are_read)
{
    for (const char* taken : {"bytes stack frame", "Function properties"}) {
        line_list lines = log_lines(false);
        std::erase_if(lines, [&](const std::string& line) {
            return line.find(taken) != std::string::npos || line.find("stack frame") != std::string::npos;
        });
        const resource_log log = parse_resource_log(joined_lines(lines), "");
        EXPECT_EQ(known_figures(log), 4) << taken;
        EXPECT_EQ(describe_all(log.diagnostics), std::vector<std::string>{}) << taken;
    }
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

TEST(log_forms, embedded_in_other_output_they_give_the_same)
{
    const line_list lines = log_lines(true);
    const std::string text = joined_lines(lines);
    std::string records;
    for (const std::string& line : lines)
        records += "{\"log\":\"" + line + "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-05T12:00:01.5Z\"}\n";
    for (const auto& [form, log] : std::map<std::string, std::string>{
             {"records of a container", records},
             {"a string of JSON", "{\"output\": \"" + joined_lines(lines, "\\n") + "\", \"status\": 0}\n"},
             {"bytes of Python", "b\"" + joined_lines(lines, "\\r\\n") + "\"\n"},
             {"a list of strings", "['" + joined_lines(lines, "\\n', '") + "']\n"},
             {"a page", joined_lines(lines, "<br>")},
             {"a page with line ends", joined_lines(lines, "<br/>\n")},
             {"line ends lost", joined_lines(lines, " ") + "\n"},
             {"quotes of a page", replaced(text, "'", "&#39;")},
             {"quotes of a word processor",
              replaced(replaced(text, "'dot'", "\u2018dot\u2019"), "'sm_86'", "\u2018sm_86\u2019")},
             {"blanks that do not break", replaced(text, "    ", "\u00a0\u00a0\u00a0 ")}}) {
        const resource_log read = parse_resource_log(log, "");
        EXPECT_EQ(known_figures(read), count_of_forms) << form;
        EXPECT_EQ(describe_all(read.diagnostics), std::vector<std::string>{}) << form;
        for (const kernel_info& kernel : read.kernels) EXPECT_EQ(kernel.figures.static_shared_bytes, 0) << form;
    }
}

TEST(log_forms, a_path_does_not_end_a_line)
{
    const resource_log log = parse_resource_log(
        "D:\\nightly\\ptxas info    : Compiling entry function 'dot' for 'sm_86'\n"
        "D:\\nightly\\ptxas info    : Used 24 registers, 364 bytes cmem[0]\n",
        "");
    EXPECT_EQ(known_figures(log), 1);
}

std::string wrapped(const line_list& lines, const std::string& prefix, std::size_t width, bool at_blanks)
{
    std::string text;
    for (const std::string& line : lines) {
        for (std::size_t from = 0; from < line.size();) {
            std::size_t size = std::min(width - prefix.size(), line.size() - from);
            if (at_blanks && from + size < line.size())
                if (const std::size_t blank = line.rfind(' ', from + size); blank > from && blank != std::string::npos)
                    size = blank - from;
            text += prefix + line.substr(from, size) + "\n";
            from += size + (at_blanks && from + size < line.size() && line[from + size] == ' ' ? 1 : 0);
        }
    }
    return text;
}

TEST(log_forms, wrapped_lines_are_joined)
{
    const std::string name = "_ZN7project6detail12fused_kernelILi128ELi64ELb1EfEEvPKfS3_Pfiiiiiiii";
    const line_list lines{
        "ptxas info    : Compiling entry function '" + name + "' for 'sm_86'",
        "ptxas info    : Function properties for " + name,
        "    1024 bytes stack frame, 512 bytes spill stores, 2048 bytes spill loads",
        "ptxas info    : Used 128 registers, used 1 barriers, 1024 bytes cumulative stack size, 40960 "
        "bytes smem, 456 bytes cmem[0], 8 bytes cmem[2]",
        "nvcc has said something else"};
    int right = 0;
    for (const char* prefix : {"", "> "}) {
        for (const bool at_blanks : {false, true}) {
            // Wrapped at blanks, longer names stay whole.
            for (std::size_t width = 50; width < 140; ++width) {
                const resource_log log = parse_resource_log(wrapped(lines, prefix, width, at_blanks), "");
                for (const kernel_info& kernel : log.kernels) {
                    const kernel_figures& is = kernel.figures;
                    EXPECT_EQ(kernel.name, name) << width;
                    EXPECT_EQ(is.registers.value_or(128), 128) << width;
                    EXPECT_EQ(is.static_shared_bytes.value_or(40960), 40960) << width;
                    EXPECT_EQ(is.stack_frame_bytes.value_or(1024), 1024) << width;
                    EXPECT_EQ(is.spill_load_bytes.value_or(2048), 2048) << width;
                    const bool whole = is.registers && is.static_shared_bytes && is.spill_load_bytes;
                    right += whole ? 1 : 0;
                    EXPECT_TRUE(whole || !log.diagnostics.empty()) << width;
                }
            }
        }
    }
    EXPECT_GT(right, 300);  // of 360
    // The next line belongs to another program.
    const resource_log log = parse_resource_log(
        "ptxas info    : Compiling entry function 'dot' for 'sm_86'\nkernels.cu\n"
        "ptxas info    : Used 24 registers, 364 bytes cmem[0]\n, done\n",
        "");
    EXPECT_EQ(known_figures(log), 1);
}

// A number at the end of another program's line is not the first number of a stack line.
TEST(log_forms, a_stack_line_may_be_wrapped_within_its_first_number)
{
    const std::string rest = " bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n";
    const auto stack_behind = [&](const std::string& prefix, const std::string& lines) {
        const std::string ptxas = prefix + "ptxas info    : ";
        const resource_log log = parse_resource_log(ptxas + "Compiling entry function 'k' for 'sm_86'\n" + ptxas +
                                                        "Function properties for k\n" + lines + rest + ptxas +
                                                        "Used 24 registers, 364 bytes cmem[0]\n",
                                                    "");
        EXPECT_EQ(log.kernels.at(0).figures.spill_load_bytes, 12) << lines;
        return log.kernels.at(0).figures.stack_frame_bytes;
    };
    EXPECT_EQ(stack_behind("", "    1\n024"), 1024);
    EXPECT_EQ(stack_behind("", "    10\r\n24"), 1024);
    EXPECT_EQ(stack_behind("", "ptxas         .     4\n0"), 40);
    EXPECT_EQ(stack_behind("[2/7] ", "[2/7]     4\n0"), 40);
    EXPECT_EQ(stack_behind("", "done: 4\n0"), 0);
    EXPECT_EQ(stack_behind("", "4\n0"), 0);
    EXPECT_EQ(stack_behind("", "    4\n    16"), 16);
    EXPECT_EQ(stack_behind("", "    4\nkernel.cu\n16"), 16);
}

// Two compilers wrote without waiting for the end of each other's line.
TEST(log_forms, lines_that_ran_together_are_split)
{
    const resource_log log = parse_resource_log(
        "ptxas info    : Compiling entry function 'ptxas info    : Compiling entry function 'dot' for 'sm_86'\n"
        "ptxas info    : Function properties for dot\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 24 registersptxas info    : 0 bytes gmem\n, 4096 bytes smem\n",
        "");
    EXPECT_EQ(known_figures(log), 4);
    ASSERT_EQ(log.kernels.size(), 1u);
    EXPECT_EQ(log.kernels[0].figures.static_shared_bytes, std::nullopt);
    EXPECT_FALSE(log.diagnostics.empty());
}

TEST(log_forms, a_long_line_takes_linear_time)
{
    for (const std::string unit :
         {"ptxas info    : x ", "nvlink info    : x ", "ptxas a.ptx, line 1; error   : x ", "ptxas x nvlink y ",
          "ptxas info    : Used 24 registers0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
          "1 bytes stack frame", "\\n", "<br>", "&lt;"}) {
        std::string text;
        while (text.size() < (2u << 20)) text += unit;
        EXPECT_TRUE(parse_resource_log(text, "").kernels.empty()) << unit;
    }
}

}  // namespace
}  // namespace launchbox
