// Runs the built tool as a user would, and captures each output stream separately.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files/files.hpp"

namespace launchbox {

struct call {
    int status = 0;
    std::string out, err;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
    [[nodiscard]] bool says(const std::string& words) const { return err.find(words) != std::string::npos; }
    [[nodiscard]] bool shows(const std::string& words) const { return out.find(words) != std::string::npos; }
};

/// Runs `launchbox arguments...` in the repository's root, with 100 columns of UTF-8 unless `environment` says
/// otherwise.
call launchbox_run(const std::vector<std::string>& arguments, const std::string& standard_input = {},
                   const std::vector<std::string>& environment = {});

/// The names of all verbs that have a manual page.
std::vector<std::string> all_verbs();

/// Expects a refusal: exit status 2 (or `status`), nothing on standard output, and one or two lines that contain
/// `words`.
void expect_refused(const call& result, const std::string& words, int status = 2);

/// Whether kernels can be compiled here. Tests that need it begin with NEEDS_NVCC().
bool has_nvcc();
#define NEEDS_NVCC() \
    if (!has_nvcc()) GTEST_SKIP() << "there is no nvcc here"

/// A substitute for nvcc that compiles nothing: `body` is a shell script, with $architecture as requested and $cubin as
/// the output file. Its function `finish` does what a successful nvcc does.
std::filesystem::path make_nvcc(const std::filesystem::path& folder, const std::string& body);

std::string repository_file(const std::string& path);

/// A log of ptxas -v and a result file, relative to the repository's root.
inline const std::string log_90 = repository_file("tests/data/logs/basic_sm_90.log");
inline const std::string example = "tests/data/results/example.json";

std::vector<std::string> lines_of(const std::string& text);

}  // namespace launchbox
