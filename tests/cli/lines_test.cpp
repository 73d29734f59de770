// launchbox inspect --lines, --size, --stack-reserve, -p, several --nvcc; folders as inputs; check of whole files.
#include "tool.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../image/deep_lines.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// Spills on line 5, which is inlined on line 11.
const std::string spilling = R"cuda(
__device__ __forceinline__ float poly(const float* p, int n, float x) {
    float v[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = p[i * n];
    float s = 0;
#pragma unroll
    for (int i = 0; i < 64; ++i) s += v[i] / x + v[63 - i];
    return s;
}
__global__ void __launch_bounds__(1024, 2) crowded(const float* p, int n, float* out) { out[threadIdx.x] = poly(p, n, *p); }
__global__ void roomy(float* p) { p[threadIdx.x] += 1; }
)cuda";

std::string written(const temporary_directory& folder, const std::string& name, const std::string& text)
{
    fs::create_directories((folder.path() / name).parent_path());
    write_file_atomically(folder.path() / name, text);
    return (folder.path() / name).string();
}

TEST(lines_verb, lines_of_a_source_sum_to_its_spills)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", spilling);
    const call result = launchbox_run({"inspect", source, "--arch", "sm_80,sm_90", "--lines", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    ASSERT_EQ(json["kernels"].size(), 4u);
    for (const nlohmann::json& kernel : json["kernels"]) {
        const nlohmann::json& lines = kernel["lines"];
        EXPECT_TRUE(lines["told"] && lines["all_spills"]);
        std::int64_t stores = 0, loads = 0;
        bool found = false;
        for (const nlohmann::json& line : lines["lines"]) {
            stores += line["spill_store_bytes"].get<std::int64_t>();
            loads += line["spill_load_bytes"].get<std::int64_t>();
            const nlohmann::json& frames = line["frames"];
            found = found || (frames.size() == 2 && frames[0]["line"] == 5 && frames[1]["line"] == 11);
        }
        EXPECT_EQ(lines["total"]["spill_store_bytes"], stores);
        EXPECT_EQ(lines["total"]["spill_load_bytes"], loads);
        EXPECT_EQ(found, kernel["short_name"] == "crowded");
        // The lines include what ptxas lists for functions that it did not inline, such as division.
        EXPECT_GE(stores, kernel["spill_store_bytes"].get<std::int64_t>());
    }
    const call page = launchbox_run({"inspect", source, "--arch", "sm_90", "--lines"});
    EXPECT_TRUE(page.shows("k.cu:5 in") && page.shows("k.cu:11\n")) << page.out;
    EXPECT_TRUE(page.shows("1 kernel spills nothing")) << page.out;
    const call margin = launchbox_run({"inspect", source, "--arch", "sm_90", "-k", "crowded", "--lines=source"});
    EXPECT_TRUE(margin.shows("│     float s = 0;")) << margin.out;
    EXPECT_TRUE(margin.shows("rd  wr  stored  loaded")) << margin.out;
}

// 210 instances of a template, each with a line of its own: more than a page shows.
TEST(lines_verb, a_page_is_cut_at_200_kernels_and_csv_has_live_registers)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    std::string text = "template <int N> __global__ void scale_by(float* p) {\n    p[threadIdx.x] *= N;\n}\n";
    for (int i = 0; i < 210; ++i) text += "template __global__ void scale_by<" + std::to_string(i) + ">(float*);\n";
    const std::string source = written(folder, "k.cu", text), cubin = (folder.path() / "k.cubin").string();
    ASSERT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", "-lineinfo", "-o", cubin, source}).exit_code, 0);
    const auto kernels_of = [](const call& page) {
        std::size_t count = 0;
        const std::string heading = ">  sm_90";
        for (std::size_t at = page.out.find(heading); at != std::string::npos; at = page.out.find(heading, at + 1))
            ++count;
        return count;
    };
    for (const char* lines : {"--lines=registers", "--lines=source"}) {
        const call page = launchbox_run({"inspect", cubin, lines});
        EXPECT_TRUE(page.shows("10 more are not shown: --top all shows them, and JSON has them")) << page.out;
        EXPECT_EQ(kernels_of(page), 200u);
        const call all = launchbox_run({"inspect", cubin, lines, "--top", "all"});
        EXPECT_FALSE(all.shows("not shown"));
        EXPECT_EQ(kernels_of(all), 210u);
    }
    EXPECT_TRUE(launchbox_run({"inspect", cubin, "--lines=registers", "--top", "3"}).shows("207 more: --top all"));
    const std::string csv = launchbox_run({"inspect", cubin, "--lines=registers", "--format", "csv"}).out;
    EXPECT_TRUE(csv.starts_with("kernel,architecture,live_registers,spill_store_bytes,")) << csv.substr(0, 200);
    EXPECT_NE(csv.find(",sm_90,5,0,0,0,0," + source + ",2,"), std::string::npos) << csv.substr(0, 500);

    // The misspelt name is that of a template with many instances.
    expect_refused(launchbox_run({"inspect", cubin, "-k", "scael*"}), "did you mean scale_by*?");
    expect_refused(launchbox_run({"inspect", cubin, "-k", "scaleby"}), "did you mean scale_by*?");
    expect_refused(launchbox_run({"inspect", cubin, "-k", "other"}), "there are: scale_by");
}

