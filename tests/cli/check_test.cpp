// launchbox check: budgets and baselines, valid and broken, and every format of the report.
#include "tool.hpp"

#include <algorithm>
#include <filesystem>

#include "../image/containers.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const std::string log_80 = repository_file("tests/data/logs/basic_sm_80.log");

// A log of ptxas with one kernel that spills.
std::string planted(const std::string& name = "planted", int registers = 32, int spills = 8)
{
    return "ptxas info    : Compiling entry function '" + name + "' for 'sm_90'\n" +
           "ptxas info    : Function properties for " + name + "\n    " + std::to_string(spills) +
           " bytes stack frame, " + std::to_string(spills) + " bytes spill stores, " + std::to_string(spills) +
           " bytes spill loads\nptxas info    : Used " + std::to_string(registers) +
           " registers, used 0 barriers, 352 bytes cmem[0]\n";
}

class check_verb : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return path(name);
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string budget(const std::string& text) const { return file("budget.toml", text); }
    std::size_t files() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
    }

private:
    temporary_directory folder_;
};

TEST_F(check_verb, a_spill_fails_and_is_named_with_its_rule)
{
    const std::string limits = budget("[defaults]\nmax_spill_bytes = 15\n");
    const call failed = launchbox_run({"check", "-", "--budget", limits}, planted());
    EXPECT_EQ(failed.status, 1);
    EXPECT_EQ(failed.err, "");
    EXPECT_TRUE(failed.shows("planted")) << failed.out;
    EXPECT_TRUE(failed.shows("max_spill_bytes")) << failed.out;
    EXPECT_TRUE(failed.shows("16 B")) << failed.out;
    EXPECT_TRUE(failed.shows("budget.toml:2")) << failed.out;
    EXPECT_TRUE(failed.shows("1 kernel × architecture checked against 1 rule: 1 violation")) << failed.out;
    const call passed =
        launchbox_run({"check", "-", "--budget", budget("[defaults]\nmax_spill_bytes = 16\n")}, planted());
    EXPECT_EQ(passed.status, 0);
    EXPECT_TRUE(passed.shows("1 kernel × architecture checked against 1 rule: all checks passed")) << passed.out;
}

TEST_F(check_verb, sources_are_compiled_and_checked)
{
    NEEDS_NVCC();
    const call result = launchbox_run({"check", "examples/merge.cu", "--arch", "sm_80,sm_90", "--budget",
                                       "examples/launchbox.budget.toml", "--format", "json"});
    EXPECT_EQ(result.status, 1) << result.err;
    const nlohmann::json json = result.json();
    ASSERT_EQ(json["findings"].size(), 1u);
    EXPECT_EQ(json["findings"][0]["short_name"], "merge_tiles_greedy<int, 256, 23>");
    EXPECT_EQ(json["findings"][0]["architecture"], "sm_90");
    EXPECT_EQ(json["findings"][0]["check"], "max_spill_bytes");
    EXPECT_EQ(json["findings"][0]["value"], 272);
    EXPECT_EQ(json["counts"]["kernels"], 4);
    EXPECT_EQ(json["passed"], false);
}

TEST_F(check_verb, without_budget_or_baseline_it_says_what_to_write)
{
    const call result = launchbox_run({"check", log_90});
    expect_refused(result, "neither launchbox.budget.toml nor launchbox.baseline exists here");
    EXPECT_TRUE(result.says("max_spill_bytes = 0")) << result.err;
    expect_refused(launchbox_run({"check", log_90, "--budget", budget("unknown = 'allow'\n")}), "sets no limit");
    expect_refused(launchbox_run({"check", log_90, "--budget", path("missing.toml")}), "cannot open");
    expect_refused(launchbox_run({"check", log_90, "--baseline", path("missing")}), "cannot open");
    expect_refused(launchbox_run({"check", log_90, "--budget", fs::path(path("x")).parent_path()}), "is a folder");
    expect_refused(launchbox_run({"check", "-", "--budget", "-"}, planted()), "standard input can be read only once");
    expect_refused(launchbox_run({"check", log_90, "--budget", "-", "--baseline", "-"}), "only once");
}

