// launchbox results --map and --by: landscapes of records in every format, and the effect of noise on verdicts.
#include <cmath>
#include <fstream>

#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

const std::string with_work = "tests/data/results/throughput.json";

nlohmann::ordered_json record(const std::string& path)
{
    return nlohmann::ordered_json::parse(read_input(repository_file(path)));
}

// A record with these numbers of values on its axes.
std::string grid_record(int threads, int items, const std::string& word = {})
{
    nlohmann::ordered_json whole = record(with_work);
    const nlohmann::ordered_json candidate = whole["candidates"][0];
    whole["candidates"] = whole["best"] = whole["races"] = nlohmann::ordered_json::array();
    for (int t = 1; t <= threads; ++t)
        for (int i = 1; i <= items; ++i) {
            nlohmann::ordered_json one = candidate;
            one["parameters"] = {{"threads", 32 * t}, {"items", i}};
            if (!word.empty()) one["parameters"]["items"] = word + std::to_string(i);
            one["is_baseline"] = false;
            for (auto& sample : one["samples_ns"])
                sample = sample.get<double>() * (1 + 0.1 * std::abs(t - 3) + 0.01 * i);
            whole["candidates"].push_back(std::move(one));
        }
    return whole.dump();
}

// Samples that vary by half of the time or more.
std::string noisy_record(bool raced)
{
    nlohmann::ordered_json whole = record(example);
    const auto shake = [](nlohmann::ordered_json& samples, double part) {
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i] = samples[i].get<double>() * (i % 2 == 0 ? 1 + part : 1 - part);
    };
    for (std::size_t i = 0; i < whole["candidates"].size(); ++i)
        if (whole["candidates"][i].contains("samples_ns"))
            shake(whole["candidates"][i]["samples_ns"], 0.15 + 0.15 * static_cast<double>(i % 4));
    for (auto& race : whole["races"])
        for (auto& entry : race["entries"]) shake(entry["samples_ns"], 0.4);
    if (!raced) whole["races"] = nlohmann::ordered_json::array();
    return whole.dump();
}

