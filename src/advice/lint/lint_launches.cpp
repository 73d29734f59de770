// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/lint_launches.hpp"

#include <fmt/format.h>
#include <launchbox/block_size.hpp>
#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "advice/model/kernel_question.hpp"
#include "image/launch_attribute.hpp"
#include "source/source_statements.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::array<std::int64_t, 3> largest_block{1024, 1024, 64};

std::string percent(double part)
{
    return fmt::format("{:.3g} %", 100 * part);
}

// A problem with a launch: reported once if it is the same for several architectures.
struct launch_problem {
    std::string id;
    std::string message, fix;
    std::string detail = {};  ///< for one architecture: "an SM of sm_90 holds 3 blocks of 256 threads, 37.5 %"
};

std::string extents_text(const source_extent& extent)
{
    std::string text;
    for (const auto& one : extent) text += (text.empty() ? "" : "×") + (one ? with_commas(*one) : std::string("?"));
    return text;
}

// A size with which no kernel can be launched. The threads of a block are limited in total, and along each axis.
std::optional<launch_problem> impossible_size(const std::string& name, const launch_figures& figures)
{
    const std::optional<std::int64_t> threads = volume_of(figures.block);
    const bool empty_block = std::ranges::any_of(figures.block, [](const auto& one) { return one == 0; });
    if (empty_block || std::ranges::any_of(figures.grid, [](const auto& one) { return one == 0; }))
        return launch_problem{"launch_fails",
                              fmt::format("{} is launched with {}: the launch fails", name,
                                          empty_block ? "blocks of " + extents_text(figures.block) + " threads"
                                                      : "a grid of " + extents_text(figures.grid) + " blocks"),
                              "every dimension must be at least 1; if there is no work, do not launch"};
    if (threads && *threads > max_threads_per_block)
        return launch_problem{"launch_over_1024",
                              fmt::format("{} is launched with {} threads per block, and no block has more than 1,024",
                                          name, with_commas(*threads)),
                              "launch at most 1,024 threads per block"};
    for (std::size_t i = 0; i < largest_block.size(); ++i)
        if (figures.block[i].value_or(0) > largest_block[i])
            return launch_problem{
                i == 2 ? "launch_fails" : "launch_over_1024",
                fmt::format("{} is launched with blocks of {} threads, and no block has more than 1,024×1,024×64", name,
                            extents_text(figures.block)),
                "use x for the longest dimension of a block"};
    return std::nullopt;
}

class launch_lint {
public:
    launch_lint(const source_view& view, const std::vector<linted_kernel>& kernels,
                const std::vector<kernel_launch>& launches, const std::function<source_location(int)>& place)
        : view_(view), kernels_(kernels), launches_(launches), place_(place)
    {
        for (const linted_kernel& kernel : kernels) names_.insert(function_name(kernel.short_form));
        for (const kernel_launch& one : launches) of_launch_[one.launch].push_back(&one);
    }

    std::vector<diagnosis> run()
    {
        for (const source_launch& launch : view_.launches)
            if (launch.branch < 0) check(launch);
        tell_differing();
        return std::move(findings_);
    }

private:
    // The kernel concerned, and why it cannot be launched.
    struct judged {
        const kernel_launch* launch = nullptr;
        std::optional<launch_problem> problem;
    };

    void check(const source_launch& launch);
    [[nodiscard]] std::optional<launch_problem> problem_of(const kernel_launch& launch) const;
    [[nodiscard]] std::optional<launch_problem> of_threads(const std::string& name, const kernel_info& kernel,
                                                           const sm_limits& limits, int threads) const;
    [[nodiscard]] std::optional<launch_problem> of_shared(const std::string& name, const kernel_launch& launch,
                                                          const sm_limits& limits) const;
    [[nodiscard]] std::optional<launch_problem> of_cluster(const std::string& name, const kernel_launch& launch,
                                                           const sm_limits& limits) const;
    [[nodiscard]] std::optional<launch_problem> of_grid(const std::string& name, const kernel_launch& launch,
                                                        const kernel_info& kernel) const;
    [[nodiscard]] std::optional<std::int64_t> allowed(source_opt_in::attribute kind, const std::string& kernel) const;
    [[nodiscard]] bool is_guarded(std::size_t at) const;
    void tell_differing();

