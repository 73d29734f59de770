// The variables of a loaded module: filled as the task says, filled again before variable launch, and looked at after
// one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/worker/gpu_context.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

class module_state {
public:
    /// Fills the task's variables. Throws `error` if the module has no such variable, or a smaller one.
    module_state(const gpu_context& gpu, CUmodule module, std::string_view cubin, const gpu_task& task);
    ~module_state();
    module_state(const module_state&) = delete;
    module_state& operator=(const module_state&) = delete;

    /// In stream order: resets variables to their content when the module was loaded.
    void reset() const;
    /// In stream order: copies the content of all variables from another module of the same code.
    void take(const module_state& other) const;

    /// Remembers the content of variables that nothing resets. `changed`: those whose content differs by now, except
    /// those that the task allows to change (reset = false). Both wait for the GPU.
    void remember(gpu_context& gpu);
    [[nodiscard]] std::vector<std::string> changed(gpu_context& gpu) const;

private:
    struct module_variable {
        std::string name;
        CUdeviceptr data = 0, pristine = 0;
        std::size_t bytes = 0;
        std::optional<bool> reset = {};
        bool is_constant = true;  // nothing of the module's global memory
        std::uint64_t sum = 0;
    };
    module_variable& find(const std::string& name);
    void add_others(std::string_view cubin);
    void fill(const task_argument& from, const module_variable& to) const;
    void free_all();
    [[nodiscard]] static bool is_watched(const module_variable& variable)
    {
        return !variable.reset && !variable.is_constant && variable.bytes > 0;
    }
    void ask(gpu_context& gpu) const;
    [[nodiscard]] bool watches_any() const { return std::ranges::any_of(variables_, is_watched); }

    const gpu_context& gpu_;
    CUmodule module_;
    std::vector<module_variable> variables_;
};

}  // namespace launchbox