TEST_F(check_verb, the_files_of_the_current_folder_are_found)
{
    file("launchbox.budget.toml", "[defaults]\nmax_registers = 1\n");
    file("in.log", planted());
    const auto here = [&](const std::string& more) {
        return run({"sh", "-c", "cd \"$1\" && \"$0\" check in.log " + more, LAUNCHBOX_TOOL, path("")});
    };
    EXPECT_EQ(here("").exit_code, 1);
    EXPECT_NE(here("").output.find("launchbox.budget.toml:2"), std::string::npos);
    EXPECT_EQ(here("--write-baseline").exit_code, 0);
    EXPECT_TRUE(fs::exists(path("launchbox.baseline")));
    fs::remove(path("launchbox.budget.toml"));
    const subprocess_result compared = here("");
    EXPECT_EQ(compared.exit_code, 0) << compared.output;
    EXPECT_NE(compared.output.find("checked against the baseline: all checks passed"), std::string::npos)
        << compared.output;
}

TEST_F(check_verb, all_mistakes_of_the_budget_are_reported_and_nothing_is_checked)
{
    const std::string limits = budget("max_register = 1\n[defaults]\nmax_registers = -1\nmax_spill_byte = 0\n");
    const call result = launchbox_run({"check", "missing.log", "--budget", limits});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    const std::vector<std::string> lines = lines_of(result.err);
    ASSERT_EQ(lines.size(), 3u) << result.err;
    EXPECT_EQ(lines[0].find("launchbox: " + limits + ":1:1: unknown key"), 0u) << lines[0];
    EXPECT_NE(lines[1].find(":3:17: max_registers is -1"), std::string::npos) << lines[1];
    EXPECT_NE(lines[2].find(":4:1: unknown key \"max_spill_byte\" in [defaults]; did you mean max_spill_bytes?"),
              std::string::npos)
        << lines[2];
    const std::string conflict = file("b", "launchbox.baseline/1\n<<<<<<< HEAD\n");
    const call both = launchbox_run({"check", log_90, "--budget", limits, "--baseline", conflict});
    EXPECT_EQ(both.status, 2);
    EXPECT_TRUE(both.says("b:2: unresolved merge conflict")) << both.err;
    EXPECT_EQ(lines_of(both.err).size(), 4u);
}

TEST_F(check_verb, a_baseline_is_written_and_compared)
{
    const std::string baseline = path("b");
    const std::string log = file("in.log", planted());
    const call written = launchbox_run({"check", log, "--baseline", baseline, "--write-baseline"});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, baseline + ": 1 kernel × architecture written\n");
    EXPECT_EQ(lines_of(read_input(baseline)).back(), "sm_90 regs=32 spills=8/8 stack=8 shared=0 resident=? planted");
    const auto against = [&](const std::string& text) {
        return launchbox_run({"check", "-", "--baseline", baseline, "--format", "json"}, text);
    };
    EXPECT_EQ(against(planted()).status, 0);
    EXPECT_EQ(against(planted("planted", 33)).status, 1);
    EXPECT_EQ(against(planted("planted", 33)).json()["findings"][0]["check"], "baseline_registers");
    EXPECT_EQ(against(planted("planted", 32, 12)).json()["counts"]["broken"], 2);  // spills and stack
    const nlohmann::json better = against(planted("planted", 30)).json();
    EXPECT_EQ(better["passed"], true);
    EXPECT_EQ(better["findings"][0]["status"], "better");
    const nlohmann::json other = against(planted() + planted("other")).json();
    EXPECT_EQ(other["passed"], true);
    EXPECT_EQ(other["new_kernels"][0]["identity"], "other");
    const std::string two = file("two.log", planted() + planted("gone"));
    ASSERT_EQ(launchbox_run({"check", two, "--baseline", baseline, "--write-baseline"}).status, 0);
    const nlohmann::json fewer = against(planted()).json();
    EXPECT_EQ(fewer["passed"], true);
    EXPECT_EQ(fewer["gone_kernels"][0]["identity"], "gone");
    EXPECT_EQ(fewer["gone_kernels"][0]["set_by"]["line"], 3);
    const call hint = launchbox_run({"check", "-", "--baseline", baseline}, planted("planted", 30));
    EXPECT_TRUE(hint.shows("launchbox check --write-baseline")) << hint.out;
}

