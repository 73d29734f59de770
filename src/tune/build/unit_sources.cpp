// SPDX-License-Identifier: Apache-2.0
#include "tune/build/unit_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "compiler/run/named_files.hpp"
#include "compiler/run/nvrtc.hpp"
#include "support/error.hpp"
#include "support/process/command_words.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// If a header depends on the value of a parameter, a few values are enough to show it.
constexpr std::size_t max_values_tried = 32;

fs::path place_of(const fs::path& file)
{
    std::error_code failure;
    fs::path place = fs::weakly_canonical(file, failure);
    return failure ? file : place;
}

bool lies_below(const fs::path& file, const fs::path& folder)
{
    const auto [in_folder, in_file] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return in_folder == folder.end();
}

void add_value(std::vector<parameter_value>& values, const parameter_value& value)
{
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

// An even selection that includes the first and the last.
std::vector<parameter_value> some_of(const std::vector<parameter_value>& values, std::size_t most)
{
    if (values.size() <= most) return values;
    std::vector<parameter_value> some;
    for (std::size_t i = 0; i < most; ++i) add_value(some, values[i * (values.size() - 1) / (most - 1)]);
    return some;
}

// The names used in flags with all their values; the baseline's value, or else the first of the spec, comes first.
std::map<std::string, std::vector<parameter_value>> values_in(const std::vector<std::string>& flags,
                                                              const tune_spec& spec)
{
    std::map<std::string, std::vector<parameter_value>> named;
    for (const tuning_parameter& parameter : spec.parameters) {
        std::vector<parameter_value>& values = named[parameter.name];
        if (spec.baseline)
            if (const parameter_value* usual = spec.baseline->find(parameter.name)) values.push_back(*usual);
        for (const parameter_value& value : parameter.values) add_value(values, value);
        if (!parameter.when.empty()) add_value(values, parameter.otherwise);
    }
    for (const workload& workload : spec.workloads)
        for (const auto& [name, value] : workload.values.values) add_value(named[name], value);
    const std::set<std::string> wanted = names_in(flags);
    std::erase_if(named, [&](const auto& each) { return !wanted.contains(each.first); });
    return named;
}

}  // namespace

unit_sources::unit_sources(const tune_spec& spec, const compile_cache& cache, unit_sources_options options)
    : folder_(spec.folder),
      source_(spec.kernel.value().source),
      flags_(spec.kernel->flags),
      fixed_flags_(flags_without_names(flags_)),
      sources_(spec.kernel->sources),
      names_(names_in(flags_)),
      varying_(values_in(flags_, spec)),
      cache_(cache),
      options_(std::move(options))
{
    for (const fs::path& folder : options_.system_folders) system_.push_back(place_of(folder));
}

const unit_listing& unit_sources::of(const compute_capability& architecture)
{
    const std::string name(architecture_name(architecture).view());
    const std::lock_guard guard(lock_);
    if (const auto known = listings_.find(name); known != listings_.end()) return known->second;
    return listings_.emplace(name, list(architecture)).first->second;
}

unit_listing unit_sources::list(const compute_capability& architecture)
{
    unit_listing listing;
    const compile_answer fixed = options_.ask({.wanted = compile_job::wish::text_and_list,
                                               .architecture = architecture,
                                               .flags = filled_in(fixed_flags_, std::map<std::string, std::string>{})});
    listing.is_known = fixed.files.has_value();
    listing.text = fixed.text;
    listing.commands = fixed.commands;
    add(listing, fixed.files.value_or(std::vector<std::string>{source_}));
    add(listing, sources_);
    const std::string contents = contents_.hash_of(listing.files);

    // A value nearly always adds no file. That stays true until one of these files or flags changes, so it is cached.
    const std::vector<std::vector<std::string>> others = variations(max_values_tried);
    std::vector<std::vector<std::string>> read(others.size());
    run_parallel(
        others.size(),
        [&](std::size_t i) {
            const architecture_text name = architecture_name(architecture);
            const std::string named = hash_of_named(others[i]);
            std::vector<std::string_view> parts{"files of a variation", options_.compiler, name.view(),
                                                listing.text,           contents,          named};
            parts.insert(parts.end(), others[i].begin(), others[i].end());
            const std::string key = key_of(parts);
            if (cache_.find_texts(key)) return;
            compile_answer answer =
                options_.ask({.wanted = compile_job::wish::list, .architecture = architecture, .flags = others[i]});
            if (!answer.files) return;  // the compiler rejects these flags: compiling reports it
            read[i] = *std::move(answer.files);
            const bool adds_nothing =
                std::ranges::all_of(read[i], [&](const std::string& file) { return listing.names.contains(file); });
            if (adds_nothing && listing.is_known) cache_.store_texts(key, {"nothing new"});
        },
        options_.jobs);
    for (const std::vector<std::string>& files : read) add(listing, files);
    listing.contents = contents_.hash_of(listing.files);
    return listing;
}

