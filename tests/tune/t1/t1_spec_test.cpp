// T1 problems as specs: the spaces candidate by candidate against what other tuners recorded of them, each part of the
// kernel, and what is said of what has no equal.
#include "tune/t1/t1_spec.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "recorded_spaces.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

std::string file_text(const fs::path& file)
{
    return read_input(file.string());
}

fs::path sample(const std::string& name)
{
    return fs::path(LAUNCHBOX_SOURCE_DIR) / "tests/data/t1" / name;
}

json blur()
{
    return json::parse(file_text(sample("blur.json")));
}

t1_translation translated(const json& workload)
{
    return translate_t1("x.json", workload.dump());
}

// Problems without a kernel get a program, to be whole.
tune_spec spec_of(const t1_translation& made)
{
    return parse_tune_spec("x.toml", made.spec + (made.has_kernel ? "" : "[program]\nrun = [\"true\"]\n"));
}

std::string notes_of(const t1_translation& made)
{
    std::string text;
    for (const t1_note& note : made.notes) text += note.place + ": " + note.what + "\n";
    return text;
}

std::string t1_error(const std::string& text)
{
    try {
        translate_t1("x.json", text);
        return "no complaint";
    } catch (const error& failure) {
        EXPECT_FALSE(failure.hint().empty());
        return failure.what();
    }
}

// "x=1 y=2", sorted by names, of every candidate.
std::set<std::string> candidates_of(const tune_spec& spec)
{
    const search_space space(spec, {});
    std::set<std::string> all;
    for (std::size_t i = 0; i < space.size(); ++i) {
        std::map<std::string, std::string> values;
        for (const auto& [name, value] : space.at(i).values) values[name] = parameter_text(value);
        std::string text;
        for (const auto& [name, value] : values) text += name + "=" + value + " ";
        all.insert(text);
    }
    return all;
}

// What was recorded, in the same form. `read` finds the assignments in the file.
template <class Read>
std::set<std::string> recorded(const fs::path& file, const Read& read)
{
    const subprocess_result unpacked = run({"gzip", "-dc", file.string()});
    EXPECT_EQ(unpacked.exit_code, 0);
    std::set<std::string> all;
    read(json::parse(unpacked.output), [&](const std::map<std::string, std::string>& values) {
        std::string text;
        for (const auto& [name, value] : values) text += name + "=" + value + " ";
        all.insert(text);
    });
    return all;
}

TEST(t1_recorded, convolution_s_space_is_what_kernel_tuner_measured)
{
    for (const recorded_spaces& spaces : all_recorded_spaces()) {
        SCOPED_TRACE(spaces.t1_convolution);
        const auto ours = candidates_of(spec_of(translate_t1("t1.json", file_text(spaces.t1_convolution))));
        const auto theirs = recorded(spaces.kt_convolution, [](const json& root, const auto& add) {
            for (const auto& [key, entry] : root["cache"].items()) {
                std::map<std::string, std::string> values;
                for (const json& name : root["tune_params_keys"]) values[name] = entry[name.get<std::string>()].dump();
                add(values);
            }
        });
        EXPECT_EQ(theirs.size(), spaces.counts["kt_convolution"]["candidates"]);
        EXPECT_EQ(ours, theirs);
    }
}

TEST(t1_recorded, pnpoly_s_space_is_what_ktt_measured)
{
    // KTT's names are those of its own kernel; VERTICES is a constant there.
    const std::map<std::string, std::string> names{{"BLOCK_SIZE_X", "block_size_x"},
                                                   {"TILE_SIZE", "tile_size"},
                                                   {"BETWEEN_METHOD", "between_method"},
                                                   {"USE_METHOD", "use_method"}};
    for (const recorded_spaces& spaces : all_recorded_spaces()) {
        SCOPED_TRACE(spaces.t1_pnpoly);
        const auto ours = candidates_of(spec_of(translate_t1("t1.json", file_text(spaces.t1_pnpoly))));
        const auto theirs = recorded(spaces.ktt_pnpoly, [&](const json& root, const auto& add) {
            for (const json& value : root["Results"]) {
                std::map<std::string, std::string> values;
                for (const json& one : value["Configuration"])
                    if (const auto name = names.find(one["Name"].get<std::string>()); name != names.end())
                        values[name->second] = one["Value"].dump();
                add(values);
            }
        });
        EXPECT_EQ(theirs.size(), spaces.counts["ktt_pnpoly"]["candidates"]);
        EXPECT_EQ(ours, theirs);
    }
}

