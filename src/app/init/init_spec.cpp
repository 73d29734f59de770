// SPDX-License-Identifier: Apache-2.0
#include "app/init/init_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/init/kernel_parameters.hpp"
#include "app/init/source_launch_words.hpp"
#include "app/init/source_tunables.hpp"
#include "app/init/spec_draft.hpp"
#include "app/init/spec_expressions.hpp"
#include "source/source_statements.hpp"
#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_text.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t usual_threads = 256, most_threads = 1024, warp = 32;
// More elements than these are not what somebody begins with.
constexpr std::int64_t most_elements = std::int64_t{1} << 28;

bool mentions(const std::string& expression, const std::string& name)
{
    try {
        const value_expression read(expression);
        return std::ranges::find(read.names(), name) != read.names().end();
    } catch (const error&) {
        return false;
    }
}

std::optional<std::int64_t> whole_number(const std::string& text)
{
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoll(text);
}

// So that all buffers together stay small.
std::int64_t usual_size(std::size_t sizes)
{
    constexpr std::array<std::int64_t, 5> usual{1 << 20, 1 << 20, 1024, 256, 64};
    return sizes < usual.size() ? usual[sizes] : 16;
}

class spec_maker {
public:
    spec_maker(const init_request& request, const kernel_choice& choice)
        : request_(request),
          choice_(choice),
          host_(*(choice.launched_in != nullptr ? choice.launched_in : &choice.views.front())->view),
          expressions_(host_),
          parameters_(parameters_of(choice)),
          tunables_(tunables_of(choice)),
          instance_(instance_of(choice))
    {
        expressions_.instance = instance_;
        if (choice.launch) words_ = words_of(*choice.launch->launch, host_, expressions_);
        if (words_.passed.size() != parameters_.size()) words_.passed.clear();
    }

    written_spec make()
    {
        refuse_what_no_spec_gives();
        leave_out_sizes_of_the_problem();
        name_tunables();
        name_sizes();
        write_head();
        write_block();
        write_tunables();
        write_grid();
        write_shared();
        write_arguments();
        write_variables();
        write_constraints();
        write_kernel();
        write_verify();
        return {.text = text_of(draft_), .kernel = choice_.info->short_form, .to_fill_in = to_fill_in_};
    }

private:
    [[nodiscard]] std::string fresh(const std::string& wanted);
    [[nodiscard]] std::string place(int line) const { return fmt::format("{}:{}", request_.file, line); }
    [[nodiscard]] std::string own_name() const { return function_name(choice_.info->short_form); }
    void fill_in(const std::string& name) { to_fill_in_.push_back(name); }

    void refuse_what_no_spec_gives() const;
    void leave_out_sizes_of_the_problem();
    void name_tunables();
    void name_sizes();
    void write_head();
    void write_block();
    void write_axis(std::size_t axis, std::size_t axes);
    void write_tunables();
    void write_grid();
    void write_shared();
    void write_arguments();
    void write_scalar(const kernel_parameter& one, std::size_t number);
    void write_buffer(const kernel_parameter& one, std::size_t number);
    void write_variables();
    void write_constraints();
    void write_kernel();
    void write_verify();

    [[nodiscard]] std::optional<std::int64_t> declared_threads() const;
    [[nodiscard]] std::int64_t largest_block() const;
    [[nodiscard]] std::string all_sizes(const kernel_parameter& one, std::string& comment);
    [[nodiscard]] std::optional<std::string> allocated(std::size_t number, std::int64_t bytes);
    [[nodiscard]] std::optional<std::string> text_with_sizes(const placed_words& words, std::int64_t usual);
    [[nodiscard]] bool is_tuned(const std::string& expression) const;
    [[nodiscard]] std::optional<std::int64_t> value_at_baseline(const std::string& expression) const;
    [[nodiscard]] const placed_words* passed(std::size_t number) const
    {
        return number < words_.passed.size() ? &words_.passed[number] : nullptr;
    }

    const init_request& request_;
    const kernel_choice& choice_;
    const source_view& host_;
    spec_expressions expressions_;
    std::vector<kernel_parameter> parameters_;
    source_tunables tunables_;
    template_values instance_;
    launch_words words_;
    spec_draft draft_;
    std::set<std::string> taken_{"sm", "device", "arch", "output", "name", "weight", "work"};
    std::map<std::string, std::string> tunable_names_;  // source -> spec
    std::map<std::size_t, std::string> size_names_;     // parameter -> workload value
    std::set<std::string> block_names_;                 // parameters that are the block
    bool is_free_ = false;
    std::vector<std::string> to_fill_in_;
};

std::string spec_maker::fresh(const std::string& wanted)
{
    std::string name;
    for (const char c : wanted.substr(0, 80))
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "n");
    while (!is_name(name) || taken_.contains(name)) name += "_";
    taken_.insert(name);
    return name;
}