    [[nodiscard]] std::string name_of(const kernel_launch& launch) const
    {
        const std::string& name = kernels_[launch.kernel].short_form;
        return escape_for_terminal(launch.surely ? instance_name(name) : function_name(name));
    }
    [[nodiscard]] const kernel_info& info_of(const kernel_launch& launch) const
    {
        return *kernels_[launch.kernel].info;
    }
    void add(const char* id, severity level, std::string message, std::string fix, int line)
    {
        findings_.push_back({id, level, std::move(message), std::move(fix), place_(line)});
    }

    const source_view& view_;
    const std::vector<linted_kernel>& kernels_;
    const std::vector<kernel_launch>& launches_;
    const std::function<source_location(int)>& place_;
    std::set<std::string> names_;
    std::map<const source_launch*, std::vector<const kernel_launch*>> of_launch_;
    std::vector<diagnosis> findings_;
};

void launch_lint::check(const source_launch& launch)
{
    // By architecture. A launch that may be of several kernels fails only if it fails with each of them.
    std::map<std::string, std::vector<judged>> by_architecture;
    bool is_of_some = false, wanted = false;
    for (const kernel_launch* one : of_launch_[&launch]) {
        is_of_some = true;
        wanted |= kernels_[one->kernel].wanted;
        by_architecture[info_of(*one).architecture].push_back({one, problem_of(*one)});
    }
    if (!is_of_some) {
        const std::string name = escape_for_terminal(launch.kernel.empty() ? "the kernel" : launch.kernel);
        for (const launch_figures& figures : sizes_of(view_, launch, {})) {
            const auto problem = impossible_size(name, figures);
            if (!problem) continue;
            add(problem->id.c_str(), severity::error, problem->message, problem->fix, launch.line);
            break;
        }
        return;
    }
    if (!wanted) return;
    struct told {
        launch_problem problem;
        std::vector<std::string> architectures, details;
    };
    std::vector<told> problems;
    for (const auto& [architecture, all] : by_architecture) {
        const bool always = std::ranges::all_of(all, [](const judged& one) { return one.problem.has_value(); });
        for (const judged& one : all) {
            if (!one.problem || !(one.launch->surely || always)) continue;
            auto same = std::ranges::find_if(problems, [&](const told& other) {
                return other.problem.id == one.problem->id && other.problem.message == one.problem->message;
            });
            if (same == problems.end()) same = problems.insert(same, {*one.problem, {}, {}});
            if (std::ranges::find(same->architectures, architecture) == same->architectures.end())
                same->architectures.push_back(architecture);
            if (!one.problem->detail.empty() &&
                std::ranges::find(same->details, one.problem->detail) == same->details.end())
                same->details.push_back(one.problem->detail);
            if (!one.launch->surely) break;  // one of them stands for all
        }
    }
    for (const told& one : problems) {
        const bool everywhere = one.architectures.size() == by_architecture.size();
        std::string message = one.problem.message;
        const bool named = message.find(one.architectures.front()) != std::string::npos;
        if (!everywhere && !named) message += fmt::format(" on {}", fmt::join(one.architectures, ", "));
        if (!one.details.empty()) message += fmt::format("; with it, {}", fmt::join(one.details, "; "));
        const bool elsewhere_too = !everywhere && is_guarded(launch.first);
        add(one.problem.id.c_str(), elsewhere_too ? severity::warning : severity::error, std::move(message),
            one.problem.fix, launch.line);
    }
}

std::optional<launch_problem> launch_lint::problem_of(const kernel_launch& launch) const
{
    const std::string name = name_of(launch);
    if (auto problem = impossible_size(name, launch.figures)) return problem;
    const kernel_info& kernel = info_of(launch);
    const sm_limits* limits = limits_of(kernel);
    if (auto problem = of_grid(name, launch, kernel)) return problem;
    if (limits == nullptr) return std::nullopt;
    if (const auto threads = volume_of(launch.figures.block))
        if (auto problem = of_threads(name, kernel, *limits, static_cast<int>(*threads))) return problem;
    if (auto problem = of_shared(name, launch, *limits)) return problem;
    return of_cluster(name, launch, *limits);
}

