// [kernel], [program], [callback], [verify], [measure] and [screen].
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

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
    of.file.read_keys(
        table,
        {{"source", [&](const toml::node& node) { kernel.source = of.file.text(node, "source", "\"block_sort.cu\""); }},
         {"capture", [&](const toml::node& node) { kernel.capture = of.filled(node, "capture", scope::workload); }},
         {"name", [&](const toml::node& node) { kernel.name = of.filled(node, "name", scope::everything); }},
         {"threads", [&](const toml::node& node) { read_dimensions(of, node, "threads", kernel.threads); }},
         {"blocks", [&](const toml::node& node) { read_dimensions(of, node, "blocks", kernel.blocks); }},
         {"cluster", [&](const toml::node& node) { read_dimensions(of, node, "cluster", kernel.cluster); }},
         {"dynamic_shared",
          [&](const toml::node& node) { kernel.dynamic_shared = of.expression(node, "dynamic_shared"); }},
         {"carveout", [&](const toml::node& node) { kernel.carveout = of.expression(node, "carveout"); }},
         {"static_shared",
          [&](const toml::node& node) { kernel.static_shared = of.expression(node, "static_shared"); }},
         {"flags",
          [&](const toml::node& node) {
              if (const toml::array* list = node.as_array(); list != nullptr && list->empty()) return;
              kernel.flags = of.command(node, "flags", scope::everything);
          }},
         {"constants", [&](const toml::node& node) { read_constants(of, node, constants); }},
         {"sources",
          [&](const toml::node& node) {
              kernel.sources = of.words(node, "sources", "[\"tile.cuh\"]");
              for (const std::string& source : kernel.sources)
                  if (source.empty()) of.file.fail(node.source(), "a source is empty", "name a file");
          }},
         {"compiler",
          [&](const toml::node& node) {
              kernel.compiler = of.file.choice(node, "compiler", {"nvrtc", "nvcc"});
          }},
         {"compile_seconds",
          [&](const toml::node& node) {
              kernel.compile_seconds = of.file.number(node, "compile_seconds", 0, max_seconds, true);
          }},
         {"compile_memory",
          [&](const toml::node& node) { kernel.compile_memory_bytes = byte_count(of, node, "compile_memory"); }},
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

// The compiler is told by a flag of ours, so that all that looks at flags looks at them, too.
void read_constants(reader& of, const toml::node& node, std::vector<std::string>& flags)
{
    of.spec.kernel->constants = of.words(node, "constants", "[\"BLOCK\"]");
    for (const std::string& name : of.spec.kernel->constants) {
        const auto known = std::ranges::find(of.spec.parameters, name, &tuning_parameter::name);
        if (known == of.spec.parameters.end())
            of.file.fail(node.source(), fmt::format("constants names {}, which is no parameter", in_quotes(name)),
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
        of.file.fail(node.source(), fmt::format("{} is {}", key, in_quotes(text)),
                     "write bytes, or \"8G\", \"512M\" or \"65536K\"");
    const int shift = digits == std::string::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
    const std::int64_t number = std::stoll(text);
    if (number > (max >> shift) || (number << shift) < min)
        of.file.fail(node.source(), fmt::format("{} is {}", key, in_quotes(text)), "it can be from 1M to 1048576G");
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
    of.file.read_keys(
        table,
        {{"name", [&](const toml::node& item) { argument.name = of.file.text(item, "name", "name = \"keys\""); }},
         {"type", [&](const toml::node& item) { argument.type = of.filled(item, "type", scope::everything); }},
         {"count", [&](const toml::node& item) { argument.count = of.expression(item, "count"); }},
         {"value", [&](const toml::node& item) { argument.value = of.expression(item, "value"); }},
         {"fill",
          [&](const toml::node& item) {
              const std::vector<std::string> fills{"zeros", "constant", "sequence", "random", "poison", "file"};
              const std::string word = of.file.choice(item, "fill", fills);
              argument.fill = static_cast<fill_kind>(std::find(fills.begin(), fills.end(), word) - fills.begin());
          }},
         {"low", [&](const toml::node& item) { argument.low = of.file.number(item, "low", -1e300, 1e300); }},
         {"high", [&](const toml::node& item) { argument.high = of.file.number(item, "high", -1e300, 1e300); }},
         {"seed", [&](const toml::node& item) { argument.seed = of.file.integer(item, "seed", 0, INT64_MAX); }},
         {"file", [&](const toml::node& item) { argument.file = of.filled(item, "file", scope::workload); }},
         {"role",
          [&](const toml::node& item) {
              const std::string word = of.file.choice(item, "role", {"input", "output", "in_out"});
              argument.role = word == "input"    ? argument_role::input
                              : word == "output" ? argument_role::output
                                                 : argument_role::in_out;
          }},
         {"reset", [&](const toml::node& item) { argument.reset = of.file.truth(item, "reset"); }}},
        "of an argument");
    need(of, table, "the argument", "name", "name = \"keys\"");
    check_kind(of, table, is_variable);
    // Without a type it is only reset, to what the source gives it.
    const bool only_reset = is_variable && table.get("type") == nullptr;
    if (!only_reset) need(of, table, "the argument", "type", "type = \"int\"");
    if (argument.name.empty()) of.file.fail(table.source(), "an argument's name is empty", "name it");
    for (const kernel_argument& other : into)
        if (other.name == argument.name)
            of.file.fail(table.source(), "there are two named " + in_quotes(argument.name), "rename one of them");
    if (!only_reset) check_fill(of, table, argument);
    into.push_back(std::move(argument));
}

// Keys that only one of the two has.
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
    const std::string name = "the argument " + in_quotes(argument.name);
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
    of.file.read_keys(
        table,
        {{"build",
          [&](const toml::node& node) {
              if (const toml::array* list = node.as_array(); list != nullptr && list->empty()) return;
              program.build = of.command(node, "build", scope::commands);
          }},
         {"run", [&](const toml::node& node) { program.run = of.command(node, "run", scope::commands); }},
         {"metric", [&](const toml::node& node) { read_metric(of, node); }},
         {"unit",
          [&](const toml::node& node) {
              program.unit = of.file.choice(node, "unit", {"ms", "ns", "us", "s"});
          }},
         {"build_seconds",
          [&](const toml::node& node) {
              program.build_seconds = of.file.number(node, "build_seconds", 0, max_seconds, true);
          }},
         {"sources", [&](const toml::node& node) { program.sources = of.words(node, "sources", "[\"bench.cu\"]"); }}},
        "in [program]");
    need(of, table, "[program]", "run", "run = [\"{output}\"]");
    if (const toml::node* unit = table.get("unit"); unit != nullptr && program.metric.empty())
        of.file.fail(unit->source(), "unit without metric", "add metric, to whose number the unit belongs");
    if (const toml::node* unit = table.get("unit"); unit != nullptr && program.metric == "wall")
        of.file.fail(unit->source(), "unit with the wall time", "take it out");
    for (const std::string& source : program.sources)
        if (source.empty()) of.file.fail(table.get("sources")->source(), "a source is empty", "name a file");
}

void read_callback(reader& of, const toml::table& table)
{
    callback_target& callback = of.spec.callback.emplace();
    constexpr std::int64_t max_count = 64;
    const auto seconds = [&](double& into, const char* key) {
        return std::pair<std::string, document::handler>(
            key, [&of, &into, key](const toml::node& node) { into = of.file.number(node, key, 0, max_seconds, true); });
    };
    of.file.read_keys(
        table,
        {{"command", [&](const toml::node& node) { callback.command = of.words(node, "command", "[\"python3\"]"); }},
         {"device",
          [&](const toml::node& node) {
              callback.on_gpu = of.file.choice(node, "device", {"gpu", "processor"}) == "gpu";
          }},
         {"count",
          [&](const toml::node& node) {
              callback.count = static_cast<int>(of.file.integer(node, "count", 1, max_count));
          }},
         {"preparers",
          [&](const toml::node& node) {
              callback.preparers = static_cast<int>(of.file.integer(node, "preparers", 0, max_count));
          }},
         {"sources", [&](const toml::node& node) { callback.sources = of.words(node, "sources", "[\"tune.py\"]"); }},
         {"software",
          [&](const toml::node& node) { callback.software = of.file.text(node, "software", "\"triton 3.6.0\""); }},
         seconds(callback.start_seconds, "start_seconds"),
         seconds(callback.first_seconds, "first_seconds"),
         seconds(callback.check_seconds, "check_seconds"),
         {"memory_bytes",
          [&](const toml::node& node) { callback.memory_bytes = byte_count(of, node, "memory_bytes"); }}},
        "in [callback]");
    need(of, table, "[callback]", "command", "command = [\"python3\", \"worker.py\"]");
    if (callback.command.empty() || callback.command.front().empty())
        of.file.fail(table.get("command")->source(), "command has no program", "give a program and its arguments");
    if (callback.on_gpu && callback.count > 1)
        of.file.fail(table.get("count")->source(), "there is one process for each GPU",
                     "remove count, or add device = \"processor\"");
    for (const std::string& source : callback.sources)
        if (source.empty()) of.file.fail(table.get("sources")->source(), "a source is empty", "name a file");
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
    const auto tolerance = [&](double& into, const char* key) {
        return [&of, &into, key](const toml::node& node) { into = of.file.number(node, key, 0, 1e300); };
    };
    if (table.get("relative") != nullptr && table.get("tolerance") != nullptr)
        of.file.fail(table.get("tolerance")->source(), "tolerance is another name for relative", "remove one of them");
    const bool captured = of.spec.kernel && !of.spec.kernel->capture.empty();
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
                  document::keys known;
                  for (const std::string& output : outputs)
                      known.emplace_back(output, [&verify, &of, output](const toml::node& file) {
                          verify.files[output] = of.filled(file, output, scope::workload);
                      });
                  of.file.read_keys(*files, known, "in against, which has the kernel's outputs");
                  for (const std::string& output : outputs)
                      if (!verify.files.contains(output))
                          of.file.fail(node.source(), "against has no file for the output " + in_quotes(output),
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
         {"absolute", tolerance(verify.absolute, "absolute")},
         {"relative", tolerance(verify.relative, "relative")},
         {"tolerance", tolerance(verify.relative, "tolerance")}},
        "in [verify]");
    if (captured && verify.type.empty() && (verify.relative > 0 || verify.absolute > 0))
        of.file.fail(table.source(), "a captured launch has a tolerance but no type",
                     "add the type of the output: type = \"float\"");
}

void read_measure(reader& of, const toml::table& table)
{
    measure_settings& measure = of.spec.measure;
    const auto number = [&](double& into, const char* key, double min, double max, bool above_zero = false) {
        return std::pair<std::string, document::handler>(
            key, [&of, &into, key, min, max, above_zero](const toml::node& node) {
                into = of.file.number(node, key, min, max, above_zero);
            });
    };
    const auto count = [&](int& into, const char* key) {
        return std::pair<std::string, document::handler>(key, [&of, &into, key](const toml::node& node) {
            into = static_cast<int>(of.file.integer(node, key, 3, 1'000'000));
        });
    };
    of.file.read_keys(table,
                      {{"cache",
                        [&](const toml::node& node) {
                            measure.cold = of.file.choice(node, "cache", {"cold", "hot"}) == "cold";
                        }},
                       {"inputs",
                        [&](const toml::node& node) {
                            measure.rotate_inputs = of.file.choice(node, "inputs", {"fresh", "rotated"}) == "rotated";
                        }},
                       count(measure.min_samples, "min_samples"),
                       count(measure.max_samples, "max_samples"),
                       number(measure.relative_error, "relative_error", 0, 1, true),
                       number(measure.max_seconds, "max_seconds", 0, max_seconds, true),
                       number(measure.give_up_ratio, "give_up_ratio", 1, 1e9),
                       number(measure.hang_ratio, "hang_ratio", 1, 1e9),
                       number(measure.hang_seconds, "hang_seconds", 0, max_seconds, true)},
                      "in [measure]");
    // One of the two alone moves the other.
    if (measure.max_samples < measure.min_samples) {
        if (table.get("min_samples") != nullptr && table.get("max_samples") != nullptr)
            of.file.fail(table.get("max_samples")->source(),
                         fmt::format("max_samples is {}, below min_samples", measure.max_samples), "swap them");
        (table.get("min_samples") != nullptr ? measure.max_samples : measure.min_samples) =
            table.get("min_samples") != nullptr ? measure.min_samples : measure.max_samples;
    }
}

}  // namespace launchbox::spec_toml