void spec_maker::refuse_what_no_spec_gives() const
{
    std::vector<std::string> missing;
    for (const kernel_parameter& one : parameters_) {
        const std::string type = one.shown.empty() ? "type that the source does not show" : one.shown;
        std::string why;
        if (one.is_handle)
            why = "a texture or surface";
        else if (one.is_pointer_to_pointer)
            why = fmt::format("pointers in device memory ({})", type);
        else if (!one.is_pointer && !one.is_whole() && !one.is_fraction())
            why = fmt::format("a {} by value", type);
        if (!why.empty()) missing.push_back(fmt::format("{} is {}", one.name, why));
    }
    if (missing.empty()) return;
    const std::string name = escape_for_terminal(own_name());
    throw error(fmt::format("{}: no spec can give {} all of its arguments: {}",
                            choice_.defined_in != nullptr
                                ? fmt::format("{}:{}", choice_.defined_in->file, choice_.text.line)
                                : request_.file,
                            name, escape_for_terminal(fmt::format("{}", fmt::join(missing, "; ")))),
                fmt::format("tune a launch of your program instead: launchbox capture -k {0} -o {0} -- ./app", name));
}

// A constant that says how much memory is allocated is no parameter, unless the block is made of it.
void spec_maker::leave_out_sizes_of_the_problem()
{
    for (const placed_words& part : words_.block.parts)
        if (!part.words.empty()) (void)expressions_.text(part);
    const std::set<std::string, std::less<>> in_block = expressions_.followed();
    expressions_.forget();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (passed(i) == nullptr) continue;
        if (!parameters_[i].is_pointer) {
            (void)expressions_.text(*passed(i));
            continue;
        }
        const auto variable = variable_in(*passed(i), host_);
        const auto memory = variable ? allocation_of(*variable, passed(i)->at, host_) : std::nullopt;
        if (memory) (void)expressions_.text(memory->size);
    }
    const std::set<std::string, std::less<>> in_memory = expressions_.followed();
    expressions_.forget();
    std::erase_if(tunables_.found, [&](const source_tunable& one) {
        if (!one.is_constant || in_block.contains(one.name) || !in_memory.contains(one.name)) return false;
        tunables_.remarks.push_back(fmt::format("{} (line {}) is part of the problem's size, and stays {}", one.name,
                                                one.line, one.value));
        return true;
    });
}

void spec_maker::name_tunables()
{
    for (const source_tunable& one : tunables_.found) {
        // -- a macro or constant keeps its name: `constants` goes by it
        const std::string name = one.is_constant && is_name(one.name) && taken_.insert(one.name).second
                                     ? one.name
                                     : fresh(one.name);
        tunable_names_[one.name] = name;
        if (one.is_constant) expressions_.names[one.name] = name;
    }
    if (!choice_.launch) return;
    const function_name_in_text function =
        function_meant(host_, choice_.launch->launch->function, choice_.launch->launch->first);
    const std::vector<parameter_in_text>& own = choice_.text.template_parameters;
    for (std::size_t i = 0; i < std::min(own.size(), function.arguments.size()); ++i) {
        const token_span given = function.arguments[i];
        const auto known = tunable_names_.find(std::string(own[i].name));
        if (given.size() == 1 && given[0].kind == source_token_kind::identifier && known != tunable_names_.end())
            expressions_.names.emplace(std::string(given[0].text), known->second);
    }
}

// Whole numbers among the arguments: what the host calls them.
void spec_maker::name_sizes()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const kernel_parameter& one = parameters_[i];
        if (one.is_pointer || !one.is_whole() || one.type == "bool") continue;
        const placed_words* given = passed(i);
        const bool is_name_alone =
            given != nullptr && given->words.size() == 1 && given->words[0].kind == source_token_kind::identifier;
        if (given != nullptr && !is_name_alone) continue;
        if (is_name_alone && expressions_.names.contains(given->words[0].text)) continue;  // said already
        const std::string name = fresh(one.name);
        size_names_[i] = name;
        if (is_name_alone) expressions_.names[std::string(given->words[0].text)] = name;
    }
    // Of the others, those that are no expression of these become values of the workload, too.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const kernel_parameter& one = parameters_[i];
        if (one.is_pointer || !one.is_whole() || one.type == "bool" || size_names_.contains(i)) continue;
        const auto text = passed(i) != nullptr ? expressions_.text(*passed(i)) : std::nullopt;
        if (!text || whole_number(*text)) size_names_[i] = fresh(one.name);
    }
    std::size_t unknown = 0;
    for (const auto& [i, name] : size_names_)
        unknown += passed(i) == nullptr || !host_.values.integer(passed(i)->words, passed(i)->at, instance_);
    for (const auto& [i, name] : size_names_) {
        const auto value = passed(i) != nullptr
                               ? host_.values.integer(passed(i)->words, passed(i)->at, instance_)
                               : std::nullopt;
        if (value && *value >= 0) {
            draft_.workload.push_back({name, std::to_string(*value), "as the source has it; more: [..., ...]"});
        } else {
            draft_.workload.push_back(
                {name, std::to_string(usual_size(unknown)), "which value does your program pass? fill in"});
            fill_in(name);
        }
    }
    // Types that the source leaves open.
    for (const auto& [name, type] : instance_) {
        const bool used = std::ranges::any_of(
            parameters_, [&, &name = name](const kernel_parameter& one) { return one.template_type == name; });
        if (!used) continue;
        const std::string here = fresh(name);
        draft_.workload.push_back({here, toml_string(type), "the type; others as well: [\"float\", \"double\"]"});
        tunable_names_[name] = here;
    }
}

