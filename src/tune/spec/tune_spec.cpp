// SPDX-License-Identifier: Apache-2.0
#include "tune/spec/tune_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "support/error.hpp"
#include "support/process/command_words.hpp"
#include "support/text/terminal.hpp"
#include "tune/spec/tune_spec_reader.hpp"

namespace launchbox {

namespace {

using namespace spec_toml;

constexpr std::size_t max_constraints = 1000;
constexpr toml_kind spec_kind{.name = "spec",
                              .max_bytes = std::size_t{1} << 20,
                              .if_too_large = "put long lists into ranges, such as { from = 1, to = 99 }",
                              .page = "docs/tune_spec.md"};

void refuse_other_files(const std::string& file, std::string_view text);

void read_name(reader& of, const toml::node& node);
void read_constraints(reader& of, const toml::node& node);
void read_target(reader& of, const toml::table& root);

}  // namespace

tune_spec parse_tune_spec(const std::string& file, const std::string& text)
{
    tune_spec spec;
    refuse_other_files(file, text);
    const toml_document document(spec_kind, file, text);
    spec.file = file;
    spec.folder = std::filesystem::absolute(file).lexically_normal().parent_path().string();
    spec.text = text;

    reader of{document, spec};
    const toml::table& root = document.root();
    const auto nothing = [](const toml::node&) {};
    document.read_keys(root,
                       {{"tunable", nothing},
                        {"parameters", nothing},
                        {"constraints", nothing},
                        {"workload", nothing},
                        {"kernel", nothing},
                        {"program", nothing},
                        {"callback", nothing},
                        {"verify", nothing},
                        {"measure", nothing},
                        {"screen", nothing}},
                       "at the top of the file");
    const auto section = [&](const char* key) -> const toml::table* {
        const toml::node* node = root.get(key);
        return node == nullptr ? nullptr : &document.table(*node, key, "[" + std::string(key) + "]");
    };
    for (const auto& [key, example] :
         {std::pair("tunable", "name = \"block_sort\""), std::pair("parameters", "threads = [128, 256, 512]")})
        if (section(key) == nullptr)
            throw error(file + ": there is no [" + key + "]", "add [" + std::string(key) + "] and below it " + example);

    read_parameters(of, *section("parameters"));
    const toml::table& tunable = *section("tunable");
    document.read_keys(tunable,
                       {{"name", [&](const toml::node& node) { read_name(of, node); }},
                        {"baseline",
                         [&](const toml::node& node) {
                             read_baseline(of, document.table(node, "baseline", "baseline = { threads = 256 }"));
                         }},
                        {"objective",
                         [&](const toml::node& node) {
                             const std::string text = document.text(node, "objective", "objective = \"energy\"");
                             document.placed(node.source(), [&] { spec.goal = objective(text); });
                         }}},
                       "in [tunable]");
    if (spec.name.empty()) document.fail(tunable.source(), "[tunable] has no name", "write name = \"block_sort\"");
    read_workloads(of, root.get("workload"));
    if (const toml::table* constraints = section("constraints"))
        document.read_keys(*constraints, {{"all", [&](const toml::node& node) { read_constraints(of, node); }}},
                           "in [constraints]");
    read_target(of, root);
    if (const toml::node* node = tunable.get("objective"))
        document.placed(node->source(), [&] { check_objective(spec); });
    if (const toml::table* table = section("verify")) {
        read_verify(of, *table);
    }
    if (const toml::table* table = section("measure")) read_measure(of, *table);
    if (const toml::table* table = section("screen"))
        document.read_keys(*table,
                           {{"min_occupancy",
                             [&](const toml::node& node) {
                                 spec.screen.min_occupancy = document.number(node, "min_occupancy", 0, 1);
                             }}},
                           "in [screen]");
    check_names(of);
    if (spec.program && mentions(spec.program->run, "output") && !mentions(spec.program->build, "output"))
        document.fail(
            root["program"]["run"].node()->source(), "run uses {output}, but build does not write it",
            spec.program->build.empty() ? "name the program itself" : "let build write {output}, such as -o {output}");
    for (const placed_text& text : of.texts)
        if (text.is_expression) spec.places.emplace(text.text, document.place(text.place));
    return spec;
}

namespace {

// Result files are named after it.
void read_name(reader& of, const toml::node& node)
{
    of.spec.name = of.file.text(node, "name", "name = \"block_sort\"");
    const std::string& name = of.spec.name;
    const bool right = !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                  c == '_' || c == '-' || c == '.';
                       });
    if (!right)
        of.file.fail(node.source(), "the tunable's name is " + in_toml_quotes(name),
                     "use up to 100 letters, digits, _, - and ., such as block_sort");
}

