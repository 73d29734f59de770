// The forced includes, tried with the real nvcc: the chosen kernels change, and no byte of the others.
#include "compiler/run/bound_injection.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compiler/run/toolchain.hpp"
#include "image/binary.hpp"
#include "image/ptx/ptx.hpp"
#include "nvcc_test.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

class BoundInjection : public nvcc_test {
protected:
    void write(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
    }

    [[nodiscard]] subprocess_result nvcc(std::vector<std::string> arguments,
                                         const std::vector<std::string>& environment = {}) const
    {
        arguments.insert(arguments.begin(), tools_.nvcc.string());
        return run(arguments, {.directory = folder_.path(), .environment = environment});
    }

    [[nodiscard]] std::string ptx(const std::string& source, const std::string& header,
                                  const std::string& architecture = "sm_90")
    {
        write("injected.h", header);
        const subprocess_result ran =
            nvcc({"-ptx", "-arch=" + architecture, "-include", "injected.h", source, "-o", "out.ptx"});
        log_ = ran.output;
        return ran.exit_code == 0 ? read_input((folder_.path() / "out.ptx").string()) : std::string();
    }

    // "k: 256 2" for each kernel with a launch bound, "k: r64" for each with __maxnreg__.
    [[nodiscard]] static std::map<std::string, std::string> attributes(const std::vector<kernel_info>& kernels)
    {
        std::map<std::string, std::string> texts;
        for (const kernel_info& kernel : kernels) {
            std::string& text = texts[kernel.name];
            if (kernel.bounds.max_threads) text = std::to_string((*kernel.bounds.max_threads)[0]);
            if (kernel.bounds.min_blocks) text += " " + std::to_string(*kernel.bounds.min_blocks);
            if (kernel.bounds.max_cluster_blocks) text += " c" + std::to_string(*kernel.bounds.max_cluster_blocks);
            if (kernel.bounds.requested_max_registers)
                text += "r" + std::to_string(*kernel.bounds.requested_max_registers);
        }
        return texts;
    }
    [[nodiscard]] std::map<std::string, std::string> attributes(const std::string& source, const std::string& header,
                                                                const std::string& architecture = "sm_90")
    {
        return attributes(read_ptx(ptx(source, header, architecture), source).kernels);
    }

    std::string log_;
};

using texts = std::map<std::string, std::string>;

const std::string two_kernels =
    "extern \"C\" __global__ void plain(float* p) { *p = 1; }\n"
    "extern \"C\" __global__ void __launch_bounds__(64, 3) bounded(float* p) { *p = 2; }\n"
    "extern \"C\" __global__ void __maxnreg__(40) limited(float* p) { *p = 3; }\n";
const source_location plain_at{"k.cu", 1}, bounded_at{"k.cu", 2}, limited_at{"k.cu", 3};

TEST_F(BoundInjection, WithoutBoundsNothingChanges)
{
    write("k.cu", two_kernels +
                      "template <int N> __launch_bounds__(N)\n__global__ void t() {}\n"
                      "template __global__ void t<96>();\n");
    const std::string before = ptx("k.cu", ""), after = ptx("k.cu", injection_header({}));
    ASSERT_FALSE(before.empty()) << log_;
    EXPECT_EQ(before, after);
}

TEST_F(BoundInjection, OnlyTheDirectivesOfTheChosenKernelChange)
{
    write("k.cu", two_kernels);
    std::string before = ptx("k.cu", "");
    const std::string after =
        ptx("k.cu",
            injection_header({{.declared_at = bounded_at, .attribute_at = bounded_at, .attribute = {.threads = 96}}}));
    const std::string own = ".maxntid 64, 1, 1\n.minnctapersm 3\n";
    ASSERT_NE(before.find(own), std::string::npos) << before;
    EXPECT_EQ(before.replace(before.find(own), own.size(), ".maxntid 96, 1, 1\n"), after);
}

