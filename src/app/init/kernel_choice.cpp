// SPDX-License-Identifier: Apache-2.0
#include "app/init/kernel_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/input/kernel_pattern.hpp"
#include "app/input/source_input.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "tune/backend/argument_check.hpp"
#include "tune/build/compile_worker.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_listed = 40;

// Without its own template arguments: "a::merge" for "a::merge<int, 256>".
std::string without_own_arguments(const std::string& short_form)
{
    const std::string own = instance_name(short_form);
    return short_form.substr(0, short_form.size() - own.size()) + function_name(short_form);
}

bool is_meant(const std::string& pattern, const kernel_info& kernel)
{
    return pattern.empty() || matches_kernel(pattern, kernel.name, kernel.demangled, kernel.short_form) ||
           matches_kernel(pattern, function_name(kernel.short_form), without_own_arguments(kernel.short_form),
                          instance_name(kernel.short_form));
}

std::string listed(std::vector<std::string> names)
{
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const bool more = names.size() > max_listed;
    names.resize(std::min(names.size(), max_listed));
    for (std::string& name : names) name = escape_for_terminal(name);
    return fmt::format("{}{}", fmt::join(names, ", "), more ? ", …" : "");
}

architecture_list architecture_of(const init_request& request)
{
    if (request.architecture)
        return architecture_list(std::string(architecture_name(request.architecture->architecture).view()));
    try {
        return architecture_list(std::string(architecture_name(target_of_this_machine().architecture).view()));
    } catch (const error&) {
        // A spec hardly depends on the architecture; every compiler that launchbox supports knows this one.
        return architecture_list("sm_90");
    }
}

void read_views(const init_request& request, kernel_choice& choice)
{
    const auto add = [&](const std::string& file, std::string text, bool preprocessed = false) {
        read_source_view& one = choice.views.emplace_back();
        one.file = file;
        one.is_preprocessed = preprocessed;
        one.text = std::move(text);
        one.view.emplace(one.text);
    };
    const input_summary& summary = choice.input.inputs.front();
    add(request.file, summary.text.empty() ? read_file(request.file) : summary.text);
    for (const compiled_unit& unit : summary.units) {
        if (!unit.seen) continue;
        for (const source_unit::file& header : unit.seen->headers) add(header.name, header.text);
        add(request.file, unit.seen->host.text, true);
        break;
    }
}

bool is_meant(const std::string& pattern, const kernel_in_text& kernel)
{
    const std::string name(kernel.name), full = kernel.space.empty() ? name : kernel.space + "::" + name;
    return pattern.empty() || matches_kernel(pattern, name, full, full);
}

// No compiled kernel matches: the source text shows why.
[[noreturn]] void refuse(const init_request& request, const kernel_choice& choice)
{
    std::vector<std::string> names;
    for (const found_kernel& kernel : choice.input.kernels) names.push_back(kernel.info.short_form);
    for (const read_source_view& one : choice.views) {
        if (one.is_preprocessed) continue;
        for (const kernel_in_text& kernel : read_source_kernels(one.view->names)) {
            const bool is_only_declared = kernel.scope < 0 && std::ranges::none_of(names, [&](const auto& name) {
                                              return function_name(name) == kernel.name;
                                          });
            names.emplace_back(kernel.name);
            if (!is_meant(request.kernel, kernel)) continue;
            const std::string place = fmt::format("{}:{}: ", one.file, kernel.line),
                              name = escape_for_terminal(kernel.name);
            if (is_only_declared && !kernel.is_template)
                throw error(place + "the kernel " + name + " is only declared here", "name the source that defines it");
            if (!kernel.is_template || kernel.scope < 0) continue;
            std::vector<std::string> parameters;
            for (const parameter_in_text& parameter : kernel.template_parameters)
                parameters.emplace_back(parameter.name);
            throw error(place + "the kernel template " + name + " has no instance in this source",
                        escape_for_terminal(
                            fmt::format("name one, with values: -k '{}<{}>'", name, fmt::join(parameters, ", "))));
        }
    }
    if (names.empty()) throw error(request.file + " has no kernel", "name the source that defines one with __global__");
    refuse_pattern(request.kernel.empty() ? "*" : request.kernel, std::move(names));
}

// The first line of the compiler's errors is the reason.
void check_compiled(const init_request& request, const kernel_choice& choice)
{
    const input_summary& summary = choice.input.inputs.front();
    if (choice.input.interrupted) throw error("interrupted", {}, exit_status::interrupted);
    if (summary.errors.empty() || !choice.input.kernels.empty()) return;
    if (summary.errors.size() == 1 && summary.errors.front().find("has no instantiated") != std::string::npos) return;
    const std::string first = summary.errors.front().substr(0, summary.errors.front().find('\n'));
    throw error(request.file + " does not compile: " + first, "flags for the compiler follow --");
}

// The definition with as many parameters as the compiled kernel; of several, the first.
void find_definition(kernel_choice& choice)
{
    const std::string name = function_name(choice.info->short_form);
    const std::string path = without_own_arguments(choice.info->short_form);
    const auto types = parameters_of_signature(choice.info->demangled);
    for (const read_source_view& one : choice.views) {
        if (one.is_preprocessed) continue;
        for (kernel_in_text& kernel : read_source_kernels(one.view->names)) {
            if (kernel.scope < 0 || kernel.name != name) continue;
            const std::string full = kernel.space.empty() ? name : kernel.space + "::" + name;
            const bool same_count = !types || types->size() == kernel.parameters.size() ||
                                    std::ranges::any_of(kernel.parameters, &parameter_in_text::is_pack);
            if (!same_count || !("::" + path).ends_with("::" + full)) continue;
            choice.defined_in = &one;
            choice.text = std::move(kernel);
            return;
        }
    }
}

