// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/init/spec_maker.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

constexpr std::int64_t usual_threads = 256, max_threads = 1024, warp = 32;

}  // namespace

std::optional<std::int64_t> spec_maker::declared_threads() const
{
    const declared_bounds& bounds = choice_.info->bounds;
    const auto& threads = bounds.required_threads ? bounds.required_threads : bounds.max_threads;
    if (!threads) return std::nullopt;
    return std::int64_t{(*threads)[0]} * (*threads)[1] * (*threads)[2];
}

std::int64_t spec_maker::largest_block()
{
    // A bound that uses the parameters changes with their values.
    const auto bound = declared_block();
    if (bound && is_tuned(*bound)) return max_threads;
    return std::min(max_threads, declared_threads().value_or(max_threads));
}

void spec_maker::write_block()
{
    is_free_ = reads_block_size(choice_).value_or(false) && !choice_.info->bounds.required_threads;
    std::size_t axes = 1;
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (!words_.block.parts[axis].words.empty() && expressions_.text(words_.block.parts[axis]) != "1")
            axes = axis + 1;
    const auto required = choice_.info->bounds.required_threads;
    if (!words_.block.is_known && required)
        for (std::size_t axis = 1; axis < 3; ++axis)
            if ((*required)[axis] > 1) axes = axis + 1;
    for (std::size_t axis = 0; axis < axes; ++axis) write_axis(axis, axes);
}

// The bound in __launch_bounds__(threads, 2), which may use template parameters.
std::optional<std::string> spec_maker::declared_block()
{
    if (choice_.defined_in == nullptr) return std::nullopt;
    const source_view& view = *choice_.defined_in->view;
    const std::vector<source_token>& tokens = view.source.tokens;
    for (std::size_t i = choice_.text.first; i < choice_.text.at; ++i) {
        if (!tokens[i].is("__launch_bounds__") || !tokens[i + 1].is("(")) continue;
        const std::size_t close = closing_bracket(tokens, i + 1);
        if (close >= tokens.size()) return std::nullopt;
        spec_expressions expressions(view);
        for (const auto& [name, here] : tunable_names_) expressions.names[name] = here;
        auto text = expressions.text({split_at_commas(token_span(tokens).subspan(i + 2, close - i - 2)).front(), i});
        if (text) bound_quotients_ = expressions.quotients();
        return text;
    }
    return std::nullopt;
}

// reduce<256><<<blocks, threads>>>, where `threads` is the caller's: the parameter's name shows that it is the block
// size.
std::optional<std::string> spec_maker::tunable_named_for_blocks(const placed_words& words)
{
    for (const auto& [source, name] : tunable_names_)
        for (const std::string_view known : {"BLOCKSIZE", "BLOCKDIM", "BLOCKTHREADS", "THREADS", "NUMTHREADS",
                                             "NTHREADS", "THREADSPERBLOCK", "BLOCKSIZEX", "BLOCKDIMX"})
            if (plain_name(source) == known) {
                draft_.threads_comment = source + " is the block size, by its name";
                if (words.words.size() == 1) expressions_.names.emplace(std::string(words.words[0].text), name);
                return name;
            }
    return std::nullopt;
}

