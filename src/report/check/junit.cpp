// SPDX-License-Identifier: Apache-2.0
#include "report/check/junit.hpp"

#include <fmt/format.h>

#include <vector>

#include "report/charts/chart_svg.hpp"

namespace launchbox {

namespace {

struct test_case {
    std::string group, name;
    std::vector<std::string> failures, errors, notes;
    bool is_skipped = false;
};

std::vector<test_case> test_cases(const check_outcome& outcome);
std::string element(const char* tag, const char* type, const std::vector<std::string>& lines);

}  // namespace

std::string check_junit(const check_outcome& outcome)
{
    const std::vector<test_case> cases = test_cases(outcome);
    std::size_t failures = 0, errors = 0, skipped = 0;
    std::string body;
    for (const test_case& test : cases) {
        failures += test.failures.empty() ? 0 : 1;
        errors += test.errors.empty() ? 0 : 1;
        skipped += test.is_skipped ? 1 : 0;
        body += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", xml_text(test.group),
                            xml_text(test.name));
        std::string inside;
        if (!test.errors.empty()) inside += element("error", "input", test.errors);
        if (!test.failures.empty()) inside += element("failure", "check", test.failures);
        if (test.is_skipped) inside += "      <skipped message=\"no limit and no figure was checked\"/>\n";
        if (!test.notes.empty()) inside += element("system-out", nullptr, test.notes);
        body += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
    }
    const std::string counts =
        fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.size(), failures, errors);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"launchbox\" " + counts +
           " time=\"0\">\n  <testsuite name=\"launchbox check\" " + counts + " skipped=\"" + std::to_string(skipped) +
           "\" time=\"0\">\n" + body + "  </testsuite>\n</testsuites>\n";
}

std::string xml_text(std::string_view text)
{
    std::string result = markup_text(text);
    // U+FFFE and U+FFFF
    for (const auto& [bytes, shown] :
         {std::pair("\xEF\xBF\xBE", "\\xef\\xbf\\xbe"), {"\xEF\xBF\xBF", "\\xef\\xbf\\xbf"}})
        for (std::size_t at = 0; (at = result.find(bytes, at)) != std::string::npos;) result.replace(at, 3, shown);
    return result;
}

namespace {

std::vector<test_case> test_cases(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    std::vector<test_case> cases;
    for (const checked_kernel& kernel : result.kernels)
        cases.push_back({architecture_of(kernel), kernel.identity, {}, {}, {}, result.checks == 0});
    for (const check_finding& finding : result.findings) {
        test_case& owner = cases[finding.kernel];
        owner.is_skipped = false;
        (finding.fails ? owner.failures : owner.notes)
            .push_back(fmt::format("{}: {} ({})", finding.check, finding.message, place_text(finding.set_by)));
    }
    for (const gone_kernel& gone : result.gone)
        if (gone.fails)
            cases.push_back({gone.architecture,
                             gone.identity,
                             {fmt::format("baseline_architecture: {} ({})", lost_text(gone), place_text(gone.place))},
                             {},
                             {}});
    for (const unused_rule& rule : result.unused_rules)
        if (rule.fails)
            cases.push_back({"budget",
                             "rule " + rule.pattern + " at " + place_text(rule.place),
                             {"no kernel matches " + rule.pattern},
                             {},
                             {}});
    for (const unchecked_part& part : result.unchecked) {
        test_case test{"input",
                       (part.file.empty() ? "all inputs" : part.file) +
                           (part.architecture.empty() ? "" : " for " + part.architecture),
                       {},
                       {},
                       {}};
        (part.fails ? test.failures : test.notes).push_back(unchecked_text(part));
        cases.push_back(std::move(test));
    }
    for (const inspected_input& input : outcome.inputs)
        if (!input.errors.empty()) cases.push_back({"input", input.file, {}, input.errors, {}});
    return cases;
}

std::string element(const char* tag, const char* type, const std::vector<std::string>& lines)
{
    std::string body;
    for (const std::string& line : lines) body += (body.empty() ? "" : "\n") + xml_text(line);
    std::string attributes;
    if (type != nullptr)
        attributes = fmt::format(" type=\"{}\" message=\"{}{}\"", type, xml_text(lines.front()),
                                 lines.size() > 1 ? fmt::format(" (and {} more)", lines.size() - 1) : "");
    return fmt::format("      <{}{}>{}</{}>\n", tag, attributes, body, tag);
}

}  // namespace

}  // namespace launchbox