TEST(results_map, shows_the_best_of_each_cell_and_why_others_are_empty)
{
    const call shown = launchbox_run({"results", example, "--map", "threads,items", "--workload", "n=1048576"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    for (const char* words :
         {"threads across, items down", "0.10040*", "0.10000=", "0.40000<", "0.09000?", "*  the best",
          "<  stopped early",
          "r  rejected, for example threads=1024 items=17: 1,024 threads need 2,048 registers too many",
          "c  compile error, for example threads=1024 items=15: too much shared data", "d  worker died",
          "w  wrong result", "–  not tried", "threads=128 items=17 is the fastest, 1.25 × as fast as the baseline"})
        EXPECT_TRUE(shown.shows(words)) << words << "\n" << shown.out;
    // Symbols that do not occur are not explained.
    EXPECT_FALSE(shown.shows("~  noisy")) << shown.out;
}

TEST(results_map, is_transposed_or_cut_if_it_is_too_wide)
{
    const call turned = launchbox_run({"results", "-", "--map", "threads,items"}, grid_record(60, 5), {"COLUMNS=80"});
    EXPECT_TRUE(turned.shows("items across, threads down")) << turned.out;
    const call cut = launchbox_run({"results", "-", "--map", "threads,items"}, grid_record(40, 40), {"COLUMNS=80"});
    EXPECT_TRUE(cut.shows("threads across, items down")) << cut.out;
    EXPECT_TRUE(cut.shows("1,280")) << "the last of 40 columns";
    const std::string words = grid_record(20, 20, "a_word_that_is_longer_than_a_column_of_a_terminal_");
    for (const char* columns : {"40", "80", "100", "200"})
        for (const std::string& text : {grid_record(60, 5), grid_record(40, 40), words})
            for (const std::string& line : lines_of(launchbox_run({"results", "-", "--map", "items,threads"}, text,
                                                                  {std::string("COLUMNS=") + columns})
                                                        .out))
                EXPECT_LE(display_width(line), std::max(std::stoi(columns), 74)) << line;
    // Markdown is not cut.
    const call markdown =
        launchbox_run({"results", "-", "--map", "threads,items", "--format", "markdown"}, grid_record(40, 9));
    EXPECT_TRUE(markdown.shows("| 1,248 | 1,280 |")) << markdown.out;
}

TEST(results_map, has_units)
{
    const auto map = [](const std::string& unit) {
        return launchbox_run({"results", with_work, "--map", "threads,items", "--unit", unit});
    };
    EXPECT_TRUE(map("ms").shows("0.4080*"));
    EXPECT_TRUE(map("elements/s").shows("329.0 G*"));
    EXPECT_TRUE(map("GB/s").shows("3,948*"));
    EXPECT_TRUE(map("share").shows("100.0*"));
    EXPECT_TRUE(map("share").shows("98.3"));  // 0.408 / 0.415
    expect_refused(map("GFLOP/s"), "the records do not contain the work of a workload");
    expect_refused(map("seconds"), "--unit");
    expect_refused(launchbox_run({"results", example, "--map", "threads", "--by", "type", "--unit", "ms"}),
                   "several workloads together");
    // Only one of two records knows the work: this is reported for the other.
    const call both = launchbox_run({"results", with_work, example, "--map", "threads,items", "--unit", "GB/s"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_TRUE(both.shows("3,948*"));
    EXPECT_TRUE(both.shows("GB/s is not available: the record does not contain")) << both.out;
}

TEST(results_map, has_one_axis_a_workload_axis_and_parts)
{
    const call one = launchbox_run({"results", example, "--map", "threads"});
    EXPECT_TRUE(one.shows("items=17; the best")) << one.out;
    EXPECT_TRUE(one.shows("2 rejected, 1 compile error; for example")) << one.out;
    const call sizes = launchbox_run({"results", example, "--map", "n,items"});
    EXPECT_TRUE(sizes.shows("in % of the best speed, for each of 2 workloads; n across")) << sizes.out;
    EXPECT_TRUE(sizes.shows("n = 134,217,728: The baseline, threads=256 items=11, is the fastest.")) << sizes.out;
    const call mean = launchbox_run({"results", example, "--map", "threads,items", "--by", "type"});
    EXPECT_TRUE(mean.shows("a geometric mean over 2 workloads")) << mean.out;
    EXPECT_TRUE(mean.shows("i  measured on some of the workloads")) << mean.out;
}

TEST(results_map, has_the_same_content_in_json_and_csv)
{
    const nlohmann::json json =
        launchbox_run({"results", example, with_work, "--map", "threads,items", "--format", "json"}).json();
    EXPECT_EQ(json["schema"], "launchbox.map/1");
    ASSERT_EQ(json["maps"].size(), 3u);
    EXPECT_EQ(json["by"][0]["name"], "kernel");
    std::size_t cells = 0, winners = 0;
    for (const auto& map : json["maps"]) cells += map["cells"].get<std::size_t>();
    EXPECT_EQ(cells, json["cells"].size());
    for (const auto& cell : json["cells"]) {
        winners += cell["is_winner"].get<bool>() ? 1 : 0;
        if (!cell["is_winner"]) continue;
        const auto& winner = json["maps"][cell["map"].get<std::size_t>()]["sections"][0]["winner"];
        EXPECT_EQ(cell["parameters"], winner["parameters"]);
        EXPECT_EQ(cell["median_ns"], winner["median_ns"]);
    }
    EXPECT_EQ(winners, 3u);
    const call csv = launchbox_run({"results", example, with_work, "--map", "threads,items", "--format", "csv"});
    EXPECT_EQ(lines_of(csv.out).size(), cells + 1);
    EXPECT_TRUE(
        csv.out.starts_with("record.kernel,workload.type,workload.n,parameters.threads,parameters.items,status"))
        << csv.out.substr(0, 200);
}

TEST(results_map, writes_svg_files_and_pages)
{
    const temporary_directory folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const std::string only = "n=1048576";
    const call svg =
        launchbox_run({"results", example, "--map", "threads,items", "--workload", only, "--format", "svg"});
    EXPECT_EQ(svg.status, 0) << svg.err;
    EXPECT_TRUE(svg.out.starts_with("<svg"));
    EXPECT_TRUE(svg.shows("class=\"chosen\"")) << "the winner has a frame";
    EXPECT_TRUE(svg.shows("1,024 threads need 2,048 registers too many"));
    expect_refused(launchbox_run({"results", example, "--map", "threads,items", "--format", "svg"}), "2 maps");
    EXPECT_EQ(launchbox_run({"results", example, "--map", "threads,items", "--svg", path("pictures")}).status, 0);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "pictures" / "map-threads-items-n-1048576.svg"));
    EXPECT_EQ(launchbox_run({"results", example, "--map", "items", "--svg", path("pictures")}).status, 0);
    for (const char* view : {"--map", "--by"}) {
        const std::string page = path((view + std::string(".html")).c_str());
        const call made = launchbox_run({"results", example, view, "threads", "--format", "html", "-o", page});
        EXPECT_EQ(made.status, 0) << made.err;
        EXPECT_TRUE(read_input(page).ends_with("-->\n")) << "ours, so that it may be written again";
        EXPECT_EQ(launchbox_run({"results", example, view, "threads", "--format", "html", "-o", page}).status, 0);
    }
    expect_refused(launchbox_run({"results", example, "--format", "html"}), "--map");
    expect_refused(launchbox_run({"results", example, "--by", "n", "--format", "svg"}), "--map");
}

TEST(results_map, refuses_maps_that_cannot_be_drawn)
{
    for (const char* axes : {"", ",", "threads,", "threads,,items", "a", "threads,items,n", "threads,threads"})
        expect_refused(launchbox_run({"results", example, std::string("--map=") + axes}), "--map");
    expect_refused(launchbox_run({"results", example, "--map", "threads", "--by", "size"}), "size");
    for (const char* other : {"--compare", "--convergence"})
        expect_refused(launchbox_run({"results", example, example, "--map", "threads", other}), "--map");
    expect_refused(launchbox_run({"results", example, "--by", "n", "--unit", "ms"}), "--map");
    expect_refused(launchbox_run({"results", example, "--map", "threads", "--log", "threads=64"}), "--log");
    // Too many for a table: this is reported, and the formats for programs have all of them.
    const std::string many = grid_record(101, 2);
    for (const char* format : {"table", "markdown", "svg", "html"})
        expect_refused(launchbox_run({"results", "-", "--map", "threads,items", "--format", format}, many),
                       "101 values");
    EXPECT_EQ(lines_of(launchbox_run({"results", "-", "--map", "threads,items", "--format", "csv"}, many).out).size(),
              203u);
    expect_refused(launchbox_run({"results", "-", "--map", "items", "--by", "threads"}, grid_record(201, 1)),
                   "201 maps");
}

TEST(results_map, untrusted_names_are_escaped)
{
    nlohmann::ordered_json whole = nlohmann::ordered_json::parse(grid_record(3, 3));
    for (auto& candidate : whole["candidates"]) {
        auto& parameters = candidate["parameters"];
        parameters["<b>\x1b[2J"] = "</script>\x1b[31m" + std::to_string(parameters["items"].get<int>());
    }
    for (const char* format : {"table", "markdown", "json", "csv", "html", "svg"}) {
        const call shown =
            launchbox_run({"results", "-", "--map", "threads,<b>\x1b[2J", "--format", format}, whole.dump());
        EXPECT_EQ(shown.status, 0) << format << shown.err;
        EXPECT_EQ(shown.out.find('\x1b'), std::string::npos) << format;
        EXPECT_FALSE((format == std::string("html") || format == std::string("svg")) && shown.shows("<b>")) << format;
    }
}

TEST(results_best, has_a_line_per_combination_and_the_cost_of_one_candidate_for_all)
{
    const call best = launchbox_run({"results", example, with_work, "--by", "kernel,n"});
    ASSERT_EQ(best.status, 0) << best.err;
    EXPECT_TRUE(best.shows("The best by kernel, n")) << best.out;
    EXPECT_TRUE(best.shows("329.0 G")) << best.out;
    EXPECT_TRUE(best.shows("+1.7 %")) << best.out;  // 0.415 after 0.408
    EXPECT_TRUE(best.shows("No single candidate was measured completely in every line.")) << best.out;
    // 128 x 15 takes 12 % longer than the best at the large size, and 256 x 11 takes 25 % longer at the small size.
    const call one = launchbox_run({"results", example, "--by", "n"});
    EXPECT_TRUE(one.shows("threads=128 items=15 everywhere takes 6.1 % longer")) << one.out;
    EXPECT_TRUE(one.shows("+12.0 %")) << one.out;
    const nlohmann::json json = launchbox_run({"results", example, "--by", "n", "--format", "json"}).json();
    EXPECT_NEAR(json["everywhere"]["worst_loss"].get<double>(), 0.12, 1e-9);
    EXPECT_EQ(json["everywhere"]["worst_map"], 1);
}

TEST(results_noise, is_always_reported_and_nothing_is_marked_as_winner)
{
    for (const bool raced : {false, true}) {
        const std::string text = noisy_record(raced);
        const call shown = launchbox_run({"results", "-"}, text, {"COLUMNS=300"});
        EXPECT_TRUE(shown.shows("No winner: samples vary by ± ")) << shown.out;
        EXPECT_FALSE(shown.shows("is the fastest")) << shown.out;
        for (const std::string& line : lines_of(shown.out))
            EXPECT_TRUE(line.find("winner") == std::string::npos || line.find("No winner") != std::string::npos)
                << line;
        const nlohmann::json json = launchbox_run({"results", "-", "--format", "json"}, text).json();
        for (const auto& best : json["best"]) {
            EXPECT_TRUE(best["parameters"].is_null());
            EXPECT_GT(best["noise"]["most"], 0.1);
            EXPECT_TRUE(best["verdict"].get<std::string>().starts_with("No winner: samples vary by ")) << best;
        }
        for (const auto& candidate : json["candidates"]) EXPECT_FALSE(candidate["is_winner"]);
        EXPECT_TRUE(json["overall"][0]["winner"].is_null());
        EXPECT_TRUE(json["overall"][0]["verdict"].get<std::string>().starts_with("No winner: "));
        const call map = launchbox_run({"results", "-", "--map", "threads,items"}, text);
        EXPECT_TRUE(map.shows("No winner: samples vary by ± ")) << map.out;
        EXPECT_FALSE(map.shows("*")) << map.out;
        EXPECT_TRUE(map.shows("=~")) << map.out;
        EXPECT_TRUE(launchbox_run({"results", "-", "--by", "n"}, text).shows("no winner: samples vary by ± "));
        const temporary_directory folder;
        const std::string input = (folder.path() / "noisy.json").string();
        std::ofstream(input) << text;
        const std::string page = launchbox_run({"report", input, "-o", "-"}).out;
        EXPECT_NE(page.find("No winner: samples vary by ± "), std::string::npos);
        EXPECT_EQ(page.find("class=\"chosen\""), std::string::npos) << "no frame in a map";
        EXPECT_EQ(page.find(", winner"), std::string::npos) << "nor among the finalists";
        // The existing row is kept, and --fail-slower cannot decide.
        EXPECT_TRUE(launchbox_run({"emit", input}).shows("is kept"));
        expect_refused(launchbox_run({"results", example, input, "--compare", "--fail-slower", "5"}), "no winner");
    }
}

}  // namespace
}  // namespace launchbox
