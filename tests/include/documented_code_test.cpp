// The programs in README.md and docs compile unchanged: every cpp block that begins with a header of ours. If the
// header is a .hpp, the host compiler alone must suffice, without CUDA.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "scale.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string of_launchbox = "#include <launchbox/", of_algorithms = of_launchbox + "algorithms/";

struct documented_program {
    std::string place;  ///< file and line
    std::string name;   ///< file and number in it, which does not change if the text around it is edited
    std::string text;
    bool is_of_algorithms() const { return text.compare(0, of_algorithms.size(), of_algorithms) == 0; }
    bool is_first_of_all() const { return place.find("README.md:") != std::string::npos; }
    bool needs_cuda() const { return text.find(".cuh>") < text.find('\n'); }
    friend void PrintTo(const documented_program& program, std::ostream* out) { *out << program.place; }
};

void add_programs(const fs::path& file, std::vector<documented_program>& programs)
{
    const std::string begin = "```cpp\n", end = "```";
    const std::string text = read_input(file.string()), document = fs::relative(file, LAUNCHBOX_SOURCE_DIR).string();
    int number = 0;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        const std::size_t first = at + begin.size(), last = text.find(end, first);
        ASSERT_NE(last, std::string::npos) << file << ": a block without an end";
        if (text.compare(first, of_launchbox.size(), of_launchbox) != 0) continue;
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n') + 1;
        programs.push_back({document + ":" + std::to_string(line), document + "_" + std::to_string(++number),
                            text.substr(first, last - first)});
    }
}

std::vector<documented_program> documented_programs()
{
    std::vector<documented_program> programs;
    const fs::path root = LAUNCHBOX_SOURCE_DIR;
    add_programs(root / "README.md", programs);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") add_programs(entry.path(), programs);
    return programs;
}

class documented_code : public testing::TestWithParam<documented_program> {};

TEST_P(documented_code, compiles_unchanged)
{
    const documented_program& program = GetParam();
    const temporary_directory folder;
    if (!program.needs_cuda()) {
        const std::string source = (folder.path() / "program.cpp").string();
        write_file_atomically(source, program.text);
        const subprocess_result result = run({LAUNCHBOX_CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror",
                                              "-I" LAUNCHBOX_SOURCE_DIR "/include", "-fsyntax-only", source});
        EXPECT_EQ(result.exit_code, 0) << program.place << '\n' << result.output;
        return;
    }
    if (*LAUNCHBOX_NVCC == '\0') GTEST_SKIP() << "needs nvcc";
    const std::string source = (folder.path() / "program.cu").string();
    write_file_atomically(source, program.text);
    std::vector<std::string> command{LAUNCHBOX_NVCC,
                                     "-ccbin",
                                     LAUNCHBOX_CXX,
                                     "-std=c++20",
                                     "-Werror=all-warnings",
                                     "-Xcompiler=-Wall,-Wextra,-Werror",
                                     "-I" LAUNCHBOX_SOURCE_DIR "/include",  // NOLINT(bugprone-suspicious-missing-comma)
                                     source,
                                     "-o",
                                     (folder.path() / "program.o").string()};
    // Unoptimised PTX is enough to see that the program is right. A sort has dozens of kernels, for which ptxas takes a
    // minute.
    if (program.is_of_algorithms() || !is_exhaustive())
        for (const char* const option : {"-gencode=arch=compute_90,code=compute_90", "-Xcicc", "-O0"})
            command.push_back(option);
    else
        for (const char* const code : {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"})
            command.push_back(code);
    // nvcc's front end checks host code when it compiles for the GPU, too, which takes a third of the time. The host
    // compiler generates code for the programs that are read first, and for all with ./test --all.
    command.emplace_back(program.is_first_of_all() || is_exhaustive() ? "-c" : "-ptx");
    const subprocess_result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << program.place << '\n' << result.output;
}

INSTANTIATE_TEST_SUITE_P(, documented_code, testing::ValuesIn(documented_programs()), [](const auto& info) {
    std::string name = info.param.name;  // "docs/tune.md_1"
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return name;
});

TEST(documented_programs, are_found)
{
    const std::vector<documented_program> programs = documented_programs();
    EXPECT_GE(std::count_if(programs.begin(), programs.end(), [](const auto& program) { return program.needs_cuda(); }),
              15);
    EXPECT_GE(
        std::count_if(programs.begin(), programs.end(), [](const auto& program) { return !program.needs_cuda(); }), 8);
}

TEST(documented_programs, the_first_program_of_launch_box_is_short)
{
    std::vector<documented_program> programs;
    add_programs(fs::path(LAUNCHBOX_SOURCE_DIR) / "docs" / "headers" / "README.md", programs);
    ASSERT_EQ(programs.size(), 4u);  // occupancy, launch, launch_box and the algorithms
    EXPECT_LE(std::count(programs[2].text.begin(), programs[2].text.end(), '\n'), 20);
    EXPECT_EQ(programs[2].text.find("probe"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