void spec_maker::write_head()
{
    const std::string file = choice_.defined_in != nullptr
                                 ? fmt::format("{}:{}", choice_.defined_in->file, choice_.text.line)
                                 : request_.file;
    draft_.head.push_back(
        fmt::format("Written by launchbox tune --init for {} ({}).", choice_.info->short_form, file));
    if (!choice_.launch) {
        draft_.head.push_back("The source does not launch it: the block, the grid and all sizes are guesses.");
    } else {
        const bool in_source = choice_.launched_in == &choice_.views.front();
        draft_.head.push_back(fmt::format(
            "Launched {}{}.",
            in_source ? fmt::format("at {}", place(choice_.launch->launch->line))
                      : choice_.launched_in->is_preprocessed ? std::string("by a macro")
                                                             : "in " + choice_.launched_in->file,
            choice_.other_launches == 0
                ? std::string()
                : fmt::format("; {} more launch{} of it not looked at", choice_.other_launches,
                              choice_.other_launches == 1 ? "" : "es")));
    }
    draft_.head.emplace_back("Where it says \"fill in\", the source does not tell. Then: launchbox tune --check, "
                             "--build-only, tune.");
    if (!choice_.other_instances.empty()) {
        std::vector<std::string> some = choice_.other_instances;
        some.resize(std::min<std::size_t>(some.size(), 6));
        draft_.head.push_back(fmt::format("Other instances in this source: {}{}.", fmt::join(some, ", "),
                                          some.size() < choice_.other_instances.size() ? ", …" : ""));
    }
    for (const std::string& remark : tunables_.remarks) draft_.head.push_back(remark + ".");
    std::string name;
    for (const char c : own_name())
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
    draft_.name = name.empty() ? "kernel" : name.substr(0, 80);
}

std::optional<std::int64_t> spec_maker::declared_threads() const
{
    const declared_bounds& bounds = choice_.info->bounds;
    const auto& threads = bounds.required_threads ? bounds.required_threads : bounds.max_threads;
    if (!threads) return std::nullopt;
    return std::int64_t{(*threads)[0]} * (*threads)[1] * (*threads)[2];
}

std::int64_t spec_maker::largest_block() const
{
    return std::min(most_threads, declared_threads().value_or(most_threads));
}

bool spec_maker::is_tuned(const std::string& expression) const
{
    return std::ranges::any_of(draft_.parameters,
                               [&](const draft_parameter& one) { return mentions(expression, one.name); }) ||
           std::ranges::any_of(tunables_.found, [&](const source_tunable& one) {
               return mentions(expression, tunable_names_.at(one.name));
           });
}

void spec_maker::write_block()
{
    is_free_ = reads_block_size(choice_).value_or(false) && !choice_.info->bounds.required_threads;
    std::size_t axes = 1;
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (!words_.block.parts[axis].words.empty()) axes = axis + 1;
    const auto required = choice_.info->bounds.required_threads;
    if (!words_.block.is_known && required)
        for (std::size_t axis = 1; axis < 3; ++axis)
            if ((*required)[axis] > 1) axes = axis + 1;
    for (std::size_t axis = 0; axis < axes; ++axis) write_axis(axis, axes);
}

