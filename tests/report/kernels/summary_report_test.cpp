// `inspect --summary`, with made-up values.
#include "report/kernels/summary_report.hpp"

#include <gtest/gtest.h>

#include "../advice/known_kernels.hpp"

namespace launchbox {
namespace {

binary_image image(const std::string& architecture, const std::string& kind)
{
    return {.container = "fatbin at byte 64",
            .entry = "",
            .kind = kind,
            .architecture = architecture,
            .capability = parse_compute_capability(architecture),
            .compression = "zstd",
            .offset = 0,
            .stored_bytes = 1000,
            .bytes = 5000,
            .relocatable = false,
            .kernels = 1};
}

inspection library(std::vector<binary_image> images, std::vector<inspected_kernel> kernels)
{
    inspection found;
    found.inputs = {{"lib.so", "shared library", kernels.size(), {}, std::move(images)}};
    found.kernels = std::move(kernels);
    return found;
}

std::string summary_page(const inspection& found)
{
    return render_text(summary_document(summaries_of(found)), {.width = 200, .colour = false, .unicode = true});
}

TEST(summary_report, ptx_of_the_newest_chip_also_runs_on_later_ones)
{
    const std::string page =
        summary_page(library({image("compute_121", "PTX")}, {known_kernel("k", 40, "compute_121")}));
    EXPECT_TRUE(has(page, "  runs after compiling PTX on: 12.1 and later\n")) << page;
    const std::string covered =
        summary_page(library({image("sm_121", "cubin"), image("compute_121", "PTX")},
                             {known_kernel("k", 40, "sm_121"), known_kernel("k", 40, "compute_121")}));
    EXPECT_TRUE(has(covered, "  runs as it is on: 12.1\n")) << covered;
    EXPECT_TRUE(has(covered, "  runs after compiling PTX on: later GPUs\n")) << covered;
}

TEST(summary_report, says_what_a_library_contains_and_where_it_runs)
{
    const std::string page =
        summary_page(library({image("sm_80", "cubin"), image("sm_90a", "cubin"), image("compute_90", "PTX")},
                             {known_kernel("k", 40, "sm_80"), known_kernel("k", 40, "sm_90a")}));
    EXPECT_TRUE(page.starts_with("lib.so: shared library, 1 kernel\n")) << page;
    EXPECT_TRUE(has(page, "sm_80       cubin       1    1000      4.9K        1       1  1000         0       0    40"))
        << page;
    EXPECT_TRUE(has(page, "  compiled by CUDA 13.0 (2 kernels)\n")) << page;
    EXPECT_TRUE(has(page, "  PTX: compute_90 (compiled when loaded, on 9.0 and every later GPU)\n")) << page;
    EXPECT_TRUE(has(page, "  runs as it is on: 8.0, 8.6, 8.8, 8.9, 9.0\n")) << page;
    EXPECT_TRUE(has(page, "  runs after compiling PTX on: 10.0, 10.3, 10.7, 11.0, 12.0, 12.1 and later\n")) << page;
    EXPECT_FALSE(has(page, "PTX for later GPUs")) << page;
    EXPECT_FALSE(has(page, "?")) << page;
}

TEST(summary_report, warns_if_later_gpus_need_a_new_build)
{
    EXPECT_TRUE(has(summary_page(library({image("sm_90", "cubin")}, {known_kernel("k")})),
                    "No kernel has PTX for later GPUs: a new major compute capability needs a new build."));
    inspected_kernel other = known_kernel("p", 40, "compute_90");
    other.info.figures.registers = std::nullopt;
    const std::string part = summary_page(
        library({image("sm_80", "cubin"), image("compute_90", "PTX")}, {known_kernel("k", 40, "sm_80"), other}));
    EXPECT_TRUE(has(part, "  1 kernel is there only as PTX\n")) << part;
    // PTX and cubin are in one container, so the PTX counts for both; only 8.x has a cubin.
    EXPECT_TRUE(has(part, "runs in part on: 8.0 (1 of 2)")) << part;
    inspected_kernel relocatable = known_kernel("k");
    relocatable.info.relocatable = true;
    binary_image entry = image("sm_90", "cubin");
    entry.relocatable = true;
    const std::string object = summary_page(library({entry}, {relocatable}));
    EXPECT_TRUE(has(object, "-rdc: compiled for device linking, does not run;")) << object;
    EXPECT_TRUE(has(object, "Nothing here can run before it is linked.")) << object;
}

TEST(summary_report, copies_and_kernels_of_the_same_name_are_listed_up_to_a_limit)
{
    std::vector<inspected_kernel> kernels;
    for (int i = 0; i < 7; ++i)
        for (int copy = 0; copy < 3; ++copy) kernels.push_back(known_kernel("k" + std::to_string(i)));
    kernels[20].info.figures.code_hash = 5;
    const std::string page = summary_page(library({image("sm_90", "cubin")}, kernels));
    EXPECT_TRUE(has(page, "copies: 13 of kernels with the same code for the same architecture, 13,000 B of code:"))
        << page;
    EXPECT_TRUE(has(page, "    3 × sm_90, k0: 2,000 B too much\n")) << page;
    EXPECT_TRUE(has(page, "    and 2 more\n")) << page;
    EXPECT_TRUE(has(page, "same name, different code: 1 kernel.")) << page;
    EXPECT_TRUE(has(page, "    2 × code for sm_90, k6\n")) << page;
}

TEST(summary_report, sums_of_unknown_figures_are_unknown)
{
    inspected_kernel known = known_kernel("a"), unknown = known_kernel("b");
    unknown.info.figures.spill_store_bytes = unknown.info.figures.spill_load_bytes = std::nullopt;
    unknown.info.figures.code_bytes = std::nullopt;
    EXPECT_TRUE(has(summary_page(library({}, {unknown})), "sm_90        1       1     ?         ?       ?    40"))
        << summary_page(library({}, {unknown}));
    const inspection both = library({}, {known, unknown});
    EXPECT_TRUE(has(summary_page(both), "1000+?")) << summary_page(both);
    const nlohmann::ordered_json json = summary_json(summaries_of(library({}, {unknown})));
    const auto& sum = json["inputs"][0]["architectures"][0];
    EXPECT_TRUE(sum["code_bytes"].is_null());
    EXPECT_TRUE(sum["spilling"].is_null());
    EXPECT_TRUE(sum["images"].is_null());
    EXPECT_EQ(summary_json(summaries_of(both))["inputs"][0]["architectures"][0]["code_bytes"], 1000);
    EXPECT_TRUE(json["inputs"][0]["runs_on"].is_null());
}

TEST(summary_report, an_input_named_twice_is_one)
{
    inspection found = library({}, {known_kernel("a")});
    found.inputs.push_back(found.inputs.front());
    EXPECT_EQ(summaries_of(found).size(), 1u);
    EXPECT_EQ(summary_table(summaries_of(found)).rows.size(), 1u);
}

}  // namespace
}  // namespace launchbox