TEST_F(check_verb, with_selected_kernels_or_architectures_the_others_are_not_missing)
{
    const std::string baseline = path("b");
    ASSERT_EQ(launchbox_run({"check", log_80, log_90, "--baseline", baseline, "--write-baseline"}).status, 0);
    const auto gone = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"check", log_90, "--baseline", baseline, "--format", "json"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words).json()["gone_kernels"].size();
    };
    EXPECT_EQ(gone({}), 8u);
    EXPECT_EQ(gone({"--arch", "sm_90"}), 0u);
    EXPECT_EQ(gone({"--arch", "sm_80,sm_90"}), 8u);
    EXPECT_EQ(gone({"--kernel", "nothing"}), 0u);
    const std::string limits = budget("[[rule]]\nkernel = 'named_barrier'\nmax_registers = 255\n");
    const call some = launchbox_run({"check", log_90, "--budget", limits, "--kernel", "nothing", "--format", "json"});
    EXPECT_TRUE(some.json()["unused_rules"].empty());
}

// For a log and a binary, --arch sm_90 includes sm_90a; a kernel that is gone from it is reported.
TEST_F(check_verb, kernels_for_a_variant_that_vanished_are_reported_under_its_plain_name)
{
    std::string variant = planted("other");
    variant.replace(variant.find("sm_90"), 5, "sm_90a");
    const std::string before = file("before.log", planted() + variant), kept = path("kept");
    ASSERT_EQ(launchbox_run({"check", before, "--baseline", kept, "--write-baseline"}).status, 0);
    for (const char* architectures : {"sm_90", "sm_90,sm_90a", "sm_80,sm_90"}) {
        const nlohmann::json found =
            launchbox_run({"check", "-", "--baseline", kept, "--arch", architectures, "--format", "json"}, planted())
                .json();
        ASSERT_EQ(found["gone_kernels"].size(), 1u) << architectures;
        EXPECT_EQ(found["gone_kernels"][0]["identity"], "other");
    }
}

TEST_F(check_verb, no_baseline_is_written_from_incomplete_input)
{
    const std::string old = "launchbox.baseline/1\n", baseline = file("b", old);
    for (const std::vector<std::string>& inputs :
         {std::vector<std::string>{log_90, "missing.log"}, std::vector<std::string>{"-"}}) {
        std::vector<std::string> words{"check", "--baseline", baseline, "--write-baseline"};
        words.insert(words.begin() + 1, inputs.begin(), inputs.end());
        const call result =
            launchbox_run(words, planted() + "ptxas info    : Compiling entry function 'cut' for 'sm_90'\n");
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_TRUE(result.says("nothing was written")) << result.err;
        EXPECT_EQ(read_input(baseline), old);
    }
    EXPECT_EQ(files(), 1u);
    expect_refused(launchbox_run({"check", log_90, "--baseline", path("no/such/b"), "--write-baseline"}),
                   "cannot write");
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
             {"--kernel", "x"}, {"--format", "json"}, {"-o", "x"}, {"--budget", "x"}}) {
        const call result = launchbox_run({"check", log_90, "--write-baseline", option, value});
        EXPECT_EQ(result.status, 2) << option;
        EXPECT_TRUE(result.says("excludes")) << result.err;
    }
}

TEST_F(check_verb, broken_input_exits_with_2_even_if_a_check_fails)
{
    const std::string limits = budget("[defaults]\nmax_registers = 1\n[[rule]]\nkernel='unused'\nmax_registers=1\n");
    const call result = launchbox_run({"check", log_90, "missing.log", "--budget", limits});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("missing.log")) << result.err;
    EXPECT_TRUE(result.shows("violations")) << result.out;
    EXPECT_FALSE(result.shows("unused")) << result.out;  // its kernel may be in the unreadable input
}

