// SPDX-License-Identifier: Apache-2.0
#include "app/emit_header.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <launchbox/sm_limits.hpp>

#include "app/tuning/spec_sources.hpp"
#include "app/tuning/tune_input.hpp"
#include "compiler/run/compile_cache.hpp"
#include "image/kernel_info.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/backend/launch_expressions.hpp"
#include "tune/backend/screen.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/emit/cub_header.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/limit_values.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

class target_screen {
public:
    /// `compiles`: the spec's sources exist, and candidates of a [kernel] are compiled. Throws `error` for an
    /// architecture without limits, and if no compiler is found.
    target_screen(tune_spec spec, const compute_capability& target, bool compiles);
    ~target_screen();

    /// Why the candidate cannot run there on some workload of the spec; empty: no reason is known.
    [[nodiscard]] std::string why_not(const assignment& candidate) const;

    /// "40 registers, 3 blocks resident on an SM"; empty: it was not compiled.
    [[nodiscard]] std::string compiled_text(const assignment& candidate) const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

const sm_limits& limits_of(const compute_capability& target)
{
    if (const sm_limits* known = find_sm_limits(target)) return *known;
    throw error(fmt::format("the limits of {} are not known", architecture_name(target).view()),
                "see launchbox devices --arch all");
}

struct target_screen::impl {
    tune_spec spec;
    compute_capability target;
    const sm_limits& limits;
    search_space space;
    std::optional<launch_expressions> launches = {};  // for a [kernel]
    std::unique_ptr<kernel_builder> builder = {};     // if candidates are compiled

    impl(tune_spec of, const compute_capability& wanted)
        : spec(std::move(of)),
          target(wanted),
          limits(limits_of(wanted)),
          space(spec, limits_for_expressions(limits, nullptr))
    {
    }

    // Why the candidate fails on one workload.
    [[nodiscard]] std::string why_not(const assignment& candidate, const workload& on) const
    {
        if (std::string why = space.why_not(candidate, on); !why.empty()) return why;
        if (!launches) return {};
        const assignment values = joined(candidate, on.values);
        const evaluated_launch launch = launches->launch(values);
        if (std::string why = why_not_before_build(launch, limits); !why.empty() || !builder) return why;
        const build_record built = builder->build(values, target).build;
        if (built.status != build_status::built) return built.reason;
        return why_not_launched(*built.kernel, launch, limits, spec.screen);
    }
};

target_screen::target_screen(tune_spec spec, const compute_capability& target, bool compiles)
    : impl_(std::make_unique<impl>(std::move(spec), target))
{
    if (!impl_->spec.kernel || !impl_->spec.kernel->capture.empty()) return;
    impl_->launches.emplace(impl_->spec, limits_for_expressions(impl_->limits, nullptr));
    if (compiles)
        impl_->builder = std::make_unique<kernel_builder>(
            impl_->spec, builder_options{.cache_folder = default_cache_folder(), .jobs = 1});
}

target_screen::~target_screen() = default;

std::string target_screen::why_not(const assignment& candidate) const
{
    if (std::string why = impl_->space.why_not(candidate); !why.empty()) return why;
    for (const workload& on : impl_->spec.workloads) try {
            if (std::string why = impl_->why_not(candidate, on); !why.empty()) return why;
        } catch (const error& failure) {  // an expression fails for this candidate
            return failure.what();
        }
    return {};
}

std::string target_screen::compiled_text(const assignment& candidate) const
{
    if (!impl_->builder) return {};
    const assignment values = joined(candidate, impl_->spec.workloads.front().values);
    const build_record built = impl_->builder->build(values, impl_->target).build;
    if (built.status != build_status::built || !built.kernel->figures.registers) return {};
    const built_launch launch = residency_of(*built.kernel, impl_->launches->launch(values), impl_->limits);
    return fmt::format("{} registers, {} blocks resident on an SM", *built.kernel->figures.registers,
                       launch.resident_blocks);
}

const char* name_of(emit_form form)
{
    switch (form) {
        case emit_form::constexpr_rows:
            return "constexpr";
        case emit_form::defines:
            return "defines";
        case emit_form::json:
            return "json";
        case emit_form::cub:
            return "cub";
        case emit_form::box:
            break;
    }
    return "box";
}

void refuse_box(const emit_records& chosen)
{
    for (const emit_record& record : chosen.all)
        if (record.run.info.environment.architecture.empty())
            throw error(record.path +
                            (record.run.info.environment.gpu.empty() ? " was measured without a GPU"
                                                                     : " does not contain the GPU's architecture") +
                            ", and each row is for an architecture",
                        "use --format json or --format defines");
}

// "row", "my::row", "::my::row"
bool names_type(std::string_view text)
{
    if (text.starts_with("::")) text.remove_prefix(2);
    for (;;) {
        const std::size_t end = text.find("::");
        const std::string name(text.substr(0, end));
        if (identifier_of(name) != name) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 2);
    }
}

// Only a struct that emit itself defines has the members of a launch_box. An updated header keeps its rows' members:
// the same command as the first time changes only values.
std::optional<launch_box_members> members_of(const emit_request& request, bool is_updated)
{
    const launch_box_members& given = request.members;
    if (request.form == emit_form::box && request.row.empty()) return is_updated ? std::nullopt : std::optional(given);
    if (!given.threads.empty() || !given.items.empty() || !given.min_blocks.empty())
        throw error("--threads-name, --items-name and --min-blocks-name name the members of launchbox emit's own rows",
                    request.form != emit_form::box
                        ? std::string("leave them out: --format ") + name_of(request.form) + " has the spec's names"
                        : "leave them out: with your own row type the values are in the spec's order");
    return std::nullopt;
}

