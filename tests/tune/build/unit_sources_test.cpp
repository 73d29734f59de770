// A build depends on the files that its compiler reads, however a source includes them. Really compiles with NVRTC and
// nvcc.
#include "tune/build/unit_sources.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_specs.hpp"
#include "launchbox/sm_limits.hpp"
#include "scale.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/build/kernel_builder.hpp"

using namespace launchbox;
using namespace launchbox::testing_specs;
namespace fs = std::filesystem;

namespace {

constexpr const char* kernel = "\n__global__ void k(int* p) { *p = FACTOR; }\n";

// A source, how it is compiled, and an edit that changes the result.
struct source_case {
    std::string name;
    std::string source;
    std::vector<std::string> flags = {};
    std::string edited = "a.h", before = "#define FACTOR 2\n", after = "#define FACTOR 3\n";
};

class UnitSources : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
    }

    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((here / name).parent_path());
        std::ofstream(here / name, std::ios::binary) << text;
    }

    // A build like that of a separate call, which knows nothing but the cache.
    struct built {
        build_result result;
        source_identity sources;
    };
    [[nodiscard]] built build(const tune_spec& spec,
                              const std::vector<std::pair<std::string, parameter_value>>& values = {}) const
    {
        kernel_builder builder(spec, {.compiler = GetParam(), .cache_folder = cache_.path(), .jobs = 2});
        source_identity sources = builder.sources(sm_90.capability);
        return {builder.build(values_of(values), sm_90.capability), std::move(sources)};
    }

    // The edit is noticed by the cache and by what identifies runs; without an edit both recognise everything.
    void expect_edit_is_seen(const tune_spec& spec, const std::function<void()>& edit, const std::string& what,
                             const std::vector<std::pair<std::string, parameter_value>>& values = {}) const
    {
        const built first = build(spec, values);
        ASSERT_EQ(first.result.build.status, build_status::built)
            << what << ": " << first.result.build.reason << first.result.build.log;
        const built again = build(spec, values);
        EXPECT_TRUE(again.result.build.from_cache) << what;
        EXPECT_EQ(again.sources.hash(), first.sources.hash()) << what;
        edit();
        const built edited = build(spec, values);
        ASSERT_EQ(edited.result.build.status, build_status::built)
            << what << ": " << edited.result.build.reason << edited.result.build.log;
        EXPECT_FALSE(edited.result.build.from_cache) << what;
        EXPECT_NE(edited.result.build.code, first.result.build.code) << what;
        EXPECT_NE(edited.sources.hash(), first.sources.hash()) << what;
    }

    // nvcc's differences have their own tests; the other cases take seconds with it.
    [[nodiscard]] bool is_for_the_night() const { return is_nvcc() && !is_exhaustive(); }
    [[nodiscard]] bool is_nvcc() const { return GetParam() == std::string("nvcc"); }

    temporary_directory folder_, cache_;
    const fs::path here = folder_.path();
};
INSTANTIATE_TEST_SUITE_P(, UnitSources, testing::Values("nvrtc", "nvcc"),
                         [](const auto& item) { return std::string(item.param); });

// One after the other in the same folder: nothing may be taken from an earlier one.
TEST_P(UnitSources, are_the_files_that_the_preprocessor_reads)
{
    const std::string header = "#define FACTOR 2\n";
    std::vector<source_case> cases{
        {"a macro", "#define WHERE \"a.h\"\n#include WHERE"},
        {"a macro of the flags", "#include WHERE", {"-DWHERE=\"a.h\""}},
        {"behind a comment", "/* x */ #include \"a.h\""},
        {"a comment between", "# /* x */ include /* y */ \"a.h\""},
        {"a digraph", "%:include \"a.h\""},
        {"a spliced line", "#inc\\\nlude \\\n \"a.h\""},
        {"a carriage return alone", "#include \"a.h\"\r"},
        {"from -include", "", {"-include", "a.h"}},
        {"from -include=", "", {"-include=a.h"}},
        {"of a header that a macro names", "#include \"b.h\""},
    };
    write("b.h", "#define NEXT <deep/c.h>\n#include NEXT\n");
    write("deep/c.h", header);
    for (source_case& each : cases) {
        if (each.name.starts_with("of a header")) {
            each.edited = "deep/c.h";
            each.flags = {"-I."};
        }
        if (is_nvcc() && !is_exhaustive() && each.name != "a macro" && each.name != "from -include=") continue;
        write("k.cu", each.source + kernel);
        write(each.edited, each.before);
        expect_edit_is_seen(
            spec_of(here, "k.cu", "k", each.flags), [&] { write(each.edited, each.after); }, each.name);
    }
}

