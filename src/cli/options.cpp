// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "advice/model/gpu_models.hpp"
#include "gpu/driver.hpp"
#include "report/core/json.hpp"
#include "report/core/own_file.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/pager.hpp"

namespace launchbox::cli {

namespace {

// As far as the model counts; far above what any GPU has, so that the answer comes from the model.
constexpr std::int64_t largest_bytes = std::int64_t{1} << 30;

std::string known_names()
{
    std::string names;
    for (const sm_limits& row : sm_limits_table) {
        if (!names.empty()) names += ' ';
        names += architecture_name(row.capability).view();
    }
    return names;
}

// "480" is no compute capability that there is, and a GPU; "sm_480" and "48.0" are meant as one.
std::optional<compute_capability> architecture_of(const std::string& name)
{
    const std::optional<compute_capability> capability = parse_compute_capability(name);
    const bool only_digits = name.find_first_not_of("0123456789") == std::string::npos;
    if (capability && only_digits && find_sm_limits(*capability) == nullptr && !gpus_named(name).models.empty())
        return std::nullopt;
    return capability;
}

// "GTX Titan X (sm_52) or Titan X Pascal (sm_61)"
std::string choices_of(const named_gpus& gpus)
{
    std::string text;
    for (std::size_t i = 0; i < gpus.models.size(); ++i) {
        if (i > 0) text += i + 1 == gpus.models.size() ? " or " : ", ";
        text += fmt::format("{} ({})", name_of(*gpus.models[i]), architecture_name(gpus.models[i]->capability).view());
    }
    return text;
}

target target_named(const std::string& name)
{
    if (const std::optional<compute_capability> capability = architecture_of(name))
        return {*capability, find_sm_limits(*capability)};
    const named_gpus gpus = gpus_named(name);
    if (const std::optional<compute_capability> capability = gpus.capability())
        return {*capability, find_sm_limits(*capability),
                gpus.whole && gpus.models.size() == 1 ? name_of(*gpus.models[0]) : name, gpus.sms()};
    const std::string shown = "'" + shortened(escape_for_terminal(name), 100) + "'";
    constexpr std::size_t max_choices = 6;
    if (gpus.models.empty() || gpus.models.size() > max_choices)
        throw error(shown + " is no architecture",
                    "write --arch sm_80,sm_90a,12.0, a GPU such as H100, or --arch all; known are: " + known_names());
    throw error(shown + " can be " + choices_of(gpus), "write the whole name, or the architecture");
}

// `each_gpu`: two models of one architecture are two targets.
std::vector<target> targets_in(const std::string& text, const std::vector<compute_capability>& all, bool each_gpu)
{
    std::vector<target> targets;
    const auto add = [&](target wanted) {
        const bool there = std::any_of(targets.begin(), targets.end(), [&](const target& other) {
            return other.architecture == wanted.architecture && (!each_gpu || other.gpu == wanted.gpu);
        });
        if (!there) targets.push_back(std::move(wanted));
    };
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string name = text.substr(start, end - start);
        start = end + 1;
        if (name == "all") {
            for (const compute_capability& capability : all)
                if (const sm_limits* limits = find_sm_limits(capability)) add({capability, limits});
            continue;
        }
        add(target_named(name));
    }
    return targets;
}

std::vector<target> known_targets(std::vector<target> targets)
{
    for (const target& named : targets)
        if (named.limits == nullptr)
            throw error(fmt::format("unknown architecture '{}'", architecture_name(named.architecture).view()),
                        "known are: " + known_names());
    return targets;
}

}  // namespace

std::vector<target> parse_targets(const std::string& text, const std::vector<compute_capability>& all)
{
    return known_targets(targets_in(text, all, false));
}

std::vector<target> parse_gpu_targets(const std::string& text, const std::vector<compute_capability>& all)
{
    return known_targets(targets_in(text, all, true));
}

std::vector<target> named_targets(const std::string& text, const std::vector<compute_capability>& all)
{
    return targets_in(text, all, false);
}

std::vector<target> targets_of_kernel(const compute_capability& architecture, const std::vector<target>& named)
{
    const sm_limits* const limits = find_sm_limits(architecture);
    std::vector<target> targets;
    for (const target& one : named)
        if (!one.gpu.empty() && one.architecture.number() == architecture.number())
            targets.push_back({architecture, limits, one.gpu, one.sms});
    if (targets.empty()) targets.push_back({architecture, limits});
    return targets;
}

std::vector<compute_capability> known_capabilities()
{
    std::vector<compute_capability> all;
    for (const sm_limits& row : sm_limits_table) all.push_back(row.capability);
    return all;
}