TEST_F(check_verb, unknown_figures_fail_unless_allowed)
{
    const std::string rule = "[defaults]\nmin_blocks_per_sm = 1\n";
    const call failed = launchbox_run({"check", log_90, "--budget", budget(rule)});
    EXPECT_EQ(failed.status, 1);
    EXPECT_TRUE(failed.shows("Cannot be checked")) << failed.out;
    EXPECT_TRUE(failed.shows("add threads to")) << failed.out;
    const call allowed =
        launchbox_run({"check", log_90, "--budget", budget("unknown = 'allow'\n" + rule + "max_registers = 255\n")});
    EXPECT_EQ(allowed.status, 0);
    EXPECT_TRUE(allowed.shows("8 cannot be checked")) << allowed.out;
}

TEST_F(check_verb, unused_rules_warn_or_fail)
{
    const std::string rule =
        "[[rule]]\nkernel = 'nothing'\nmax_registers = 255\n[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n";
    const call warned = launchbox_run({"check", log_90, "--budget", budget(rule)});
    EXPECT_EQ(warned.status, 0);
    EXPECT_TRUE(warned.shows("1 unused rule")) << warned.out;
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", budget("unused = 'fail'\n" + rule)}).status, 1);
    const call junit =
        launchbox_run({"check", log_90, "--budget", budget("unused = 'fail'\n" + rule), "--format", "junit"});
    EXPECT_TRUE(junit.shows("<failure type=\"check\" message=\"no kernel matches zzz\">")) << junit.out;
}

TEST_F(check_verb, an_input_without_a_checked_kernel_fails)
{
    const std::string limits = budget("[defaults]\nmax_registers = 255\n");
    const std::string lto = file("lto.fatbin", make_fatbin({{.kind = 8, .payload = std::string(64, 'x')},
                                                            {.kind = 8, .payload = "x", .architecture = 80}}));
    const std::string unknown = file("unknown.fatbin", make_fatbin({{.kind = 64, .payload = std::string(64, 'x')}}));
    const std::string ptx =
        file("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
    const std::string no_kernel = file("none.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n");
    const std::vector<std::pair<std::string, std::string>> cases{
        {lto, "it holds 2 LTO-IR images (compute_90, compute_80)"},
        {unknown, "it holds 1 image of unknown kind 64 (compute_90)"},
        {ptx, "1 kernel is there only as PTX, which has no registers yet"},
        {no_kernel, "it holds 1 PTX module without a kernel"}};
    for (const auto& [input, why] : cases) {
        const call failed = launchbox_run({"check", input, "--budget", limits}, {}, {"COLUMNS=300"});
        EXPECT_EQ(failed.status, 1) << failed.err;
        ASSERT_EQ(lines_of(failed.out).size(), 2u) << failed.out;
        EXPECT_TRUE(failed.shows(input.substr(input.rfind('/') + 1) + ": no kernel was checked: "));
        EXPECT_TRUE(failed.shows("nothing was checked")) << failed.out;
        EXPECT_FALSE(failed.shows("all checks passed")) << failed.out;
        const call allowed = launchbox_run({"check", input, "--budget", limits, "--allow-empty"}, {}, {"COLUMNS=300"});
        EXPECT_EQ(allowed.status, 0) << allowed.out;
        EXPECT_TRUE(allowed.shows("no kernel was checked: ")) << allowed.out;
        for (const char* format : {"json", "csv", "sarif", "junit", "github"}) {
            const call other = launchbox_run({"check", input, "--budget", limits, "--format", format});
            EXPECT_EQ(other.status, 1) << format;
            EXPECT_NE((other.out + other.err).find(why), std::string::npos) << format << '\n' << other.out << other.err;
        }
        // Next to an input that is checked it fails, too.
        const call both = launchbox_run({"check", log_90, input, "--budget", limits});
        EXPECT_EQ(both.status, 1) << both.out;
        EXPECT_TRUE(both.shows("1 requested part not checked")) << both.out;
        EXPECT_EQ(launchbox_run({"check", log_90, input, "--budget", limits, "--allow-empty"}).status, 0);
        // With a pattern, the kernel may be in any input.
        EXPECT_EQ(launchbox_run({"check", log_90, input, "--budget", limits, "--kernel", "nothing"}).status, 0);
    }
}

TEST_F(check_verb, a_requested_architecture_that_is_missing_fails)
{
    const std::string limits = budget("[defaults]\nmax_registers = 255\n");
    const call missing =
        launchbox_run({"check", log_90, "--budget", limits, "--arch", "sm_75,sm_90"}, {}, {"COLUMNS=300"});
    EXPECT_EQ(missing.status, 1);
    EXPECT_TRUE(missing.shows("no kernel for sm_75: it is in --arch, and the input has sm_90")) << missing.out;
    EXPECT_FALSE(missing.shows("all checks passed")) << missing.out;
    const nlohmann::json json =
        launchbox_run({"check", log_90, "--budget", limits, "--arch", "sm_75,sm_90", "--format", "json"}).json();
    ASSERT_EQ(json["unchecked"].size(), 1u);
    EXPECT_EQ(json["unchecked"][0]["architecture"], "sm_75");
    EXPECT_EQ(json["passed"], false);
    EXPECT_EQ(json["counts"]["unchecked"], 1);
    // This counts for each input; --allow-empty only allows an input without kernels.
    EXPECT_EQ(launchbox_run({"check", log_80, log_90, "--budget", limits, "--arch", "sm_80,sm_90"}).status, 1);
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits, "--arch", "sm_75,sm_90", "--allow-empty"}).status, 1);
    EXPECT_EQ(
        launchbox_run({"check", log_80, log_90, "--budget", limits, "--arch", "sm_80,sm_90", "--kernel", "nothing"})
            .status,
        0);
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits, "--arch", "all"}).status, 0);
    EXPECT_EQ(launchbox_run({"check", log_90, "--budget", limits, "--arch", "sm_90"}).status, 0);
}

