// The forms of a check's report, for names made to break them.
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

TEST(check_report, xml_has_only_characters_of_xml)
{
    EXPECT_EQ(xml_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
    EXPECT_EQ(xml_text("\x1b\x01\x7f\xff"), "\\x1b\\x01\\x7f\\xff");
    EXPECT_EQ(xml_text("a\tb\nc\rd"), "a\\x09b\\x0ac\\x0dd");
    EXPECT_EQ(xml_text("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"), "\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xEF\xBF\xBD");
    EXPECT_EQ(xml_text("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
    EXPECT_EQ(xml_text("é×"), "é×");
}

TEST(check_report, workflow_commands_are_encoded_as_github_decodes_them)
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

TEST(check_report, a_finding_is_placed_at_the_kernel_then_at_the_input_then_at_the_limit)
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

TEST(check_report, fingerprints_depend_on_kernel_architecture_and_check_alone)
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

TEST(check_report, input_errors_are_in_every_form_for_machines)
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

// Long lists of kernels are cut, and told to be.
TEST(check_report, many_new_kernels_are_counted)
{
    check_outcome outcome = outcome_with("k");
    outcome.result.findings.clear();
    for (std::size_t i = 0; i < 30; ++i) outcome.result.new_kernels.push_back(0);
    const std::string text = render_text(check_document(outcome), {});
    EXPECT_NE(text.find("… and 10 others"), std::string::npos) << text;
    EXPECT_NE(text.find("30 new kernels"), std::string::npos) << text;
}

}  // namespace
}  // namespace launchbox
