// launchbox inspect: all kinds of binaries, valid, broken and hostile.
#include <cstring>
#include <filesystem>

#include "../image/containers.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string source =
    "extern \"C\" __global__ void __launch_bounds__(64, 8) name_of_twenty_bytes(int* p) { __shared__ int s[64]; "
    "s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[63 - threadIdx.x]; }";
const std::string kernel_name = "name_of_twenty_bytes";

// Runs nvcc with these options.
std::string make(std::vector<std::string> options)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "k.cu", source);
    options.insert(options.begin(), {"nvcc", "-w"});
    options.insert(options.end(), {"-o", (folder.path() / "made").string(), (folder.path() / "k.cu").string()});
    const subprocess_result made = run(options);
    EXPECT_EQ(made.exit_code, 0) << made.output;
    return made.exit_code == 0 ? read_input((folder.path() / "made").string()) : std::string();
}

const std::string& fatbin()
{
    static const std::string bytes =
        make({"-fatbin", "--compress-mode=size", "-gencode=arch=compute_80,code=[sm_80,compute_80]",
              "-gencode=arch=compute_90,code=sm_90"});
    return bytes;
}

const std::string& cubin()
{
    static const std::string bytes = make({"-cubin", "-arch=sm_90"});
    return bytes;
}

class binary_input : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& content)
    {
        write_file_atomically(folder_.path() / name, content);
        return (folder_.path() / name).string();
    }

private:
    temporary_directory folder_;
};

TEST_F(binary_input, is_read_from_a_file_and_from_standard_input)
{
    NEEDS_NVCC();
    const call from_file = launchbox_run({"inspect", file("k.fatbin", fatbin()), "--format", "json"});
    EXPECT_EQ(from_file.status, 0) << from_file.err;
    EXPECT_EQ(from_file.err, "");
    nlohmann::json json = from_file.json();
    ASSERT_EQ(json["kernels"].size(), 2u);
    EXPECT_EQ(json["inputs"][0]["kind"], "fat binary");
    nlohmann::json piped = launchbox_run({"inspect", "-", "--format", "json"}, fatbin()).json();
    for (nlohmann::json* entry : {&json, &piped})
        for (nlohmann::json& kernel : (*entry)["kernels"]) kernel["source"].erase("file");
    EXPECT_EQ(json["kernels"], piped["kernels"]);
    EXPECT_EQ(launchbox_run({"inspect", "-", "--arch", "sm_90", "--format", "json"}, fatbin()).json()["kernels"].size(),
              1u);
    expect_refused(launchbox_run({"inspect", "-", "--arch", "sm_75"}, fatbin()), "no CUDA code for sm_75");
}

