// In every kind of container, the figures of a kernel equal what ptxas printed when the container was built.
// LAUNCHBOX_EXHAUSTIVE=1: every option in every container for every architecture.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "corpus_kernels.hpp"
#include "flat_binary.hpp"
#include "image/container/elf.hpp"
#include "image/names/demangle.hpp"
#include "kernels.hpp"
#include "ptxas_log.hpp"
#include "scale.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

using strings = std::vector<std::string>;

// What was compared: "sm_90 k -G".
std::set<std::string> compared;

// All architectures of this nvcc, including variants that it does not list.
strings nvcc_architectures()
{
    strings all;
    std::istringstream lines(run({"nvcc", "--list-gpu-code"}).output);
    for (std::string name; lines >> name;) {
        all.push_back(name);
        if (name == "sm_90") all.push_back(name + "a");
        if (name.size() == 6) all.insert(all.end(), {name + "a", name + "f"});
    }
    return all;
}

std::string virtual_of(const std::string& architecture)
{
    return "compute_" + architecture.substr(3);
}

strings code_for(const strings& architectures, bool with_ptx)
{
    strings options;
    for (const std::string& architecture : architectures)
        options.push_back("-gencode=arch=" + virtual_of(architecture) + ",code=" +
                          (with_ptx ? "[" + architecture + "," + virtual_of(architecture) + "]" : architecture));
    return options;
}

// A report of several architectures, split by architecture.
std::map<std::string, ptxas_log> logs_of(const std::string& text)
{
    std::map<std::string, std::string> parts;
    std::string architecture, ahead;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("bytes gmem") != std::string::npos) {
            architecture.clear();  // a new module, whose architecture follows later
            ahead.clear();
        }
        if (line.find("Compiling entry function") != std::string::npos) {
            const auto from = line.rfind("for '") + 5;
            architecture = line.substr(from, line.find('\'', from) - from);
            parts[architecture] += ahead;
            ahead.clear();
        }
        (architecture.empty() ? ahead : parts[architecture]) += line + "\n";
    }
    std::map<std::string, ptxas_log> logs;
    for (const auto& [name, part] : parts) logs[name] = parse_ptxas_log(part);
    return logs;
}

// One kernel against one report.
void expect_equal(const kernel_info& info, const logged_kernel& expected)
{
    const auto used = [&](const std::string& what) {
        return expected.used.contains(what) ? expected.used.at(what) : 0;
    };
    EXPECT_EQ(info.figures.registers, used("registers"));
    EXPECT_EQ(info.figures.barriers, used("barriers"));
    EXPECT_EQ(info.figures.static_shared_bytes, used("smem"));
    EXPECT_EQ(info.figures.stack_frame_bytes, expected.frame);
    EXPECT_EQ(info.figures.spill_store_bytes, expected.stores);
    EXPECT_EQ(info.figures.spill_load_bytes, expected.loads);
    EXPECT_EQ(info.figures.cumulative_stack_bytes,
              info.relocatable ? std::nullopt : std::optional<std::int64_t>(used("cumulative")));
    EXPECT_FALSE(info.figures.constant_banks.empty());
    if (before_sm_90(info.architecture)) {  // ptxas prints no constant banks from sm_90 on
        for (const constant_bank& bank : info.figures.constant_banks)
            EXPECT_EQ(bank.bytes, used("cmem[" + std::to_string(bank.bank) + "]"));
    }
    EXPECT_EQ(info.toolkit_version, toolkit_version());
    EXPECT_EQ(info.virtual_architecture, virtual_of(info.architecture));
    EXPECT_GT(info.figures.code_bytes.value_or(0), 0);
}