TEST(t1_spec, the_sample_as_a_spec)
{
    const t1_translation made = translated(blur());
    ASSERT_TRUE(made.has_kernel) << notes_of(made);
    const tune_spec spec = spec_of(made);
    EXPECT_EQ(spec.name, "blur");
    ASSERT_TRUE(spec.baseline.has_value());
    EXPECT_EQ(parameter_text(*spec.baseline), "threads_x=128 per_thread=1 unroll_by=1 blur_width=3 image_size=1048576");
    EXPECT_EQ(spec.constraints,
              (std::vector<std::string>{"64 <= threads_x * per_thread and threads_x * per_thread <= 1024",
                                        "per_thread % unroll_by == 0", "not (threads_x == 96 or threads_x == 160)"}));
    const kernel_target& kernel = spec.kernel.value();
    EXPECT_EQ(kernel.source, "blur.cu");
    EXPECT_EQ(kernel.threads[0], "threads_x");
    EXPECT_EQ(kernel.blocks[0], "ceil_div(1048576 // per_thread, threads_x)");
    EXPECT_EQ(kernel.flags.front(), "-std=c++17");
    EXPECT_EQ(kernel.flags.back(), "-Dimage_size={image_size}");
    ASSERT_EQ(kernel.arguments.size(), 4U);
    EXPECT_EQ(kernel.arguments[0].role, argument_role::output);
    EXPECT_EQ(kernel.arguments[1].count, "1048578");
    EXPECT_EQ(kernel.arguments[1].fill, fill_kind::random);
    EXPECT_EQ(kernel.arguments[1].seed, 5);
    EXPECT_EQ(kernel.arguments[1].high, 1.0);
    EXPECT_EQ(kernel.arguments[2].name, "weights");
    EXPECT_EQ(kernel.arguments[3].value, "0.25");
    ASSERT_EQ(kernel.variables.size(), 1U);
    EXPECT_EQ(kernel.variables[0].name, "weights");
    EXPECT_EQ(kernel.variables[0].count, kernel.arguments[2].count);
    EXPECT_EQ(kernel.variables[0].fill, kernel.arguments[2].fill);
    EXPECT_EQ(kernel.variables[0].high, 1.0);
    EXPECT_EQ(spec.verify.relative, 1e-4);
    EXPECT_EQ(notes_of(made),
              "ConfigurationSpace.Conditions[2].Expression: LEFT OUT, so the space is larger than the problem's: "
              "modules and methods are not supported (column 5 of 'math.log2(threads_x) < 9')\n"
              "Search: not translated (Random): --search chooses the strategy\n"
              "Budget[0]: not translated: --budget 50 does it\n"
              "KernelSpecification.ReferenceArguments[0]: the reference itself (BinaryRaw) is not translated: outputs "
              "are compared with the baseline's; [verify] against takes a .npy or a command\n");
    // Each is a comment where it belongs, too.
    EXPECT_NE(made.spec.find("  # ConfigurationSpace.Conditions[2].Expression: LEFT OUT"), std::string::npos)
        << made.spec;
}

TEST(t1_spec, the_grid_is_the_problem_divided_or_blocks_or_threads)
{
    json workload = blur();
    json& kernel = workload["KernelSpecification"];
    const auto blocks = [&] { return spec_of(translated(workload)).kernel.value().blocks; };
    kernel["GlobalSizeType"] = "CUDA";
    EXPECT_EQ(blocks()[0], "1048576 // per_thread");
    kernel["ProblemSize"] = {4096, 2048};
    kernel["GridDivX"] = {"threads_x", "per_thread"};
    kernel["GridDivY"] = json::array();
    EXPECT_EQ(blocks(), (std::array<std::string, 3>{"ceil_div(x, threads_x * per_thread)", "y", "1"}));
    kernel["GridDivY"] = nullptr;
    kernel["LocalSize"]["Y"] = "per_thread";
    EXPECT_EQ(blocks()[1], "ceil_div(y, per_thread)");
    EXPECT_EQ(parameter_text(spec_of(translated(workload)).workloads.front().values), "x=4096 y=2048");
    kernel["Arguments"][0]["Size"] = "ProblemSize[0] * ProblemSize[1] * per_thread";
    EXPECT_EQ(spec_of(translated(workload)).kernel.value().arguments[0].count, "x * y * per_thread");
    kernel["LocalSize"] = nullptr;
    const t1_translation none = translated(workload);
    EXPECT_FALSE(none.has_kernel);
    EXPECT_NE(notes_of(none).find("KernelSpecification.LocalSize.X: there is none\n"), std::string::npos)
        << notes_of(none);
}

