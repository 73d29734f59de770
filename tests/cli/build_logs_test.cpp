// Logs of build tools, linkers, drivers and shells: what inspect and check print for each.
#include "tool.hpp"

namespace launchbox {
namespace {

std::string report_of(const std::string& kernel, const std::string& in_front, int registers, int spills)
{
    return in_front + "ptxas info    : Compiling entry function '" + kernel + "' for 'sm_86'\n" + in_front +
           "ptxas info    : Function properties for " + kernel + "\n" + in_front + "    " + std::to_string(spills) +
           " bytes stack frame, " + std::to_string(spills) + " bytes spill stores, " + std::to_string(spills) +
           " bytes spill loads\n" + in_front + "ptxas info    : Used " + std::to_string(registers) +
           " registers, used 0 barriers, 364 bytes cmem[0]\n";
}

// The lines of two texts, interleaved.
std::string in_turn(const std::string& one, const std::string& other)
{
    const std::vector<std::string> a = lines_of(one), b = lines_of(other);
    std::string text;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i < a.size()) text += a[i] + '\n';
        if (i < b.size()) text += b[i] + '\n';
    }
    return text;
}

call check_log(const std::string& log, const std::string& limits, std::vector<std::string> arguments = {})
{
    const temporary_directory folder;
    const std::string budget = (folder.path() / "b.toml").string();
    write_file_atomically(budget, "[defaults]\n" + limits + "\n");
    arguments.insert(arguments.begin(), {"check", "-", "--budget", budget});
    return launchbox_run(arguments, log);
}

nlohmann::json only_kernel(const std::string& log)
{
    const call result = launchbox_run({"inspect", "-", "--format", "json"}, log);
    EXPECT_EQ(result.status, 0) << result.err;
    const nlohmann::json kernels = result.json()["kernels"];
    EXPECT_EQ(kernels.size(), 1u) << result.out;
    return kernels.empty() ? nlohmann::json() : kernels[0];
}

TEST(build_logs, check_finds_the_spills_of_the_process_that_has_them)
{
    for (const auto& [one, other] : {std::pair{"1>", "2>"},
                                     {"#7 0.1 ", "#9 0.2 "},
                                     {"0: ", "1: "},
                                     {"[1/2] ", "[2/2] "},
                                     {"api-1  | ", "worker-1  | "}}) {
        const std::string log = in_turn(report_of("sharpen", one, 24, 0), report_of("relax", other, 128, 88));
        const call result = check_log(log, "max_spill_bytes = 0", {"--format", "json"});
        EXPECT_EQ(result.status, 1) << one << result.err;
        ASSERT_EQ(result.json()["findings"].size(), 1u) << result.out;
        EXPECT_EQ(result.json()["findings"][0]["identity"], "relax");
        EXPECT_EQ(result.json()["findings"][0]["value"], 176);
    }
    // Without prefixes it is not known to which process lines belong, and nothing passes.
    const call result =
        check_log(in_turn(report_of("sharpen", "", 24, 0), report_of("relax", "", 128, 88)), "max_spill_bytes = 0");
    EXPECT_EQ(result.status, 2);
    EXPECT_FALSE(result.shows("all checks passed")) << result.out;
}

TEST(build_logs, the_linkers_figures_are_the_final_ones)
{
    const std::string linked =
        "info    : 0 bytes gmem\ninfo    : Function properties for 'apply':\n"
        "info    : used 109 registers, used 0 barriers, 0 stack, 0 bytes smem, 0 bytes lmem\n";
    const nlohmann::json both = only_kernel(report_of("apply", "", 24, 8) + linked);
    EXPECT_EQ(both["registers"], 109);
    EXPECT_EQ(both["spill_store_bytes"], 8);
    EXPECT_EQ(both["architecture"], "sm_86");
    const nlohmann::json alone = only_kernel(linked);
    EXPECT_EQ(alone["registers"], 109);
    EXPECT_EQ(alone["spill_store_bytes"], nullptr);
    EXPECT_EQ(check_log(report_of("apply", "", 24, 8) + linked, "max_registers = 100").status, 1);
    // Both can be shown on request.
    const call unlinked =
        launchbox_run({"inspect", "-", "--before-linking", "--format", "json"}, report_of("apply", "", 24, 8) + linked);
    EXPECT_EQ(unlinked.json()["kernels"].size(), 2u);
}