void spec_maker::write_axis(std::size_t axis, std::size_t axes)
{
    const placed_words& words = words_.block.parts[axis];
    const auto figure = choice_.launch ? choice_.launch->figures.block[axis] : std::nullopt;
    std::optional<std::string> text;
    if (!words.words.empty()) text = expressions_.text(words);
    const std::string shown = axes == 1 ? "threads" : fmt::format("threads_{}", "xyz"[axis]);
    if (text && is_tuned(*text)) {
        for (const auto& [source, name] : tunable_names_)
            if (mentions(*text, name) && *text == name) block_names_.insert(name);
        draft_.threads.push_back(*text);
        return;
    }
    std::optional<std::int64_t> value = text ? whole_number(*text) : std::nullopt;
    if (!value && figure && *figure > 0) value = figure;
    const auto& required = choice_.info->bounds.required_threads;
    if (!value && required) value = (*required)[axis];
    if (!value && axis > 0 && words.words.empty()) value = 1;
    const bool known = value.has_value();
    if (!value)
        value = axes == 1 ? std::min(usual_threads, largest_block()) : axis < 2 ? 16 : 1;
    if (!is_free_ || (*value == 1 && axes > 1)) {
        draft_.threads.push_back(std::to_string(*value));
        std::string why = required          ? "the kernel is compiled for this block size"
                          : is_free_        ? std::string()
                          : choice_.defined_in == nullptr
                              ? "whether another block size is allowed, the source does not show"
                              : "the kernel does not read blockDim: its block size is fixed";
        if (!known) why = "the source does not tell: fill in";
        if (!known) fill_in("threads");
        if (draft_.threads_comment.empty()) draft_.threads_comment = why;
        return;
    }
    draft_parameter& one = draft_.parameters.emplace_back();
    one.name = fresh(shown);
    one.baseline = std::to_string(*value);
    const std::vector<std::int64_t> sizes = axes == 1 ? block_sizes_around(*value, 64, largest_block())
                                                      : block_sizes_around(*value, 4, 64);
    for (const std::int64_t size : sizes) one.values.push_back(std::to_string(size));
    one.comment = known ? std::string() : "the source does not tell what it is launched with: the baseline is a guess";
    block_names_.insert(one.name);
    draft_.threads.push_back(one.name);
    if (words.words.empty()) return;
    // What the launch calls it, the grid calls it, too.
    expressions_.places[words.words[0].text.data()] = one.name;
    if (words.words.size() != 1) return;
    if (words.words[0].kind == source_token_kind::identifier)
        expressions_.names.emplace(std::string(words.words[0].text), one.name);
    else if (axis == 0)
        expressions_.literal = {*value, one.name};
}

void spec_maker::write_tunables()
{
    for (const source_tunable& one : tunables_.found) {
        const std::string name = tunable_names_.at(one.name);
        draft_parameter parameter{.name = name, .values = {}, .baseline = std::to_string(one.value)};
        std::vector<std::int64_t> values = values_around(one.value);
        if (block_names_.contains(name))
            values = draft_.threads.size() > 1 ? block_sizes_around(one.value, 4, 64)
                                               : block_sizes_around(one.value, warp, largest_block());
        values.insert(values.end(), one.also.begin(), one.also.end());
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        for (const std::int64_t value : values) parameter.values.push_back(std::to_string(value));
        if (one.is_constant) {
            parameter.comment = "line " + std::to_string(one.line);
            draft_.constants.push_back(name);
        }
        draft_.parameters.push_back(std::move(parameter));
    }
    if (!draft_.parameters.empty()) return;
    const declared_bounds& bounds = choice_.info->bounds;
    if (bounds.max_threads || bounds.required_threads || bounds.requested_max_registers) {
        draft_.parameters.push_back({"threads", {draft_.threads[0]}, draft_.threads[0],
                                     "nothing in the source can be tuned: write parameters of your own"});
        draft_.threads[0] = "threads";
        return;
    }
    draft_.parameters.push_back({"max_registers",
                                 {"32", "40", "48", "64", "96", "128", "255"},
                                 "255",
                                 "registers per thread, all that can be tuned from outside; 255: no limit"});
    draft_.flags.emplace_back("-maxrregcount={max_registers}");
}

// With names for what is not known; where it cannot be written all the same, they go again.
std::optional<std::string> spec_maker::text_with_sizes(const placed_words& words, std::int64_t usual)
{
    if (words.words.empty()) return std::nullopt;
    const std::vector<draft_workload_value> before = draft_.workload;
    const std::set<std::string> taken = taken_;
    const auto names = expressions_.names;
    const std::vector<std::string> filled = to_fill_in_;
    expressions_.unknown = [&](std::string_view name) {
        const std::string own = fresh(std::string(name));
        expressions_.names[std::string(name)] = own;
        draft_.workload.push_back({own, std::to_string(usual), "of the launch; the source does not tell: fill in"});
        fill_in(own);
        return own;
    };
    std::optional<std::string> text = expressions_.text(words);
    expressions_.unknown = {};
    if (text) return text;
    draft_.workload = before;
    taken_ = taken;
    expressions_.names = names;
    to_fill_in_ = filled;
    return std::nullopt;
}

