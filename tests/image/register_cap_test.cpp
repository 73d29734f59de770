// The register caps of launch_bounds.hpp against ptxas, which stores the cap that it used in the cubin.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <launchbox/launch_bounds.hpp>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "image/cubin.hpp"
#include "scale.hpp"
#include "support/process/parallel.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

struct bound {
    int threads = 0;
    int min_blocks = 0;  // 0: not given
    std::string directive = ".maxntid";
};

struct answer {
    int cap = 0;
    std::string warning;  // the message of ptxas about this kernel
};

struct target {
    std::string name;  // "sm_90a"
    const sm_limits* limits = nullptr;
};

// Every architecture that this ptxas knows; one that the table lacks has null limits.
std::vector<target> ptxas_targets()
{
    std::set<std::string> names;
    const std::string help = run({"ptxas", "--help"}).output;
    for (std::size_t at = help.find("'sm_"); at != std::string::npos; at = help.find("'sm_", at + 1))
        names.insert(help.substr(at + 1, help.find('\'', at + 1) - at - 1));
    std::vector<target> targets;
    for (const std::string& name : names) {
        const auto capability = parse_compute_capability(name);
        targets.push_back({name, capability ? find_sm_limits(*capability) : nullptr});
    }
    return targets;
}

// ptxas takes 0.35 ms per kernel and 10 ms to start: with 500 kernels per module, neither time nor memory is wasted.
constexpr std::size_t kernels_per_module = 500;

// Compiles one empty kernel per bound, and returns the results.
std::vector<answer> ask_ptxas(const target& target, const std::vector<bound>& bounds)
{
    std::vector<answer> answers(bounds.size());
    run_parallel((bounds.size() + kernels_per_module - 1) / kernels_per_module, [&](std::size_t module) {
        const std::size_t begin = module * kernels_per_module;
        const std::size_t end = std::min(bounds.size(), begin + kernels_per_module);
        std::string ptx = ".version 9.0\n.target sm_75\n.address_size 64\n";
        for (std::size_t i = begin; i < end; ++i) {
            ptx += ".visible .entry k" + std::to_string(i) + "()\n";
            if (bounds[i].threads > 0)
                ptx += bounds[i].directive + " " + std::to_string(bounds[i].threads) + ", 1, 1\n";
            if (bounds[i].min_blocks > 0) ptx += ".minnctapersm " + std::to_string(bounds[i].min_blocks) + "\n";
            ptx += "{ ret; }\n";
        }
        const compiled made = assemble(ptx, target.name);
        if (made.exit_code != 0) throw std::runtime_error(made.log);
        for (const kernel_info& kernel : read_cubin(made.image, "-").kernels)
            answers.at(std::stoul(kernel.name.substr(1))).cap = kernel.bounds.register_cap.value_or(-1);

        std::istringstream lines(made.log);
        for (std::string line; std::getline(lines, line);)
            if (const auto at = line.find("for entry k"); at != std::string::npos)
                answers.at(std::stoul(line.substr(at + 11))).warning = line;
    });
    return answers;
}

// All bounds, or a random sample of them.
class sampler {
public:
    bool take() { return all_ || taken_(random_); }

private:
    bool all_ = is_exhaustive();
    std::mt19937 random_{all_ ? 0 : static_cast<unsigned>(random_seed())};
    std::bernoulli_distribution taken_{0.025};
};

std::string text(const target& target, const bound& bound)
{
    return target.name + " " + bound.directive + " " + std::to_string(bound.threads) + " min_blocks " +
           std::to_string(bound.min_blocks);
}

TEST(register_cap, the_table_has_every_architecture_of_ptxas)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto targets = ptxas_targets();
    EXPECT_GE(targets.size(), 12u);
    for (const target& target : targets) EXPECT_NE(target.limits, nullptr) << target.name;
}

TEST(register_cap, equals_ptxas_for_all_legal_bounds)
{
    SKIP_WITHOUT_TOOLKIT();
    sampler sampler;
    std::size_t checked = 0, wrong = 0;
    for (const target& target : ptxas_targets()) {
        if (target.limits == nullptr) continue;
        std::vector<bound> bounds;
        for (int threads = 1; threads <= max_threads_per_block; ++threads)
            for (int blocks = 1; blocks <= max_legal_min_blocks(*target.limits, threads); ++blocks)
                if (sampler.take()) bounds.push_back({threads, blocks});
        const std::vector<answer> answers = ask_ptxas(target, bounds);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const auto [threads, blocks, directive] = bounds[i];
            const auto cap = register_cap(*target.limits, threads, blocks);
            const auto inferred = infer_min_blocks(*target.limits, threads, answers[i].cap);
            const bool right =
                cap == answers[i].cap && answers[i].warning.empty() &&
                check_launch_bounds(*target.limits, threads, blocks) == launch_bounds_verdict::honoured &&
                inferred >= blocks && register_cap(*target.limits, threads, *inferred) == cap;
            ++checked;
            if (!right && ++wrong <= 10)
                ADD_FAILURE() << text(target, bounds[i]) << ": ptxas " << answers[i].cap << ", launchbox "
                              << cap.value_or(-1) << ", inferred " << inferred.value_or(-1) << " "
                              << answers[i].warning;
        }
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(checked, 1000u);
    std::cout << checked << " bounds compared, " << wrong << " differ\n";
}