TEST(build_logs, warnings_count_as_figures)
{
    const std::string log =
        "ptxas warning : Registers are spilled to local memory in function 'blur', 520 bytes spill "
        "stores, 536 bytes spill loads\n";
    const nlohmann::json kernel = only_kernel(log);
    EXPECT_EQ(kernel["spill_store_bytes"], 520);
    EXPECT_EQ(kernel["spill_load_bytes"], 536);
    EXPECT_EQ(kernel["registers"], nullptr);
    EXPECT_EQ(kernel["diagnoses"].at(0)["id"], "spills");
    EXPECT_EQ(check_log(log, "max_spill_bytes = 0").status, 1);
    EXPECT_TRUE(launchbox_run({"inspect", "-", "--spilling"}, log).shows("blur"));
    // What is not printed does not pass.
    const call registers = check_log(log, "max_registers = 255");
    EXPECT_EQ(registers.status, 1);
    EXPECT_TRUE(registers.shows("Cannot be checked")) << registers.out;
}

TEST(build_logs, a_failed_compile_never_passes)
{
    const std::string good = report_of("k", "", 24, 0);
    for (const char* bad :
         {"ptxas error   : Ptx assembly aborted due to errors\n", "k.cu(3): error: identifier \"x\" is undefined\n",
          "ptxas info    : Compiling entry function 'cut' for 'sm_86'\n"}) {
        const call people = check_log(good + bad, "max_registers = 100");
        EXPECT_EQ(people.status, 2);
        EXPECT_FALSE(people.shows("all checks passed")) << people.out;
        EXPECT_TRUE(people.shows("1 input with errors")) << people.out;
        const call json = check_log(good + bad, "max_registers = 100", {"--format", "json"});
        EXPECT_EQ(json.status, 2);
        EXPECT_EQ(json.json()["passed"], false);
        EXPECT_EQ(json.json()["summary"].get<std::string>().find("all checks passed"), std::string::npos);
        for (const char* format : {"junit", "sarif", "github", "markdown"}) {
            const call other = check_log(good + bad, "max_registers = 100", {"--format", format});
            EXPECT_EQ(other.status, 2);
            EXPECT_FALSE(other.shows("all checks passed")) << format << other.out;
        }
        const call spilling = launchbox_run({"inspect", "-", "--spilling"}, good + bad);
        EXPECT_EQ(spilling.status, 2);
        EXPECT_TRUE(spilling.shows("of those that could be read")) << spilling.out;
    }
    EXPECT_TRUE(check_log(good, "max_registers = 100").shows("all checks passed"));
}

TEST(build_logs, a_kernel_is_the_same_with_any_hash_in_its_name)
{
    const temporary_directory folder;
    const auto file = [&](const char* name, const std::string& text) {
        const std::string path = (folder.path() / name).string();
        write_file_atomically(path, text);
        return path;
    };
    const std::string before = file("before.log", report_of("_ZN7kernels4axpy17h0123456789abcdefE", "", 24, 0) +
                                                      report_of("__omp_offloading_10302_4a1b2c_main_l12", "", 30, 0));
    const std::string after = file("after.log", report_of("_ZN7kernels4axpy17hfedcba9876543210E", "", 40, 0) +
                                                    report_of("__omp_offloading_fd00_99_main_l12", "", 30, 0));
    const call diff = launchbox_run({"inspect", before, "--diff", after});
    EXPECT_TRUE(diff.shows("2 kernels compared: 1 worse")) << diff.out;
    EXPECT_TRUE(diff.shows("0 new, 0 gone")) << diff.out;
    EXPECT_TRUE(diff.shows("without the hash or counter in their names")) << diff.out;
    EXPECT_EQ(launchbox_run({"inspect", before, "--diff", after, "--format", "json"}).json()["counts"]["renumbered"],
              2);

    const std::string baseline = (folder.path() / "b").string();
    ASSERT_EQ(launchbox_run({"check", before, "--baseline", baseline, "--write-baseline"}).status, 0);
    EXPECT_EQ(read_input(baseline).find("0123456789abcdef"), std::string::npos);
    const call checked = launchbox_run({"check", after, "--baseline", baseline});
    EXPECT_EQ(checked.status, 1);
    EXPECT_FALSE(checked.shows("gone")) << checked.out;
    EXPECT_TRUE(checked.shows("2 kernels are compared with the baseline without the hash or counter in their names"))
        << checked.out;
}