TEST_F(check_verb, with_the_report_in_a_file_the_log_has_the_reason)
{
    const std::string limits = budget("[defaults]\nmax_spill_bytes = 0\n");
    for (const char* format : {"table", "json", "csv", "markdown", "sarif", "junit", "github"}) {
        const call shown = launchbox_run({"check", "-", "--budget", limits, "--format", format}, planted());
        const call written =
            launchbox_run({"check", "-", "--budget", limits, "--format", format, "-o", path("report")}, planted());
        EXPECT_EQ(shown.status, 1);
        EXPECT_EQ(written.status, 1);
        EXPECT_EQ(written.out, "");
        const std::string mark = std::string("Written by launchbox check"),
                          end = format == std::string("table") || format == std::string("github") ? "\n" + mark + "\n"
                                : format == std::string("markdown") ? "\n<!-- " + mark + " -->\n"
                                                                    : "";
        EXPECT_EQ(read_input(path("report")), shown.out + end) << format;
        EXPECT_TRUE(
            written.says("launchbox: planted sm_90: max_spill_bytes: 16 B of spills (8 stored, 8 loaded), at "
                         "most 0 B allowed"))
            << written.err;
    }
    expect_refused(launchbox_run({"check", "-", "--budget", limits, "-o", path("no/such")}, planted()), "cannot write");
}