void spec_maker::write_grid()
{
    constexpr std::int64_t some_blocks = 1024;
    std::size_t axes = 1;
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (!words_.grid.parts[axis].words.empty()) axes = axis + 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const placed_words& words = words_.grid.parts[axis];
        if (axis > 0 && words.words.empty()) {
            draft_.blocks.emplace_back("1");
            continue;
        }
        if (const auto text = text_with_sizes(words, axis == 0 ? some_blocks : 1)) {
            draft_.blocks.push_back(*text);
            continue;
        }
        const auto figure = choice_.launch ? choice_.launch->figures.grid[axis] : std::nullopt;
        if (figure && *figure > 0) {
            draft_.blocks.push_back(std::to_string(*figure));
            continue;
        }
        std::string written;
        for (const source_token& word : words.words) written += std::string(word.text);
        draft_.blocks_comment = written.empty() ? "the source does not tell how many blocks: fill in"
                                                : "the source says " + written.substr(0, 60) + ": fill in";
        fill_in("blocks");
        const std::string first = draft_.workload.empty() ? std::string() : draft_.workload.front().name;
        const bool is_number = !draft_.workload.empty() && whole_number(draft_.workload.front().value);
        std::string block = draft_.threads[0];
        draft_.blocks.push_back(axis == 0 && is_number ? fmt::format("ceil_div({}, {})", first, block)
                                                       : std::to_string(axis == 0 ? some_blocks : 1));
    }
    expressions_.literal.reset();
    if (choice_.launch)
        if (const auto cluster = volume_of(choice_.launch->figures.cluster); cluster && *cluster > 1)
            for (const auto& extent : choice_.launch->figures.cluster) draft_.cluster.push_back(std::to_string(*extent));
}

void spec_maker::write_shared()
{
    const bool uses = choice_.info->launches.uses_dynamic_shared.value_or(false);
    if (words_.shared.words.empty()) {
        const auto figure = choice_.launch ? choice_.launch->figures.dynamic_shared_bytes : std::nullopt;
        if (figure && *figure > 0) draft_.dynamic_shared = std::to_string(*figure);
        if (uses && draft_.dynamic_shared.empty()) {
            draft_.dynamic_shared = "0";
            draft_.dynamic_shared_comment = "bytes; the kernel uses dynamic shared memory: fill in";
            fill_in("dynamic_shared");
        }
        return;
    }
    if (const auto text = text_with_sizes(words_.shared, 1024)) {
        if (*text != "0") draft_.dynamic_shared = *text;
        return;
    }
    const auto figure = choice_.launch->figures.dynamic_shared_bytes;
    std::string written;
    for (const source_token& word : words_.shared.words) written += std::string(word.text);
    draft_.dynamic_shared = std::to_string(figure.value_or(0));
    if (figure) return;
    draft_.dynamic_shared_comment = "bytes; the source says " + written.substr(0, 60) + ": fill in";
    fill_in("dynamic_shared");
}

void spec_maker::write_arguments()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        parameters_[i].is_pointer ? write_buffer(parameters_[i], i) : write_scalar(parameters_[i], i);
}

void spec_maker::write_scalar(const kernel_parameter& one, std::size_t number)
{
    draft_argument& argument = draft_.arguments.emplace_back();
    argument.name = one.name;
    argument.type = one.template_type.empty() ? one.type : "{" + tunable_names_.at(one.template_type) + "}";
    const placed_words* given = passed(number);
    if (const auto size = size_names_.find(number); size != size_names_.end()) {
        argument.value = size->second;
        return;
    }
    if (one.type == "bool") {
        const bool yes = given != nullptr && given->words.size() == 1 && given->words[0].is("true");
        const bool known = yes || (given != nullptr && given->words.size() == 1 && given->words[0].is("false"));
        argument.value = yes ? "1" : "0";
        if (!known) argument.comment = "true or false? fill in";
        if (!known) fill_in(one.name);
        return;
    }
    std::optional<std::string> text = given != nullptr ? expressions_.text(*given) : std::nullopt;
    if (text) {
        argument.value = *text;
        return;
    }
    argument.value = one.is_fraction() ? "1.0" : "1";
    argument.comment = "which value does your program pass? fill in";
    fill_in(one.name);
}

std::optional<std::string> spec_maker::allocated(std::size_t number, std::int64_t bytes)
{
    const placed_words* given = passed(number);
    if (given == nullptr) return std::nullopt;
    const auto variable = variable_in(*given, host_);
    const auto memory = variable ? allocation_of(*variable, given->at, host_) : std::nullopt;
    if (!memory) return std::nullopt;
    std::optional<std::string> text = expressions_.text(memory->size);
    if (!text) return std::nullopt;
    if (memory->is_elements || bytes == 1) return text;
    if (const auto whole = whole_number(*text)) return std::to_string(*whole / bytes);
    const std::string behind = " * " + std::to_string(bytes), before = std::to_string(bytes) + " * ";
    if (text->ends_with(behind)) return text->substr(0, text->size() - behind.size());
    // The rest has to be one product: 4 * (a + b), not 4 * a + b.
    if (text->starts_with(before) && text->find(" + ") == std::string::npos && text->find(" - ") == std::string::npos)
        return text->substr(before.size());
    return fmt::format("ceil_div({}, {})", *text, bytes);
}

