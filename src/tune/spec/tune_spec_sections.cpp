// [kernel], [program], [callback], [verify], [measure] and [screen].
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "source/constant_edits.hpp"
#include "support/process/command_words.hpp"
#include "support/text/pattern.hpp"
#include "tune/spec/tune_spec_reader.hpp"

namespace launchbox::spec_toml {

namespace {

constexpr double max_seconds = 1e6;
constexpr std::size_t max_arguments = 1000;  // a launch takes 32 KB of them

void read_dimensions(reader& of, const toml::node& node, const std::string& key, std::array<std::string, 3>& into);
std::int64_t byte_count(const reader& of, const toml::node& node, const std::string& key);
void read_constants(reader& of, const toml::node& node, std::vector<std::string>& flags);
void read_arguments(reader& of, const toml::node& node, const std::string& key, std::vector<kernel_argument>& into);
void read_argument(reader& of, const toml::node& node, bool is_variable, std::vector<kernel_argument>& into);
void check_kind(const reader& of, const toml::table& table, bool is_variable);
void check_fill(const reader& of, const toml::table& table, const kernel_argument& argument);
void read_metric(reader& of, const toml::node& node);
void need(const reader& of, const toml::table& table, const std::string& where, const std::string& key,
          const std::string& example);

std::vector<std::string> files_in(reader& of, const toml::node& node, const std::string& key, const char* example)
{
    std::vector<std::string> files = of.words(node, key, example);
    if (std::ranges::count(files, "") > 0) of.file.fail(node.source(), "a source is empty", "name a file");
    return files;
}

// Empty for an empty list.
std::vector<std::string> command_in(reader& of, const toml::node& node, const std::string& key, scope names)
{
    const toml::array* list = node.as_array();
    if (list != nullptr && list->empty()) return {};
    return of.command(node, key, names);
}

std::ptrdiff_t place_in(reader& of, const toml::node& node, const std::string& key,
                        const std::vector<std::string>& words)
{
    return std::ranges::find(words, of.file.choice(node, key, words)) - words.begin();
}

bool is_first(reader& of, const toml::node& node, const std::string& key, const std::vector<std::string>& words)
{
    return place_in(of, node, key, words) == 0;
}

// Keys whose value is stored in a member unchanged.
struct member_keys {
    using key = toml_document::keys::value_type;
    using words = std::vector<std::string>;
    reader& of;

    key text(const char* name, std::string& to, const char* example)
    {
        return as(name, to, &toml_document::text, example);
    }
    key expression(const char* name, std::string& to) { return in(name, to, &reader::expression, scope::everything); }
    key filled(const char* name, std::string& to, scope names) { return in(name, to, &reader::filled, names); }
    key files(const char* name, words& to, const char* example) { return in(name, to, files_in, example); }
    key command(const char* name, words& to, scope names) { return in(name, to, command_in, names); }
    key choice(const char* name, std::string& to, const words& all)
    {
        return as(name, to, &toml_document::choice, all);
    }
    /// `all`: in the order of the values.
    key place(const char* name, auto& to, const words& all) { return in(name, to, place_in, all); }
    key is(const char* name, bool& to, const words& first_is_true) { return in(name, to, is_first, first_is_true); }
    key number(const char* name, auto& to, double min, double max, bool above_zero = false)
    {
        return as(name, to, &toml_document::number, min, max, above_zero);
    }
    key seconds(const char* name, double& to) { return number(name, to, 0, max_seconds, true); }
    key count(const char* name, auto& to, std::int64_t min, std::int64_t max)
    {
        return as(name, to, &toml_document::integer, min, max);
    }
    key bytes(const char* name, std::int64_t& to) { return in(name, to, byte_count); }