TEST_F(check_verb, sarif_places_findings_and_gives_stable_fingerprints)
{
    const std::string limits = budget("[defaults]\nmax_spill_bytes = 0\n");
    const std::string log = file("a b:ü.log", planted("k<int>"));
    const auto result_of = [&](const std::string& input, const std::string& text) {
        return launchbox_run({"check", input, "--budget", limits, "--format", "sarif"}, text)
            .json()["runs"][0]["results"][0];
    };
    const nlohmann::json from_file = result_of(log, {});
    const std::string uri = from_file["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    EXPECT_TRUE(uri.starts_with("file:///") && uri.ends_with("/a%20b%3A%C3%BC.log")) << uri;
    EXPECT_EQ(from_file["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "k<int>");
    // A finding in standard input has no file: it is placed at the limit in the budget.
    const nlohmann::json from_input = result_of("-", planted("k<int>"));
    const nlohmann::json& place = from_input["locations"][0]["physicalLocation"];
    EXPECT_TRUE(std::string(place["artifactLocation"]["uri"]).ends_with("/budget.toml"));
    EXPECT_EQ(place["region"]["startLine"], 2);
    EXPECT_EQ(from_file["partialFingerprints"], from_input["partialFingerprints"]);
    EXPECT_EQ(from_file["partialFingerprints"], result_of("-", planted("k<int>", 99, 77))["partialFingerprints"]);
    EXPECT_NE(from_file["partialFingerprints"], result_of("-", planted("k<long>"))["partialFingerprints"]);
}

TEST_F(check_verb, findings_are_placed_at_the_kernels_source)
{
    NEEDS_NVCC();
    const call result = launchbox_run({"check", "examples/merge.cu", "--arch", "sm_90", "--budget",
                                       "examples/launchbox.budget.toml", "--format", "github"});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.out.starts_with("::error file=examples/merge.cu,line=")) << result.out;
}

TEST_F(check_verb, hostile_names_do_no_harm_in_any_form)
{
    const std::string name = "k\x1b[2J\x1b]0;t\x07\"<b>|,\\\xff\xc2\x9b[31m\x01`$(id)]]>&::error%0A%\xEF\xBF\xBE";
    const std::string limits =
        budget("[defaults]\nmax_spill_bytes = 0\n[[rule]]\nkernel = \"\\u001b]<>&%,:\"\nmax_registers = 1\n");
    for (const char* format : {"table", "json", "csv", "markdown", "sarif", "junit", "github"}) {
        const call result = launchbox_run({"check", "-", "--budget", limits, "--format", format}, planted(name));
        EXPECT_EQ(result.status, 1) << result.err;
        for (char c : result.out + result.err) {
            const auto byte = static_cast<unsigned char>(c);
            ASSERT_TRUE(byte >= 0x20 || c == '\n' || c == '\r') << format << ' ' << int{byte};
            ASSERT_NE(byte, 0xff);
        }
        if (std::string(format) == "junit") {
            EXPECT_EQ(result.out.find("\xEF\xBF\xBE"), std::string::npos);
            EXPECT_FALSE(result.shows("<b>"));
        }
        if (std::string(format) == "github") {
            EXPECT_EQ(lines_of(result.out).size(), 3u) << result.out;
            EXPECT_TRUE(result.shows("::error%250A%25")) << result.out;
        }
    }
    const std::string baseline = path("b");
    ASSERT_EQ(launchbox_run({"check", "-", "--baseline", baseline, "--write-baseline"}, planted(name)).status, 0);
    EXPECT_EQ(lines_of(read_input(baseline)).size(), 3u);
    EXPECT_EQ(launchbox_run({"check", "-", "--baseline", baseline}, planted(name)).status, 0);
    EXPECT_EQ(launchbox_run({"check", "-", "--baseline", baseline}, planted(name, 33)).status, 1);
}

TEST_F(check_verb, misspelt_options_suggest_the_nearest)
{
    for (const auto& [typo, meant] :
         std::vector<std::pair<std::string, std::string>>{{"--budgte", "--budget"},
                                                          {"--baselin", "--baseline"},
                                                          {"--write-baselin", "--write-baseline"},
                                                          {"--formt", "--format"},
                                                          {"--outptu", "--output"},
                                                          {"--kernl", "--kernel"},
                                                          {"--archs", "--arch"}})
        expect_refused(launchbox_run({"check", log_90, typo, "x"}), "did you mean " + meant + "?");
    expect_refused(launchbox_run({"chekc", log_90}), "did you mean launchbox check?");
    expect_refused(launchbox_run({"check"}), "FILE is missing");
    expect_refused(launchbox_run({"check", log_90, "--format", "xml"}), "xml");
    expect_refused(launchbox_run({"inspect", log_90, "--format", "sarif"}), "sarif");
}

TEST_F(check_verb, a_closed_pipe_and_a_full_disk)
{
    const std::string limits = budget("[defaults]\nmax_registers = 1\n");
    const std::string command = "\"$0\" check '" + log_90 + "' --budget '" + limits + "' --format json ";
    EXPECT_EQ(run({"sh", "-c", command + "| head -n 1", LAUNCHBOX_TOOL}).output, "{\n");
    if (fs::exists("/dev/full")) {
        EXPECT_EQ(run({"sh", "-c", command + ">/dev/full", LAUNCHBOX_TOOL}).exit_code, 2);
    }
}

// One run writes all reports that a pipeline needs.
TEST_F(check_verb, further_reports_are_written_in_the_same_run)
{
    const std::string log = file("in.log", planted()), kept = path("kept");
    const call first = launchbox_run({"check", log, "--report", "baseline=" + kept});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_TRUE(first.shows("1 kernel × architecture, and nothing to compare them with yet: nothing was checked"))
        << first.out;
    EXPECT_EQ(lines_of(read_input(kept)).back(), "sm_90 regs=32 spills=8/8 stack=8 shared=0 resident=? planted");
    const call second =
        launchbox_run({"check", "-", "--baseline", kept, "--format", "github", "--report", "markdown=" + path("t.md"),
                       "--report", "json=" + path("t.json"), "--report", "baseline=" + path("new")},
                      planted("planted", 40));
    EXPECT_EQ(second.status, 1);
    EXPECT_NE(read_input(path("t.md")).find("| `planted` | sm\\_90 | worse | 32 registers | 40 registers |"),
              std::string::npos)
        << read_input(path("t.md"));
    EXPECT_EQ(nlohmann::json::parse(read_input(path("t.json")))["changes"][0]["change"], "worse");
    EXPECT_NE(read_input(path("new")).find("regs=40"), std::string::npos);
    EXPECT_TRUE(second.out.starts_with("::error ")) << second.out;
    // Incomplete input makes no baseline; the file keeps its content.
    EXPECT_EQ(launchbox_run({"check", log, "missing.log", "--report", "baseline=" + kept}).status, 2);
    EXPECT_NE(read_input(kept).find("regs=32"), std::string::npos);
    for (const char* wrong : {"markdown", "html=x", "=x", "markdown=", "baseline"}) {
        const call refused = launchbox_run({"check", log, "--baseline", kept, "--report", wrong});
        EXPECT_EQ(refused.status, 2) << wrong;
        EXPECT_TRUE(refused.says("is not FORMAT=FILE")) << refused.err;
    }
    expect_refused(launchbox_run({"check", log, "--baseline", kept, "--report", "markdown=-"}),
                   "names standard output");
    EXPECT_TRUE(launchbox_run({"check", log, "--kernel", "p", "--report", "baseline=" + path("b")})
                    .says("a baseline has all kernels"));
    EXPECT_EQ(launchbox_run({"check", log, "--baseline", kept, "--report", "json=" + log}).status, 2);
    EXPECT_EQ(launchbox_run({"check", log}).status, 2);
}

TEST_F(check_verb, failures_are_listed_before_improvements)
{
    const std::string kept = path("kept");
    ASSERT_EQ(
        launchbox_run({"check", file("before.log", planted("a", 40)), "--baseline", kept, "--write-baseline"}).status,
        0);
    const call result = launchbox_run(
        {"check", "-", "--baseline", kept, "--arch", "sm_75,sm_90", "--budget",
         budget("unused = 'fail'\n[defaults]\nmax_spill_bytes = 0\n[[rule]]\nkernel = 'zzz'\nmax_registers = 1\n")},
        planted("a", 32));
    EXPECT_EQ(result.status, 1);
    const std::size_t better = result.out.find("better");
    ASSERT_NE(better, std::string::npos) << result.out;
    for (const char* failure : {"a: no code for sm_75", "Broken", "Rules that match no kernel"})
        EXPECT_LT(result.out.find(failure), better) << result.out;
}

}  // namespace
}  // namespace launchbox