// The fewest combinations in which every value of every parameter occurs: first the usual values of all, then the next
// of all, and so on. Varying one parameter at a time would take longer and find no more.
std::vector<std::vector<std::string>> unit_sources::variations(std::size_t most) const
{
    std::set<std::vector<std::string>> all;
    if (varying_.size() != names_.size()) return {};  // the spec was not read from a file
    std::map<std::string, std::vector<parameter_value>> tried;
    std::size_t count = 0;
    for (const auto& [name, values] : varying_) count = std::max(count, (tried[name] = some_of(values, most)).size());
    for (std::size_t i = 0; i < count; ++i) {
        std::map<std::string, std::string> values;
        for (const auto& [name, list] : tried) values[name] = parameter_text(list[i % list.size()]);
        all.insert(filled_options(flags_, values));
    }
    return {all.begin(), all.end()};
}

bool unit_sources::is_system(const fs::path& place) const
{
    return !lies_below(place, place_of(folder_)) &&
           std::ranges::any_of(system_, [&](const fs::path& folder) { return lies_below(place, folder); });
}

void unit_sources::add(unit_listing& listing, const std::vector<std::string>& read) const
{
    for (const std::string& name : read) {
        if (!listing.names.insert(name).second) continue;
        const fs::path file = folder_ / name, place = place_of(file);
        std::error_code unknown;
        if (!fs::is_regular_file(file, unknown)) continue;  // <command-line>
        listing.files.push_back(file);
        if (is_system(place)) continue;
        if (listing.places.insert(place).second) listing.own.push_back(file);
    }
}

bool unit_sources::covers(const unit_listing& listing, const std::vector<std::string>& read)
{
    bool all = true;
    for (const std::string& name : read) {
        if (listing.names.contains(name)) continue;
        const fs::path file = folder_ / name;
        std::error_code unknown;
        if (!fs::is_regular_file(file, unknown)) continue;
        const fs::path place = place_of(file);
        if (listing.places.contains(place)) continue;
        all = false;
        if (is_system(place)) continue;
        fs::path shown = file.lexically_relative(folder_);
        if (shown.empty() || *shown.begin() == "..") shown = file;
        throw error(fmt::format("{} includes {} only for some combinations of the parameters in flags, so changes of "
                                "it would go unnoticed",
                                source_, shown.string()),
                    fmt::format("name it in [kernel]: sources = [\"{}\"]", shown.string()));
    }
    return all;
}

bool unit_sources::is_unchanged(const unit_listing& listing)
{
    return contents_.hash_of(listing.files) == listing.contents;
}

std::string unit_sources::hash_of_named(const std::vector<std::string>& flags)
{
    return contents_.hash_of(named_by(flags));
}

std::vector<fs::path> unit_sources::named_by(std::vector<std::string> flags) const
{
    flags.insert(flags.end(), options_.more_flags.begin(), options_.more_flags.end());
    return named_files(flags, folder_);
}

std::string unit_sources::hash_of_own(const unit_listing& listing)
{
    std::set<fs::path> files(listing.own.begin(), listing.own.end());
    // A value may be a file name: the files of all values count.
    std::vector<std::vector<std::string>> all = variations(std::numeric_limits<std::size_t>::max());
    all.push_back(filled_in(fixed_flags_, std::map<std::string, std::string>{}));
    for (const std::vector<std::string>& flags : all)
        for (fs::path& file : named_by(flags))
            if (!is_system(place_of(file))) files.insert(std::move(file));
    std::set<std::pair<std::string, std::string>> parts;
    for (const fs::path& file : files) {
        const fs::path inside = file.lexically_normal().lexically_relative(folder_);
        const bool is_inside = !inside.empty() && *inside.begin() != "..";
        parts.emplace((is_inside ? inside : file.filename()).string(), contents_.hash_of(file));
    }
    std::vector<std::string_view> texts;
    for (const auto& [name, hash] : parts) texts.insert(texts.end(), {name, hash});
    return key_of(texts);
}

}  // namespace launchbox
