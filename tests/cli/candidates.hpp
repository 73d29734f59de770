// The spec tests/data/tune/candidates.toml on doubles of GPUs: what tests of whole runs start from.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tool.hpp"

namespace launchbox {

/// Copies spec and source into `here`, and gives back the plan of a double (tests/tune/fake_driver/README.md) without
/// devices: fastest with 128 threads and 4 items.
inline nlohmann::json candidates_in(const std::filesystem::path& here)
{
    for (const char* file : {"candidates.cu", "candidates.toml"})
        std::filesystem::copy_file(repository_file(std::string("tests/data/tune/") + file), here / file);
    nlohmann::json plan;
    plan["state"] = (here / "state.json").string();
    plan["noise"] = 0.001;
    plan["kernels"] = {
        {{"match", "candidateILi(\\d+)ELi(\\d+)ELi(\\d+)E"},
         {"effect", "copy"},
         {"ns", 20000},
         {"terms", {{{"group", 2}, {"best", 128}, {"cost", 0.1}}, {{"group", 3}, {"best", 4}, {"cost", 0.1}}}}}};
    return plan;
}

}  // namespace launchbox