std::optional<launch_problem> launch_lint::of_grid(const std::string& name, const kernel_launch& launch,
                                                   const kernel_info& kernel) const
{
    if (!kernel.capability) return std::nullopt;
    const std::array<int, 3> most = max_grid_dimensions(*kernel.capability);
    for (std::size_t i = 0; i < most.size(); ++i)
        if (launch.figures.grid[i].value_or(0) > most[i])
            return launch_problem{
                "launch_fails",
                fmt::format(
                    "{} is launched with a grid of {} blocks, and a grid has at most {}×{}×{}: the launch fails", name,
                    extents_text(launch.figures.grid), with_commas(most[0]), with_commas(most[1]),
                    with_commas(most[2])),
                "use x for the longest dimension of a grid, or give each block more work"};
    return std::nullopt;
}

std::optional<launch_problem> launch_lint::of_threads(const std::string& name, const kernel_info& kernel,
                                                      const sm_limits& limits, int threads) const
{
    const auto required = kernel.bounds.required_threads ? bound_threads(kernel) : std::nullopt;
    if (required && *required != threads)
        return launch_problem{"launch_over_bound",
                              fmt::format("{} is launched with {} threads per block, but compiled for exactly {}: the "
                                          "launch fails",
                                          name, threads, *required),
                              fmt::format("launch {} threads", *required)};
    const std::optional<int> bound = bound_threads(kernel);
    if (bound && threads > *bound)
        return launch_problem{
            "launch_over_bound",
            fmt::format("{} is launched with {} threads per block, but compiled for at most {}: the launch fails", name,
                        threads, *bound),
            fmt::format("launch at most {} threads, or write {}", *bound, bound_source(kernel, threads))};
    if (!kernel.figures.registers) return std::nullopt;
    kernel_resources resources = resources_of(kernel);
    resources.static_shared_bytes = 0;
    const occupancy_result result = occupancy(limits, resources, {.threads = threads});
    const int lower = register_cap(limits, threads, 1).value_or(0);
    std::string why;
    if (result.obstacle == launch_obstacle::registers_per_block)
        why = fmt::format("{} registers, and a block has at most {}", with_commas(result.registers.per_block_checked),
                          with_commas(limits.registers_per_block));
    else if (result.obstacle == launch_obstacle::register_rounding ||
             result.obstacle == launch_obstacle::register_partition)
        why = fmt::format("the hardware counts {} warps as {}, more registers than the {} of a block",
                          result.warps.warps_per_block,
                          detail::align_up(result.warps.warps_per_block, detail::launch_check_partitions(limits)),
                          with_commas(limits.registers_per_block));
    else
        return std::nullopt;
    std::string fix = fmt::format("launch at most {} threads", max_launchable_threads(limits, resources));
    if (lower > 0)
        fix += fmt::format(", or compile with {} (at most {} registers)", bound_source(kernel, threads), lower);
    return launch_problem{"launch_fails",
                          fmt::format("{} is launched with {} threads per block, and with its {} registers per thread "
                                      "that is too many: {}: the launch fails",
                                      name, with_commas(threads), *kernel.figures.registers, why),
                          fix};
}

// The largest value that some call allows for this kernel; `nullopt` if none does.
std::optional<std::int64_t> launch_lint::allowed(source_opt_in::attribute kind, const std::string& kernel) const
{
    constexpr std::int64_t enough = std::int64_t{1} << 40;
    std::optional<std::int64_t> most;
    for (const source_opt_in& one : view_.opt_ins) {
        if (one.kind != kind) continue;
        const std::string name(function_meant(view_, one.function, one.at).name);
        // A name that no kernel has is a variable's, which may refer to any kernel.
        if (name != kernel && names_.contains(name)) continue;
        most = std::max(most.value_or(0), view_.values.integer(one.value, one.at).value_or(enough));
    }
    return most;
}

