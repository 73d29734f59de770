// A program that `launchbox capture` runs with doubles of driver and CUPTI; its command line lists what it launches, so
// that the test knows it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tool.hpp"

namespace launchbox {

inline const std::string observed_app = LAUNCHBOX_OBSERVED_APP;
inline const std::string load_observed_kernels = "load=" LAUNCHBOX_OBSERVED_CUBINS "/observed_kernels.cubin";

class observed_program : public ::testing::Test {
protected:
    /// `plan` controls the driver's double.
    explicit observed_program(nlohmann::json kernels)
        : plan{{"devices", {{{"name", "Double"}, {"sms", 100}}}}, {"kernels", std::move(kernels)}}
    {
    }

    void SetUp() override { NEEDS_NVCC(); }

    [[nodiscard]] std::string file(const std::string& name) const { return (folder.path() / name).string(); }

    [[nodiscard]] std::vector<std::string> environment(std::vector<std::string> more = {}) const
    {
        write_file_atomically(file("plan.json"), plan.dump());
        more.push_back("FAKE_GPU_PLAN=" + file("plan.json"));
        more.push_back("LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER ":" LAUNCHBOX_FAKE_CUPTI);
        more.push_back("LAUNCHBOX_CUPTI=");
        more.push_back("TMPDIR=" + folder.path().string());
        return more;
    }

    temporary_directory folder;
    nlohmann::json plan;
};

}  // namespace launchbox