void spec_maker::write_axis(std::size_t axis, std::size_t axes)
{
    const placed_words& words = words_.block.parts[axis];
    const auto figure = choice_.launch ? choice_.launch->figures.block[axis] : std::nullopt;
    std::optional<std::string> text;
    if (!words.words.empty())
        text = expressions_.text(words);
    else if (axis == 0 && !choice_.launch)
        text = declared_block();
    if (!text && !figure && axis == 0 && !is_free_) text = tunable_named_for_blocks(words);
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
    if (!value) value = axes == 1 ? std::min(usual_threads, largest_block()) : axis < 2 ? 16 : 1;
    if (!is_free_ || (*value == 1 && axes > 1)) {
        draft_.threads.push_back(std::to_string(*value));
        std::string why = required   ? "the kernel is compiled for this block size"
                          : is_free_ ? std::string()
                          : choice_.defined_in == nullptr
                              ? "the source does not show whether another block size is allowed"
                              : "the kernel does not read blockDim: its block size is fixed";
        if (!known) why = "not in the source: fill in";
        if (!known) fill_in("threads");
        if (draft_.threads_comment.empty()) draft_.threads_comment = why;
        return;
    }
    draft_.baseline_is_known &= known;
    draft_parameter& one = draft_.parameters.emplace_back();
    one.name = fresh(shown);
    one.baseline = std::to_string(*value);
    const std::vector<std::int64_t> sizes =
        axes == 1 ? block_sizes_around(*value, 64, largest_block()) : block_sizes_around(*value, 4, 64);
    for (const std::int64_t size : sizes) one.values.push_back(std::to_string(size));
    one.comment = known ? std::string() : "the source does not show its launch: the baseline is a guess";
    block_names_.insert(one.name);
    draft_.threads.push_back(one.name);
    if (words.words.empty()) return;
    // The grid uses the same name for it as the launch.
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
        // With many parameters, fewer values each: five of five are 3,125 candidates.
        if (tunables_.found.size() > 3 && one.value > 1)
            std::erase_if(values, [&](std::int64_t other) { return other < one.value / 2 || other > one.value * 2; });
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
        draft_.parameters.push_back({"threads",
                                     {draft_.threads[0]},
                                     draft_.threads[0],
                                     "nothing in the source can be tuned: add your own parameters"});
        draft_.threads[0] = "threads";
        return;
    }
    draft_.parameters.push_back(
        {"max_registers",
         {"32", "40", "48", "64", "96", "128", "255"},
         "255",
         "registers per thread, the only parameter that can be tuned from outside; 255: no limit"});
    draft_.flags.emplace_back("-maxrregcount={max_registers}");
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
        auto text = text_with_sizes(words, axis == 0 ? some_blocks : 1);
        // <<<256, 256>>>: a number is the block size only where something is divided by it.
        if (text && expressions_.literal && text->find('/') == std::string::npos &&
            text->find("ceil_div") == std::string::npos) {
            const auto literal = std::exchange(expressions_.literal, std::nullopt);
            text = text_with_sizes(words, axis == 0 ? some_blocks : 1);
            expressions_.literal = literal;
        }
        if (text) {
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
        draft_.blocks_comment = written.empty() ? "the source does not show how many blocks: fill in"
                                                : "the source says " + written.substr(0, 60) + ": fill in";
        fill_in("blocks");
        const std::string first = draft_.workload.empty() ? std::string() : draft_.workload.front().name;
        const bool is_number = !draft_.workload.empty() && whole_number(draft_.workload.front().value);
        std::string block = draft_.threads[0];
        draft_.blocks.push_back(axis == 0 && is_number ? fmt::format("ceil_div({}, {})", first, block)
                                                       : std::to_string(axis == 0 ? some_blocks : 1));
    }
    expressions_.literal.reset();
    const bool follows = std::ranges::any_of(draft_.blocks, [&](const std::string& text) { return is_tuned(text); });
    if (!follows && !block_names_.empty() && draft_.blocks_comment.empty())
        draft_.blocks_comment = "the same for every block size, as the source has it";
    enlarge_for_grid();
    if (choice_.launch)
        if (const auto cluster = volume_of(choice_.launch->figures.cluster); cluster && *cluster > 1)
            for (const auto& extent : choice_.launch->figures.cluster)
                draft_.cluster.push_back(std::to_string(*extent));
}

// Enlarges the guessed values until there is at least one block.
void spec_maker::enlarge_for_grid()
{
    constexpr std::int64_t largest = 1 << 24;
    for (const std::string& axis : draft_.blocks) {
        const auto blocks = value_at_baseline(axis);
        if (!blocks || *blocks > 0) continue;
        for (draft_workload_value& one : draft_.workload) {
            const std::string before = one.value;
            const bool is_open = one.comment.find("fill in") != std::string::npos && whole_number(before);
            if (!is_open || !mentions(axis, one.name)) continue;
            std::int64_t value = *whole_number(before);
            for (; value < largest && value_at_baseline(axis).value_or(1) < 1; value *= 2)
                one.value = std::to_string(value * 2);
            if (value_at_baseline(axis).value_or(1) > 0) break;
            one.value = before;
        }
    }
}