// Uses 72 registers, or 24 with an option.
constexpr const char* large_kernel =
    "__global__ void k(float* p) {\n  float a[64];\n#pragma unroll\n  for (int i = 0; i < 64; ++i) a[i] = p[i];\n"
    "  __syncthreads();\n#pragma unroll\n  for (int i = 0; i < 64; ++i) p[63 - i] = a[i] * a[(i + 7) % 64];\n}\n";

TEST_P(UnitSources, include_options_files_and_the_files_they_name)
{
    write("k.cu", large_kernel);
    write("outer.txt", "--options-file=inner.txt\n");
    write("inner.txt", "--maxrregcount=40\n");
    const auto edit = [&] { write("inner.txt", "--maxrregcount=24\n"); };
    const tune_spec spec = spec_of(here, "k.cu", "k", {"-Xptxas", "--options-file=outer.txt"});
    EXPECT_EQ(build(spec).result.build.kernel->figures.registers, 40);
    expect_edit_is_seen(spec, edit, "ptxas");
    EXPECT_EQ(build(spec).result.build.kernel->figures.registers, 24);
    if (!is_nvcc()) return;
    write("nvcc.txt", "-Xptxas --options-file=outer.txt\n");
    write("all.txt", "-optf nvcc.txt\n");
    edit();
    expect_edit_is_seen(
        spec_of(here, "k.cu", "k", {"-optf", "all.txt"}), [&] { write("inner.txt", "--maxrregcount=40\n"); }, "nvcc");
}

TEST_P(UnitSources, notice_a_new_header_earlier_in_the_search_path)
{
    if (is_for_the_night()) return;
    fs::create_directories(here / "first");
    write("second/a.h", "#define FACTOR 2\n");
    write("k.cu", std::string("#include <a.h>") + kernel);
    expect_edit_is_seen(
        spec_of(here, "k.cu", "k", {"-I", "first", "-Isecond"}), [&] { write("first/a.h", "#define FACTOR 3\n"); },
        "found earlier");
}

TEST_P(UnitSources, notice_a_file_that_is_only_tested_with_has_include)
{
    if (is_for_the_night()) return;
    write("k.cu",
          std::string("#if __has_include(\"fast.flag\")\n#define FACTOR 3\n#else\n#define FACTOR 2\n#endif") + kernel);
    expect_edit_is_seen(
        spec_of(here, "k.cu", "k"), [&] { write("fast.flag", ""); }, "__has_include");
}

TEST_P(UnitSources, notice_an_edit_that_keeps_size_and_time)
{
    if (is_for_the_night()) return;
    write("a.h", "#define FACTOR 2\n");
    write("k.cu", std::string("#include \"a.h\"") + kernel);
    expect_edit_is_seen(
        spec_of(here, "k.cu", "k"),
        [&] {
            const auto time = fs::last_write_time(here / "a.h");
            write("a.h", "#define FACTOR 3\n");
            fs::last_write_time(here / "a.h", time);
        },
        "same size and time");
}

TEST_P(UnitSources, notice_a_link_with_another_target)
{
    if (is_for_the_night()) return;
    write("one/a.h", "#define FACTOR 2\n");
    write("two/a.h", "#define FACTOR 3\n");
    fs::create_directory_symlink("one", here / "now");
    write("k.cu", std::string("#include \"now/a.h\"") + kernel);
    expect_edit_is_seen(
        spec_of(here, "k.cu", "k"),
        [&] {
            fs::remove(here / "now");
            fs::create_directory_symlink("two", here / "now");
        },
        "a link");
}

// Each value is tried alone, so that a header that only some candidates include is known before any is compiled.
TEST_P(UnitSources, include_headers_of_only_some_candidates)
{
    write("k.cu",
          std::string("#if TILE == 2\n#define WHERE \"two.h\"\n#include WHERE\n#else\n#define FACTOR TILE\n#endif") +
              kernel);
    write("two.h", "#define FACTOR 2\n");
    tune_spec spec = spec_of(here, "k.cu", "k", {"-DTILE={tile}"});
    spec.parameters = {{.name = "tile", .values = {integer(1), integer(2), integer(4)}}};
    spec.workloads.emplace_back();
    const built other = build(spec, {{"tile", integer(4)}});
    expect_edit_is_seen(spec, [&] { write("two.h", "#define FACTOR 3\n"); }, "one value's header",
                        {{"tile", integer(2)}});
    EXPECT_NE(build(spec, {{"tile", integer(4)}}).sources.hash(), other.sources.hash()) << "one hash for the whole run";
}

