#include "image/lines/line_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include "image/container/elf.hpp"
#include "image/cubin.hpp"
#include "toolkit.hpp"

namespace launchbox {

namespace {

// The kernels start on lines 4, 9 and 15, and begin with code of other functions.
const std::string several_lines = R"cuda(
__device__ inline float twice(float x) { return 2 * x; }
template <int n>
__global__ void power(float* p)
{
    for (int i = 0; i < n; ++i) p[threadIdx.x] *= twice(p[i]);
}

extern "C" __global__ void __launch_bounds__(128)
inlined_first(float* p)
{
    p[threadIdx.x] = twice(p[threadIdx.x]);
}

namespace {
__global__ void hidden(int* p) { p[threadIdx.x] = 1; }
}  // namespace
template __global__ void power<3>(float*);
void call(int* p) { hidden<<<1, 1>>>(p); }
)cuda";

std::map<std::string, int> lines_of(const std::string& image)
{
    std::map<std::string, int> lines;
    const cubin_contents cubin = read_cubin(image, "kernels.cu");
    EXPECT_TRUE(cubin.diagnostics.empty());
    for (const kernel_info& kernel : cubin.kernels) {
        const std::string name = kernel.name.find("hidden") != std::string::npos  ? "hidden"
                                 : kernel.name.find("power") != std::string::npos ? "power"
                                                                                  : kernel.name;
        lines[name] = kernel.analysis.written_at ? kernel.analysis.written_at->line : 0;
        if (kernel.analysis.written_at) {
            EXPECT_TRUE(kernel.analysis.written_at->file.ends_with("/kernels.cu")) << kernel.analysis.written_at->file;
        }
    }
    return lines;
}

TEST(line_table, gives_the_lines_of_kernels)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::map<std::string, int> expected{{"power", 4}, {"inlined_first", 10}, {"hidden", 16}};
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"-lineinfo"}, {"-lineinfo", "-rdc=true"}, {"-G"}})
        for (const char* architecture : {"sm_75", "sm_90", "sm_120"})
            EXPECT_EQ(lines_of(compile_cuda(several_lines, architecture, options).image), expected) << options.front();
    const std::map<std::string, int> nothing{{"power", 0}, {"inlined_first", 0}, {"hidden", 0}};
    EXPECT_EQ(lines_of(compile_cuda(several_lines, "sm_90").image), nothing);
}

// A unit with one folder, one file and the given program, as nvcc writes them.
std::string unit_of(const std::string& program, char version = 2)
{
    const std::string tables = std::string("\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01", 14) +
                               std::string("/src\0\0a.cu\0\x01\0\0\0", 15);
    std::string unit;
    const auto add = [&](std::size_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) unit += static_cast<char>(value >> (8 * i));
    };
    add(2 + 4 + tables.size() + program.size(), 4);
    unit += std::string({version, '\0'});
    add(tables.size(), 4);
    return unit + tables + program;
}

const std::string set_address("\x00\x09\x02\0\0\0\0\0\0\0\0", 11), end_sequence("\x00\x01\x01", 3),
    advance_4("\x03\x04", 2), copy("\x01", 1), inlined("\x00\x03\x90\x02\x00", 5), own("\x00\x03\x90\x00\x00", 5);

std::vector<line_of_function> functions_of(const std::string& section, std::vector<image_diagnostic>& diagnostics)
{
    std::vector<line_of_function> functions;
    read_line_table(section, 1000, diagnostics,
                    [&](const line_of_function& function) { functions.push_back(function); });
    return functions;
}

TEST(line_table, takes_the_first_row_of_the_function_itself)
{
    std::vector<image_diagnostic> diagnostics;
    const std::string section =
        unit_of(set_address + advance_4 + copy + advance_4 + copy + end_sequence) +
        unit_of(set_address + inlined + advance_4 + copy + own + advance_4 + copy + end_sequence);
    const auto functions = functions_of(section, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(functions[0].line, 5);
    EXPECT_EQ(source_path(functions[0]), "/src/a.cu");
    EXPECT_EQ(section.substr(functions[0].address_offset, 8), std::string(8, '\0'));
    EXPECT_EQ(section[functions[0].address_offset - 1], '\x02');
    EXPECT_EQ(functions[1].line, 9);
    EXPECT_EQ(section[functions[1].address_offset - 1], '\x02');
}

TEST(line_table, reports_what_it_cannot_read)
{
    const std::string whole = unit_of(set_address + advance_4 + copy + end_sequence);
    std::vector<image_diagnostic> diagnostics;
    EXPECT_TRUE(functions_of(whole.substr(0, whole.size() - 1), diagnostics).empty());
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].offset, 1000u);

    diagnostics.clear();
    EXPECT_TRUE(functions_of(unit_of(set_address + copy, '\5'), diagnostics).empty());
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].what, "line information of a version other than 2 to 4");

    // The unit after a damaged one is read.
    diagnostics.clear();
    EXPECT_EQ(functions_of(unit_of(std::string("\x00\x7f\x02", 3)) + whole, diagnostics).size(), 1u);
    EXPECT_EQ(diagnostics.size(), 1u);
}

TEST(line_table, survives_every_truncation_and_every_changed_byte)
{
    const std::string whole = unit_of(set_address + inlined + advance_4 + copy + own + copy + end_sequence);
    std::vector<image_diagnostic> diagnostics;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        functions_of(whole.substr(0, i), diagnostics);
        for (int value = 0; value < 256; ++value) {
            std::string changed = whole;
            changed[i] = static_cast<char>(value);
            for (const line_of_function& function : functions_of(changed, diagnostics)) {
                EXPECT_GE(function.line, 1);
                EXPECT_LE(function.address_offset, changed.size());
            }
        }
    }
    EXPECT_LE(diagnostics.size(), max_image_diagnostics + 1);
}

}  // namespace

}  // namespace launchbox
