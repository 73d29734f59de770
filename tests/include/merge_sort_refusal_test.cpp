// Rows that merge_sort cannot be compiled with are refused in a sentence that says what is wrong with them, and are not
// silently changed: {128, 23, 0, 2} would sort with 16 items, and be measured as a row with 23.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

struct wrong_row {
    std::string row, sentence;
};

// Each call of a sort is in a file of its own, whose name identifies the compiler's errors.
std::string errors_of(const std::vector<wrong_row>& rows, const std::string& sort)
{
    std::string text = "#include <launchbox/algorithms/merge_sort.cuh>\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += "#line 1 \"row_" + std::to_string(i) + ".cu\"\n" + "void call_" + std::to_string(i) +
                "(cudaStream_t stream, unsigned* keys, std::int64_t n)\n{ launchbox::" + sort + "; }\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t at = text.find("$ROW");
        text.replace(at, 4, "launchbox::only<launchbox::merge_sort_row{" + rows[i].row + "}>");
    }
    const temporary_directory folder;
    write_file_atomically(folder.path() / "unit.cu", text);
    return run({LAUNCHBOX_NVCC, "-ccbin", LAUNCHBOX_CXX, "-std=c++20", "-arch=sm_90", "-cubin",
                "-I" LAUNCHBOX_SOURCE_DIR "/include", (folder.path() / "unit.cu").string(), "-o",
                (folder.path() / "unit.cubin").string()})
        .output;
}

void expect_refused(const std::vector<wrong_row>& rows, const std::string& sort)
{
    const std::string output = errors_of(rows, sort);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // The sentence, followed by the file that it comes from, before the next error.
        bool found = false;
        for (std::size_t at = output.find(rows[i].sentence); at != std::string::npos && !found;
             at = output.find(rows[i].sentence, at + 1)) {
            const std::string one = output.substr(at, output.find("): error", at) - at);
            found = one.find("row_" + std::to_string(i) + ".cu") != std::string::npos;
        }
        EXPECT_TRUE(found) << rows[i].row << ", which shall say: " << rows[i].sentence << "\n" << output;
    }
}

const std::vector<wrong_row>& wrong_rows()
{
    static const std::vector<wrong_row> rows{
        {"128, 23, 0, 2", "merge_sort: the items of a row are a power of two, 2 or more"},
        {"128, 1, 0, 4", "merge_sort: the items of a row are a power of two, 2 or more"},
        {"96, 8, 0, 2", "merge_sort: the threads of a row are a power of two, 32 or more"},
        {"256, 16, 0, 3", "merge_sort: the ways of a row are 2, 4, 8, 16 or 32"},
        {"512, 4, 0, 64", "merge_sort: the ways of a row are 2, 4, 8, 16 or 32"},
    };
    return rows;
}

TEST(merge_sort_refusal, invalid_rows_are_refused)
{
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here";
    expect_refused(wrong_rows(), "merge_sort<$ROW>(stream, keys, n)");
}

}  // namespace
}  // namespace launchbox
