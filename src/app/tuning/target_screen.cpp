// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/target_screen.hpp"

#include <fmt/format.h>

#include <utility>

#include <launchbox/sm_limits.hpp>

#include "compiler/run/compile_cache.hpp"
#include "support/error.hpp"
#include "tune/backend/launch_expressions.hpp"
#include "tune/backend/screen.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/limit_values.hpp"

namespace launchbox {

namespace {

const sm_limits& limits_of(const compute_capability& target)
{
    if (const sm_limits* known = find_sm_limits(target)) return *known;
    throw error(fmt::format("the limits of {} are not known", architecture_name(target).view()),
                "see launchbox devices --arch all");
}

}  // namespace

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

}  // namespace launchbox