// More than one needs rather than less: nothing is read or written outside.
std::string spec_maker::all_sizes(const kernel_parameter& one, std::string& comment)
{
    std::string product;
    std::int64_t elements = 1;
    for (const auto& [number, name] : size_names_) {
        const auto value = std::ranges::find(draft_.workload, name, &draft_workload_value::name);
        const std::int64_t size = whole_number(value->value).value_or(1);
        if (size < 1 || elements > most_elements / size) continue;
        elements *= size;
        product += (product.empty() ? "" : " * ") + name;
    }
    comment = "how many elements? fill in";
    if (!product.empty()) {
        fill_in(one.name);
        return product;
    }
    const std::string name = fresh(one.name + "_elements");
    draft_.workload.push_back({name, std::to_string(1 << 20), "how many elements? fill in"});
    fill_in(name);
    comment.clear();
    return name;
}

void spec_maker::write_buffer(const kernel_parameter& one, std::size_t number)
{
    draft_argument argument{.name = one.name, .type = {}};
    std::vector<std::string> remarks;
    const placed_words* given = passed(number);
    if (given != nullptr && given->words.size() == 1 && given->words[0].is_any({"nullptr", "NULL", "0"})) {
        draft_.arguments.push_back({.name = one.name, .type = "size_t", .value = "0", .comment = "a null pointer, as the source passes it"});
        return;
    }
    // CUDA's vectors as their elements: those can be filled and compared with a tolerance.
    std::string type = one.type;
    std::int64_t parts = 1;
    if (!type.empty() && !one.is_whole() && !one.is_fraction()) {
        static const std::map<std::string, std::string> halves{
            {"half2", "half"}, {"__half2", "half"}, {"nv_bfloat162", "nv_bfloat16"}, {"__nv_bfloat162", "nv_bfloat16"}};
        if (const auto half = halves.find(type); half != halves.end()) {
            type = half->second;
            parts = 2;
        } else if (type.back() >= '1' && type.back() <= '4') {
            std::string element = type.substr(0, type.size() - 1);
            if (element.starts_with("u")) element = "unsigned " + element.substr(1);
            if (element.ends_with("longlong")) element.replace(element.size() - 8, 8, "long long");
            parts = type.back() - '0';
            type = element;
            remarks.push_back(fmt::format("{}: {} numbers each", one.type, parts));
        }
    }
    const bool is_bytes = type.empty();
    if (is_bytes) {
        type = "unsigned char";
        parts = one.bytes.value_or(16);
        const bool untyped = one.shown.find("void") != std::string::npos;
        if (untyped)
            remarks.emplace_back("bytes of which type?");
        else
            remarks.push_back(fmt::format("{}: given as bytes, {} each{}", one.shown, parts,
                                          one.bytes ? std::string() : " (a guess)"));
    }
    argument.type = one.template_type.empty() || parts > 1 ? type : "{" + tunable_names_.at(one.template_type) + "}";
    std::string comment;
    std::optional<std::string> count = allocated(number, one.bytes.value_or(1));
    if (!count) count = all_sizes(one, comment);
    if (!comment.empty()) remarks.push_back(comment);
    if (parts > 1) {
        const auto whole = whole_number(*count);
        const bool is_product = is_name(*count) || count->find_first_of("+-/%<>&|?") == std::string::npos;
        count = whole ? std::to_string(*whole * parts)
                      : fmt::format(fmt::runtime(is_product ? "{} * {}" : "({}) * {}"), *count, parts);
    }
    argument.count = *count;
    const bool fraction = type != "unsigned char" && !is_bytes &&
                          (one.is_fraction() || type == "float" || type == "double" || type == "half" ||
                           type == "nv_bfloat16");
    const bool output = !one.is_constant && one.is_only_written;
    if (output) {
        argument.fill = "poison";
        argument.role = "output";
    } else {
        argument.fill = fraction || (one.is_whole() && !one.may_be_index && choice_.defined_in != nullptr) ? "random"
                                                                                                          : "zeros";
        if (!one.is_constant) {
            argument.role = "in_out";
            remarks.emplace_back("\"output\" if it is only written, \"input\" if only read");
        }
        if (argument.fill == "zeros" && !fraction)
            remarks.emplace_back(is_bytes ? "zeros are safe; a file has real data"
                                          : "zeros are safe as an index; else fill = \"random\"");
    }
    argument.comment = fmt::format("{}", fmt::join(remarks, "; "));
    draft_.arguments.push_back(std::move(argument));
}