// A chip newer than launchbox: the compiler's figures are shown, without occupancy.
TEST_F(binary_input, kernels_of_an_unknown_architecture_have_registers_and_spills)
{
    const std::string code = read_input(repository_file("tests/fuzz/corpus/cubin/sm_90.cubin"));
    const auto of_sm_140 = [](std::string image, std::size_t at = 0) {
        constexpr std::size_t flags = 48;  // of the ELF header; the second byte is the architecture
        image[at + flags + 1] = static_cast<char>(140);
        return image;
    };
    std::string entries = read_input(repository_file("tests/fuzz/corpus/fatbin/none.fatbin"));
    constexpr std::size_t header = 16, entry_header = 64, architecture = 28;
    entries[header + architecture] = static_cast<char>(140);
    const std::string patched = file("new.cubin", of_sm_140(code));
    const std::string container = file("new.fatbin", of_sm_140(entries, header + entry_header));
    const nlohmann::json known =
        launchbox_run({"inspect", file("known.cubin", code), "--format", "json"}).json()["kernels"];

    for (const std::vector<std::string>& words :
         {std::vector<std::string>{}, {"--arch", "sm_140"}, {"--arch", "sm_90,sm_140"}, {"--arch", "all"}}) {
        std::vector<std::string> call_words{"inspect", patched, "--format", "json"};
        call_words.insert(call_words.end(), words.begin(), words.end());
        const call result = launchbox_run(call_words);
        EXPECT_EQ(result.status, 0) << result.err;
        const nlohmann::json kernels = result.json()["kernels"];
        ASSERT_EQ(kernels.size(), known.size());
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            EXPECT_EQ(kernels[i]["architecture"], "sm_140");
            EXPECT_TRUE(kernels[i]["occupancy"].is_null());
            for (const char* figure : {"name", "registers", "spill_store_bytes", "spill_load_bytes",
                                       "stack_frame_bytes", "static_shared_bytes", "barriers", "code_bytes"})
                EXPECT_EQ(kernels[i][figure], known[i][figure]) << figure;
        }
    }
    EXPECT_TRUE(launchbox_run({"inspect", patched, "--arch", "sm_140"}).shows("no limits known"));
    EXPECT_EQ(launchbox_run({"inspect", container, "--arch", "sm_140", "--format", "json"}).json()["kernels"].size(),
              1u);
    expect_refused(launchbox_run({"inspect", patched, "--arch", "sm_90"}), "it contains no CUDA code for sm_90");
    expect_refused(launchbox_run({"inspect", patched, "--arch", "sm_141"}), "launchbox does not know sm_141");

    const std::string budget = file("budget.toml", "[defaults]\nmax_spill_bytes = 0\n");
    const call checked = launchbox_run({"check", patched, "--budget", budget, "--arch", "sm_140"});
    EXPECT_EQ(checked.status, 1) << checked.err;
    EXPECT_TRUE(checked.shows("184 B")) << checked.out;
    EXPECT_TRUE(
        launchbox_run({"check", patched, "--budget", budget, "--arch", "sm_90,sm_140"}).shows("no code for sm_90"));
    const call occupancy = launchbox_run({"occupancy", patched, "--threads", "128"});
    EXPECT_EQ(occupancy.status, 2);
    EXPECT_TRUE(occupancy.says("unknown architecture 'sm_140'")) << occupancy.err;
}

TEST_F(binary_input, says_which_gpus_compile_its_ptx)
{
    const std::string both = repository_file("tests/fuzz/corpus/fatbin/none.fatbin");  // sm_75, compute_75, sm_120
    const call result = launchbox_run({"inspect", both, "--summary"});
    EXPECT_TRUE(result.shows("\n  runs as it is on: 7.5, 12.0, 12.1\n")) << result.out;
    EXPECT_TRUE(result.shows(
        "\n  runs after compiling PTX on: 8.0, 8.6, 8.7, 8.8, 8.9, 9.0, 10.0, 10.3, 10.7, 11.0 and later\n"))
        << result.out;
    const call without = launchbox_run({"inspect", "tests/fuzz/corpus/cubin/sm_90.cubin", "--summary"});
    EXPECT_TRUE(without.shows("runs as it is on: 9.0\n")) << without.out;
    EXPECT_FALSE(without.shows("after compiling PTX")) << without.out;
}

