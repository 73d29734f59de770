#include "tune/backend/program_sources.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

TEST(program_source_names, compilers_are_recognised_by_name)
{
    for (const char* name :
         {"nvcc", "/usr/local/cuda/bin/nvcc", "c++", "g++-12", "x86_64-linux-gnu-gcc-12.2", "clang++-14"})
        EXPECT_TRUE(is_compiler(name)) << name;
    for (const char* name : {"make", "sh", "./build.sh", "nvcc.sh", "mpicc", "cmake", "ccache", "", "-12", "python3"})
        EXPECT_FALSE(is_compiler(name)) << name;
}

TEST(program_source_names, make_rules_of_compilers_are_read)
{
    using words = std::vector<std::string>;
    EXPECT_EQ(prerequisites_in("k.o : k.cu \\\n    /usr/include/a.h \\\n  b.h\n"),
              (words{"k.cu", "/usr/include/a.h", "b.h"}));
    EXPECT_EQ(prerequisites_in("a\\ b.o: a\\ b.cu c$$d.h \\\r\n e\\#f.h"), (words{"a b.cu", "c$d.h", "e#f.h"}));
    EXPECT_EQ(prerequisites_in("C:/x.o: y.h"), (words{"y.h"}));
    EXPECT_TRUE(prerequisites_in("").empty());
    EXPECT_TRUE(prerequisites_in("k.o:").empty());
    EXPECT_TRUE(prerequisites_in("no rule").empty());
    EXPECT_TRUE(prerequisites_in("\\").empty());
}

class program_sources : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((here / name).parent_path());
        std::ofstream(here / name) << text;
    }
    [[nodiscard]] std::vector<fs::path> files(const std::string& build, std::string* cub = nullptr) const
    {
        const tune_spec spec =
            parse_tune_spec((here / "x.toml").string(),
                            "[tunable]\nname = 'x'\nbaseline = { a = 2 }\n[parameters]\na = [1, 2]\n[[workload]]\nn = "
                            "[5]\n[program]\nbuild = " +
                                build + "\nrun = ['{output}']\n");
        return files_of_build(spec, "sm_90", cub);
    }

    temporary_directory folder;
    const fs::path here = folder.path();
};

TEST_F(program_sources, are_the_files_that_the_builds_compiler_reads)
{
    write("main file.cpp",
          "#include <vector>\n#define WHERE \"a.h\"\n#include WHERE\n#if A == 2 && N == 5\n%:include <two.h>\n"
          "#endif\nint main() {}\n");
    write("a.h", "");
    write("inc/two.h", "");
    const std::string rest = "'-DA={a}', '-DN={n}', '-Iinc', '-o', '{output}', 'main file.cpp']";
    const std::vector<fs::path> all{here / "a.h", here / "inc/two.h", here / "main file.cpp"};
    EXPECT_EQ(files("['" LAUNCHBOX_CXX "', " + rest), all);
    EXPECT_EQ(files("['ccache', '" LAUNCHBOX_CXX "', '-MD', " + rest), all);
    EXPECT_TRUE(files("['make', " + rest).empty());
    EXPECT_TRUE(files("['" LAUNCHBOX_CXX "', '--no-such-option', " + rest).empty()) << "building says why";
    EXPECT_TRUE(files("['/nowhere/g++', " + rest).empty());
    for (const auto& entry : fs::recursive_directory_iterator(here))
        EXPECT_TRUE(entry.is_directory() || entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
            << entry.path() << " was left there";
}

// nvcc writes the output of -M to the file of -o.
TEST_F(program_sources, are_the_files_that_nvcc_reads)
{
    if (std::string(LAUNCHBOX_REAL_NVCC).empty()) GTEST_SKIP() << "there is no nvcc here";
    write("main.cu", "#include \"a.h\"\nint main() {}\n");
    write("a.h", "");
    EXPECT_EQ(files("['" LAUNCHBOX_REAL_NVCC "', '-o', '{output}', 'main.cu']"),
              (std::vector<fs::path>{here / "a.h", here / "main.cu"}));
}

TEST_F(program_sources, give_the_version_of_cub)
{
    const std::string build = "['" LAUNCHBOX_CXX "', '-Iinc', '-o', '{output}', 'main.cpp']";
    write("main.cpp", "#include <cub/version.cuh>\nint main() {}\n");
    for (const auto& [text, version] : {std::pair<std::string, std::string>{"300001 // x", "3.0.1"},
                                        {"300500", "3.5.0"},
                                        {"201002", "2.10.2"},
                                        {"unknown", ""}}) {
        write("inc/cub/version.cuh", "#pragma once\n#define CUB_VERSION " + text + "\n");
        std::string cub;
        EXPECT_EQ(files(build, &cub).size(), 2u);
        EXPECT_EQ(cub, version);
    }
    std::string cub = "of before";
    write("inc/cub/version.cuh", "");
    EXPECT_EQ(files(build, &cub).size(), 2u);
    EXPECT_EQ(cub, "");
}

}  // namespace
}  // namespace launchbox