// Variables of the module that the kernel uses: what it would find there otherwise is zeros.
void spec_maker::write_variables()
{
    if (choice_.defined_in == nullptr) return;
    const source_view& view = *choice_.defined_in->view;
    const std::vector<source_token>& tokens = view.source.tokens;
    const std::set<std::string_view> used = names_behind(choice_);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is_any({"__constant__", "__device__"})) continue;
        if (const source_scope* scope = view.names.scope(view.names.scope_of(i));
            scope != nullptr && scope->kind != scope_kind::file)
            continue;
        std::size_t first = i;
        while (first > 0 && !tokens[first - 1].is_any({";", "{", "}"})) --first;
        std::size_t name = i + 1;
        while (name < tokens.size() && !tokens[name].is_any({";", "=", "[", "(", "{", ","})) ++name;
        if (name >= tokens.size() || tokens[name].is("(") || tokens[name].is("{")) continue;
        const std::size_t behind = name--;
        const token_span words = token_span(tokens).subspan(first, name - first);
        if (!used.contains(tokens[name].text) || has_word(words, "constexpr") || has_word(words, "extern")) continue;
        const std::string text(tokens[name].text);
        const bool in_namespace = !view.names.namespace_of(view.names.scope_of(i)).empty();
        if (in_namespace || has_word(words, "static") || view.names.scope_of(i) >= 0) {
            draft_.head.push_back(fmt::format("{} (line {}) keeps what the source gives it: [kernel] variables fill "
                                              "others by their names in the module.",
                                              text, tokens[name].line));
            continue;
        }
        std::size_t end = behind;
        while (end < tokens.size() && !tokens[end].is_any({";", "="})) ++end;
        const bool has_value = end < tokens.size() && tokens[end].is("=");
        if (tokens[i].is("__device__")) {
            if (!has_word(words, "const"))
                draft_.variables.push_back({fmt::format("{{ name = {}, reset = true }},", toml_string(text)),
                                            "its initial value again before each launch"});
            continue;
        }
        if (has_value) continue;
        std::vector<source_token> type = without_qualifiers(words);
        std::erase_if(type, [](const source_token& word) { return word.is_any({"__constant__", "const", "__device__"}); });
        std::string type_text, count;
        for (const source_token& word : type) type_text += (type_text.empty() ? "" : " ") + std::string(word.text);
        bool known = true;
        for (std::size_t open = behind; open < end && tokens[open].is("[");) {
            const std::size_t close = closing_bracket(tokens, open);
            if (close >= tokens.size()) break;
            const auto part =
                view.values.integer(token_span(tokens).subspan(open + 1, close - open - 1), name, instance_);
            known &= part.has_value();
            count += (count.empty() ? "" : " * ") + std::to_string(part.value_or(1));
            open = close + 1;
        }
        bool fraction = false;
        try {
            fraction = element_type_of(type_text).what == element_type::kind::floating;
        } catch (const error&) {
            known = false;
        }
        if (!known) {
            draft_.head.push_back(fmt::format("{} (line {}) is filled with zeros: give it a type and a count in "
                                              "[kernel] variables.",
                                              text, tokens[name].line));
            continue;
        }
        if (count.empty())
            draft_.variables.push_back({fmt::format("{{ name = {}, type = {}, value = {} }},", toml_string(text),
                                                    toml_string(type_text), fraction ? "\"1.0\"" : "1"),
                                        "fill in"});
        else
            draft_.variables.push_back({fmt::format("{{ name = {}, type = {}, count = {}, fill = \"{}\" }},",
                                                    toml_string(text), toml_string(type_text), toml_string(count),
                                                    fraction ? "random" : "zeros"),
                                        fraction ? std::string() : "fill in"});
        if (count.empty() || !fraction) fill_in(text);
    }
}

std::optional<std::int64_t> spec_maker::value_at_baseline(const std::string& expression) const
{
    assignment values;
    for (const draft_parameter& one : draft_.parameters)
        values.values.emplace_back(one.name, whole_number(one.baseline).value_or(0));
    try {
        return value_expression(expression).integer(values);
    } catch (const error&) {
        return std::nullopt;  // it has values of the workload, too
    }
}