// ptxas drops a bound that it cannot keep with a one-line reason, and continues as with the threads alone.
TEST(register_cap, equals_ptxas_for_bounds_out_of_range)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::map<launch_bounds_verdict, std::string> sentences{
        {launch_bounds_verdict::too_many_blocks, "Value of minnctapersm for entry"},
        {launch_bounds_verdict::too_many_warps_per_sm, "Value of threads per SM for entry"},
    };
    sampler sampler;
    std::size_t checked = 0, wrong = 0;
    for (const target& target : ptxas_targets()) {
        if (target.limits == nullptr) continue;
        std::vector<bound> bounds;
        for (int threads = 1; threads <= max_threads_per_block; ++threads) {
            // On both sides of both limits; nothing changes in between.
            const int legal = max_legal_min_blocks(*target.limits, threads), slots = target.limits->blocks_per_sm;
            for (const int blocks : std::set{legal + 1, (legal + slots) / 2 + 1, slots, slots + 1, 1000})
                if (blocks > legal && sampler.take()) bounds.push_back({threads, blocks});
        }
        const std::vector<answer> answers = ask_ptxas(target, bounds);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const auto verdict = check_launch_bounds(*target.limits, bounds[i].threads, bounds[i].min_blocks);
            const bool right = sentences.contains(verdict) &&
                               answers[i].warning.find(sentences.at(verdict)) != std::string::npos &&
                               register_cap(*target.limits, bounds[i].threads, bounds[i].min_blocks) == std::nullopt &&
                               register_cap(*target.limits, bounds[i].threads) == answers[i].cap;
            ++checked;
            if (!right && ++wrong <= 10)
                ADD_FAILURE() << text(target, bounds[i]) << ": ptxas " << answers[i].cap << ", verdict "
                              << static_cast<int>(verdict) << " " << answers[i].warning;
        }
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(checked, 500u);
    std::cout << checked << " bounds out of range compared, " << wrong << " differ\n";
}

TEST(register_cap, one_argument_and_required_threads_give_the_cap_of_one_block)
{
    SKIP_WITHOUT_TOOLKIT();
    sampler sampler;
    std::size_t checked = 0;
    for (const target& target : ptxas_targets()) {
        if (target.limits == nullptr) continue;
        std::vector<bound> bounds{{0, 0}};  // no bound at all
        for (int threads = 1; threads <= max_threads_per_block; ++threads)
            for (const char* directive : {".maxntid", ".reqntid"})
                if (sampler.take()) bounds.push_back({threads, 0, directive});
        const std::vector<answer> answers = ask_ptxas(target, bounds);
        for (std::size_t i = 0; i < bounds.size(); ++i, ++checked) {
            const int expected = bounds[i].threads == 0 ? target.limits->registers_per_thread
                                                        : *register_cap(*target.limits, bounds[i].threads);
            EXPECT_EQ(answers[i].cap, expected) << text(target, bounds[i]);
            EXPECT_EQ(answers[i].warning, "") << text(target, bounds[i]);
        }
    }
    std::cout << checked << " bounds compared\n";
}

// No launch can have more than 1,024 threads, but ptxas accepts up to the threads of the SM silently.
TEST(register_cap, threads_above_1024_are_compared_with_those_of_the_sm)
{
    SKIP_WITHOUT_TOOLKIT();
    sampler sampler;
    std::size_t silent = 0, refused = 0;
    for (const target& target : ptxas_targets()) {
        if (target.limits == nullptr) continue;
        std::vector<bound> bounds;
        for (int threads = max_threads_per_block + 1; threads <= target.limits->threads_per_sm + 64; ++threads)
            for (int blocks = 0; blocks <= 2; ++blocks)
                if (sampler.take()) bounds.push_back({threads, blocks});
        const std::vector<answer> answers = ask_ptxas(target, bounds);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const auto [threads, blocks, directive] = bounds[i];
            SCOPED_TRACE(text(target, bounds[i]) + " " + answers[i].warning);
            switch (check_launch_bounds(*target.limits, threads, blocks)) {
                case launch_bounds_verdict::honoured:
                    EXPECT_EQ(answers[i].warning, "");
                    EXPECT_EQ(answers[i].cap, register_cap(*target.limits, threads, blocks));
                    ++silent;
                    break;
                case launch_bounds_verdict::too_many_threads:
                    EXPECT_NE(answers[i].warning.find(".minnctapersm and .maxntid will be ignored"), std::string::npos);
                    EXPECT_EQ(answers[i].cap, target.limits->registers_per_thread);
                    ++refused;
                    break;
                case launch_bounds_verdict::too_many_warps_per_sm:
                    EXPECT_NE(answers[i].warning.find("Value of threads per SM"), std::string::npos);
                    EXPECT_EQ(answers[i].cap, register_cap(*target.limits, threads));
                    ++refused;
                    break;
                default:
                    ADD_FAILURE();
                    break;
            }
        }
    }
    EXPECT_GT(silent, 100u);
    EXPECT_GT(refused, 100u);
    std::cout << silent << " bounds taken, " << refused << " refused\n";
}

}  // namespace
}  // namespace launchbox