emit_records records_for(const emit_request& request)
{
    const emit_records read = read_emit_records(request.files, request.root);
    std::optional<tune_spec> spec;
    if (!request.spec.empty()) spec = read_spec(request.spec);
    run_filter wishes{.name = request.name, .gpu = request.gpu, .workload = request.workload};
    wishes.of_each_gpu = request.fleet.has_value();
    if (spec) {
        wishes.spec = &*spec;
        wishes.has_sources_now = has_sources_of(*spec);
    }
    emit_records chosen = chosen_runs(read, wishes);
    chosen.notes.insert(chosen.notes.begin(), read.notes.begin(), read.notes.end());
    return chosen;
}

// With --spec, candidates are compiled. Without, the recorded spec provides constraints and launches. A record of
// another tuner has no spec, and one of another version may be unreadable.
std::shared_ptr<target_screen> screen_for(const emit_request& request, const run_info& info,
                                          const compute_capability& architecture)
{
    if (!request.spec.empty()) return std::make_shared<target_screen>(read_spec(request.spec), architecture, true);
    if (info.spec_text.empty()) return nullptr;
    try {
        return std::make_shared<target_screen>(parse_tune_spec(info.name, info.spec_text), architecture, false);
    } catch (const error&) {
        return nullptr;
    }
}

prediction_wish wish_for(const emit_request& request, const emit_records& chosen,
                         const compute_capability& architecture)
{
    prediction_wish wish{.architecture = architecture};
    if (const auto screen = screen_for(request, chosen.all.front().run.info, architecture)) {
        wish.why_not = [screen](const assignment& candidate) { return screen->why_not(candidate); };
        wish.compiled = [screen](const assignment& candidate) { return screen->compiled_text(candidate); };
    }
    return wish;
}

emit_settings settings_for(const emit_request& request, const emit_records& chosen)
{
    emit_settings settings;
    settings.box = request.box.empty() ? identifier_of(chosen.all.front().run.info.name) + "_tuning" : request.box;
    if (identifier_of(settings.box) != settings.box)
        throw error("--box: '" + settings.box + "' is not a C++ name",
                    "write, for example, " + identifier_of(settings.box));
    if (!request.row.empty() && !names_type(request.row))
        throw error("--row: '" + escape_for_terminal(request.row) + "' is not the name of a C++ type",
                    "write, for example, my::row");
    settings.row_type = request.row;
    settings.allow_unverified = request.allow_unverified;
    settings.split = request.split;
    settings.names = request.names;
    settings.fleet = request.fleet;
    for (const compute_capability& architecture : request.predicted)
        settings.predicted.push_back(wish_for(request, chosen, architecture));
    if (request.baseline) settings.baseline_architecture = *request.baseline;
    return settings;
}

std::string parameter_text(const emit_request& request, const emitted_header& made, const emit_settings& settings)
{
    if (request.form == emit_form::constexpr_rows) return constexpr_header(made.emitted, settings);
    if (request.form == emit_form::defines) return define_flags(made.emitted);
    if (request.form == emit_form::cub) return cub_header(made.emitted, made.chosen.all, settings);
    if (request.form == emit_form::json) return rows_json(made.emitted, made.chosen.all, settings).dump(2) + "\n";
    return made.is_updated ? updated_header(made.old_text, made.emitted) : new_header(made.emitted, settings);
}

}  // namespace

emitted_header emit_header(const emit_request& request)
{
    emitted_header made{.chosen = records_for(request), .emitted = {}, .old_text = {}, .text = {}};
    emit_settings settings = settings_for(request, made.chosen);
    std::vector<header_table> existing;
    const std::string& header = request.header;
    if (!header.empty() && std::filesystem::is_regular_file(header)) {
        made.old_text = utf8_text(request.header_is_compared ? read_file(header) : read_old_output(header));
        if (request.form == emit_form::box) {
            const std::vector<header_table> all = parse_tuning_header(made.old_text, header);
            existing = tables_of_box(all, settings.box);
            if (existing.empty() && !request.header_is_replaced)
                throw error(header + " has no table " + settings.box,
                            all.empty() ? "write to another file" : "it has " + all.front().name + ": --box names it");
        }
    }
    made.is_updated = !existing.empty();
    if (request.form == emit_form::box || request.form == emit_form::cub) refuse_box(made.chosen);
    if (request.form == emit_form::cub &&
        (!request.row.empty() || request.baseline || request.split != split_kind::automatic ||
         !request.names.type.empty() || !request.names.size.empty()))
        throw error("--row, --split, --type-name, --size-name and --baseline-arch are not for --format cub",
                    "leave them out: it has a row for each type, and CUB's own tuning where there is none");
    settings.members = members_of(request, made.is_updated);
    made.emitted = request.form == emit_form::cub ? cub_tables(made.chosen.all, settings)
                                                  : emit_tables(made.chosen.all, settings, existing);
    made.text = parameter_text(request, made, settings);
    return made;
}

}  // namespace launchbox