TEST_F(binary_input, a_broken_part_is_reported_and_the_rest_printed)
{
    NEEDS_NVCC();
    std::string broken = fatbin();
    const std::size_t frame = broken.find("\x28\xb5\x2f\xfd");
    ASSERT_NE(frame, std::string::npos);
    broken[frame] = 'x';
    const call result = launchbox_run({"inspect", file("broken.fatbin", broken), "--format", "json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("fatbin at byte 0, entry 1: damaged zstd data")) << result.err;
    EXPECT_TRUE(result.says("byte " + std::to_string(frame) + ": ")) << result.err;
    EXPECT_GE(result.json()["kernels"].size(), 1u);
    EXPECT_EQ(result.json()["inputs"][0]["errors"].size(), 1u);
    for (const char* format : {"table", "csv", "markdown"}) {
        const call other = launchbox_run({"inspect", "-", "--format", format}, broken);
        EXPECT_EQ(other.status, 2);
        EXPECT_TRUE(other.shows("twenty")) << other.out;
    }
}

TEST_F(binary_input, images_that_are_not_read_are_counted_and_named)
{
    NEEDS_NVCC();
    const std::string mixed = file("mixed.fatbin", make_fatbin({{.payload = cubin()},
                                                                {.kind = 8, .payload = "x", .architecture = 80},
                                                                {.kind = 8, .payload = "x", .architecture = 80},
                                                                {.kind = 128, .payload = "x", .architecture = 100},
                                                                {.kind = 64, .payload = "x", .architecture = 100}}));
    const std::string sentence =
        "not read: 2 LTO-IR images (compute_80), 1 Tile IR image (compute_100), 1 image of unknown kind 64 "
        "(compute_100)";
    const nlohmann::json wanted = nlohmann::json::parse(
        R"([{"kind": "LTO-IR", "architecture": "compute_80", "images": 2},
            {"kind": "Tile IR", "architecture": "compute_100", "images": 1},
            {"kind": "kind 64", "architecture": "compute_100", "images": 1}])");
    const std::string limits = file("b.toml", "[defaults]\nmax_registers = 255\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"inspect"},
                                                  {"inspect", "--diff", mixed},
                                                  {"check", "--budget", limits},
                                                  {"occupancy"},
                                                  {"suggest"}}) {
        std::vector<std::string> command = words;
        command.push_back(mixed);
        const call table = launchbox_run(command, {}, {"COLUMNS=300"});
        EXPECT_EQ(table.status, 0) << table.err;
        EXPECT_TRUE(table.shows(sentence)) << words[0] << '\n' << table.out;
        command.insert(command.end(), {"--format", "json"});
        nlohmann::json json = launchbox_run(command).json();
        if (json.contains("skipped_images")) {
            for (nlohmann::json& some : json["skipped_images"]) EXPECT_EQ(some.erase("file"), 1u);
            EXPECT_EQ(json["skipped_images"], wanted) << words[0];
        } else {
            EXPECT_EQ(json[json.contains("inputs") ? "inputs" : "before"][0]["skipped_images"], wanted) << words[0];
        }
    }
    // If the file has nothing else, nothing can be calculated.
    const std::string lto = file("lto.fatbin", make_fatbin({{.kind = 8, .payload = "x"}}));
    for (const char* verb : {"occupancy", "suggest"})
        expect_refused(launchbox_run({verb, lto}), "it has no kernel: it contains 1 LTO-IR image (compute_90)");
    const call tiles =
        launchbox_run({"inspect", "--summary", file("tile.fatbin", make_fatbin({{.kind = 128, .payload = "x"}}))});
    EXPECT_TRUE(tiles.shows("Tile IR: the driver compiles it when it is loaded")) << tiles.out << tiles.err;
    EXPECT_FALSE(tiles.shows("before it is linked")) << tiles.out;
}

TEST_F(binary_input, one_broken_input_among_several_hides_no_other)
{
    NEEDS_NVCC();
    const call result = launchbox_run({"inspect", file("good.cubin", cubin()), file("cut.cubin", cubin().substr(0, 50)),
                                       (fs::path(file("x", "")).parent_path() / "missing.o").string(),
                                       file("good.fatbin", fatbin()), "--format", "json"});
    EXPECT_EQ(result.status, 2);
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["kernels"].size(), 3u);
    ASSERT_EQ(json["inputs"].size(), 4u);
    for (const std::size_t good : {0u, 3u}) EXPECT_TRUE(json["inputs"][good]["errors"].empty());
    for (const std::size_t bad : {1u, 2u}) EXPECT_EQ(json["inputs"][bad]["errors"].size(), 1u);
    EXPECT_TRUE(result.says("cut.cubin"));
    EXPECT_TRUE(result.says("missing.o"));
}

TEST_F(binary_input, a_truncated_file_ends_with_2_and_one_clear_message)
{
    NEEDS_NVCC();
    for (std::size_t length = 4; length < fatbin().size(); length += fatbin().size() / 20) {
        const call cut = launchbox_run({"inspect", "-", "--format", "json"}, fatbin().substr(0, length));
        EXPECT_EQ(cut.status, 2) << length;
        EXPECT_TRUE(cut.says("launchbox: standard input: ")) << length;
        EXPECT_LE(lines_of(cut.err).size(), 2u) << cut.err;
    }
}