TEST(build_logs, a_file_of_several_programs)
{
    const std::string plain = report_of("k", "", 24, 0);
    std::string wide;
    for (const char c : report_of("other", "", 30, 4)) wide += std::string{c, '\0'};
    for (const std::string& log : {plain + wide, wide + plain, "\xEF\xBB\xBF" + plain + "\xFF\xFE" + wide}) {
        const call result = launchbox_run({"inspect", "-", "--format", "json"}, log);
        EXPECT_EQ(result.status, 0) << result.err;
        ASSERT_EQ(result.json()["kernels"].size(), 2u);
    }
}

TEST(build_logs, losses_in_a_source_are_findings_with_a_fix_for_their_cause)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = (folder.path() / "roles.cu").string();
    write_file_atomically(source,
                          "#ifdef BOTH\n#define BOUNDS __launch_bounds__(256, 1)\n#endif\n"
                          "__global__ void BOUNDS roles(float* out) {\n"
                          "  if (threadIdx.x < 128) asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n"
                          "  else asm volatile(\"setmaxnreg.inc.sync.aligned.u32 232;\");\n"
                          "  out[threadIdx.x] = 1;\n}\n"
                          "__global__ void plain(float* out) { out[threadIdx.x] = 1; }\n");
    const auto fix_of = [&](std::vector<std::string> flags) {
        std::vector<std::string> arguments{"inspect", source, "--arch", "sm_90a", "--format", "json", "--"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        std::string fix;
        const nlohmann::json json = launchbox_run(arguments).json();
        for (const nlohmann::json& kernel : json["kernels"])
            for (const nlohmann::json& finding : kernel["diagnoses"])
                if (finding["id"] == "setmaxnreg_ignored")
                    fix += kernel["name"].get<std::string>() + ": " + finding["fix"].get<std::string>();
        return fix;
    };
    EXPECT_EQ(fix_of({"-DBOUNDS="}).substr(0, 33), "_Z5rolesPf: give the kernel both ");
    EXPECT_NE(fix_of({"-DBOUNDS=__launch_bounds__(256)"}).find("write __launch_bounds__(256, 1)"), std::string::npos);
    EXPECT_NE(fix_of({"-DBOTH", "-rdc=true"}).find("without -rdc=true"), std::string::npos);
    EXPECT_NE(fix_of({"-DBOTH", "-G"}).find("without -G"), std::string::npos);
    EXPECT_EQ(fix_of({"-DBOTH"}), "");
}

TEST(build_logs, a_register_option_is_reported_for_the_kernels_it_affects)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string source = (folder.path() / "two.cu").string();
    write_file_atomically(source,
                          "__global__ void loose(float* out) { out[threadIdx.x] = 1; }\n"
                          "__global__ void __launch_bounds__(256) bound(float* out) { out[threadIdx.x] = 1; }\n");
    const auto said = [&](const std::vector<std::string>& flags) {
        std::vector<std::string> arguments{"inspect", source, "--arch", "sm_80", "--format", "json", "--"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        const nlohmann::json json = launchbox_run(arguments).json();
        std::string text;
        for (const nlohmann::json& kernel : json["kernels"]) {
            const nlohmann::json &counts = kernel["maxrregcount"], &outranked = kernel["outranks_maxrregcount"];
            text += kernel["name"].get<std::string>() + ' ' + counts.dump() + ' ' + outranked.dump() + "; ";
        }
        for (const nlohmann::json& finding : json["inputs"][0]["diagnoses"]) text += finding["id"].get<std::string>();
        return text;
    };
    EXPECT_EQ(said({"-maxrregcount=32"}), "_Z5boundPf null 32; _Z5loosePf 32 null; maxrregcount_ignored");
    EXPECT_EQ(said({"-maxrregcount=32", "-Xptxas", "--override-directive-values"}),
              "_Z5boundPf 32 null; _Z5loosePf 32 null; maxrregcount_overrides");
    EXPECT_EQ(said({"-maxrregcount=300"}), "_Z5boundPf null null; _Z5loosePf 255 null; maxrregcount_ignored");
    EXPECT_EQ(said({}), "_Z5boundPf null null; _Z5loosePf null null; ");
}

}  // namespace
}  // namespace launchbox