TEST(lines_verb, without_line_information_says_which_flag_gives_it)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", spilling), cubin = (folder.path() / "k.cubin").string();
    ASSERT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", "-o", cubin, source}).exit_code, 0);
    const call result = launchbox_run({"inspect", cubin, "--lines"});
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.shows("no line information: compile it with -lineinfo")) << result.out;
    const call log = launchbox_run({"inspect", repository_file("tests/data/logs/spills.log"), "--lines"});
    EXPECT_TRUE(log.shows("a log contains no source lines: inspect the compiled file")) << log.out;
    expect_refused(launchbox_run({"inspect", cubin, "--lines=colours"}), "--lines");
}

TEST(lines_verb, loads_and_stores_without_a_disassembler_say_how_to_install_one)
{
    const temporary_directory folder;
    const call result = launchbox_run({"inspect", log_90, "--lines=memory"}, {},
                                      {"PATH=/nowhere", "CUDA_HOME=/nowhere", "CUDA_PATH=/nowhere"});
    if (result.status == 0) GTEST_SKIP() << "there is an nvdisasm in /usr/local/cuda";
    expect_refused(result, "pip install nvidia-cuda-nvdisasm", 3);
}

// A cubin of a kernel with a single line.
std::string cubin_of_one_store(const temporary_directory& folder)
{
    const std::string source = written(folder, "k.cu", "extern \"C\" __global__ void k(float* p) { *p = 1; }\n");
    std::string cubin = (folder.path() / "k.cubin").string();
    EXPECT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", "-lineinfo", "-o", cubin, source}).exit_code, 0);
    return cubin;
}

// A PATH on which the first nvdisasm prints this script's output.
std::string path_with_nvdisasm(const temporary_directory& folder, const std::string& script)
{
    fs::permissions(written(folder, "bin/nvdisasm", script), fs::perms::owner_all);
    return "PATH=" + (folder.path() / "bin").string() + ":" + std::getenv("PATH");
}

// Our own decoder knows all of this code, with or without nvdisasm.
TEST(lines_verb, live_registers_need_no_toolkit)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string cubin = cubin_of_one_store(folder);
    const call result = launchbox_run({"inspect", cubin, "--lines=registers", "--format", "json"}, {},
                                      {path_with_nvdisasm(folder, "#!/bin/sh\nexit 9\n")});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json pressure = result.json()["kernels"][0]["register_pressure"];
    EXPECT_EQ(pressure["decoded_by"], "launchbox");
    EXPECT_EQ(pressure["exact"], true);
    EXPECT_EQ(pressure["doubt"], nullptr);
    EXPECT_EQ(pressure["live_registers"], 4);  // the stack, the pointer, the value
    EXPECT_EQ(pressure["live_uniform_registers"], 2);
}

// The same cubin, with an instruction that does not exist.
std::string with_an_unknown_instruction(const std::string& cubin)
{
    std::string bytes = read_input(cubin, std::size_t{1} << 20);
    const std::string no_operation("\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xc0\x0f\0", 16);
    const std::size_t at = bytes.find(no_operation);
    EXPECT_NE(at, std::string::npos);
    bytes.replace(at, 2, "\xff\x7f");
    write_file_atomically(cubin, bytes);
    return cubin;
}

// An nvdisasm with one fixed answer, for code that our own decoder does not know.
TEST(lines_verb, live_registers_are_parsed_from_nvdisasm)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string cubin = with_an_unknown_instruction(cubin_of_one_store(folder));
    const call alone = launchbox_run({"inspect", cubin, "--lines=registers"}, {},
                                     {"PATH=/nowhere", "CUDA_HOME=/nowhere", "CUDA_PATH=/nowhere"});
    if (!fs::exists("/usr/local/cuda/bin/nvdisasm")) {
        EXPECT_TRUE(alone.shows("approximate: 1 of its instructions are unknown, the first has opcode 0xfff"))
            << alone.out;
    }
    const std::string path = path_with_nvdisasm(folder, R"(#!/bin/sh
cat <<'END'
                                   // +-------------+-----------+
                                   // |     GPR     |   PRED    |
                                   // |    0000     |           |
                                   // |  # 0135     |  # 0      |
                                   // +-------------+-----------+
.text.k:                           // |             |           |
        /*0000*/  MOV R1, R0 ;     // |  2 v^       |           |
        /*0010*/  ISETP P0 ;       // |  3 ::^      |  1 ^      |
        /*0020*/  STG [R0], R3 ;   // |  4 :vv^     |  1 v      |
        /*0030*/  EXIT ;           // |  1    :     |           |
                                   // +-------------+-----------+
END
)");
    const call result = launchbox_run({"inspect", cubin, "--lines=registers", "--format", "json"}, {}, {path});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json pressure = result.json()["kernels"][0]["register_pressure"];
    EXPECT_EQ(pressure["decoded_by"], "nvdisasm");
    EXPECT_EQ(pressure["live_registers"], 4);
    EXPECT_EQ(pressure["live_predicates"], 1);
    EXPECT_EQ(pressure["highest_register"], 5);
    EXPECT_EQ(pressure["peak_at_byte"], 0x20);

    // Other output is rejected.
    path_with_nvdisasm(folder, "#!/bin/sh\necho sorry >&2; exit 9\n");
    const call failed = launchbox_run({"inspect", cubin, "--lines=registers"}, {}, {path});
    EXPECT_TRUE(failed.shows("nvdisasm ended with exit status 9: sorry")) << failed.out;
}

