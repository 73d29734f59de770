// The report of `capture` as text.
#include "report/capture/launches_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "report/core/short_names.hpp"

namespace launchbox {
namespace {

observed_launches launches_of(const std::string& name)
{
    observed_launches launches;
    launches.name = launches.demangled = launches.short_form = name;
    launches.key.grid = {1, 1, 1};
    launches.key.block = {33, 1, 1};
    launches.count = 1;
    launches.total_ns = 1000;
    launches.findings.push_back({"partial_warp", "idle lanes", "suggest", "launchbox suggest", 100});
    return launches;
}

// Names of algorithms with functors are thousands of characters long and differ in the middle.
TEST(launches_report, long_names_are_shortened_and_still_differ)
{
    const std::string begin(3000, 'b'), end(3000, 'e');
    observed_run run;
    for (const char* middle : {"float", "double", "\x1b[31m"}) {
        run.launches.push_back(launches_of(begin + middle + end));
        run.count += 1;
        run.kernel_ns += 1000;
    }
    for (const bool all : {false, true}) {
        const document page = launches_document(run, {.all = all});
        std::istringstream text(render_markdown(page));
        std::set<std::string> headings, findings;
        for (std::string line; std::getline(text, line);) {
            EXPECT_LE(display_width(line), widest_title + 8) << line;
            EXPECT_EQ(line.find('\x1b'), std::string::npos);
            if (line.starts_with("#") && line.find("bbb") != std::string::npos) headings.insert(line);
            if (line.find("idle lanes") != std::string::npos) findings.insert(line);
        }
        EXPECT_EQ(headings.size(), 3u);
        EXPECT_EQ(findings.size(), 3u);
    }
}

}  // namespace
}  // namespace launchbox