// The attributes in the source, which are part of the kernels' names.
void expect_attributes(const kernel_info& info, bool with_ptx, bool capped)
{
    using triple = std::array<int, 3>;
    struct attributes {
        int threads;
        std::optional<int> min_blocks;
    };
    const int by_architecture = before_sm_90(info.architecture) ? 2 : 3;
    const std::map<std::string, attributes> bounds{{"bounds_64", {64, {}}},
                                                   {"bounds_1024", {1024, {}}},
                                                   {"bounds_128_6", {128, 6}},
                                                   {"bounds_256_4", {256, 4}},
                                                   {"bounds_288_1", {288, 1}},
                                                   {"bounds_512_1", {512, 1}},
                                                   {"bounds_by_architecture", {256, by_architecture}},
                                                   {"spilling", {1024, {}}},
                                                   {"spilling_doubles", {512, 2}},
                                                   {"rank_4", {128, 2}}};
    const auto found = bounds.find(info.name);
    if (found == bounds.end()) {
        EXPECT_EQ(info.bounds.max_threads, std::nullopt);
        if (with_ptx) {
            EXPECT_EQ(info.bounds.min_blocks, std::nullopt);
        }
    } else {
        EXPECT_EQ(info.bounds.max_threads, (triple{found->second.threads, 1, 1}));
        if (with_ptx) {
            EXPECT_EQ(info.bounds.min_blocks, found->second.min_blocks);
            EXPECT_FALSE(info.bounds.min_blocks_inferred);
        } else if (info.bounds.min_blocks) {  // inferred; right if only the bound can have made the cap
            EXPECT_TRUE(info.bounds.min_blocks_inferred);
            if (!capped && found->second.min_blocks) {
                EXPECT_EQ(info.bounds.min_blocks, found->second.min_blocks);
            }
        } else if (!capped) {  // without a second bound, ptxas assumes one block
            EXPECT_LE(found->second.min_blocks.value_or(1), 1);
        }
    }
    if (info.name == "max_registers_48") {
        EXPECT_EQ(info.bounds.requested_max_registers, with_ptx ? std::optional(48) : std::nullopt);
        EXPECT_LE(info.bounds.register_cap, 48);
    }
    EXPECT_EQ(info.bounds.required_threads,
              info.name == "required_128" ? std::optional(triple{64, 2, 1}) : std::nullopt);
    EXPECT_EQ(info.bounds.cluster, info.name == "cluster_2"      ? std::optional(triple{2, 1, 1})
                                   : info.name == "required_128" ? std::optional(triple{1, 2, 1})
                                                                 : std::nullopt);
    EXPECT_EQ(info.bounds.max_cluster_blocks, info.name == "rank_4" ? std::optional(4) : std::nullopt);
    if (info.name == "empty") {
        EXPECT_EQ(info.figures.parameter_bytes, 0);
    }
    if (info.name == "odd_parameters") {
        EXPECT_EQ(info.figures.parameter_bytes, 33);
    }
    if (info.name == "static_shared_48k") {
        EXPECT_EQ(info.figures.static_shared_bytes, 49152);
    }
    if (info.name == "barriers_16") {
        EXPECT_EQ(info.figures.barriers, 16);
    }
}

struct build {
    std::string what;  // for messages
    std::string source = corpus_source;
    strings architectures, options;
    bool with_ptx = false;
    bool capped = false;  // by -maxrregcount
};

// Builds it with nvcc as one file of this `kind`: -fatbin, -c, --lib, -shared, or a program.
compiled make(const build& each, const std::string& kind)
{
    strings command{"nvcc", "-Xptxas=-v", "-w", "--threads=0"};
    std::string source = each.source;
    if (kind == "-shared")
        command.insert(command.end(), {"-shared", "-Xcompiler=-fPIC"});
    else if (kind == "program")
        source += "\nint main() {}\n";
    else
        command.push_back(kind);
    const strings code = code_for(each.architectures, each.with_ptx);
    command.insert(command.end(), code.begin(), code.end());
    command.insert(command.end(), each.options.begin(), each.options.end());
    return compile(std::move(command), source, ".cu");
}

