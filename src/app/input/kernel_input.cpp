// SPDX-License-Identifier: Apache-2.0
#include "app/input/kernel_input.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/input/folder_files.hpp"
#include "app/input/input_reading.hpp"
#include "app/input/kernel_pattern.hpp"
#include "app/input/source_input.hpp"
#include "image/names/launch_box_name.hpp"
#include "image/names/readable_names.hpp"
#include "image/skipped_images.hpp"
#include "support/files/packed_files.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

namespace {

// Sources are recognised by name, everything else by content.
void read_named(input_reading& reading, const std::string& file)
{
    if (is_source(file)) return read_source(reading, file);
    if (is_folder(file)) return read_folder(reading, file);
    std::vector<input_summary>& inputs = reading.found.inputs;
    const mapped_file content(file, named_by::user);
    const std::size_t before = inputs.size();
    if (!looks_packed(content.bytes()) && is_not_utf8(content.bytes())) {
        const std::string text = utf8_text(std::string(content.bytes()));
        (void)read_content(reading, file, {text}, given::by_name);
    } else
        (void)read_content(reading, file, {content.bytes(), content.data()}, given::by_name);
    if (!content.changed()) return;
    if (inputs.size() == before) inputs.push_back({.file = file, .kind = "unreadable"});
    inputs.back().errors.push_back(std::string("it ") + was_changed);
}

// Chooses the wanted architectures among what one word of the user named.
void keep_asked(input_reading& reading, std::size_t first_kernel, std::size_t first_input)
{
    kernel_input& result = reading.found;
    const asked_architectures& wanted = reading.asked;
    const std::vector<other_code> others = std::exchange(reading.others, {});
    if (wanted.all() || result.inputs.size() == first_input) return;
    const input_summary& named = result.inputs[first_input];
    const bool compiled = named.kind == source_kind, some = result.kernels.size() > first_kernel;
    if (!compiled || named.errors.empty()) wanted.choose(first_kernel, first_input, others, !compiled, result);
    input_summary& file = result.inputs[first_input];
    if (file.kind == log_kind && some && file.kernels == 0 && file.errors.empty()) {
        file.errors.push_back("it has no kernel for " + wanted.words());
        file.missing.clear();
    }
    // If nothing was found, only that is reported. After an interrupt, missing kernels might still have come.
    const bool nothing = result.kernels.size() == first_kernel && result.inputs.back().kind != source_kind &&
                         !result.inputs.back().errors.empty();
    if (nothing || result.interrupted)
        for (std::size_t i = first_input; i < result.inputs.size(); ++i) result.inputs[i].missing.clear();
    reading.erase_inputs(first_input, is_idle_member);
}

void read_word(input_reading& reading, const std::string& word)
{
    const std::size_t first_kernel = reading.found.kernels.size(), first_input = reading.found.inputs.size();
    read_named(reading, word);
    keep_asked(reading, first_kernel, first_input);
}

// Reads one of several inputs; an error does not stop the others.
void read_one_of(input_reading& reading, const std::string& word, const std::function<void()>& read)
{
    try {
        read();
    } catch (const error& failure) {
        reading.found.inputs.push_back(
            {.file = word,
             .kind = is_source(word) ? source_kind : "unreadable",
             .errors = {std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint())}});
    }
}

// For a folder whose only CUDA code is sources. Sources without a kernel are not listed.
void read_folder_sources(input_reading& reading, const std::string& folder)
{
    input_summary& about = reading.found.inputs.back();
    if (!is_folder(folder) || about.file != folder || about.sources.empty()) return;
    const std::size_t first_input = reading.found.inputs.size();
    const std::vector<std::string> sources = std::move(about.sources);
    for (const std::string& file : sources) {
        if (interrupted()) return;
        const std::size_t first_kernel = reading.found.kernels.size(), before = reading.found.inputs.size();
        read_one_of(reading, file, [&] {
            read_source(reading, file, given::found);
            keep_asked(reading, first_kernel, before);
        });
    }
    if (reading.found.inputs.size() == first_input && !interrupted())
        reading.found.inputs.back().errors.push_back("its CUDA sources have no instantiated __global__ function");
}