    static key into(const char* name, auto& to, auto& from, auto read, auto... given)
    {
        return {
            name, [=, &to, &from](const toml::node& node) {
                to = static_cast<std::remove_reference_t<decltype(to)>>(std::invoke(read, from, node, name, given...));
            }};
    }
    key as(const char* name, auto& to, auto read, auto... given) { return into(name, to, of.file, read, given...); }
    key in(const char* name, auto& to, auto read, auto... given) { return into(name, to, of, read, given...); }
};

}  // namespace

std::string reader::expression(const toml::node& node, const std::string& key, scope names)
{
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    if (const auto* number = node.as_floating_point()) {
        std::string text = fmt::format("{}", number->get());
        texts.push_back({key, text, node.source(), names, true});
        return text;
    }
    const auto* given = node.as_string();
    if (given == nullptr) file.fail_type(node, key, "an expression", key + " = \"threads * items\"");
    std::string text = file.text(node, key, "");
    texts.push_back({key, text, node.source(), names, true});
    return text;
}

std::string reader::filled(const toml::node& node, const std::string& key, scope names)
{
    std::string text = file.text(node, key, key + " = \"...\"");
    if (text.empty()) file.fail(node.source(), key + " is empty", "give it a value, or remove it");
    texts.push_back({key, text, node.source(), names, false});
    return text;
}

std::vector<std::string> reader::words(const toml::node& node, const std::string& key, const std::string& example)
{
    if (node.is_string()) return {file.text(node, key, example)};
    const toml::array* list = node.as_array();
    if (list == nullptr) file.fail_type(node, key, "a list of strings", key + " = " + example);
    std::vector<std::string> result;
    for (const toml::node& element : *list) result.push_back(file.text(element, "an element of " + key, example));
    return result;
}

std::vector<std::string> reader::command(const toml::node& node, const std::string& key, scope names)
{
    std::vector<std::string> command = words(node, key, "[\"nvcc\", \"-O3\", \"bench.cu\", \"-o\", \"{output}\"]");
    if (node.is_string()) command = file.placed(node.source(), [&] { return command_words(command.front()); });
    if (command.empty() || command.front().empty())
        file.fail(node.source(), key + " has no program", "give a program and its arguments");
    for (std::size_t i = 0; i < command.size(); ++i) {
        const toml::array* list = node.as_array();
        texts.push_back({key, command[i], list == nullptr ? node.source() : list->get(i)->source(), names, false});
    }
    return command;
}

void read_kernel(reader& of, const toml::table& table)
{
    kernel_target& kernel = of.spec.kernel.emplace();
    std::vector<std::string> constants;
    member_keys key{of};
    of.file.read_keys(
        table,
        {key.text("source", kernel.source, "\"block_sort.cu\""),
         key.filled("capture", kernel.capture, scope::workload),
         key.filled("name", kernel.name, scope::everything),
         {"threads", [&](const toml::node& node) { read_dimensions(of, node, "threads", kernel.threads); }},
         {"blocks", [&](const toml::node& node) { read_dimensions(of, node, "blocks", kernel.blocks); }},
         {"cluster", [&](const toml::node& node) { read_dimensions(of, node, "cluster", kernel.cluster); }},
         key.expression("dynamic_shared", kernel.dynamic_shared),
         key.expression("carveout", kernel.carveout),
         key.expression("static_shared", kernel.static_shared),
         key.command("flags", kernel.flags, scope::everything),
         {"constants", [&](const toml::node& node) { read_constants(of, node, constants); }},
         key.files("sources", kernel.sources, "[\"tile.cuh\"]"),
         key.choice("compiler", kernel.compiler, {"nvrtc", "nvcc"}),
         key.seconds("compile_seconds", kernel.compile_seconds),
         key.bytes("compile_memory", kernel.compile_memory_bytes),
         {"arguments", [&](const toml::node& node) { read_arguments(of, node, "arguments", kernel.arguments); }},
         {"variables", [&](const toml::node& node) { read_arguments(of, node, "variables", kernel.variables); }}},
        "in [kernel]");
    kernel.flags.insert(kernel.flags.end(), constants.begin(), constants.end());
    const bool captured = !kernel.capture.empty();
    if (!captured) need(of, table, "[kernel]", "source", "source = \"block_sort.cu\"");
    for (const char* key : {"arguments", "variables"})
        if (captured && table.get(key) != nullptr)
            of.file.fail(table.get(key)->source(), std::string("there are both capture and ") + key,
                         "remove one of them: a captured launch has its own arguments");
    if (captured && table.get("source") == nullptr)
        for (const char* key : {"name", "flags", "constants", "sources", "compiler"})
            if (table.get(key) != nullptr)
                of.file.fail(table.get(key)->source(), std::string(key) + " is given, but nothing is compiled",
                             "add source, or remove it");
    if (!captured || table.get("source") != nullptr)
        need(of, table, "[kernel]", "name", "name = \"block_sort<{type}, {threads}>\"");
    need(of, table, "[kernel]", "threads", "threads = \"threads\"");
    need(of, table, "[kernel]", "blocks", "blocks = \"ceil_div(n, threads * items)\"");
    if (const toml::node* node = table.get("constants"); node != nullptr && kernel.source.ends_with(".ptx"))
        of.file.fail(node->source(), "constants are given, but PTX has none", "remove it");
    if (table.get("source") != nullptr && kernel.source.empty())
        of.file.fail(table.get("source")->source(), "source is empty", "name the kernel's file");
}

namespace {

void read_dimensions(reader& of, const toml::node& node, const std::string& key, std::array<std::string, 3>& into)
{
    const toml::array* list = node.as_array();
    if (list == nullptr) {
        into[0] = of.expression(node, key);
        return;
    }
    if (list->empty() || list->size() > 3)
        of.file.fail(node.source(), fmt::format("{} has {} dimensions", key, list->size()), "give one, two or three");
    for (std::size_t i = 0; i < list->size(); ++i) into[i] = of.expression(*list->get(i), key);
}

// Constants become flags of our own, so that everything that inspects flags sees them.
void read_constants(reader& of, const toml::node& node, std::vector<std::string>& flags)
{
    of.spec.kernel->constants = of.words(node, "constants", "[\"BLOCK\"]");
    for (const std::string& name : of.spec.kernel->constants) {
        const auto known = std::ranges::find(of.spec.parameters, name, &tuning_parameter::name);
        if (known == of.spec.parameters.end())
            of.file.fail(node.source(),
                         fmt::format("constants names {}, which is not a parameter", in_toml_quotes(name)),
                         fmt::format("write it into [parameters]: {} = [128, 256]", name.substr(0, 100)));
        flags.push_back(source_constant_flag(name, "{" + name + "}"));
    }
}

// 8589934592, "8G", "512M", "64K".
std::int64_t byte_count(const reader& of, const toml::node& node, const std::string& key)
{
    constexpr std::int64_t min = std::int64_t{1} << 20, max = std::int64_t{1} << 50;
    if (!node.is_string()) {
        if (!node.is_integer()) of.file.fail_type(node, key, "a number of bytes", key + " = \"8G\"");
        return of.file.integer(node, key, min, max);
    }
    const std::string text = of.file.text(node, key, "");
    const std::size_t digits = text.find_first_not_of("0123456789");
    const std::size_t unit = digits == std::string::npos ? 0 : std::string("KMG").find(text[digits]);
    const bool right = digits != 0 && std::min(digits, text.size()) <= 15 && !text.empty() &&
                       (digits == std::string::npos || (unit != std::string::npos && digits + 1 == text.size()));
    if (!right)
        of.file.fail(node.source(), fmt::format("{} is {}", key, in_toml_quotes(text)),
                     "write bytes, or \"8G\", \"512M\" or \"65536K\"");
    const int shift = digits == std::string::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
    const std::int64_t number = std::stoll(text);
    if (number > (max >> shift) || (number << shift) < min)
        of.file.fail(node.source(), fmt::format("{} is {}", key, in_toml_quotes(text)),
                     "it can be from 1M to 1048576G");
    return number << shift;
}

void read_arguments(reader& of, const toml::node& node, const std::string& key, std::vector<kernel_argument>& into)
{
    const toml::array* list = node.as_array();
    if (list == nullptr)
        of.file.fail_type(node, key, "a list of tables",
                          key + " = [{ name = \"keys\", type = \"int\", count = \"n\" }]");
    if (list->size() > max_arguments)
        of.file.fail(node.source(), "the kernel has more than 1,000 " + key, "put them into a struct");
    for (const toml::node& element : *list) read_argument(of, element, key == "variables", into);
}

void read_argument(reader& of, const toml::node& node, bool is_variable, std::vector<kernel_argument>& into)
{
    const toml::table& table = of.file.table(node, "an argument", "{ name = \"keys\", type = \"int\", count = \"n\" }");
    kernel_argument argument;
    member_keys key{of};
    of.file.read_keys(table,
                      {key.text("name", argument.name, "name = \"keys\""),
                       key.filled("type", argument.type, scope::everything),
                       key.expression("count", argument.count),
                       key.expression("value", argument.value),
                       key.place("fill", argument.fill, {"zeros", "constant", "sequence", "random", "poison", "file"}),
                       key.number("low", argument.low, -1e300, 1e300),
                       key.number("high", argument.high, -1e300, 1e300),
                       key.count("seed", argument.seed, 0, INT64_MAX),
                       key.filled("file", argument.file, scope::workload),
                       key.place("role", argument.role, {"input", "output", "in_out"}),
                       {"reset", [&](const toml::node& item) { argument.reset = of.file.truth(item, "reset"); }}},
                      "of an argument");
    need(of, table, "the argument", "name", "name = \"keys\"");
    check_kind(of, table, is_variable);
    // Without a type, the variable is only reset to the value in the source.
    const bool only_reset = is_variable && table.get("type") == nullptr;
    if (!only_reset) need(of, table, "the argument", "type", "type = \"int\"");
    if (argument.name.empty()) of.file.fail(table.source(), "an argument's name is empty", "name it");
    for (const kernel_argument& other : into)
        if (other.name == argument.name)
            of.file.fail(table.source(), "there are two named " + in_toml_quotes(argument.name), "rename one of them");
    if (!only_reset) check_fill(of, table, argument);
    into.push_back(std::move(argument));
}

// Keys that only an argument or only a variable has.
void check_kind(const reader& of, const toml::table& table, bool is_variable)
{
    if (const toml::node* reset = table.get("reset"); reset != nullptr && !is_variable)
        of.file.fail(reset->source(), "an argument has reset, which is for variables",
                     "arguments with role = \"in_out\" are restored before each launch");
    if (!is_variable) return;
    if (const toml::node* role = table.get("role"); role != nullptr)
        of.file.fail(role->source(), "a variable has a role", "remove it: variables are not compared");
    if (table.get("type") != nullptr) return;
    for (const char* key : {"count", "value", "fill", "low", "high", "seed", "file"})
        if (const toml::node* node = table.get(key); node != nullptr)
            of.file.fail(node->source(), fmt::format("a variable has {} but no type", key), "write type = \"int\"");
    if (table.get("reset") == nullptr)
        of.file.fail(table.source(), "a variable has neither a type nor reset",
                     "write type and value or count to fill it, or reset = true");
}

void check_fill(const reader& of, const toml::table& table, const kernel_argument& argument)
{
    const std::string name = "the argument " + in_toml_quotes(argument.name);
    const auto refuse = [&](const char* key, const std::string& what, const std::string& hint) {
        const toml::node* node = table.get(key);
        of.file.fail(node == nullptr ? table.source() : node->source(), what, hint);
    };
    if (argument.count.empty()) {
        for (const char* key : {"fill", "low", "high", "seed", "file", "role"})
            if (table.get(key) != nullptr)
                refuse(key, fmt::format("{} has {} but no count", name, key),
                       "give count, or value alone for a scalar");
        if (argument.value.empty())
            refuse("name", name + " has neither count nor value",
                   "give count for an array, or value for a scalar, such as value = \"n\"");
        return;
    }
    const auto belongs = [&](const char* key, fill_kind fill, const char* word) {
        if (table.get(key) != nullptr && argument.fill != fill)
            refuse(key, fmt::format("{} has {}, but fill is not \"{}\"", name, key, word),
                   fmt::format("write fill = \"{}\", or remove {}", word, key));
    };
    belongs("value", fill_kind::constant, "constant");
    belongs("file", fill_kind::file, "file");
    for (const char* key : {"low", "high", "seed"}) belongs(key, fill_kind::random, "random");
    if (argument.fill == fill_kind::constant && argument.value.empty())
        refuse("fill", name + " has no value", "write value = 1");
    if (argument.fill == fill_kind::file && argument.file.empty())
        refuse("fill", name + " has no file", "write file = \"keys.npy\"");
    if (argument.low && argument.high && *argument.low > *argument.high)
        refuse("low", name + " has low above high", "swap them");
}

void need(const reader& of, const toml::table& table, const std::string& where, const std::string& key,
          const std::string& example)
{
    if (table.get(key) == nullptr) of.file.fail(table.source(), where + " has no " + key, "write " + example);
}

}  // namespace

void read_program(reader& of, const toml::table& table)
{
    program_target& program = of.spec.program.emplace();
    member_keys key{of};
    of.file.read_keys(table,
                      {key.command("build", program.build, scope::commands),
                       {"run", [&](const toml::node& node) { program.run = of.command(node, "run", scope::commands); }},
                       {"metric", [&](const toml::node& node) { read_metric(of, node); }},
                       key.choice("unit", program.unit, {"ms", "ns", "us", "s"}),
                       key.seconds("build_seconds", program.build_seconds),
                       key.files("sources", program.sources, "[\"bench.cu\"]")},
                      "in [program]");
    need(of, table, "[program]", "run", "run = [\"{output}\"]");
    if (const toml::node* unit = table.get("unit"); unit != nullptr && program.metric.empty())
        of.file.fail(unit->source(), "unit without metric", "add metric, to whose number the unit belongs");
    if (const toml::node* unit = table.get("unit"); unit != nullptr && program.metric == "wall")
        of.file.fail(unit->source(), "unit with the wall time", "take it out");
}

void read_callback(reader& of, const toml::table& table)
{
    callback_target& callback = of.spec.callback.emplace();
    constexpr std::int64_t max_count = 64;
    member_keys key{of};
    of.file.read_keys(
        table,
        {{"command", [&](const toml::node& node) { callback.command = of.words(node, "command", "[\"python3\"]"); }},
         key.is("device", callback.on_gpu, {"gpu", "processor"}),
         key.count("count", callback.count, 1, max_count),
         key.count("preparers", callback.preparers, 0, max_count),
         key.files("sources", callback.sources, "[\"tune.py\"]"),
         key.text("software", callback.software, "\"triton 3.6.0\""),
         key.seconds("start_seconds", callback.start_seconds),
         key.seconds("first_seconds", callback.first_seconds),
         key.seconds("check_seconds", callback.check_seconds),
         key.bytes("memory_bytes", callback.memory_bytes)},
        "in [callback]");
    need(of, table, "[callback]", "command", "command = [\"python3\", \"worker.py\"]");
    if (callback.command.empty() || callback.command.front().empty())
        of.file.fail(table.get("command")->source(), "command has no program", "give a program and its arguments");
    if (callback.on_gpu && callback.count > 1)
        of.file.fail(table.get("count")->source(), "there is one process for each GPU",
                     "remove count, or add device = \"processor\"");
}

namespace {

void read_metric(reader& of, const toml::node& node)
{
    std::string& metric = of.spec.program->metric;
    const std::string example = "metric = 'time: ([0-9.]+)'";
    metric = of.file.text(node, "metric", example);
    if (metric == "wall") return;
    int groups = 0;
    try {
        groups = pattern(metric).groups();
    } catch (const error& failure) {
        of.file.fail(node.source(), std::string("metric is not a valid regular expression: ") + failure.what(),
                     "write it such as " + example);
    }
    if (groups == 0)
        of.file.fail(node.source(), "metric has no group", "put parentheses around the number: " + example);
}

}  // namespace

void read_verify(reader& of, const toml::table& table)
{
    verification& verify = of.spec.verify;
    std::vector<std::string> outputs;
    if (of.spec.kernel)
        for (const kernel_argument& argument : of.spec.kernel->arguments)
            if (argument.role != argument_role::input) outputs.push_back(argument.name);
    const auto need_kernel = [&](const toml::node& node) {
        if (!of.spec.kernel)
            of.file.fail(node.source(), "a .npy file can only be compared with the outputs of a [kernel]",
                         "write against = \"baseline\" or \"nothing\"");
        verify.against = verification::source::file;
    };
    if (table.get("relative") != nullptr && table.get("tolerance") != nullptr)
        of.file.fail(table.get("tolerance")->source(), "tolerance is another name for relative", "remove one of them");
    const bool captured = of.spec.kernel && !of.spec.kernel->capture.empty();
    member_keys key{of};
    of.file.read_keys(
        table,
        {{"type",
          [&](const toml::node& node) {
              verify.type = of.file.text(node, "type", "type = \"float\"");
              of.file.placed(node.source(), [&] { static_cast<void>(element_type_of(verify.type)); });
              if (!captured)
                  of.file.fail(node.source(), "type is only for captured launches",
                               "remove it: arguments have their own types");
          }},
         {"against",
          [&](const toml::node& node) {
              if (captured)
                  of.file.fail(node.source(), "a captured launch is compared with the program's own result",
                               "remove against");
              if (node.is_array()) {
                  if (!of.spec.kernel)
                      of.file.fail(node.source(), "a command can only make the outputs of a [kernel]",
                                   "write against = \"baseline\" or \"nothing\"");
                  verify.against = verification::source::program;
                  verify.command = of.command(node, "against", scope::reference);
              } else if (const toml::table* files = node.as_table()) {
                  need_kernel(node);
                  toml_document::keys known;
                  for (const std::string& output : outputs)
                      known.emplace_back(output, [&verify, &of, output](const toml::node& file) {
                          verify.files[output] = of.filled(file, output, scope::workload);
                      });
                  of.file.read_keys(*files, known, "in against, which has the kernel's outputs");
                  for (const std::string& output : outputs)
                      if (!verify.files.contains(output))
                          of.file.fail(node.source(), "against has no file for the output " + in_toml_quotes(output),
                                       output + " = \"expected.npy\"");
              } else {
                  const std::string word = of.file.text(node, "against", "against = \"baseline\"");
                  if (word.ends_with(".npy")) {
                      need_kernel(node);
                      if (outputs.size() != 1)
                          of.file.fail(node.source(), fmt::format("one file for {} outputs", outputs.size()),
                                       "write against = { name_of_the_output = \"expected.npy\" }");
                      verify.files[outputs[0]] = of.filled(node, "against", scope::workload);
                  } else if (of.file.choice(node, "against", {"baseline", "nothing"}) == "nothing") {
                      verify.against = verification::source::nothing;
                  }
              }
          }},
         key.number("absolute", verify.absolute, 0, 1e300),
         key.number("relative", verify.relative, 0, 1e300),
         key.number("tolerance", verify.relative, 0, 1e300)},
        "in [verify]");
    if (captured && verify.type.empty() && (verify.relative > 0 || verify.absolute > 0))
        of.file.fail(table.source(), "a captured launch has a tolerance but no type",
                     "add the type of the output: type = \"float\"");
}

void read_measure(reader& of, const toml::table& table)
{
    measure_settings& measure = of.spec.measure;
    member_keys key{of};
    of.file.read_keys(
        table,
        {key.is("cache", measure.cold, {"cold", "hot"}),
         key.place("inputs", measure.rotate_inputs, {"fresh", "rotated"}),
         key.count("min_samples", measure.min_samples, 3, 1'000'000),
         key.count("max_samples", measure.max_samples, 3, 1'000'000),
         key.number("relative_error", measure.relative_error, 0, 1, true),
         key.seconds("max_seconds", measure.max_seconds), key.number("give_up_ratio", measure.give_up_ratio, 1, 1e9),
         key.number("hang_ratio", measure.hang_ratio, 1, 1e9), key.seconds("hang_seconds", measure.hang_seconds)},
        "in [measure]");
    // If only one is given, the other follows.
    if (measure.max_samples < measure.min_samples) {
        if (table.get("min_samples") != nullptr && table.get("max_samples") != nullptr)
            of.file.fail(table.get("max_samples")->source(),
                         fmt::format("max_samples is {}, below min_samples", measure.max_samples), "swap them");
        (table.get("min_samples") != nullptr ? measure.max_samples : measure.min_samples) =
            table.get("min_samples") != nullptr ? measure.min_samples : measure.max_samples;
    }
}

}  // namespace launchbox::spec_toml
