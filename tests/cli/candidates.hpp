// The spec tests/data/tune/candidates.toml on doubles of GPUs, with which tests of whole runs begin.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tool.hpp"

namespace launchbox {

/// Copies the spec and its source into `here`, and returns a plan for a double (tests/tune/fake_driver/README.md)
/// without devices: 128 threads and 4 items are the fastest. There are 200 candidates: 57 with up to 3 items, 68 with
/// up to 4.
inline nlohmann::json candidates_in(const std::filesystem::path& here, int max_items = 16)
{
    for (const char* file : {"candidates.cu", "candidates.toml"})
        std::filesystem::copy_file(repository_file(std::string("tests/data/tune/") + file), here / file,
                                   std::filesystem::copy_options::overwrite_existing);
    std::string spec = read_input((here / "candidates.toml").string());
    const std::string all = "items = { from = 1, to = 16 }";
    const std::size_t at = spec.find(all);
    if (at == std::string::npos) throw std::logic_error("candidates.toml has no line " + all);
    spec.replace(at, all.size(), "items = { from = 1, to = " + std::to_string(max_items) + " }");
    write_file_atomically(here / "candidates.toml", spec);
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