// Its listing of the code, with the line of each instruction.
TEST(lines_verb, loads_and_stores_are_parsed_from_nvdisasm)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string cubin = cubin_of_one_store(folder);
    const std::string path = path_with_nvdisasm(folder, R"(#!/bin/sh
cat <<'END'
.text.k:
.L_x_0:
        /*0000*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0010*/                   STL [R1], R4 ;
        /*0020*/               @P0 BRA `(.L_x_0) ;
        /*0030*/                   EXIT ;
END
)");
    const nlohmann::json code = launchbox_run({"inspect", cubin, "--lines=memory", "--format", "json"}, {}, {path})
                                    .json()["kernels"][0]["code"];
    EXPECT_EQ(code["instructions"], 4);
    EXPECT_EQ(code["memory"].size(), 2u);
    EXPECT_EQ(code["memory"][0]["space"], "global");
    EXPECT_EQ(code["memory"][0]["bytes"], 16);
    EXPECT_EQ(code["memory"][0]["loop_depth"], 1);
    EXPECT_EQ(code["memory"][0]["frames"][0]["line"], 1);
    EXPECT_EQ(code["waits_for_grid"], false);
    const call page = launchbox_run({"inspect", cubin, "--lines=memory"}, {}, {path});
    EXPECT_TRUE(page.shows("local memory, spills or arrays, is used inside a loop")) << page.out;
    path_with_nvdisasm(folder, "#!/bin/sh\necho sorry >&2; exit 9\n");
    const call failed = launchbox_run({"inspect", cubin, "--lines=memory"}, {}, {path});
    EXPECT_TRUE(failed.shows("nvdisasm ended with exit status 9: sorry")) << failed.out;

    // Its message may contain any bytes.
    path_with_nvdisasm(folder, "#!/bin/sh\nprintf 'no\\033[31m\\377\\n' >&2; exit 9\n");
    const call odd = launchbox_run({"inspect", cubin, "--lines=memory"}, {}, {path});
    EXPECT_TRUE(odd.shows("exit status 9: no\\x1b[31m")) << odd.out;
    EXPECT_EQ(odd.out.find('\033'), std::string::npos);
    const call json = launchbox_run({"inspect", cubin, "--lines=memory", "--format", "json"}, {}, {path});
    EXPECT_NE(json.json()["kernels"][0]["code"]["problem"].get<std::string>().find("exit status 9: no"),
              std::string::npos);
}

// The maker of a binary can write any file's name into it, and a report may be passed on.
TEST(lines_verb, only_sources_in_the_working_tree_are_shown)
{
    const temporary_directory folder;
    const std::string here = folder.path().string(), secret = "one\ntwo, which nobody should see\nthree\n";
    for (const char* name : {"tree/src/k.cu", "tree/.git/config", "tree/src/.netrc", "other/k.cu"})
        written(folder, name, secret);
    fs::create_symlink(here + "/other/k.cu", here + "/tree/src/link.cu");
    fs::create_directories(here + "/tree/build");
    const auto shown = [&](const std::string& source, const std::string& from, const std::string& more = "") {
        const std::string cubin = written(folder, "k.cubin", cubin_of_deep_lines(1, 3, source));
        const subprocess_result result = run(
            {"sh", "-c", "cd " + from + " && exec " LAUNCHBOX_TOOL " inspect " + cubin + " --lines=source " + more},
            {.directory = {},
             .environment = {"SECRET=two, which nobody should see", "COLUMNS=200", "LC_ALL=C.UTF-8", "HOME=" + here}});
        EXPECT_EQ(result.exit_code, 0) << result.output;
        const bool is_shown = result.output.find("nobody should see") != std::string::npos;
        EXPECT_NE(is_shown, result.output.find("--source-root FOLDER allows one") != std::string::npos)
            << result.output;
        return is_shown;
    };
    EXPECT_TRUE(shown(here + "/tree/src/k.cu", here + "/tree"));
    EXPECT_TRUE(shown(here + "/tree/src/k.cu", here + "/tree/build")) << "the repository";
    EXPECT_TRUE(shown(here + "/other/k.cu", here + "/other")) << "the current folder";
    for (const std::string& source :
         {std::string("/proc/self/environ"), here + "/other/k.cu", here + "/tree/src/link.cu",
          here + "/tree/.git/config", here + "/tree/src/.netrc", here + "/tree/src/../../other/k.cu"})
        EXPECT_FALSE(shown(source, here + "/tree")) << source;
    EXPECT_FALSE(shown(here + "/tree/src/k.cu", here + "/other"));
    EXPECT_FALSE(shown(here + "/tree/src/k.cu", "/")) << "else every file would be below it";
    written(folder, ".git/config", "");
    EXPECT_FALSE(shown(here + "/tree/src/k.cu", here + "/other")) << "a home that is a repository";
    for (const char* source : {"/other/k.cu", "/tree/src/link.cu"})
        EXPECT_TRUE(shown(here + source, here + "/tree", "--source-root " + here + "/other")) << source;
    EXPECT_FALSE(shown(here + "/tree/src/.netrc", "/", "--source-root " + here + "/tree"));
    expect_refused(launchbox_run({"inspect", here + "/k.cubin", "--lines=source", "--source-root", here + "/none"}),
                   "is not a folder");
}

TEST(lines_verb, deep_calls_of_a_small_file_take_little_memory)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "a sanitizer reserves more memory than any limit";
#endif
    const temporary_directory folder;
    const std::string one = written(folder, "one.cubin", cubin_of_deep_lines(1, 5'000)),
                      many = written(folder, "many.cubin", cubin_of_deep_lines(8, 400));
    for (const std::string& cubin : {one, many})
        for (const char* how : {"registers", "source"})
            for (const char* format : {"json", "csv"}) {
                const subprocess_result result = run({"sh", "-c",
                                                      "ulimit -v 1000000; exec " LAUNCHBOX_TOOL " inspect " + cubin +
                                                          " --lines=" + how + " --format " + format + " >/dev/null"});
                EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 0) << how << format << result.output;
                EXPECT_EQ(result.output.find("not enough memory"), std::string::npos) << how << format;
            }
    EXPECT_TRUE(launchbox_run({"inspect", one, "--lines=registers"}).says("lines of 1 of its kernels are left out"));
}

TEST(folder_input, skipped_files_are_named_and_counted)
{
    const temporary_directory folder;
    const std::string cubin = read_input(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"));
    const std::string here = (folder.path() / "in").string();
    written(folder, "in/good.cubin", cubin);
    const auto expect_told = [&](const std::string& name, const std::string& content, const std::string& words) {
        const std::string file = written(folder, "in/" + name, content);
        const call result = launchbox_run({"inspect", here, "--format", "json"});
        EXPECT_EQ(result.status, words.empty() ? 0 : 2) << name << result.err;
        EXPECT_TRUE(result.says(words)) << name << result.err;
        EXPECT_TRUE(words.empty() || result.says(name)) << result.err;
        const std::size_t kernels = result.json()["kernels"].size();
        fs::remove(file);
        return kernels;
    };
    const std::size_t each = expect_told("notes.txt", "no kernels", "");
    std::string other = cubin;
    other[4] = 1;
    expect_told("class.cubin", other, "it is not a 64-bit little-endian ELF image");
    expect_told("class.bin", other, "it is not a 64-bit little-endian ELF image");
    expect_told("zeros.cubin", std::string(100, '\0'), "it contains no compiled CUDA code");
    expect_told("text.cubin", "text", "it contains no compiled CUDA code");
    expect_told("text.ptx", "// nothing\n", "it contains no compiled CUDA code");
    expect_told("empty.fatbin", "", "is empty");
    expect_told("good.json", "{\"shared\": 4096, \"num_w", "good.json is not JSON, or cut off");
    EXPECT_EQ(expect_told("good.json", "{\"other\": 1}", ""), each);
    EXPECT_EQ(expect_told("two.cubin", cubin + cubin, ""), 3 * each);
    EXPECT_EQ(expect_told("late.txt", std::string(5'000, 'x') + "\n" + cubin, ""), 2 * each);
    EXPECT_EQ(expect_told("late.log", std::string(500'000, 'x') + "\n" + cubin, ""), 2 * each);
    EXPECT_EQ(expect_told("kernel.json", cubin, ""), 2 * each);
    const std::string mentioned = written(folder, "in/a.7z", std::string("7z\xbc\xaf\x27\x1c\0\0", 8));
    const call packed = launchbox_run({"inspect", here});
    EXPECT_EQ(packed.status, 0) << packed.err;
    EXPECT_TRUE(packed.says("a.7z' is a packed file (7z), which is not opened")) << packed.err;
    expect_refused(launchbox_run({"inspect", mentioned}), "it is a packed file (7z), which is not opened: unpack it");
    fs::remove(mentioned);
    // With --arch, a cubin for another architecture is not an error.
    EXPECT_EQ(launchbox_run({"inspect", here, "--arch", "sm_80"}).err.find("good.cubin"), std::string::npos);
    // Links to folders are not followed, but mentioned.
    fs::create_directory(folder.path() / "elsewhere");
    fs::create_directory_symlink(folder.path() / "elsewhere", here + "/away");
    fs::create_directory_symlink(".", here + "/around");
    const call linked = launchbox_run({"inspect", here});
    EXPECT_EQ(linked.status, 0) << linked.err;
    EXPECT_TRUE(linked.says("'away' is a link to a folder elsewhere, and is not followed")) << linked.err;
    EXPECT_FALSE(linked.says("around")) << linked.err;
    const call checked = launchbox_run({"check", here, "--stack-reserve", "900G"});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err << "what is only mentioned is no input without kernels";
    EXPECT_EQ(launchbox_run({"occupancy", here, "--threads", "64"}).status, 0);
}

// The file is rebuilt while a disassembler reads one of its kernels.
TEST(folder_input, a_file_that_changes_while_it_is_read_is_named)
{
    const std::string whole = read_input(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"));
    for (const char* change : {": >$F", "printf X | dd of=$F conv=notrunc status=none", "printf more >>$F"}) {
        const temporary_directory folder;
        const std::string cubin = written(folder, "in/k.cubin", whole);
        // The resolution of file times may be too coarse for two writes in a row.
        const std::string path = path_with_nvdisasm(
            folder, "#!/bin/sh\nF=" + cubin + "\n" + change + "\ntouch -d @2000000000 $F\necho '.text.k:'\n");
        for (const std::string& input : {cubin, (folder.path() / "in").string()}) {
            written(folder, "in/k.cubin", whole);
            const call result = launchbox_run({"inspect", input, "--lines=memory"}, {}, {path});
            EXPECT_EQ(result.status, 2) << change << result.err;
            EXPECT_TRUE(result.says("was changed by another program while it was read")) << change << result.err;
        }
    }
}

TEST(package_input, skipped_members_are_named_and_counted)
{
    const temporary_directory folder;
    const std::string cubin = read_input(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"));
    std::string other = cubin;
    other[4] = 1;
    const auto kernels_of = [&](const std::string& name, const std::string& content, const std::string& words) {
        // Stored uncompressed, as a member of a tar file.
        std::string header(512, '\0');
        header.replace(0, name.size(), name);
        std::array<char, 16> size{};
        std::snprintf(size.data(), size.size(), "%011zo", content.size());
        header.replace(100, 7, "0000644").replace(108, 7, "0000000").replace(116, 7, "0000000");
        header.replace(124, 11, size.data()).replace(136, 11, "00000000000").replace(148, 8, 8, ' ');
        header[156] = '0';
        header.replace(257, 5, "ustar").replace(263, 2, "00");
        unsigned sum = 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        std::snprintf(size.data(), size.size(), "%06o", sum);
        header.replace(148, 6, size.data());
        header[154] = '\0';
        const std::string padding((512 - content.size() % 512) % 512 + 1024, '\0');
        const call result =
            launchbox_run({"inspect", written(folder, "a.tar", header + content + padding), "--format", "json"});
        EXPECT_EQ(result.status, words.empty() ? 0 : 2) << name << result.err;
        EXPECT_TRUE(result.says(words)) << name << result.err;
        return result.status == 0 ? result.json()["kernels"].size() : 0;
    };
    const std::size_t each = kernels_of("k.cubin", cubin, "");
    EXPECT_GT(each, 0u);
    EXPECT_EQ(kernels_of("k.json", cubin, ""), each);
    EXPECT_EQ(kernels_of("late.txt", std::string(5'000, 'x') + cubin, ""), each);
    EXPECT_EQ(kernels_of("late.txt", std::string(500'000, 'x') + cubin, ""), each);
    EXPECT_EQ(kernels_of("two.cubin", cubin + cubin, ""), 2 * each);
    kernels_of("empty.cubin", "", "'empty.cubin' is empty");
    kernels_of("text.cubin", "text", "'text.cubin' is not what its name says");
    kernels_of("class.cubin", other, "it is not a 64-bit little-endian ELF image");
}

TEST(folder_input, reads_files_with_kernels_and_names_truncated_ones)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", spilling), cubin = written(folder, "cache/a/kernel.cubin", "");
    ASSERT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", "-o", cubin, source}).exit_code, 0);
    const std::string bytes = read_input(cubin), cache = (folder.path() / "cache").string();
    written(folder, "cache/a/kernel.json", R"({"shared": 4096, "num_warps": 8, "name": "_Z5roomyPf"})");
    written(folder, "cache/a/kernel.ptx",
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n");
    // As CuPy 14.2 writes them: after a checksum, and without the last byte.
    written(folder, "cache/b/image.bin", std::string(40, '7') + bytes.substr(0, bytes.size() - 1));
    written(folder, "cache/notes.txt", "no kernels");
    written(folder, "cache/picture.png", std::string("\x89PNG\0\0", 6));
    fs::create_symlink("kernel.cubin", folder.path() / "cache" / "a" / "again.cubin");
    fs::create_directory_symlink(".", folder.path() / "cache" / "circle");
    const call result = launchbox_run({"inspect", cache, "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["inputs"].size(), 2u);
    EXPECT_EQ(json["kernels"].size(), 4u);
    for (const nlohmann::json& kernel : json["kernels"])
        if (kernel["short_name"] == "roomy" && kernel["source"]["file"].get<std::string>().ends_with("kernel.cubin")) {
            EXPECT_EQ(kernel["dynamic_shared_bytes"], 4096);
        }

    written(folder, "cache/c/empty.cubin", "");
    written(folder, "cache/c/half.cubin", bytes.substr(0, bytes.size() / 2));
    written(folder, "cache/c/two_bytes.bin", std::string(40, '7') + bytes.substr(0, bytes.size() - 2));
    const call damaged = launchbox_run({"inspect", cache, "--format", "json"});
    EXPECT_EQ(damaged.status, 2);
    EXPECT_TRUE(damaged.says("empty.cubin' is empty")) << damaged.err;
    EXPECT_TRUE(damaged.says("half.cubin: byte")) << damaged.err;
    EXPECT_TRUE(damaged.says("two_bytes.bin: byte 40")) << damaged.err;
    EXPECT_GE(damaged.json()["kernels"].size(), 4u);
    fs::create_directory(folder.path() / "nothing");
    const call nothing = launchbox_run({"inspect", (folder.path() / "nothing").string()});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_TRUE(nothing.says("it contains no compiled CUDA code")) << nothing.err;
}

TEST(json_lines, have_the_same_kernels_one_per_line)
{
    const nlohmann::json whole = launchbox_run({"inspect", log_90, "--threads", "128", "--format", "json"}).json();
    const std::vector<std::string> lines =
        lines_of(launchbox_run({"inspect", log_90, "--threads", "128", "--format", "jsonl"}).out);
    ASSERT_EQ(lines.size(), whole["kernels"].size() + 1);
    EXPECT_EQ(nlohmann::json::parse(lines[0])["inputs"], whole["inputs"]);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(nlohmann::json::parse(lines[i]), whole["kernels"][i - 1]);
    expect_refused(launchbox_run({"inspect", log_90, "--summary", "--format", "jsonl"}), "use --format json");
}

TEST(size_verb, code_by_architecture_and_the_rest_add_up_to_the_file)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", spilling), object = (folder.path() / "k.o").string();
    ASSERT_EQ(run({"nvcc", "-c", "-gencode=arch=compute_80,code=sm_80",
                   "-gencode=arch=compute_90,code=[sm_90,compute_90]", "-o", object, source})
                  .exit_code,
              0);
    const call result = launchbox_run({"inspect", object, "--size", "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json file = result.json()["files"][0];
    std::uint64_t sum = file["other_bytes"];
    for (const nlohmann::json& one : file["architectures"]) sum += one["stored_bytes"].get<std::uint64_t>();
    EXPECT_EQ(sum, fs::file_size(object));
    EXPECT_EQ(file["architectures"].size(), 3u);
    EXPECT_EQ(file["templates"].size(), 2u);
}

TEST(stack_reserve, is_stack_times_threads_times_sms_and_check_names_the_kernel)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", spilling), cubin = (folder.path() / "k.cubin").string();
    ASSERT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", "-o", cubin, source}).exit_code, 0);
    const nlohmann::json kernels = launchbox_run({"inspect", cubin, "-k", "crowded", "--format", "json"}).json();
    const auto stack = kernels["kernels"][0]["cumulative_stack_bytes"].get<std::int64_t>();
    ASSERT_GT(stack, 0);
    const nlohmann::json json = launchbox_run({"inspect", cubin, "--stack-reserve", "--format", "json"}).json();
    bool found = false;
    for (const nlohmann::json& gpu : json["gpus"]) {
        if (gpu["gpu"] != "H200") continue;
        found = true;
        EXPECT_EQ(gpu["reserved_bytes"], stack * 2048 * 132);
        EXPECT_TRUE(gpu["kernel"].get<std::string>().find("crowded") != std::string::npos);
    }
    EXPECT_TRUE(found);

    const call over = launchbox_run({"check", cubin, "--stack-reserve", "1M"});
    EXPECT_EQ(over.status, 1);
    EXPECT_TRUE(over.shows("max_stack_reserve")) << over.out;
    const nlohmann::json broken = launchbox_run({"check", cubin, "--stack-reserve", "1M", "--format", "json"}).json();
    EXPECT_TRUE(broken["findings"][0]["message"].get<std::string>().find("its stack of") != std::string::npos);
    EXPECT_EQ(launchbox_run({"check", cubin, "--stack-reserve", "1T"}).status, 0);
    const std::string bytes = std::to_string(fs::file_size(cubin));
    EXPECT_EQ(launchbox_run({"check", cubin, "--size", bytes}).status, 0);
    EXPECT_EQ(launchbox_run({"check", cubin, "--size", "1K"}).status, 1);
    expect_refused(launchbox_run({"check", repository_file("tests/data/tune/faults.cu"), "--size", "1K", "--arch",
                                  "sm_90", "--nvcc", LAUNCHBOX_NVCC}),
                   "is a CUDA source");
    expect_refused(launchbox_run({"check", cubin, "--size", "much"}), "'much' is not a size");
}

TEST(check_verb_bisect, exits_with_125_if_nothing_can_be_checked)
{
    EXPECT_EQ(launchbox_run({"check", "no_such_file", "--size", "1K", "--bisect"}).status, 125);
    EXPECT_EQ(launchbox_run({"check", "no_such_file", "--size", "1K"}).status, 2);
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string broken = written(folder, "k.cu", "__global__ void k() { no }\n");
    EXPECT_EQ(launchbox_run({"check", broken, "--arch", "sm_90", "--stack-reserve", "1M", "--bisect"}).status, 125);
    const std::string fine = written(folder, "f.cu", "__global__ void k(int* p) { *p = 1; }\n");
    EXPECT_EQ(launchbox_run({"check", fine, "--arch", "sm_90", "--stack-reserve", "1M", "--bisect"}).status, 0);
}

TEST(build_flags, come_from_compile_commands)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "src/k.cu",
                                       "#include \"size.h\"\n__global__ void k(int* p) { __shared__ int s[ITEMS * "
                                       "size]; s[threadIdx.x] = *p; __syncthreads(); *p = s[1]; }\n");
    written(folder, "include/size.h", "constexpr int size = 8;\n");
    written(folder, "build/compile_commands.json",
            R"([{"directory": ")" + (folder.path() / "build").string() + R"(", "file": "../src/k.cu",
                "command": "/usr/bin/nvcc -forward-unknown-to-host-compiler -DITEMS=16 -I../include --generate-code=arch=compute_75,code=[sm_75] -std=c++17 -MD -MT x -MF x.d -x cu -c ../src/k.cu -o k.o"}])");
    const call result = launchbox_run(
        {"inspect", source, "--arch", "sm_90", "-p", (folder.path() / "build").string(), "--format", "json"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["kernels"][0]["static_shared_bytes"], 16 * 8 * 4);
    expect_refused(launchbox_run({"inspect", source, "--arch", "sm_90", "-p", folder.path().string()}), "there is no ");
    const std::string other = written(folder, "src/other.cu", "");
    expect_refused(launchbox_run({"inspect", other, "--arch", "sm_90", "-p", (folder.path() / "build").string()}),
                   "has no command for");
}

// The variables add up to what ptxas prints, except for the padding.
TEST(shared_variables, are_those_of_the_source_or_of_ptx_next_to_a_cubin)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", R"(
__device__ float helper(float v) { __shared__ float in_helper[32]; in_helper[threadIdx.x % 32] = v; __syncthreads();
                                   return in_helper[(threadIdx.x + 1) % 32]; }
__shared__ int of_file[64];
template <int N> __global__ void k(float* p) {
  __shared__ float tile[N]; __shared__ alignas(128) double points[20]; extern __shared__ int dynamic[];
  tile[threadIdx.x] = p[0]; points[threadIdx.x % 20] = p[1]; dynamic[threadIdx.x] = of_file[threadIdx.x % 64] = 1;
  __syncthreads(); p[threadIdx.x] = tile[N - 1 - threadIdx.x] + points[3] + helper(p[2]) + dynamic[3] + of_file[5]; }
template __global__ void k<256>(float*);
)");
    const std::string object = (folder.path() / "k.o").string();
    ASSERT_EQ(run({"nvcc", "-c", "-arch=sm_90", source, "-o", object}).exit_code, 0);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"inspect", source, "--arch", "sm_90"}, {"inspect", object}}) {
        std::vector<std::string> command = words;
        command.insert(command.end(), {"--format", "json"});
        const nlohmann::json kernel = launchbox_run(command).json()["kernels"][0];
        std::int64_t sum = 0;
        std::string names;
        for (const nlohmann::json& variable : kernel["shared_variables"]) {
            sum += variable["bytes"].get<std::int64_t>();
            names += variable["name"].get<std::string>() + " ";
        }
        EXPECT_EQ(sum, 1024 + 160 + 256 + 128);
        EXPECT_EQ(kernel["static_shared_bytes"], sum);
        EXPECT_EQ(names, "_ZZ1kILi256EEvPfE4tile of_file _ZZ1kILi256EEvPfE6points _ZZ6helperfE9in_helper ");
    }
}

// ptxas is the oracle: its code for griddepcontrol on every architecture that has it.
TEST(grid_dependency, an_early_kernel_that_never_waits_is_a_finding)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const auto source = [&](const std::string& name, const std::string& wait) {
        return written(
            folder, name,
            "__global__ void k(int* p) { if (p[threadIdx.x] > 3) " + wait +
                "; *p = 1; }\nvoid f(cudaLaunchAttribute& a) { a.val.programmaticStreamSerializationAllowed = "
                "1; }\n");
    };
    const std::string waiting = source("waiting.cu", "asm volatile(\"griddepcontrol.wait;\" ::: \"memory\")");
    const std::string never = source("never.cu", "asm volatile(\"griddepcontrol.launch_dependents;\")");
    for (const char* architecture : {"sm_90", "sm_90a", "sm_100", "sm_103a", "sm_120", "sm_121"}) {
        const call right = launchbox_run({"inspect", waiting, "--arch", architecture});
        EXPECT_EQ(right.status, 0) << right.err;
        EXPECT_FALSE(right.shows("no_kernel_waits")) << architecture << right.out;
        EXPECT_TRUE(launchbox_run({"inspect", never, "--arch", architecture}).shows("no_kernel_waits")) << architecture;
    }
    EXPECT_FALSE(launchbox_run({"inspect", waiting, "--arch", "sm_80"}).shows("no_kernel_waits"));

    // Triton's metadata next to a cubin say how it is launched.
    for (const std::string& file : {waiting, never}) {
        const std::string cubin = file.substr(0, file.size() - 2) + "cubin";
        ASSERT_EQ(run({"nvcc", "-cubin", "-arch=sm_90", file, "-o", cubin}).exit_code, 0);
        for (const bool pdl : {true, false}) {
            write_file_atomically(file.substr(0, file.size() - 2) + "json",
                                  nlohmann::json{{"shared", 0}, {"num_warps", 4}, {"launch_pdl", pdl}}.dump());
            const call result = launchbox_run({"inspect", cubin, "--format", "json"});
            ASSERT_EQ(result.status, 0) << result.err;
            const nlohmann::json diagnoses = result.json()["kernels"][0]["diagnoses"];
            EXPECT_EQ(diagnoses.dump().find("never_waits") != std::string::npos, pdl && file == never)
                << file << diagnoses;
        }
    }
}

TEST(several_compilers, are_columns_and_a_missing_one_is_reported)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", "__global__ void k(int* p) { *p = 1; }\n");
    const std::string nvcc = find_in_path("nvcc").string();
    const call same = launchbox_run({"inspect", source, "--arch", "sm_90", "--nvcc", nvcc + "," + nvcc});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_TRUE(same.shows("1 kernel has the same registers")) << same.out;
    const call missing =
        launchbox_run({"inspect", source, "--arch", "sm_90", "--nvcc", nvcc + ",9.9", "--format", "json"});
    EXPECT_EQ(missing.status, 3);
    EXPECT_TRUE(missing.says("no CUDA compiler of that release is installed")) << missing.err;
    EXPECT_TRUE(missing.json()["kernels"][0]["made"][1].is_null());
}

TEST(several_compilers, several_flags_are_columns_too)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = written(folder, "k.cu", R"(__global__ void k(float* x, int n) { float v[64];
for (int i = 0; i < 64; ++i) v[i] = x[i * n + threadIdx.x];
for (int k = 0; k < n; ++k) for (int i = 0; i < 64; ++i) v[i] += v[(i + 1) % 64] * k;
for (int i = 0; i < 64; ++i) x[i * n + threadIdx.x] = v[i]; }
)");
    const std::vector<std::string> words{"inspect",           source,     "--arch", "sm_90", "--flags", "", "--flags",
                                         "--maxrregcount 32", "--format", "json"};
    const call result = launchbox_run(words);
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json kernel = result.json()["kernels"][0];
    EXPECT_EQ(result.json()["compilers"][1]["flags"], "--maxrregcount 32");
    EXPECT_TRUE(kernel["differs"]);
    EXPECT_EQ(kernel["made"][0]["spill_store_bytes"], 0);
    EXPECT_EQ(kernel["made"][1]["registers"], 32);
    EXPECT_GT(kernel["made"][1]["spill_store_bytes"], 0);
    // One set of flags has the same effect as after --.
    EXPECT_EQ(launchbox_run({"inspect", source, "--arch", "sm_90", "--flags", "--maxrregcount 32"}).out,
              launchbox_run({"inspect", source, "--arch", "sm_90", "--", "--maxrregcount", "32"}).out);
    const call wrong = launchbox_run(
        {"inspect", source, "--arch", "sm_90", "--flags", "", "--flags", "-nonsense", "--format", "json"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_TRUE(wrong.says("-nonsense: ")) << wrong.err;
    EXPECT_TRUE(wrong.json()["kernels"][0]["made"][1].is_null());
    expect_refused(launchbox_run({"inspect", source, "--flags", "", "--flags", "-O1", "--size"}),
                   "several compilers or sets of flags can only be compared by kernels");
    expect_refused(launchbox_run({"inspect", log_90, "--flags", "-O1"}), "but no source");
}

TEST(gpu_names, stand_for_their_architectures)
{
    const auto results_for = [](const char* name) {
        return launchbox_run({"occupancy", "--arch", name, "--threads", "256", "--registers", "63", "--format", "json"})
            .json()["results"][0];
    };
    nlohmann::json by_name = results_for("H100"), by_number = results_for("sm_90");
    EXPECT_EQ(by_name["gpu"], "H100");
    for (const char* of_the_model : {"gpu", "sms"}) {
        by_name.erase(of_the_model);
        by_number.erase(of_the_model);
    }
    EXPECT_EQ(by_name, by_number);
    EXPECT_EQ(launchbox_run({"occupancy", "--arch", "rtx-4090,T4", "--threads", "256", "--registers", "63"}).status, 0);
    expect_refused(launchbox_run({"occupancy", "--arch", "H1000", "--threads", "256", "--registers", "63"}),
                   "is not an architecture");
}

}  // namespace
}  // namespace launchbox