void spec_maker::write_shared()
{
    const bool uses = choice_.info->launches.uses_dynamic_shared.value_or(false);
    // Every GPU allows this much without opting in.
    constexpr std::int64_t shared_of_a_block = std::int64_t{48} * 1024;
    const std::int64_t room =
        std::max<std::int64_t>(shared_of_a_block - choice_.info->figures.static_shared_bytes.value_or(0), 0);
    if (words_.shared.words.empty()) {
        const auto figure = choice_.launch ? choice_.launch->figures.dynamic_shared_bytes : std::nullopt;
        if (figure && *figure > 0) draft_.dynamic_shared = std::to_string(*figure);
        const bool is_told = choice_.launch && choice_.launch->launch->form == launch_form::chevrons;
        if (uses && !is_told && draft_.dynamic_shared.empty()) {
            draft_.dynamic_shared = std::to_string(room);
            draft_.dynamic_shared_comment =
                "bytes, the most that fits every GPU; the kernel uses dynamic shared memory: fill in";
            fill_in("dynamic_shared");
        }
        return;
    }
    // A name alone is a number of bytes; within an expression it is a number of elements or threads.
    const bool is_name_alone = words_.shared.words.size() == 1;
    if (const auto text = text_with_sizes(words_.shared, is_name_alone && uses ? room : warp)) {
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

// for (int row = 0; row < TILE; row += ROWS): "TILE" and "ROWS". All threads take the same steps, so a step that does
// not divide the end overshoots it. A loop that begins at a thread's own index checks for itself.
std::vector<std::pair<std::string, std::string>> spec_maker::strided_loops() const
{
    std::vector<std::pair<std::string, std::string>> found;
    if (choice_.defined_in == nullptr || choice_.text.scope < 0) return found;
    const source_view& view = *choice_.defined_in->view;
    const source_scope& body = view.scopes.scopes[static_cast<std::size_t>(choice_.text.scope)];
    const token_span tokens = token_span(view.source.tokens).first(std::min(body.close, view.source.tokens.size()));
    const auto reads = [&](std::size_t from, std::initializer_list<std::string_view> words) {
        return from + words.size() <= tokens.size() &&
               std::ranges::equal(words, tokens.subspan(from, words.size()), {}, {}, &source_token::text);
    };
    const auto named = [&](const source_token& word) {
        const auto known = tunable_names_.find(std::string(word.text));
        return known != tunable_names_.end() ? known->second : std::string();
    };
    for (std::size_t i = body.open; i < tokens.size(); ++i) {
        if (!reads(i, {"for", "("})) continue;
        std::size_t at = i + 2;  // the ; of: int row = 0;
        while (at < tokens.size() && !tokens[at].is(";")) ++at;
        const std::string_view index = tokens[at - 3].text;
        if (!reads(at - 2, {"=", "0", ";", index, "<"}) || !reads(at + 4, {";", index, "+", "="}) ||
            !reads(at + 9, {")"}))
            continue;
        const std::string end = named(tokens[at + 3]), by = named(tokens[at + 8]);
        if (!end.empty() && !by.empty()) found.emplace_back(end, by);
    }
    return found;
}

void spec_maker::write_constraints()
{
    std::vector<std::string>& all = draft_.constraints;
    const auto add = [&](std::string constraint) {
        if (std::ranges::find(all, constraint) == all.end()) all.push_back(std::move(constraint));
    };
    // A division that has no remainder at the baseline must have none for other values.
    std::vector<std::pair<std::string, std::string>> quotients = expressions_.quotients();
    quotients.insert(quotients.end(), bound_quotients_.begin(), bound_quotients_.end());
    for (const auto& [above, below] : quotients) {
        const std::string rest = above + " % " + below;
        if ((is_tuned(above) || is_tuned(below)) && value_at_baseline(rest) == 0) add(rest + " == 0");
    }
    for (const auto& [end, step] : strided_loops()) {
        const std::string rest = end + " % " + step;
        if (is_tuned(end) && is_tuned(step) && value_at_baseline(rest) == 0) add(rest + " == 0");
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

}  // namespace launchbox