// The first launch of one of the `meant` kernels, which also decides the kernel.
void find_launch(kernel_choice& choice, const std::vector<const kernel_info*>& meant)
{
    std::vector<linted_kernel> kernels;
    for (const found_kernel& kernel : choice.input.kernels)
        kernels.push_back({kernel.info.short_form, &kernel.info, true});
    for (const read_source_view& one : choice.views) {
        std::vector<kernel_launch> launches = launched_kernels(*one.view, kernels);
        std::erase_if(launches, [&](const kernel_launch& launch) {
            return std::ranges::find(meant, kernels[launch.kernel].info) == meant.end();
        });
        if (launches.empty()) continue;
        const auto sure = std::ranges::find_if(launches, &kernel_launch::surely);
        choice.launch = sure != launches.end() ? *sure : launches.front();
        choice.launched_in = &one;
        choice.info = kernels[choice.launch->kernel].info;
        std::set<const source_launch*> places;
        for (const kernel_launch& launch : launches) places.insert(launch.launch);
        choice.other_launches = places.size() - 1;
        return;
    }
}

kernel_input compiled(const init_request& request, const std::string& file, const listener& news)
{
    kernel_request asked;
    asked.files = {file};
    asked.architectures = architecture_of(request);
    asked.nvcc = request.nvcc;
    asked.compiler_flags = request.compiler_flags;
    asked.no_cache = request.no_cache;
    return read_kernels(asked, news);
}

// Makes an instance that the user names and the source lacks, by compiling a unit of our own.
void instantiate(const init_request& request, kernel_choice& choice, const listener& news)
{
    if (request.kernel.find('<') == std::string::npos || !request.kernel.ends_with('>')) return;
    for (const found_kernel& kernel : choice.input.kernels)
        if (is_meant(request.kernel, kernel.info)) return;
    const std::string text = read_file(request.file);
    const source_view view(text);
    const std::string wanted = function_name(request.kernel);
    const std::vector<kernel_in_text> kernels = read_source_kernels(view.names);
    const bool is_template = std::ranges::any_of(
        kernels, [&](const kernel_in_text& one) { return one.is_template && one.scope >= 0 && one.name == wanted; });
    if (!is_template) return;
    const temporary_directory folder;
    const std::filesystem::path source = std::filesystem::absolute(request.file).lexically_normal();
    const std::filesystem::path unit = folder.path() / source.filename();
    write_file_atomically(unit, unit_with_instance(source, request.kernel));
    kernel_input made = compiled(request, unit.string(), news);
    std::erase_if(made.kernels,
                  [](const found_kernel& kernel) { return function_name(kernel.info.short_form) == marker_kernel; });
    input_summary& summary = made.inputs.front();
    if (made.kernels.empty() && !summary.errors.empty()) {
        std::string first = summary.errors.front();
        if (const std::size_t at = first.find(unit.string()); at != std::string::npos)
            first.replace(at, unit.string().size(), "instantiation");
        throw error(fmt::format("{}: the compiler makes no {}: {}", request.file, escape_for_terminal(request.kernel),
                                first.substr(0, first.find('\n'))),
                    "give the template the arguments that it takes");
    }
    summary.text = text;
    for (compiled_unit& one : summary.units)
        if (one.seen)
            std::erase_if(one.seen->headers, [&](const source_unit::file& header) {
                return std::filesystem::absolute(header.name).lexically_normal() == source;
            });
    std::erase_if(made.kernels,
                  [&](const found_kernel& kernel) { return function_name(kernel.info.short_form) != wanted; });
    choice.input = std::move(made);
    choice.is_made = true;
}

}  // namespace

kernel_choice choose_kernel(const init_request& request, const listener& news)
{
    if (!is_source(request.file))
        throw error(request.file + " is not a CUDA source",
                    "--init needs a CUDA source (.cu); for a program: launchbox capture -k NAME -- ./app");
    kernel_choice choice;
    choice.input = compiled(request, request.file, news);
    check_compiled(request, choice);
    instantiate(request, choice, news);
    read_views(request, choice);
    std::vector<const kernel_info*> meant;
    std::vector<std::string> functions;
    for (const found_kernel& kernel : choice.input.kernels) {
        if (!choice.is_made && !is_meant(request.kernel, kernel.info)) continue;
        meant.push_back(&kernel.info);
        const std::string name = without_own_arguments(kernel.info.short_form);
        if (std::ranges::find(functions, name) == functions.end()) functions.push_back(name);
    }
    if (meant.empty()) refuse(request, choice);
    if (functions.size() > 1)
        throw error(fmt::format("{} has {} kernels{}: {}", request.file, functions.size(),
                                request.kernel.empty() ? std::string()
                                                       : " that match '" + escape_for_terminal(request.kernel) + "'",
                                listed(functions)),
                    "choose one: -k " + escape_for_terminal(function_name(functions.front())));
    choice.info = meant.front();
    for (const kernel_info* other : meant)
        if (other->short_form == choice.info->short_form && other->name != choice.info->name)
            throw error(fmt::format("{} has several kernels {}", request.file, escape_for_terminal(other->short_form)),
                        fmt::format("choose one: -k '{}'", escape_for_terminal(choice.info->demangled)));
    find_launch(choice, meant);
    find_definition(choice);
    for (const kernel_info* other : meant)
        if (other != choice.info && other->short_form != choice.info->short_form)
            choice.other_instances.push_back(other->short_form);
    return choice;
}

}  // namespace launchbox
