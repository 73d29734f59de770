// Text files of other systems: with a byte order mark, in UTF-16, with upper-case names. The output is that for the
// plain file.
#include "tool.hpp"

#include <filesystem>
#include <functional>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

std::string utf16(const std::string& text, bool little_endian)
{
    std::string bytes = little_endian ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : text)  // ASCII
        bytes.append(little_endian ? std::string{c, '\0'} : std::string{'\0', c});
    return bytes;
}

// Compares the output of `launchbox` for this text in its plain form and in each other.
void expect_the_same(const fs::path& file, const std::string& text, const std::function<call()>& run)
{
    for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) < 0x80);
    fs::create_directories(file.parent_path());
    write_file_atomically(file, text);
    const call plain = run();
    EXPECT_EQ(plain.status, 0) << file << plain.out << plain.err;
    for (const std::string& other : {"\xEF\xBB\xBF" + text, utf16(text, true), utf16(text, false),
                                     utf16(text, true).substr(2), utf16(text, false).substr(2)}) {
        write_file_atomically(file, other);
        const call marked = run();
        EXPECT_EQ(marked.status, plain.status) << file;
        EXPECT_EQ(marked.out, plain.out) << file;
        EXPECT_EQ(marked.err, plain.err) << file;
    }
}

std::string ascii(const std::string& file)
{
    std::string text = read_input(repository_file(file));
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    return text;
}

TEST(text_marks, do_not_change_what_is_read)
{
    const temporary_directory folder;
    const fs::path& here = folder.path();
    const std::string log = (here / "k.log").string();
    expect_the_same(log, read_input(log_90), [&] { return launchbox_run({"inspect", log, "--format", "csv"}); });
    write_file_atomically(log, read_input(log_90));
    const std::string budget = (here / "b.toml").string(), baseline = (here / "kept").string();
    expect_the_same(budget, "[defaults]\nmax_registers = 255\n", [&] {
        return launchbox_run({"check", log, "--budget", budget});
    });
    ASSERT_EQ(launchbox_run({"check", log, "--baseline", baseline, "--write-baseline"}).status, 0);
    expect_the_same(baseline, read_input(baseline), [&] {
        return launchbox_run({"check", log, "--baseline", baseline});
    });

    const std::string record = (here / "r.json").string();
    expect_the_same(record, ascii(example), [&] { return launchbox_run({"results", record, "--format", "csv"}); });
    const std::string spec = (here / "s.toml").string();
    fs::copy(repository_file("examples/tune_cpu_sort/sort.cpp"), here / "sort.cpp");
    expect_the_same(spec, ascii("examples/tune_cpu_sort/tune_cpu_sort.toml"), [&] {
        return launchbox_run({"tune", spec, "--check"});
    });
    const std::string header = (here / "tuning.hpp").string();
    expect_the_same(header, ascii("examples/block_sort/tuning.hpp"), [&] {
        return launchbox_run({"emit", "--check", "-o", header, "--root", repository_file("")});
    });
}

TEST(text_marks, do_not_change_how_a_source_is_compiled)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const fs::path& here = folder.path();
    const std::string source = (here / "k.cu").string();
    write_file_atomically(
        source, "__global__ void k(int* p) { __shared__ int s[N]; s[*p] = 1; __syncthreads(); *p = s[1]; }\n");
    expect_the_same(
        here / "build/compile_commands.json",
        nlohmann::json::array({{{"directory", here.string()}, {"file", "k.cu"}, {"command", "nvcc -DN=64 -c k.cu"}}})
            .dump(),
        [&] {
            return launchbox_run(
                {"inspect", source, "--arch", "sm_90", "-p", (here / "build").string(), "--format", "csv"});
        });
}

// Such a file is a source, not a log. NVRTC rejects a byte order mark; nvcc, with which the user builds, accepts it.
TEST(text_marks, a_source_with_a_mark_is_tuned)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    write_file_atomically(path("k.cu"), "\xEF\xBB\xBF__global__ void k(float* p) { p[threadIdx.x] = 1; }\r\n");
    write_file_atomically(path("k.toml"),
                          "[tunable]\nname = 'k'\n[parameters]\nthreads = [32]\n[kernel]\nsource = 'k.cu'\n"
                          "name = 'k'\nthreads = 'threads'\nblocks = 1\n"
                          "arguments = [{ name = 'p', type = 'float', count = '64', role = 'output' }]\n");
    // A file name that begins with a dash is not an option of either.
    write_file_atomically(path("-k.cu"), read_input(path("k.cu")));
    std::string dashed = read_input(path("k.toml"));
    write_file_atomically(path("dashed.toml"), dashed.replace(dashed.find("k.cu"), 4, "-k.cu"));
    for (const char* compiler : {"nvrtc", "nvcc"}) {
        EXPECT_EQ(
            launchbox_run({"tune", path("dashed.toml"), "--build-only", "--arch", "sm_90", "--compiler", compiler}, {},
                          {"LAUNCHBOX_CACHE=" + path("cache")})
                .status,
            0)
            << compiler;
        const call built =
            launchbox_run({"tune", path("k.toml"), "--build-only", "--arch", "sm_90", "--compiler", compiler}, {},
                          {"LAUNCHBOX_CACHE=" + path("cache")});
        EXPECT_EQ(built.status, 0) << compiler << built.out << built.err;
    }
}

TEST(text_marks, upper_case_names_are_recognised)
{
    const temporary_directory folder;
    const std::string log = (folder.path() / "BUILD.LOG").string(), source = (folder.path() / "K.CU").string();
    std::string text = read_input(log_90);
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    write_file_atomically(log, text);
    const call result = launchbox_run({"check", log, "--budget", "-"}, "[defaults]\nmax_registers = 33\n");
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_TRUE(result.shows("INDEXED_LOCAL_ARRAY")) << result.out;
    write_file_atomically(source, "__global__ void k(int* p) { *p = 1; }\n");
    EXPECT_FALSE(launchbox_run({"inspect", source, "--arch", "sm_90"}).says("no report of ptxas"));
    fs::copy(repository_file(example), folder.path() / "R.JSON");
    EXPECT_EQ(launchbox_run({"report", (folder.path() / "R.JSON").string(), "-o", (folder.path() / "r.html").string()})
                  .status,
              0);
}

}  // namespace
}  // namespace launchbox