std::optional<launch_problem> launch_lint::of_shared(const std::string& name, const kernel_launch& launch,
                                                     const sm_limits& limits) const
{
    const kernel_info& kernel = info_of(launch);
    const kernel_resources resources = resources_of(kernel);
    const std::int64_t dynamic = launch.figures.dynamic_shared_bytes.value_or(0);
    if (dynamic <= 0 || !links(limits, resources)) return std::nullopt;
    const std::int64_t all = dynamic + resources.static_shared_bytes;
    const std::string bytes =
        fmt::format("{} B of dynamic shared memory{}", with_commas(dynamic),
                    resources.static_shared_bytes > 0
                        ? fmt::format(" and {} B of static", with_commas(resources.static_shared_bytes))
                        : "");
    if (all > limits.shared_per_block_opt_in)
        return launch_problem{
            "launch_fails",
            fmt::format("{} is launched with {}, and a block of {} has at most {} B: the launch fails", name, bytes,
                        kernel.architecture, with_commas(limits.shared_per_block_opt_in)),
            fmt::format("launch with at most {} B",
                        with_commas(limits.shared_per_block_opt_in - resources.static_shared_bytes))};
    if (all <= limits.shared_per_block || launch.figures.raises_limits) return std::nullopt;
    const std::string function = function_name(kernels_[launch.kernel].short_form);
    const auto raised = allowed(source_opt_in::attribute::dynamic_shared, function);
    if (raised && *raised >= dynamic) return std::nullopt;
    launch_problem problem{
        "launch_needs_opt_in",
        fmt::format("{} is launched with {}: more than {} B need cudaFuncAttributeMaxDynamicSharedMemorySize, {}", name,
                    bytes, with_commas(limits.shared_per_block),
                    raised ? fmt::format("which is set to {} at most: the launch fails", with_commas(*raised))
                           : "which is not set here: the launch fails"),
        fmt::format("before it, cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {})", name,
                    dynamic)};
    if (const auto threads = volume_of(launch.figures.block)) {
        kernel_info launched = kernel;
        launched.launches.dynamic_shared_bytes = dynamic;
        if (const auto question = question_for(launched, static_cast<int>(*threads))) {
            const occupancy_result result =
                occupancy(*question->limits, question->resources, question->shape, question->settings);
            problem.detail = fmt::format("an SM of {} holds {} block{} of {} threads, {}", kernel.architecture,
                                         result.resident_blocks, result.resident_blocks == 1 ? "" : "s", *threads,
                                         percent(result.occupancy()));
        }
    }
    return problem;
}

std::optional<launch_problem> launch_lint::of_cluster(const std::string& name, const kernel_launch& launch,
                                                      const sm_limits& limits) const
{
    const kernel_info& kernel = info_of(launch);
    source_extent cluster = launch.figures.cluster;
    if (kernel.bounds.cluster) {
        for (std::size_t i = 0; i < cluster.size(); ++i) cluster[i] = (*kernel.bounds.cluster)[i];
    }
    const std::optional<std::int64_t> blocks = volume_of(cluster);
    if (!blocks || *blocks <= 1) return std::nullopt;
    const std::string text = fmt::format("{} is launched in clusters of {} blocks", name, *blocks);
    if (limits.portable_cluster == 0)
        return launch_problem{"launch_fails",
                              fmt::format("{}, and {} has no clusters: the launch fails", text, kernel.architecture),
                              "launch without clusters before compute capability 9.0"};
    if (kernel.bounds.max_cluster_blocks && *blocks > *kernel.bounds.max_cluster_blocks)
        return launch_problem{"launch_fails",
                              fmt::format("{}, but compiled for at most {} by its launch bounds: the launch fails",
                                          text, *kernel.bounds.max_cluster_blocks),
                              "raise the third launch bound, or launch smaller clusters"};
    if (limits.non_portable_cluster && *blocks > *limits.non_portable_cluster)
        return launch_problem{"launch_fails",
                              fmt::format("{}, and {} has at most {}: the launch fails", text, kernel.architecture,
                                          *limits.non_portable_cluster),
                              fmt::format("launch clusters of at most {}", *limits.non_portable_cluster)};
    if (limits.portable_cluster && *blocks > *limits.portable_cluster &&
        !allowed(source_opt_in::attribute::clusters, function_name(kernels_[launch.kernel].short_form)))
        return launch_problem{
            "launch_needs_opt_in",
            fmt::format("{}: more than {} need cudaFuncAttributeNonPortableClusterSizeAllowed, which is not set here: "
                        "the launch fails",
                        text, *limits.portable_cluster),
            fmt::format("before it, cudaFuncSetAttribute({}, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); a GPU "
                        "need not have such clusters",
                        name)};
    for (std::size_t i = 0; i < cluster.size(); ++i)
        if (cluster[i].value_or(0) > 0 && launch.figures.grid[i] && *launch.figures.grid[i] % *cluster[i] != 0)
            return launch_problem{
                "launch_fails",
                fmt::format("{} is launched with a grid of {} blocks in clusters of {}, which do not divide it: the "
                            "launch fails",
                            name, extents_text(launch.figures.grid), extents_text(cluster)),
                "make every dimension of the grid a multiple of the cluster's"};
    return std::nullopt;
}