TEST_F(BoundInjection, EveryAttributeReplacesEveryOther)
{
    write("k.cu", two_kernels);
    const auto all = [&](const launch_attribute& attribute) {
        return attributes("k.cu", injection_header({{plain_at, std::nullopt, attribute},
                                                    {bounded_at, bounded_at, attribute},
                                                    {limited_at, limited_at, attribute}}));
    };
    EXPECT_EQ(attributes("k.cu", ""), (texts{{"plain", ""}, {"bounded", "64 3"}, {"limited", "r40"}}));
    EXPECT_EQ(all({}), (texts{{"plain", ""}, {"bounded", ""}, {"limited", ""}})) << log_;
    EXPECT_EQ(all({.threads = 128}), (texts{{"plain", "128"}, {"bounded", "128"}, {"limited", "128"}})) << log_;
    EXPECT_EQ(all({.threads = 256, .min_blocks = 4}),
              (texts{{"plain", "256 4"}, {"bounded", "256 4"}, {"limited", "256 4"}}))
        << log_;
    EXPECT_EQ(all({.max_registers = 80}), (texts{{"plain", "r80"}, {"bounded", "r80"}, {"limited", "r80"}})) << log_;
}

TEST_F(BoundInjection, AThirdArgumentIsOnlyWrittenIfGiven)
{
    write("k.cu",
          "extern \"C\" __global__ void __launch_bounds__(64, 3, 4) clustered() {}\n"
          "extern \"C\" __global__ void __launch_bounds__(64, 3, 4) other() {}\n");
    const source_location at{"k.cu", 1};
    EXPECT_EQ(
        attributes("k.cu", injection_header({{at, at, {.threads = 96, .min_blocks = 2, .max_cluster_blocks = 4}}})),
        (texts{{"clustered", "96 2 c4"}, {"other", "64 3 c4"}}))
        << log_;
    write("k.cu", two_kernels);  // before sm_90 a third argument is an error, even if it is 0
    EXPECT_EQ(attributes("k.cu", injection_header({{bounded_at, bounded_at, {.threads = 96}}}), "sm_75"),
              (texts{{"plain", ""}, {"bounded", "96"}, {"limited", "r40"}}))
        << log_;
}

TEST_F(BoundInjection, AKernelOnTheSameLineOfAnotherFileKeepsItsBound)
{
    const std::string dependent =
        "extern \"C\" __global__ void included_plain() {}\n"
        "struct policy { enum : unsigned { threads = 160 }; static constexpr unsigned short blocks = 3; };"
        "template <class P, class> struct same { using type = P; };"
        "template <class P> __global__ void __launch_bounds__(same<P, int>::type::threads, P::blocks) t() {}\n"
        "extern \"C\" __global__ void __maxnreg__(48) included_limited() {}\n"
        "template __global__ void t<policy>();\n";
    write("ak.cu", dependent);  // its name ends with that of the other file
    write("k.cu", two_kernels + "#include \"ak.cu\"\n");
    const std::vector<injected_bound> bounds{{plain_at, std::nullopt, {.threads = 256, .min_blocks = 2}},
                                             {bounded_at, bounded_at, {.threads = 256, .min_blocks = 2}},
                                             {limited_at, limited_at, {.max_registers = 56}}};
    texts expected{{"plain", "256 2"},     {"bounded", "256 2"},         {"limited", "r56"},
                   {"included_plain", ""}, {"_Z1tI6policyEvv", "160 3"}, {"included_limited", "r48"}};
    EXPECT_EQ(attributes("k.cu", injection_header(bounds)), expected) << log_;

    // Both files at once, each with its own bound.
    std::vector<injected_bound> both = bounds;
    both.push_back({{"ak.cu", 2}, source_location{"ak.cu", 2}, {.threads = 32}});
    both.push_back({{"ak.cu", 1}, std::nullopt, {.threads = 64, .min_blocks = 5}});
    expected["_Z1tI6policyEvv"] = "32";
    expected["included_plain"] = "64 5";
    EXPECT_EQ(attributes("k.cu", injection_header(both)), expected) << log_;
}

