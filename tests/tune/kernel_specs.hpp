// Specs of kernels that are written into a folder of their own.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/files/files.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::testing_specs {

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
