// A worker with a GPU, started as a process, on the double of the CUDA driver.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "support/files/files.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/gpu_worker.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

using nlohmann::json;

inline constexpr const char* plain = "plain";
inline constexpr const char* copy_256_4 = "_Z4copyILi256ELi4EEvPKiPii";
inline constexpr int count = 10'007;  // not a multiple of anything

class on_fake_gpu : public testing::Test {
protected:
    void SetUp() override
    {
#ifndef LAUNCHBOX_WORKER_CUBIN
        GTEST_SKIP() << "no nvcc to make a cubin with";
#endif
        ::setenv("LD_LIBRARY_PATH", LAUNCHBOX_FAKE_DRIVER, 1);
        ::setenv("FAKE_GPU_PLAN", path("plan.json").c_str(), 1);
        plan_["devices"] = {{{"name", "Double"}, {"memory_bytes", 64 << 20}}};
        plan_["state"] = path("state.json");
        plan_["noise"] = 0.01;
        write_file_atomically(path("expected.npy"),
                              npy_header({element_type::kind::signed_integer, 4}, count) + content(input()));
    }

    // Otherwise compilers that later tests start would find the double.
    void TearDown() override
    {
        ::unsetenv("LD_LIBRARY_PATH");
        ::unsetenv("FAKE_GPU_PLAN");
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    static task_argument input()
    {
        return {.name = "in", .type = "int", .count = count, .fill = fill_kind::random, .seed = 42};
    }
    static std::string content(const task_argument& argument)
    {
        std::string bytes(bytes_of(argument), '\0');
        argument_filler(argument).fill(0, argument.count, bytes.data());
        return bytes;
    }
    [[nodiscard]] gpu_task task(const std::string& kernel = plain) const
    {
        gpu_task task;
#ifdef LAUNCHBOX_WORKER_CUBIN
        task.cubin_file = LAUNCHBOX_WORKER_CUBIN;
#endif
        task.kernel = kernel;
        task.threads = {256, 1, 1};
        task.blocks = {40, 1, 1};
        task.workload = "n=10007";
        task.arguments = {input(),
                          {.name = "out", .type = "int", .count = count, .role = argument_role::output},
                          {.name = "n", .type = "int", .scalar = true, .integer = count}};
        task.expected = {{"out", path("expected.npy")}};
        task.launch_seconds = 0.05;
        task.samples = 12;
        return task;
    }

    void fault(const json& what) { plan_["faults"].push_back(what); }
    gpu_worker& worker(double overhead_seconds = 30)
    {
        write_file_atomically(path("plan.json"), plan_.dump());
        worker_ = std::make_unique<gpu_worker>(
            gpu_worker_options{.device = 0,
                               .worker_program = std::filesystem::read_symlink("/proc/self/exe").string(),
                               .overhead_seconds = overhead_seconds});
        return *worker_;
    }
    /// The task with the fault, then without it: the second must not be affected by the first.
    measurement faulty(const json& what, const std::string& kernel = plain)
    {
        const measurement undisturbed = worker().measure(task(kernel));
        EXPECT_EQ(undisturbed.status, outcome::measured) << undisturbed.reason;
        json once = what;
        once["match"] = kernel;
        once["times"] = 1;
        fault(once);
        gpu_worker& tried = worker();
        measurement first = tried.measure(task(kernel));
        measurement second = tried.measure(task(kernel));
        EXPECT_EQ(second.status, outcome::measured) << second.reason;
        EXPECT_EQ(second.samples_ns, undisturbed.samples_ns);
        EXPECT_EQ(second.checksum, undisturbed.checksum);
        EXPECT_TRUE(second.verified);
        EXPECT_EQ(tried.starts(), first.sticky ? 2 : 1);
        return first;
    }

    temporary_directory folder_;
    json plan_ = json::object();
    std::unique_ptr<gpu_worker> worker_;
};

}  // namespace launchbox