TEST_P(UnitSources, include_headers_that_parameters_name)
{
    if (is_for_the_night()) return;
    write("k.cu", std::string("#include WHERE") + kernel);
    write("one.h", "#define FACTOR 1\n");
    write("two.h", "#define FACTOR 2\n");
    tune_spec spec = spec_of(here, "k.cu", "k", {"-DWHERE=\"{variant}.h\""});
    spec.parameters = {{.name = "variant", .values = {std::string("one"), std::string("two")}}};
    spec.workloads.emplace_back();
    expect_edit_is_seen(spec, [&] { write("two.h", "#define FACTOR 3\n"); }, "named by a parameter",
                        {{"variant", std::string("two")}});
}

TEST_P(UnitSources, must_be_named_if_only_a_combination_includes_them)
{
    if (is_for_the_night()) return;
    write("k.cu", std::string("#if A * B == 3\n#include \"big.h\"\n#else\n#define FACTOR A\n#endif") + kernel);
    write("big.h", "#define FACTOR 9\n");
    tune_spec spec = spec_of(here, "k.cu", "k", {"-DA={a}", "-DB={b}"});
    spec.parameters = {{.name = "a", .values = {integer(1), integer(3)}},
                       {.name = "b", .values = {integer(1), integer(3)}}};
    spec.workloads.emplace_back();
    EXPECT_EQ(build(spec, {{"a", integer(3)}, {"b", integer(3)}}).result.build.status, build_status::built);
    try {
        (void)build(spec, {{"a", integer(3)}, {"b", integer(1)}});
        FAIL() << "its results would not notice an edit of big.h";
    } catch (const error& refused) {
        EXPECT_NE(std::string(refused.what()).find("k.cu includes big.h"), std::string::npos) << refused.what();
        EXPECT_NE(refused.hint().find("sources = [\"big.h\"]"), std::string::npos) << refused.hint();
    }
    write("big.h", "#define FACTOR nothing\n");
    EXPECT_THROW((void)build(spec, {{"a", integer(3)}, {"b", integer(1)}}), error) << "nor one that mends it";
    write("big.h", "#define FACTOR 9\n");
    spec.kernel->sources = {"big.h"};
    expect_edit_is_seen(spec, [&] { write("big.h", "#define FACTOR 8\n"); }, "named",
                        {{"a", integer(3)}, {"b", integer(1)}});
}

TEST_P(UnitSources, do_not_depend_on_the_folder_or_the_time)
{
    const std::string source = std::string("#include \"a.h\"\n__device__ char when[] = __DATE__ __TIME__;") + kernel;
    write("a.h", "#define FACTOR 2\n");
    write("k.cu", source);
    write("moved/a.h", "#define FACTOR 2\n");
    write("moved/k.cu", source);
    const built one = build(spec_of(here, "k.cu", "k")), other = build(spec_of(here / "moved", "k.cu", "k"));
    EXPECT_EQ(one.sources.hash(), other.sources.hash());
}

TEST_P(UnitSources, of_the_user_are_distinguished_from_those_of_the_system)
{
    write("a.h", "#include <cuda_fp16.h>\n#define FACTOR 2\n");
    write("k.cu", std::string("#include \"a.h\"") + kernel);
    const std::vector<fs::path> own = build(spec_of(here, "k.cu", "k")).sources.own;
    ASSERT_EQ(own.size(), 2u);
    for (const fs::path& file : own) EXPECT_EQ(fs::canonical(file).parent_path(), fs::canonical(here));
}

class environment_variable {
public:
    environment_variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    ~environment_variable() { ::unsetenv(name_); }
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

private:
    const char* name_;
};

TEST_P(UnitSources, are_found_in_the_paths_of_the_environment)
{
    if (!is_nvcc()) return;  // NVRTC does not read these variables
    write("one/a.h", "#define FACTOR 2\n");
    write("two/a.h", "#define FACTOR 2\n");
    write("k.cu", std::string("#include <a.h>") + kernel);
    const tune_spec spec = spec_of(here, "k.cu", "k");
    std::string before;
    {
        const environment_variable path("CPATH", (here / "one").string());
        before = build(spec).sources.hash();
        expect_edit_is_seen(
            spec, [&] { write("one/a.h", "#define FACTOR 3\n"); }, "CPATH");
    }
    const environment_variable path("CPLUS_INCLUDE_PATH", (here / "two").string());
    EXPECT_FALSE(build(spec).result.build.from_cache) << "another header of the same content";
    const environment_variable flags("NVCC_APPEND_FLAGS", "-DFACTOR=7");
    EXPECT_FALSE(build(spec).result.build.from_cache);
    EXPECT_NE(build(spec).sources.hash(), before);
}

}  // namespace