void read_constraints(reader& of, const toml::node& node)
{
    const std::string example = "all = [\"threads * items <= 16384\"]";
    const toml::array* list = node.as_array();
    if (list == nullptr && !node.is_string()) of.file.fail_type(node, "all", "a list of strings", example);
    const std::size_t count = list == nullptr ? 1 : list->size();
    if (count > max_constraints)
        of.file.fail(node.source(), "there are more than 1,000 constraints", "join some of them with `and`");
    for (std::size_t i = 0; i < count; ++i) {
        const toml::node& element = list == nullptr ? node : *list->get(i);
        if (!element.is_string()) of.file.fail_type(element, "a constraint", "a string", example);
        of.spec.constraints.push_back(of.expression(element, "a constraint"));
    }
}

void read_target(reader& of, const toml::table& root)
{
    using reads = void (*)(reader&, const toml::table&);
    const std::array<std::pair<std::string, reads>, 3> targets{
        {{"kernel", read_kernel}, {"program", read_program}, {"callback", read_callback}}};
    const auto is_there = [&](const auto& target) { return root.get(target.first) != nullptr; };
    const auto first = std::ranges::find_if(targets, is_there);
    if (first == targets.end())
        throw error(of.spec.file + ": there is neither [kernel] nor [program]",
                    "add [kernel] for one kernel that launchbox compiles and launches, or [program] for a program");
    const auto second = std::find_if(first + 1, targets.end(), is_there);
    if (second != targets.end())
        of.file.fail(root.get(second->first)->source(),
                     "there are both [" + first->first + "] and [" + second->first + "]", "remove one of them");
    first->second(of, of.file.table(*root.get(first->first), first->first, "[" + first->first + "]"));
}

// Problem files of other tuners are JSON, which a spec never looks like. The Python package converts them. Of a source,
// `tune --init` makes a spec.
void refuse_other_files(const std::string& file, std::string_view text)
{
    const std::filesystem::path name(file);
    if (name.extension() == ".cu" || name.extension() == ".cuh")
        throw error(file + " is a source, not a spec", "launchbox tune --init " + shell_word(file) + " > " +
                                                           shell_word(name.stem().string() + ".toml") + " writes one");
    const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (begin == std::string_view::npos || text[begin] != '{') return;
    if (text.find("\"TuningParameters\"") == std::string_view::npos)
        throw error(file + " is JSON, and a spec is TOML", "give a spec (docs/tune_spec.md)");
    const std::string spec = file == "-" ? "spec" : std::filesystem::path(file).stem().string();
    throw error(file + " is a T1 problem, not a spec", "python3 -m launchbox t1 " + shell_word(file) + " > " +
                                                           shell_word(spec + ".toml") + " writes it as a spec");
}

}  // namespace

void check_objective(const tune_spec& spec)
{
    if (!spec.kernel) return;
    for (const std::string& name : spec.goal.quantities())
        if (name != energy_quantity && name != power_quantity)
            throw error(
                fmt::format("the objective names {}, and of a [kernel] only time, energy and power are measured",
                            escape_for_terminal(name)),
                "a number that a program prints needs a spec with [program]");
}

std::map<std::string, std::string> texts_of(const assignment& values)
{
    std::map<std::string, std::string> texts;
    for (const auto& [name, value] : values.values) texts[name] = parameter_text(value);
    return texts;
}

std::string filled_in(const std::string& text, const assignment& values)
{
    return filled_in(std::vector{text}, texts_of(values)).front();
}

}  // namespace launchbox