TEST(t1_spec, values_of_every_kind)
{
    json workload = blur();
    workload["ConfigurationSpace"]["Conditions"] = json::array();
    json& parameters = workload["ConfigurationSpace"]["TuningParameters"];
    const auto values = [&](const std::string& text, const std::string& name = "v") {
        parameters[3] = {{"Name", name}, {"Type", "any"}, {"Values", text}};
        const tuning_parameter parameter = spec_of(translated(workload)).parameters.at(3);
        std::string list = parameter.name + ":";
        for (const parameter_value& value : parameter.values)
            list += " " + std::string(1, "bifs"[value.index()]) + parameter_text(value);
        return list;
    };
    workload["KernelSpecification"]["Arguments"][1]["Size"] = 1;
    EXPECT_EQ(values("[1, 2.5]"), "v: f1 f2.5");
    EXPECT_EQ(values("[True, False]"), "v: btrue bfalse");
    EXPECT_EQ(values("[0, True]"), "v: i0 i1");
    EXPECT_EQ(values("['float', \"a\\\\b\"]"), "v: sfloat sa\\b");
    EXPECT_EQ(values("[3, 3, 1]"), "v: i3 i1");
    EXPECT_EQ(values("16"), "v: i16");
    EXPECT_EQ(values("range(5, 50, 4)"), "v: i5 i9 i13 i17 i21 i25 i29 i33 i37 i41 i45 i49");
    EXPECT_EQ(values("[1e20, 1e-7]"), "v: f1e+20 f1e-07");
    // A word of our expressions gets another name; the macro keeps it.
    EXPECT_EQ(values("[1, 2]", "end"), "end_: i1 i2");
    EXPECT_EQ(spec_of(translated(workload)).kernel.value().flags[4], "-Dend={end_}");
    EXPECT_EQ(values("[1, 2]", "min"), "min_: i1 i2");
}

TEST(t1_spec, no_baseline_where_the_defaults_are_no_candidate)
{
    json workload = blur();
    json& parameters = workload["ConfigurationSpace"]["TuningParameters"];
    parameters[2]["Default"] = json::array({2});
    t1_translation made = translated(workload);
    EXPECT_FALSE(spec_of(made).baseline.has_value());
    EXPECT_NE(notes_of(made).find("there is no baseline: the Defaults break Conditions[1]"), std::string::npos);
    parameters[1]["Default"] = 4;
    EXPECT_EQ(parameter_text(*spec_of(translated(workload)).baseline),
              "threads_x=128 per_thread=4 unroll_by=2 blur_width=3 image_size=1048576");
    parameters[1]["Default"] = 3;
    made = translated(workload);
    EXPECT_NE(notes_of(made).find("the Default of per_thread, 3, is none of its values"), std::string::npos);
    parameters[1].erase("Default");
    EXPECT_NE(notes_of(translated(workload)).find("per_thread has no Default"), std::string::npos);
}

TEST(t1_spec, arguments_of_every_kind)
{
    json workload = blur();
    json& arguments = workload["KernelSpecification"]["Arguments"];
    const auto argument = [&](const json& given) {
        arguments = json::array({given});
        return spec_of(translated(workload)).kernel.value().arguments;
    };
    const auto notes = [&] { return notes_of(translated(workload)); };
    const json vector{{"Name", "v"},
                      {"Type", "uint16"},
                      {"MemoryType", "Vector"},
                      {"AccessType", "ReadWrite"},
                      {"Size", "per_thread * 2"}};
    json value = vector;
    EXPECT_EQ(argument(value).at(0).type, "uint16_t");
    EXPECT_EQ(argument(value).at(0).role, argument_role::in_out);
    EXPECT_EQ(argument(value).at(0).count, "per_thread * 2");
    value["FillType"] = "Constant";
    value["FillValue"] = 7;
    EXPECT_EQ(argument(value).at(0).fill, fill_kind::constant);
    EXPECT_EQ(argument(value).at(0).value, "7");
    value["FillType"] = "BinaryRaw";
    value["DataSource"] = "data/{in}.bin";
    EXPECT_EQ(argument(value).at(0).file, "data/{{in}}.bin");
    arguments = json::array({value});
    EXPECT_NE(translate_t1("x.json", workload.dump(), "../kernels/").spec.find("file = \"../kernels/data/{{in}}.bin\""),
              std::string::npos);
    value["FillType"] = "Generator";
    EXPECT_EQ(argument(value).at(0).fill, fill_kind::zeros);
    EXPECT_NE(notes().find("Arguments[0].FillType: v is filled with zeros: Generator is not translated"),
              std::string::npos)
        << notes();
    value = vector;
    value["Type"] = "custom";
    value["TypeSize"] = 12;
    EXPECT_EQ(argument(value).at(0).type, "unsigned char");
    EXPECT_EQ(argument(value).at(0).count, "per_thread * 2 * 12");
    value.erase("TypeSize");
    EXPECT_TRUE(argument(value).empty());
    EXPECT_NE(notes().find("v: left out: launchbox does not know the type 'custom'"), std::string::npos);
    value = vector;
    value["MemoryType"] = "Symbol";
    EXPECT_TRUE(argument(value).empty());
    const auto variables = [&] { return spec_of(translated(workload)).kernel.value().variables; };
    ASSERT_EQ(variables().size(), 1U);
    EXPECT_EQ(variables()[0].count, "per_thread * 2");
    value = vector;
    value["MemType"] = "Constant";
    EXPECT_EQ(argument(value).size(), 1U);
    EXPECT_EQ(variables().size(), 1U);
    // Kernel Tuner's own problems mark arguments so that no variable has the name of.
    value["Name"] = "not_in_the_source";
    arguments = json::array({value});
    const std::string sample = LAUNCHBOX_SOURCE_DIR "/tests/data/t1/blur.json";
    const t1_translation made = translate_t1(sample, workload.dump());
    EXPECT_TRUE(spec_of(made).kernel.value().variables.empty());
    EXPECT_NE(notes_of(made).find("not_in_the_source: a parameter only"), std::string::npos) << notes_of(made);
    arguments[0]["Name"] = "weights";
    EXPECT_EQ(spec_of(translate_t1(sample, workload.dump())).kernel.value().variables.size(), 1U);
    value = vector;
    value["MemoryType"] = "Local";
    EXPECT_TRUE(argument(value).empty());
    EXPECT_NE(notes().find("CUDA has no parameter in shared memory"), std::string::npos);
}