target target_of_this_machine()
{
    const gpu_list gpus = find_gpus();
    if (gpus.devices.empty())
        throw error("no architecture is named and there is no GPU here to take it from",
                    "add --arch sm_90, or another");
    return parse_targets(std::string(architecture_name(gpus.devices.front().capability).view()), {}).front();
}

void check_bytes(std::int64_t bytes, const std::string& option)
{
    if (bytes < 0) throw error(option + " is negative: " + std::to_string(bytes) + " B", "sizes start at 0");
    if (bytes > largest_bytes)
        throw error(option + " is over 1 GiB: " + std::to_string(bytes) + " B", "no GPU has that much shared memory");
}

std::int64_t parse_bytes(const std::string& text, const std::string& option)
{
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    std::int64_t factor = unit.empty() || unit == "B"                                   ? 1
                          : unit == "K" || unit == "KB" || unit == "KiB" || unit == "k" ? 1024
                          : unit == "M" || unit == "MB" || unit == "MiB"                ? 1024 * 1024
                                                                                        : 0;
    std::int64_t bytes = 0;
    if (failure != std::errc() || factor == 0 || value < 0 || __builtin_mul_overflow(value, factor, &bytes))
        throw error(option + ": '" + escape_for_terminal(text) + "' is no size",
                    "write a number of bytes from 0, such as 11264 or 48K");
    check_bytes(bytes, option);
    return bytes;
}

std::int64_t parse_size(const std::string& text, const std::string& option)
{
    constexpr std::string_view units = "KMGT";
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    int steps = 0;
    if (!unit.empty() && units.find(unit.front()) != std::string_view::npos) {
        steps = static_cast<int>(units.find(unit.front())) + 1;
        unit.remove_prefix(1);
    }
    bool fits = failure == std::errc() && value >= 0 && (unit.empty() || unit == "B" || (steps > 0 && unit == "iB"));
    for (int i = 0; i < steps && fits; ++i) fits = !__builtin_mul_overflow(value, std::int64_t{1024}, &value);
    if (!fits)
        throw error(option + ": '" + escape_for_terminal(text) + "' is no size",
                    "write a number of bytes, such as 64M or 1500000");
    return value;
}

void output_options::add_to(CLI::App& app, const std::vector<std::string>& more)
{
    std::vector<std::string> formats{"table", "json", "csv", "markdown"};
    formats.insert(formats.end(), more.begin(), more.end());
    std::string help = "table (for people)";
    for (std::size_t i = 1; i < formats.size(); ++i) help += (i + 1 < formats.size() ? ", " : " or ") + formats[i];
    app.add_option("--format", format, help)->check(CLI::IsMember(formats))->type_name("FORMAT");
    app.add_option("-o,--output", file.path, "Write to this file instead of standard output (-)")->type_name("FILE");
    file.add_overwrite(app);
    verb = app.get_name();
}

void write_report(const output_options& options, const report_forms& forms, bool beside_a_program)
{
    const bool to_file = options.file.is_file();
    output_style style = beside_a_program ? style_of_standard_error() : style_of_standard_output();
    if (to_file) style = {.width = 100, .colour = false, .unicode = true};
    const auto write = [&](std::ostream& out) {
        if (const auto other = forms.others.find(options.format); other != forms.others.end())
            out << other->second();
        else if (options.format == "jsonl" && forms.write_json_lines)
            forms.write_json_lines(out);
        else if (options.format == "jsonl")
            throw error("--format jsonl is there for kernels alone", "use --format json");
        else if (options.format == "json" && forms.write_json)
            forms.write_json(out);
        else if (options.format == "json")
            out << forms.json().dump(2) << '\n';
        else if (options.format == "csv" && forms.write_csv)
            forms.write_csv(out);
        else if (options.format == "csv")
            out << render_csv(forms.rows());
        else if (options.format == "markdown")
            out << render_markdown(forms.page({.width = 100}));
        else if (const std::string page = render_text(forms.page(style), style);
                 &out != &std::cout || !show_in_pager(page))
            out << page;
        // By which the next report knows that it may take this one's place.
        if (to_file && (options.format == "table" || options.format == "github"))
            out << '\n' << own_mark(options.verb);
        else if (to_file && options.format == "markdown")
            out << '\n' << own_markup_mark(options.verb);
    };
    if (beside_a_program && options.file.path.empty())
        write(std::cerr);
    else
        write_output(options.file, write);
}

void add_examples(CLI::App& app, const std::string& first, const std::string& second)
{
    app.footer("Examples:\n  " + first + "\n  " + second);
}

}  // namespace launchbox::cli