void name_for_people(std::vector<found_kernel>& kernels)
{
    std::vector<std::string_view> names;
    for (const found_kernel& kernel : kernels) names.push_back(kernel.info.name);
    std::vector<readable_name> readable = readable_names(names);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        kernels[i].info.demangled = std::move(readable[i].demangled);
        kernels[i].info.short_form = std::move(readable[i].short_form);
    }
}

// launchbox's own kernels, which nobody launches or can change.
void leave_out_probes(kernel_input& input)
{
    std::erase_if(input.kernels, [&](const found_kernel& kernel) {
        if (!is_architecture_probe(kernel.info.demangled)) return false;
        if (std::size_t& kernels = input.inputs[kernel.input].kernels; kernels > 0) --kernels;
        return true;
    });
}

}  // namespace

kernel_input read_kernels(const kernel_request& request, const listener& news)
{
    input_reading reading{.request = request, .news = news};
    kernel_input& found = reading.found;
    for (const std::string& file : request.files) {
        const std::size_t inputs_before = found.inputs.size();
        if (request.files.size() == 1)
            read_word(reading, file);
        else
            read_one_of(reading, file, [&] { read_word(reading, file); });
        if (found.inputs.size() > inputs_before) read_folder_sources(reading, file);
        if (interrupted()) break;
    }
    name_for_people(found.kernels);
    add_source_launches(request, found);
    add_launches(reading);
    found.interrupted |= interrupted();
    leave_out_probes(found);
    if (request.lint) lint_sources(request, found);
    keep_matching(request.kernel, found);
    return std::move(found);
}

void input_reading::erase_inputs(std::size_t first, const std::function<bool(const input_summary&)>& is_unwanted)
{
    std::vector<std::size_t> new_place;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < found.inputs.size(); ++i)
        new_place.push_back(i >= first && is_unwanted(found.inputs[i]) ? no_input : kept++);
    if (kept == found.inputs.size()) return;
    std::size_t i = 0;
    std::erase_if(found.inputs, [&](const input_summary&) { return new_place[i++] == no_input; });
    for (found_kernel& kernel : found.kernels) kernel.input = new_place[kernel.input];
    std::erase_if(found.kernels, [](const found_kernel& kernel) { return kernel.input == no_input; });
    for (other_code& code : others)
        if (code.input != no_input) code.input = new_place[code.input];
}

exit_status kernel_input::status() const
{
    if (interrupted) return exit_status::interrupted;
    const bool errors =
        std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return !input.errors.empty(); });
    return errors ? exit_status::bad_input : exit_status::done;
}

void kernel_input::leave_out(const found_kernel& kernel, bool threads_known)
{
    std::string why = "kernel " + kernel.info.short_form;
    if (kernel.info.architecture.empty())
        why += ": its architecture is not known";
    else if (limits_of(kernel.info) == nullptr)
        why += ": unknown architecture '" + kernel.info.architecture + "'";
    else if (!kernel.info.figures.registers)
        why += ": its registers are not known";
    else if (threads_known)
        why += ": its static shared memory is not known: add --shared";
    else
        why += " has no launch bound: add --threads 256";
    inputs[kernel.input].errors.push_back(why);
}

void kernel_input::refuse_nothing()
{
    for (input_summary& summary : inputs) {
        if (!summary.errors.empty() || summary.kernels > 0 || summary.is_container) continue;
        const std::string held = images_without_kernels_text(summary.images);
        summary.errors.push_back(held.empty() ? "it has no kernel" : "it has no kernel: it contains " + held);
    }
}

std::vector<inspected_input> kernel_input::inspected() const
{
    std::vector<inspected_input> all;
    for (const input_summary& summary : inputs)
        all.push_back({summary.file, summary.kind, summary.kernels, summary.errors, summary.images, summary.diagnoses,
                       summary.missing});
    return all;
}

}  // namespace launchbox