void spec_maker::write_constraints()
{
    std::vector<std::string>& all = draft_.constraints;
    const auto add = [&](std::string constraint) {
        if (std::ranges::find(all, constraint) == all.end()) all.push_back(std::move(constraint));
    };
    // What is divided has to come out even where only parameters are divided.
    for (const auto& [above, below] : expressions_.quotients()) {
        const std::string rest = above + " % " + below;
        if ((is_tuned(above) || is_tuned(below)) && value_at_baseline(rest) == 0) add(rest + " == 0");
    }
    std::string threads;
    std::size_t tuned = 0;
    for (const std::string& axis : draft_.threads) {
        tuned += is_tuned(axis);
        if (axis == "1") continue;
        const bool atom = is_name(axis) || whole_number(axis) || axis.ends_with(')');
        threads += (threads.empty() ? "" : " * ") + (atom || draft_.threads.size() == 1 ? axis : "(" + axis + ")");
    }
    if (tuned == 0 || (draft_.threads.size() == 1 && is_name(threads))) return;
    const auto usual = value_at_baseline(threads);
    if (!usual || *usual > largest_block()) return;
    add(fmt::format("{} <= {}", threads, largest_block()));
    if (*usual >= warp) add(fmt::format("{} >= {}", threads, warp));
}

// Host code and its headers are nvcc's affair.
bool needs_nvcc(const source_view& view)
{
    const bool host = std::ranges::any_of(view.scopes.scopes,
                                          [](const source_scope& scope) { return scope.kind == scope_kind::host; });
    const bool includes = std::ranges::any_of(view.source.directives,
                                              [](const source_directive& one) { return one.name == "include"; });
    return host || includes || !view.launches.empty();
}

void spec_maker::write_kernel()
{
    const fs::path file = fs::absolute(request_.file).lexically_normal();
    const bool is_file = !request_.written_to.empty() && request_.written_to != "-";
    const fs::path folder =
        (is_file ? fs::absolute(request_.written_to).lexically_normal().parent_path() : fs::current_path());
    const fs::path relative = file.lexically_relative(folder);
    draft_.source = fs::path(request_.file).is_absolute() || relative.empty() ? file.string() : relative.string();
    if (needs_nvcc(*choice_.views.front().view)) draft_.compiler = "nvcc";
    std::vector<std::string> flags;
    for (const std::string& flag : request_.compiler_flags) {
        std::string braces;
        for (const char c : flag) braces += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
        flags.push_back(std::move(braces));
    }
    draft_.flags.insert(draft_.flags.begin(), flags.begin(), flags.end());

    // "ns::sgemm<{BM}, float>": arguments as the compiled kernel has them, the tuned ones by their names.
    const std::string own = instance_name(choice_.info->short_form);
    std::string name = choice_.info->short_form.substr(0, choice_.info->short_form.size() - own.size()) + own_name();
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    const auto plain = [&](std::string text) {
        for (std::size_t at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous))
            text.erase(at, anonymous.size());
        std::string braces;
        for (const char c : text) braces += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
        return braces;
    };
    name = plain(name);
    std::vector<std::string> arguments = template_arguments_of(choice_.info->short_form);
    const std::vector<parameter_in_text>& text = choice_.text.template_parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        arguments[i] = plain(arguments[i]);
        if (choice_.defined_in == nullptr || i >= text.size() || text[i].is_pack) continue;
        const auto known = tunable_names_.find(std::string(text[i].name));
        if (known != tunable_names_.end()) arguments[i] = "{" + known->second + "}";
    }
    if (!arguments.empty()) name += fmt::format("<{}>", fmt::join(arguments, ", "));
    draft_.kernel = name;
}

void spec_maker::write_verify()
{
    bool any = false, fraction = false, half = false, bytes = false;
    for (const draft_argument& argument : draft_.arguments) {
        if (argument.role.empty()) continue;
        any = true;
        std::string type = argument.type;
        for (const draft_workload_value& value : draft_.workload)
            if (type == "{" + value.name + "}") type = value.value.substr(1, value.value.size() - 2);
        half |= type == "half" || type == "__half" || type.find("bfloat16") != std::string::npos;
        fraction |= half || type == "float" || type == "double";
        bytes |= type.starts_with("__nv_fp8");
    }
    if (!any) {
        draft_.verify.push_back({"against = \"nothing\"", "no argument is written, as far as the source shows"});
        return;
    }
    if (!fraction || bytes) return;
    const char* tolerance = half ? "1e-2" : "1e-4";
    draft_.verify.push_back({fmt::format("relative = {}", tolerance),
                             "against the baseline; sums in another order differ: how much is right?"});
    draft_.verify.push_back({fmt::format("absolute = {}", tolerance)});
}

}  // namespace

written_spec init_spec(const init_request& request, const listener& news)
{
    const kernel_choice choice = choose_kernel(request, news);
    written_spec made = spec_maker(request, choice).make();
    const bool is_file = !request.written_to.empty() && request.written_to != "-";
    try {
        (void)parse_tune_spec(is_file ? request.written_to : "the spec", made.text);
    } catch (const error& failure) {
        throw error(fmt::format("{}: no spec can be written for {}: {}", request.file,
                                escape_for_terminal(made.kernel), failure.what()),
                    "write it by hand (docs/tune_spec.md), or tune a captured launch: launchbox capture -k");
    }
    return made;
}

}  // namespace launchbox