// Whether a condition decides if the launch is reached: it may test the GPU.
bool launch_lint::is_guarded(std::size_t at) const
{
    const auto decides = [](token_span words) {
        for (const std::string_view word : {"if", "else", "switch", "case", "?"})
            if (has_word(words, word)) return true;
        return false;
    };
    const std::vector<source_token>& tokens = view_.source.tokens;
    const std::size_t first = begin_of_statement(tokens, at).first;
    if (decides(token_span(tokens).subspan(first, at - first))) return true;
    // After the condition of a statement, its else, or the label of a case.
    if (first > 0 && tokens[first - 1].is_any({")", "else", ":"})) return true;
    for (int number = view_.names.scope_of(at); number >= 0; number = view_.names.scope(number)->outer)
        if (decides(view_.names.head_of(*view_.names.scope(number)))) return true;
    return false;
}

// Reports kernels launched in several ways, because tables can show none of these.
void launch_lint::tell_differing()
{
    struct told {
        std::string name, size;
        int line = 0;
        std::vector<std::string> architectures;
    };
    std::vector<told> all;
    std::map<std::tuple<int, std::string, std::string>, std::size_t> known;
    std::map<std::size_t, launch_size> sizes;
    for (const kernel_launch& launch : launches_) {
        const auto threads = volume_of(launch.figures.block);
        if (!threads || !launch.surely || !kernels_[launch.kernel].wanted || problem_of(launch)) continue;
        const auto [agreed, is_new] = sizes.try_emplace(launch.kernel);
        if (is_new) agreed->second = agreed_size(launches_, launch.kernel);
        const launch_size& size = agreed->second;
        if (size.threads && size.dynamic_shared_bytes == launch.figures.dynamic_shared_bytes) continue;
        const std::int64_t dynamic = launch.figures.dynamic_shared_bytes.value_or(0);
        kernel_info kernel = info_of(launch);
        if (launch.figures.dynamic_shared_bytes) kernel.launches.dynamic_shared_bytes = dynamic;
        const auto question = question_for(kernel, static_cast<int>(*threads));
        if (!question || question->at_most()) continue;
        const occupancy_result result =
            occupancy(*question->limits, question->resources, question->shape, question->settings);
        const std::string text =
            fmt::format("{} threads{}", *threads,
                        dynamic > 0 ? fmt::format(" and {} B of dynamic shared memory", with_commas(dynamic)) : "");
        const std::string blocks =
            fmt::format("{} block{} on an SM of {}, {}", result.resident_blocks, result.resident_blocks == 1 ? "" : "s",
                        kernel.architecture, percent(result.occupancy()));
        const auto place = known.try_emplace({launch.launch->line, name_of(launch), text}, all.size()).first;
        if (place->second == all.size()) all.push_back({name_of(launch), text, launch.launch->line, {}});
        all[place->second].architectures.push_back(blocks);
    }
    for (const told& one : all)
        add("launch_occupancy", severity::note,
            fmt::format("{} is launched with {}: {}", one.name, one.size, fmt::join(one.architectures, "; ")),
            "its launches differ, and the table shows the block size of its bound; use --threads and --dynamic-shared "
            "for another",
            one.line);
}

}  // namespace

std::vector<diagnosis> lint_launches(const source_view& view, const std::vector<linted_kernel>& kernels,
                                     const std::vector<kernel_launch>& launches,
                                     const std::function<source_location(int)>& place)
{
    return launch_lint(view, kernels, launches, place).run();
}

launch_size agreed_size(const std::vector<kernel_launch>& launches, std::size_t kernel)
{
    launch_size size;
    bool first = true;
    for (const kernel_launch& one : launches) {
        if (one.kernel != kernel) continue;
        const auto volume = volume_of(one.figures.block);
        std::optional<int> threads;
        if (volume && *volume >= 1 && *volume <= max_threads_per_block) threads = static_cast<int>(*volume);
        const launch_figures& figures = one.figures;
        if (first) size = {threads, figures.dynamic_shared_bytes, figures.dynamic_shared_by_threads};
        if (size.dynamic_shared_by_threads != figures.dynamic_shared_by_threads) size.dynamic_shared_by_threads.reset();
        if (size.threads != threads) size.threads.reset();
        if (size.dynamic_shared_bytes != one.figures.dynamic_shared_bytes) size.dynamic_shared_bytes.reset();
        first = false;
    }
    return size;
}

}  // namespace launchbox
