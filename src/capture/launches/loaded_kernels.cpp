// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/loaded_kernels.hpp"

#include <algorithm>

#include "capture/record/module_file_name.hpp"
#include "image/cubin.hpp"
#include "support/error.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

namespace {

kernel_info as_cupti_tells(const std::string& name, const record::launch_key& key)
{
    kernel_info kernel;
    kernel.name = name;
    if (key.registers > 0) kernel.figures.registers = static_cast<int>(std::min<std::uint32_t>(key.registers, 1 << 16));
    kernel.figures.static_shared_bytes = key.static_shared_bytes;
    return kernel;
}

// The least registers that a thread gets; CUPTI reports them also for a kernel with fewer (measured on an H200 with
// CUPTI 13.0).
constexpr std::uint32_t fewest_registers = 16;

bool may_have(const kernel_info& kernel, std::uint32_t registers)
{
    if (registers == 0 || !kernel.figures.registers || std::cmp_equal(*kernel.figures.registers, registers))
        return true;
    return registers == fewest_registers && std::cmp_less(*kernel.figures.registers, fewest_registers);
}

// Whether two images of a kernel would be reported the same.
bool same_figures(const kernel_info& one, const kernel_info& other)
{
    kernel_info alike = one;
    alike.source = other.source;
    alike.figures.code_bytes = other.figures.code_bytes;
    alike.figures.constant_banks = other.figures.constant_banks;
    alike.toolkit_version = other.toolkit_version;
    alike.virtual_architecture = other.virtual_architecture;
    alike.analysis.features = other.analysis.features;
    return alike == other;
}

}  // namespace

loaded_kernels::loaded_kernels(const std::filesystem::path& folder,
                               const std::set<std::pair<std::uint64_t, std::uint64_t>>& modules,
                               const std::set<std::string_view>& names)
{
    for (const auto& [hash, bytes] : modules) {
        const std::string file = record::module_file_name({.hash = hash, .bytes = bytes});
        try {
            const mapped_file image(folder / file);
            cubin_contents contents = read_cubin(image.bytes(), "module");
            if (contents.architecture.empty() && contents.kernels.empty()) ++unreadable_;
            for (kernel_info& kernel : contents.kernels)
                if (names.contains(kernel.name)) kernels_[kernel.name].push_back(std::move(kernel));
        } catch (const error&) {
            ++unreadable_;
        }
    }
}

kernel_info loaded_kernels::find(const std::string& name, const record::launch_key& key, std::string& unknown) const
{
    const auto known = kernels_.find(name);
    const kernel_info* found = nullptr;
    if (known == kernels_.end()) {
        unknown = "its module was not observed";
        return as_cupti_tells(name, key);
    }
    // Modules may have kernels with the same name; run-time compiled ones often do.
    for (const kernel_info& kernel : known->second) {
        if (!may_have(kernel, key.registers)) continue;
        if (found != nullptr && !same_figures(*found, kernel)) {
            unknown = "several modules have a kernel of this name";
            return as_cupti_tells(name, key);
        }
        found = &kernel;
    }
    if (found == nullptr) {
        unknown = "the module with this name has another register count";
        return as_cupti_tells(name, key);
    }
    return *found;
}

}  // namespace launchbox
