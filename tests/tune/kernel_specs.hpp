// Specs of kernels, each written into its own folder.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compiler/run/nvrtc.hpp"
#include "compiler/run/toolchain.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::testing_specs {

/// The part of a toolkit with NVRTC that is missing; empty: none. Tests that compile with both are skipped then.
inline std::string missing_compiler()
{
    try {
        const toolchain tools = find_toolchain();
        return find_nvrtc(&tools) ? "" : "no NVRTC";
    } catch (const error& none) {
        return none.what();
    }
}

inline tune_spec spec_of(const std::filesystem::path& folder, const std::string& source, const std::string& name,
                         std::vector<std::string> flags = {})
{
    tune_spec spec;
    spec.file = "kernel.toml";
    spec.folder = folder.string();
    spec.kernel.emplace();
    spec.kernel->source = source;
    spec.kernel->name = name;
    spec.kernel->flags = std::move(flags);
    return spec;
}

inline assignment values_of(std::vector<std::pair<std::string, parameter_value>> values)
{
    return {std::move(values)};
}

inline parameter_value integer(std::int64_t value)
{
    return value;
}

}  // namespace launchbox::testing_specs
