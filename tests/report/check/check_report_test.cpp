// The formats of a check's report, with names made to break them.
#include "report/check/check_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/check/check_location.hpp"
#include "report/check/github_annotations.hpp"
#include "report/check/junit.hpp"
#include "report/check/sarif.hpp"

namespace launchbox {
namespace {

check_outcome outcome_with(const std::string& name)
{
    check_outcome outcome;
    outcome.directory = "/home/me/app";
    outcome.version = "1.2.3";
    checked_kernel kernel{{}, name};
    kernel.info.name = kernel.info.demangled = kernel.info.short_form = name;
    set_architecture(kernel.info, "sm_90");
    kernel.info.source.file = "build/app";
    outcome.result.kernels.push_back(kernel);
    outcome.result.budget_file = "b.toml";
    outcome.result.rules = 1;
    check_finding finding;
    finding.check = "max_registers";
    finding.value = 40;
    finding.limit = 32;
    finding.message = "40 registers, at most 32 allowed";
    finding.set_by = {"b.toml", 7};
    outcome.result.findings.push_back(finding);
    return outcome;
}

TEST(check_report, xml_has_only_valid_characters)
{
    EXPECT_EQ(xml_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    EXPECT_EQ(xml_text("\x1b\x01\x7f\xff"), "\\x1b\\x01\\x7f\\xff");
    EXPECT_EQ(xml_text("a\tb\nc\rd"), "a\\x09b\\x0ac\\x0dd");
    EXPECT_EQ(xml_text("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xEF\xBF\xBD");
    EXPECT_EQ(xml_text("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
    EXPECT_EQ(xml_text("é×"), "é×");
}

TEST(check_report, workflow_commands_are_encoded_for_github)
{
    EXPECT_EQ(annotation_message("50 %, a:b\r\nc\x1b"), "50 %25, a:b%0D%0Ac\\x1b");
    EXPECT_EQ(annotation_message("\n::error::x"), "%0A::error::x");
    EXPECT_EQ(annotation_message(""), "");
    EXPECT_EQ(annotation_message("%"), "%25");
    EXPECT_EQ(annotation_property("a,b:c%d\n"), "a%2Cb%3Ac%25d%0A");
    const std::string text = check_annotations(outcome_with("k\n::error::x"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
    EXPECT_TRUE(
        text.starts_with("::error file=build/app,line=1,title=launchbox%3A max_registers::k\\x0a::error::x on "
                         "sm_90: 40 registers"))
        << text;
}

TEST(check_report, paths_become_uris)
{
    EXPECT_EQ(uri_of("src/a.cu"), "src/a.cu");
    EXPECT_EQ(uri_of("/opt/a b.cu"), "file:///opt/a%20b.cu");
    EXPECT_EQ(uri_of("c:\\x%\xff#?"), "c%3A%5Cx%25%FF%23%3F");
    EXPECT_EQ(relative_path("/home/me/app/src/a.cu", "/home/me/app"), "src/a.cu");
    EXPECT_EQ(relative_path("/home/me/apple/a.cu", "/home/me/app"), "/home/me/apple/a.cu");
    EXPECT_EQ(relative_path("././a.cu", "/x"), "a.cu");
    EXPECT_EQ(relative_path("/a.cu", "/"), "/a.cu");
}

TEST(check_report, a_finding_is_placed_at_the_kernel_or_the_input_or_the_limit)
{
    check_outcome outcome = outcome_with("k");
    kernel_info& info = outcome.result.kernels[0].info;
    info.analysis.written_at = {"/home/me/app/src/k.cu", 12};
    EXPECT_EQ(location_of(outcome.result.findings[0], outcome), (file_line{"src/k.cu", 12}));
    info.analysis.written_at.reset();
    EXPECT_EQ(location_of(outcome.result.findings[0], outcome), (file_line{"build/app", 1}));
    info.source.file = "-";
    EXPECT_EQ(location_of(outcome.result.findings[0], outcome), (file_line{"b.toml", 7}));
}

TEST(check_report, fingerprints_only_depend_on_kernel_architecture_and_check)
{
    check_outcome one = outcome_with("k"), two = outcome_with("k");
    const auto print = [](const check_outcome& outcome) {
        return fingerprint_of(outcome.result.findings[0], outcome.result.kernels[0]);
    };
    two.result.findings[0].value = 99;
    two.result.findings[0].message = "other";
    two.result.kernels[0].info.name = "_Zother";
    EXPECT_EQ(print(one), print(two));
    EXPECT_EQ(print(one).size(), 16u);
    two.result.findings[0].check = "max_spill_bytes";
    EXPECT_NE(print(one), print(two));
    two = outcome_with("k");
    set_architecture(two.result.kernels[0].info, "sm_90a");
    EXPECT_NE(print(one), print(two));
}

TEST(check_report, input_errors_are_in_every_format_for_programs)
{
    check_outcome outcome = outcome_with("k");
    outcome.inputs.push_back({"bad\n<.log", "compiler log", 0, {"it is cut"}, {}});
    EXPECT_EQ(check_sarif(outcome)["runs"][0]["invocations"][0]["executionSuccessful"], false);
    EXPECT_NE(check_junit(outcome).find("errors=\"1\""), std::string::npos);
    EXPECT_NE(check_junit(outcome).find("name=\"bad\\x0a&lt;.log\""), std::string::npos);
    EXPECT_NE(check_annotations(outcome).find("::error title=launchbox%3A input::bad%0A<.log: it is cut"),
              std::string::npos);
    EXPECT_EQ(check_json(outcome)["inputs"][0]["errors"][0], "it is cut");
}

TEST(check_report, the_summary_counts)
{
    check_outcome outcome = outcome_with("k");
    outcome.result.ptx_only = 3;
    outcome.result.unused_rules.push_back({"x*", {"b.toml", 1}, false});
    outcome.result.baseline_file = "b";
    EXPECT_EQ(summary_of(outcome.result),
              "1 kernel × architecture checked against 1 rule and the baseline: 1 violation, 1 unused rule; 3 kernels "
              "not checked: only PTX");
    EXPECT_EQ(failures_of(outcome.result),
              (std::vector<std::string>{"k sm_90: max_registers: 40 registers, at most 32 allowed (b.toml:7)"}));
}

check_outcome many_changes(std::size_t kernels, const std::string& name)
{
    check_outcome outcome = outcome_with(name);
    outcome.result.baseline_file = "b";
    const checked_kernel kernel = outcome.result.kernels.front();
    check_finding finding = outcome.result.findings.front();
    finding.check = "baseline_registers";
    finding.shown_value = "40";
    finding.shown_limit = "32";
    outcome.result.kernels.clear();
    outcome.result.findings.clear();
    for (std::size_t i = 0; i < kernels; ++i) {
        outcome.result.kernels.push_back(kernel);
        outcome.result.kernels.back().info.short_form += std::to_string(i);
        outcome.result.kernels.back().identity += std::to_string(i);
        finding.kernel = i;
        outcome.result.findings.push_back(finding);
    }
    return outcome;
}

// GitHub refuses a comment of more than 65,536 characters.
TEST(check_report, five_thousand_changes_fit_into_a_comment)
{
    for (const std::string& name : {std::string("k"), std::string(300, 'x'), std::string(300, '|')}) {
        const std::string text = check_markdown(many_changes(5000, name));
        EXPECT_LE(text.size(), max_check_markdown);
        EXPECT_NE(text.find(" more are not shown"), std::string::npos) << text.substr(0, 500);
        EXPECT_NE(text.find("5,000 violations"), std::string::npos);
        EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 20);
    }
    check_outcome others = outcome_with("k");
    for (int i = 0; i < 5000; ++i) {
        others.result.unchecked.push_back({"file" + std::string(200, 'f'), "", "nothing in it"});
        others.result.unused_rules.push_back({std::string(200, 'r'), {"b.toml", 1}, false});
        others.result.new_kernels.push_back(0);
    }
    EXPECT_LE(check_markdown(others).size(), max_check_markdown);
}

TEST(check_report, at_most_ten_annotations_per_level_and_the_rest_in_the_log)
{
    const auto lines = [](const std::string& text, const std::string& with) {
        std::size_t number = 0;
        for (std::size_t at = 0; (at = text.find(with, at)) != std::string::npos; ++at) ++number;
        return number;
    };
    const std::string ten = check_annotations(many_changes(10, "k"));
    EXPECT_EQ(lines(ten, "::error "), 10u);
    EXPECT_EQ(lines(ten, "more like these"), 0u);
    const std::string many = check_annotations(many_changes(5000, "k"));
    EXPECT_EQ(lines(many, "::error "), 10u);
    EXPECT_EQ(lines(many, "::4,991 more like these are in the log"), 1u);
    EXPECT_EQ(lines(many, "\nerror: k"), 4991u);
}

TEST(check_report, a_kernel_has_one_annotation_for_all_architectures)
{
    check_outcome outcome = many_changes(3, "k");
    for (std::size_t i = 0; i < 3; ++i) {
        outcome.result.kernels[i].identity = outcome.result.kernels[i].info.short_form = "k";
        outcome.result.findings[i].set_by.line = static_cast<int>(i);
        set_architecture(outcome.result.kernels[i].info, i == 0 ? "sm_80" : i == 1 ? "sm_90" : "sm_120");
    }
    outcome.result.findings[2].message = "other";
    const std::string text = check_annotations(outcome);
    EXPECT_EQ(text.find("::error "), text.rfind("::error ")) << text;
    EXPECT_NE(text.find("::k on sm_80, sm_90: 40 registers, at most 32 allowed (set in b.toml"), std::string::npos)
        << text;
    EXPECT_NE(text.find("; on sm_120: other"), std::string::npos) << text;
}

// Texts that GitHub and GitLab turn into links, mentions, emoji or cells.
TEST(check_report, a_name_in_a_table_is_not_interpreted)
{
    const auto row = [](const std::string& name) {
        const std::string text = check_markdown(many_changes(1, name));
        const std::size_t at = text.find("--- |\n") + 6;
        return text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_EQ(row("ns::a::k"), "| `ns::a::k0` | sm\\_90 | worse | 32 registers | 40 registers |");
    EXPECT_EQ(row("@user #1 <b> ~~x~~ *y*"),
              "| `@user #1 <b> ~~x~~ *y*0` | sm\\_90 | worse | 32 registers | 40 registers |");
    EXPECT_EQ(row("a|b`c\\|d"),
              "| <code>a&#124;b&#96;c&#92;&#124;d0</code> | sm\\_90 | worse | 32 registers | 40 registers |");
    EXPECT_EQ(row("a\n| b |\n"),
              "| <code>a&#92;x0a&#124; b &#124;&#92;x0a0</code> | sm\\_90 | worse | 32 registers | 40 registers |");
}

TEST(check_report, an_architecture_lost_by_all_kernels_is_one_row)
{
    check_outcome outcome = outcome_with("k");
    outcome.result.findings.clear();
    for (int i = 0; i < 3; ++i) {
        gone_kernel gone{.identity = "k" + std::to_string(i) + "(int)", .architecture = "sm_80", .place = {"b", i}};
        gone.fails = true;
        gone.elsewhere = {"sm_90"};
        outcome.result.gone.push_back(gone);
    }
    EXPECT_TRUE(outcome.result.failed());
    const std::string text = check_markdown(outcome);
    EXPECT_NE(text.find("| all 3 that had it | sm\\_80 | worse | code for it | no code that runs there |"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("k0"), std::string::npos) << text;
    EXPECT_NE(check_annotations(outcome).find("no code that runs on sm_80 any more: 3 kernels"), std::string::npos);
    EXPECT_EQ(failures_of(outcome.result).size(), 1u);
    EXPECT_EQ(check_json(outcome)["gone_kernels"].size(), 3u);
    EXPECT_NE(check_junit(outcome).find("failures=\"3\""), std::string::npos);
    EXPECT_EQ(check_sarif(outcome)["runs"][0]["results"].size(), 3u);
}

}  // namespace
}  // namespace launchbox