TEST_F(BoundInjection, ABoundInAnotherFileThatCannotBeKeptIsAnError)
{
    write("other.cuh", "\nextern \"C\" __global__ void __launch_bounds__(32) included() {}\n");
    write("k.cu", two_kernels + "#include \"other.cuh\"\n");
    EXPECT_EQ(ptx("k.cu", injection_header({{bounded_at, bounded_at, {.max_registers = 64}}})), "");
    EXPECT_NE(log_.find("another_file_has_a_launch_attribute_at_this_line"), std::string::npos) << log_;
}

TEST_F(BoundInjection, ContradictionsAreRefused)
{
    const injected_bound first{plain_at, std::nullopt, {.threads = 64}};
    EXPECT_THROW((void)injection_header({first, {plain_at, std::nullopt, {.threads = 96}}}), error);
    EXPECT_THROW((void)injection_header({first, {{"other.cu", 1}, std::nullopt, {.max_registers = 64}}}), error);
    EXPECT_NO_THROW((void)injection_header({first, first, {{"other.cu", 1}, std::nullopt, {.threads = 96}}}));
}

TEST_F(BoundInjection, FileNamesAreNotInterpreted)
{
    for (const std::string name : {"a\\b.cu", "sp ace+?\?/.cuh", "\xc3\xa4.cu", "1.cu"}) {
        const std::string plain_name = name.substr(name.rfind('/') + 1);
        write("named", two_kernels);
        const std::string header = injection_header({{{"x/" + name, 1}, std::nullopt, {.threads = 96}}});
        write(
            "k.cu", "#line 1 \"" +
                        [&] {
                            std::string escaped;
                            for (const char c : "y/" + plain_name) escaped += c == '\\' ? "\\\\" : std::string(1, c);
                            return escaped;
                        }() +
                        "\"\n" + two_kernels);
        EXPECT_EQ(attributes("k.cu", header)["plain"], "96") << name << log_;
    }
}

// The user's own build: host and device code, two files with kernels on the same lines.
TEST_F(BoundInjection, AWholeProgramIsBuilt)
{
    const auto file = [](const std::string& name, const std::string& rest) {
        return "__global__ void " + name + "_plain(int* p) { *p = 1; }\n__global__ void __launch_bounds__(64) " + name +
               "_bounded(int* p) { *p = 2; }\n" + rest;
    };
    write("a.cu", file("a", "void b(); int main() { a_plain<<<1, 1>>>(nullptr); b(); return 0; }\n"));
    write("b.cu", file("b", "void c(); void b() { b_plain<<<1, 1>>>(nullptr); c(); }\n"));
    write("c.cpp", "#define __global__ error of the host compiler\nvoid c() {}\n");
    write("injected.h", injection_header({{{"a.cu", 1}, std::nullopt, {.max_registers = 64}},
                                          {{"dir/b.cu", 2}, source_location{"dir/b.cu", 2}, {.threads = 96}}}));
    const auto kernels = [&] {
        texts found;
        const std::string bytes = read_input((folder_.path() / "program").string());
        for (const auto& image : read_binary(bytes, "program").kernels)
            for (const auto& [name, text] : attributes(image)) found[name] += text;
        return found;
    };
    const std::vector<std::string> sources{"-arch=sm_90", "a.cu", "b.cu", "c.cpp", "-o", "program"};
    std::vector<std::string> command{"-include", "injected.h"};
    command.insert(command.end(), sources.begin(), sources.end());
    const subprocess_result by_flag = nvcc(command);
    ASSERT_EQ(by_flag.exit_code, 0) << by_flag.output;
    const texts first = kernels();
    EXPECT_EQ(first.at("_Z9a_boundedPi"), "64");
    EXPECT_EQ(first.at("_Z9b_boundedPi"), "96");
    EXPECT_EQ(first.at("_Z7b_plainPi"), "r255");  // no limit; the attribute cannot be left out there

    const subprocess_result by_variable = nvcc(sources, {"NVCC_APPEND_FLAGS=-include injected.h"});
    ASSERT_EQ(by_variable.exit_code, 0) << by_variable.output;
    EXPECT_EQ(kernels(), first);
}

}  // namespace