TEST(t1_spec, what_is_no_kernel_of_ours_leaves_the_space)
{
    json workload = blur();
    workload["KernelSpecification"]["Language"] = "OpenCL";
    workload["Whatever"] = 1;
    workload["KernelSpecification"]["Wild"] = {{"a", 1}};
    workload["Budget"] = {{"Type", "TuningDuration"}, {"BudgetValue", 60}};
    const t1_translation made = translated(workload);
    EXPECT_FALSE(made.has_kernel);
    EXPECT_EQ(spec_of(made).parameters.size(), 5U);
    for (const char* wanted : {"Whatever: not translated", "KernelSpecification.Wild: not translated",
                               "the kernel is OpenCL, so there is no [kernel]", "--budget 60s does it"})
        EXPECT_NE(notes_of(made).find(wanted), std::string::npos) << notes_of(made);
}

TEST(t1_spec, bad_files_have_one_clear_error)
{
    EXPECT_TRUE(t1_error("{\"a\": ").starts_with("x.json looks like JSON, but is not valid: ")) << t1_error("{\"a\": ");
    EXPECT_EQ(t1_error("{}"),
              "x.json is JSON, but not a T1 problem: it has no ConfigurationSpace with TuningParameters");
    json workload = blur();
    json& parameter = workload["ConfigurationSpace"]["TuningParameters"][1];
    const std::string place = "x.json: ConfigurationSpace.TuningParameters[1]";
    parameter["Values"] = "[0]*10**9";
    EXPECT_EQ(t1_error(workload.dump()),
              place + ".Values: it needs more than 1,000,000 steps or elements (column 4 of '[0]*10**9')");
    parameter["Values"] = "[]";
    EXPECT_EQ(t1_error(workload.dump()), place + ".Values: the list is empty");
    parameter["Values"] = "[1, 'a']";
    EXPECT_EQ(t1_error(workload.dump()), place + ".Values: the values are not all numbers, strings or booleans");
    parameter["Values"] = "os.listdir()";
    EXPECT_EQ(t1_error(workload.dump()),
              place + ".Values: modules and methods are not supported (column 3 of 'os.listdir()')");
    parameter["Values"] = "range(200000)";
    EXPECT_EQ(t1_error(workload.dump()), place + ".Values: there are 200000 values");
    parameter["Values"] = "[1]";
    parameter["Name"] = "a-b";
    EXPECT_EQ(t1_error(workload.dump()), place + ".Name: 'a-b' cannot be a macro");
    parameter["Name"] = "unroll_by";
    EXPECT_TRUE(t1_error(workload.dump()).ends_with("TuningParameters[2].Name: unroll_by appears twice"));
}

TEST(t1_spec, json_is_told_from_a_spec)
{
    EXPECT_TRUE(looks_like_json(" \n{"));
    EXPECT_TRUE(looks_like_json("\xef\xbb\xbf{\"a\": 1}"));
    EXPECT_FALSE(looks_like_json("[tunable]\nname = \"x\""));
    EXPECT_FALSE(looks_like_json(""));
}

}  // namespace
}  // namespace launchbox