void compare(const build& each, const std::string& kind, const std::string& kind_name)
{
    const compiled made = make(each, kind);
    SCOPED_TRACE(kind + " " + each.what);
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const auto logs = logs_of(made.log);
    const flat_contents contents = read_flat(made.image, "corpus");
    EXPECT_EQ(diagnostics_of(contents), "");
    EXPECT_EQ(contents.kind, kind_name);
    std::map<std::string, std::size_t> kernels;
    for (const kernel_info& info : contents.kernels) {
        SCOPED_TRACE(info.name + " " + info.architecture);
        ++kernels[info.architecture];
        ASSERT_TRUE(logs.contains(info.architecture));
        ASSERT_TRUE(logs.at(info.architecture).kernels.contains(info.name));
        expect_equal(info, logs.at(info.architecture).kernels.at(info.name));
        expect_attributes(info, each.with_ptx, each.capped);
        compared.insert(info.architecture + " " + info.name + " " + each.what + " " + kind);
    }
    for (const std::string& architecture : each.architectures) {
        ASSERT_TRUE(logs.contains(architecture));
        EXPECT_EQ(kernels[architecture], logs.at(architecture).kernels.size()) << architecture;
        EXPECT_GE(kernels[architecture], 3u);
    }
}

template <class Condition>
strings those_of(const strings& all, const Condition& condition)
{
    strings result;
    std::copy_if(all.begin(), all.end(), std::back_inserter(result), condition);
    return result;
}

strings only_from_90(const strings& all)
{
    return those_of(all, [](const std::string& entry) { return !before_sm_90(entry); });
}

strings families(const strings& all)
{
    return those_of(all, [](const std::string& entry) { return entry.ends_with('f'); });
}

strings without_families(const strings& all)
{
    return those_of(all, [](const std::string& entry) { return !entry.ends_with('f'); });
}

TEST(corpus, every_container_has_the_figures_of_ptxas)
{
    SKIP_WITHOUT_TOOLKIT();
    const strings few =
        is_exhaustive() ? strings{"sm_75", "sm_90a", "sm_100f", "sm_120"} : strings{"sm_75", "sm_90a", "sm_100f"};
    const strings all = is_exhaustive() ? nvcc_architectures() : strings{"sm_80", "sm_90", "sm_120f", "sm_121"};
    const strings some = is_exhaustive() ? without_families(all) : few;
    // nvcc refuses code for a family together with other code for the same number.
    for (const strings& set : {without_families(all), families(all)}) {
        compare({.what = "", .architectures = set, .options = {}}, "-fatbin", "fat binary");
        compare({.what = "clusters",
                 .source = corpus_cluster_source,
                 .architectures = only_from_90(set),
                 .options = {},
                 .with_ptx = true},
                "-fatbin", "fat binary");
    }
    compare({.what = "size", .architectures = few, .options = {"--compress-mode=size"}, .with_ptx = true}, "-c",
            "object file");
    compare(
        {.what = "speed", .architectures = some, .options = {"--compress-mode=speed", "-lineinfo"}, .with_ptx = true},
        "--lib", "archive");
    compare({.what = "balance",
             .architectures = some,
             .options = {"--compress-mode=balance", "-maxrregcount=32"},
             .capped = true},
            "-shared", "shared library");
    compare(
        {.what = "none", .architectures = {"sm_80", "sm_86"}, .options = {"--compress-mode=none"}, .with_ptx = true},
        "program", "executable");
    compare({.what = "-G", .architectures = some, .options = {"-G"}}, "-fatbin", "fat binary");
    compare({.what = "-rdc", .architectures = some, .options = {"-rdc=true"}}, "-c", "object file");
    if (is_exhaustive()) {
        for (const strings& options :
             {strings{"-lineinfo", "--use_fast_math"}, strings{"-maxrregcount=40"}, strings{"-G", "-rdc=true"}})
            for (const strings& set : {without_families(all), families(all)})
                compare({.what = options[0],
                         .architectures = set,
                         .options = options,
                         .capped = options[0].starts_with("-maxrregcount")},
                        "-fatbin", "fat binary");
        for (const char* mode : {"default", "size", "speed", "balance", "none"})
            for (const auto& [kind, name] : std::map<std::string, std::string>{{"-fatbin", "fat binary"},
                                                                               {"-c", "object file"},
                                                                               {"--lib", "archive"},
                                                                               {"-shared", "shared library"},
                                                                               {"program", "executable"}})
                compare({.what = mode,
                         .architectures = few,
                         .options = {std::string("--compress-mode=") + mode},
                         .with_ptx = true},
                        kind, name);
    }
    std::cout << compared.size() << " kernels x architectures compared\n";
    EXPECT_GE(compared.size(), is_exhaustive() ? 400u : 150u);
}

}  // namespace
}  // namespace launchbox