TEST_F(binary_input, a_binary_without_cuda_code_is_reported)
{
    const call host = launchbox_run({"inspect", "/bin/true"});
    EXPECT_EQ(host.status, 2);
    EXPECT_EQ(host.err, "launchbox: /bin/true: it contains no compiled CUDA code\n");
    EXPECT_EQ(launchbox_run({"inspect", "-"}, "!<arch>\n").status, 2);
    const call thin = launchbox_run({"inspect", "-"}, "!<thin>\n");
    EXPECT_EQ(thin.status, 2);
    EXPECT_TRUE(thin.says("thin archive")) << thin.err;
}

// The string table is patched: the name, as the linker sees it, consists of twenty hostile bytes.
TEST_F(binary_input, hostile_names_do_no_harm_in_any_form)
{
    NEEDS_NVCC();
    const std::string hostile = "\x1b[2J\x07\"<b>|,\\\xff\xc2\x9b\n\r\t=1";
    ASSERT_EQ(hostile.size(), kernel_name.size());
    std::string bytes = cubin();
    int places = 0;
    for (std::size_t at = bytes.find(kernel_name); at != std::string::npos; at = bytes.find(kernel_name, at)) {
        bytes.replace(at, hostile.size(), hostile);
        ++places;
    }
    ASSERT_GT(places, 2);
    const std::string path = file("hostile.cubin", bytes);
    for (const char* format : {"table", "json", "csv", "markdown"})
        for (const char* verb : {"inspect", "occupancy"}) {
            const call result = launchbox_run({verb, path, "--format", format});
            EXPECT_EQ(result.status, 0) << verb << ' ' << format << ' ' << result.err;
            EXPECT_TRUE(result.shows("64")) << verb << ' ' << format;
            for (const std::string& text : {result.out, result.err})
                for (const char c : text) {
                    const auto byte = static_cast<unsigned char>(c);
                    ASSERT_TRUE(byte >= 0x20 || c == '\n' || c == '\r') << verb << ' ' << format << ' ' << int{byte};
                    ASSERT_NE(byte, 0xff) << verb << ' ' << format;
                }
            EXPECT_EQ(result.out.find("\xc2\x9b"), std::string::npos) << verb << ' ' << format;
            if (std::string(format) == "json") {
                EXPECT_NO_THROW((void)result.json()) << verb;
            }
        }
    const call listed = launchbox_run({"inspect", path, "--format", "csv"});
    EXPECT_EQ(lines_of(listed.out).size(), 2u) << listed.out;
}

TEST_F(binary_input, code_before_linking_is_shown_on_request)
{
    NEEDS_NVCC();
    if (find_in_path("nvlink").empty()) GTEST_SKIP() << "needs nvlink in PATH";
    const std::string path =
        file("lib.so", make({"-rdc=true", "-shared", "-Xcompiler=-fPIC", "-gencode=arch=compute_90,code=sm_90"}));
    const nlohmann::json linked = launchbox_run({"inspect", path, "--format", "json"}).json();
    const nlohmann::json both = launchbox_run({"inspect", path, "--before-linking", "--format", "json"}).json();
    ASSERT_EQ(linked["kernels"].size(), 1u);
    EXPECT_EQ(linked["kernels"][0]["relocatable"], false);
    ASSERT_EQ(both["kernels"].size(), 2u);
    EXPECT_EQ(both["kernels"][0]["relocatable"], false);
    EXPECT_EQ(both["kernels"][1]["relocatable"], true);
}

TEST_F(binary_input, the_stack_of_called_functions_is_shown_and_checked)
{
    NEEDS_NVCC();
    const std::string object = file("deep.o", ""), linked = file("deep.cubin", "");
    const std::string text = file(
        "deep.cu",
        "__device__ __noinline__ int deep(int* p, int i) { int a[70]; for (int k = 0; k < 70; ++k) a[k] = p[k] * i; "
        "return a[p[71] % 70] + a[i % 70]; }\n"
        "extern \"C\" __global__ void caller(int* p) { p[threadIdx.x] = deep(p, p[0]) + deep(p, p[1]); }\n");
    ASSERT_EQ(run({"nvcc", "-w", "-rdc=true", "-arch=sm_90", "-c", text, "-o", object}).exit_code, 0);
    ASSERT_EQ(run({"nvcc", "-arch=sm_90", "-dlink", "-cubin", object, "-o", linked}).exit_code, 0);
    const nlohmann::json kernel = launchbox_run({"inspect", linked, "--format", "json"}).json()["kernels"][0];
    ASSERT_EQ(kernel["stack_frame_bytes"], 0);
    const int bytes = kernel["cumulative_stack_bytes"];
    ASSERT_GE(bytes, 70 * 4);
    const call table = launchbox_run({"inspect", linked});
    EXPECT_TRUE(table.shows(" 0/" + std::to_string(bytes) + " ")) << table.out;
    const std::string limits = file("b.toml", "[defaults]\nmax_stack_bytes = " + std::to_string(bytes - 1) + "\n");
    const call failed = launchbox_run({"check", linked, "--budget", limits});
    EXPECT_EQ(failed.status, 1);
    EXPECT_TRUE(failed.shows(std::to_string(bytes) + " B")) << failed.out;
}

TEST_F(binary_input, printf_and_the_third_launch_bound_are_reported)
{
    NEEDS_NVCC();
    const std::string text =
        file("p.cu",
             "#include <cstdio>\nextern \"C\" __global__ void __launch_bounds__(128, 2, 4) says(int* p)"
             " { printf(\"%d %f\\n\", p[0], 1.0 * p[1]); }\n");
    const std::string made_of_it = file("p.cubin", "");
    ASSERT_EQ(run({"nvcc", "-w", "-cubin", "-arch=sm_90", text, "-o", made_of_it}).exit_code, 0);
    for (const std::vector<std::string>& input :
         {std::vector<std::string>{made_of_it}, std::vector<std::string>{text, "--arch", "sm_90"}}) {
        std::vector<std::string> words = input;
        words.insert(words.begin(), "inspect");
        const call table = launchbox_run(words, {}, {"COLUMNS=200"});
        EXPECT_TRUE(table.shows("printf_arguments (sm_90): 16 B")) << table.out;
        EXPECT_FALSE(table.shows("local_array")) << table.out;
        EXPECT_TRUE(table.shows("uses printf (sm_90)")) << table.out;
        // The second input has only PTX.
        EXPECT_TRUE(table.shows(input.size() > 1 ? "128,2,4" : "128,–,4")) << table.out;
    }
}

TEST_F(binary_input, the_architecture_probe_is_never_listed)
{
    NEEDS_NVCC();
    const std::string text = file("probes.cu",
                                  "extern \"C\" __global__ void mine() {}\n"
                                  "namespace launchbox::detail { template <int...> struct unit_for {};"
                                  "template <class Unit> __global__ void architecture_probe() {}"
                                  "template __global__ void architecture_probe<unit_for<750, 900>>();}\n"),
                      made_of_it = file("probes.cubin", "");
    ASSERT_EQ(run({"nvcc", "-w", "-std=c++17", "-cubin", "-arch=sm_90", text, "-o", made_of_it}).exit_code, 0);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"inspect"},
                                                  {"inspect", "--summary"},
                                                  {"inspect", "--sort", "name"},
                                                  {"occupancy", "--threads", "64"},
                                                  {"suggest"}}) {
        std::vector<std::string> command = words;
        command.push_back(made_of_it);
        const call result = launchbox_run(command);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_FALSE(result.shows("probe<") || result.shows("_probe")) << result.out;
        EXPECT_TRUE(words.size() == 2 || result.shows("mine")) << result.out;
        command.insert(command.end(), {"--format", "json"});
        const nlohmann::json json = launchbox_run(command).json();
        EXPECT_EQ(json[json.contains("results")   ? "results"
                       : json.contains("kernels") ? "kernels"
                                                  : "inputs"]
                      .size(),
                  1u);
        if (json.contains("inputs")) {
            EXPECT_EQ(json["inputs"][0]["kernels"], 1) << words[0];
        }
    }
}

}  // namespace
}  // namespace launchbox
