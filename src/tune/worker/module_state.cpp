// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/module_state.hpp"

#include <fmt/format.h>

#include <array>

#include "image/module_variables.hpp"
#include "support/error.hpp"
#include "tune/worker/buffers.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_variables = 1000;

}  // namespace

module_state::module_state(const gpu_context& gpu, CUmodule module, std::string_view cubin, const gpu_task& task)
    : gpu_(gpu), module_(module)
{
    try {
        for (const task_argument& wanted : task.variables) {
            module_variable& found = find(wanted.name);
            found.reset = wanted.reset;
            if (!wanted.type.empty()) fill(wanted, found);
        }
        if (task.capture.empty()) add_others(cubin);  // captured memory is restored and compared, including variables
        for (module_variable& variable : variables_) {
            if (!variable.reset.value_or(false) || variable.bytes == 0) continue;
            const std::string stage = fmt::format("when the variable '{}' was copied", variable.name);
            gpu.check(gpu.driver().allocate(&variable.pristine, variable.bytes), stage);
            gpu.check(gpu.driver().copy_on_device(variable.pristine, variable.data, variable.bytes, gpu.stream()),
                      stage);
        }
    } catch (...) {
        free_all();
        throw;
    }
}

void module_state::add_others(std::string_view cubin)
{
    // The driver does not know every symbol in the image, for example string literals.
    for (std::string& name : module_variables(cubin)) {
        if (variables_.size() >= max_variables) break;
        module_variable other{.name = std::move(name), .is_constant = false};
        if (gpu_.driver().get_variable(&other.data, &other.bytes, module_, other.name.c_str()) != CUDA_SUCCESS)
            continue;
        const auto known = std::ranges::find(variables_, other.data, &module_variable::data);
        if (known == variables_.end())
            variables_.push_back(std::move(other));
        else
            known->is_constant = false;
    }
}

module_state::~module_state()
{
    free_all();
}

void module_state::free_all()
{
    if (!gpu_.hangs())
        for (const module_variable& variable : variables_)
            if (variable.pristine != 0) gpu_.driver().free(variable.pristine);
    variables_.clear();
}

module_state::module_variable& module_state::find(const std::string& name)
{
    module_variable found{.name = name};
    const CUresult code = gpu_.driver().get_variable(&found.data, &found.bytes, module_, name.c_str());
    if (code == CUDA_ERROR_NOT_FOUND) throw error("its module has no variable '" + name + "'");
    gpu_.check(code, "when the variable '" + name + "' was looked up in its module");
    return variables_.emplace_back(std::move(found));
}

void module_state::fill(const task_argument& from, const module_variable& to) const
{
    const std::size_t element = static_cast<std::size_t>(element_type_of(from.type).bytes);
    const std::size_t bytes = from.scalar ? element : bytes_of(from);
    if (bytes > to.bytes)
        throw error(fmt::format("the variable '{}' has {} bytes, but its data has {}", from.name, to.bytes, bytes));
    const std::array<char, 16> scalar = from.scalar ? scalar_bytes(from) : std::array<char, 16>{};
    std::optional<argument_filler> filler;
    if (!from.scalar) filler.emplace(from);
    gpu_.upload(to.data, bytes, [&](std::size_t start, std::size_t count, char* into) {
        if (filler)
            filler->fill(static_cast<std::int64_t>(start / element), static_cast<std::int64_t>(count / element), into);
        else
            std::copy_n(scalar.data() + start, count, into);
    });
}

void module_state::reset() const
{
    for (const module_variable& variable : variables_)
        if (variable.pristine != 0)
            gpu_.check(gpu_.driver().copy_on_device(variable.data, variable.pristine, variable.bytes, gpu_.stream()),
                       "when its variables were reset");
}

void module_state::take(const module_state& other) const
{
    for (std::size_t i = 0; i < std::min(variables_.size(), other.variables_.size()); ++i)
        if (is_watched(variables_[i]) && variables_[i].bytes == other.variables_[i].bytes)
            gpu_.check(gpu_.driver().copy_on_device(variables_[i].data, other.variables_[i].data, variables_[i].bytes,
                                                    gpu_.stream()),
                       "when its variables were reset");
}

void module_state::ask(gpu_context& gpu) const
{
    for (const module_variable& variable : variables_)
        if (is_watched(variable)) gpu.ask_checksum(variable.data, variable.bytes);
}

void module_state::remember(gpu_context& gpu)
{
    if (!watches_any()) return;
    ask(gpu);
    const std::vector<std::uint64_t> sums = gpu.sums();
    const std::uint64_t* sum = sums.data();
    for (module_variable& variable : variables_)
        if (is_watched(variable)) variable.sum = *sum++;
}

std::vector<std::string> module_state::changed(gpu_context& gpu) const
{
    std::vector<std::string> names;
    if (!watches_any()) return names;
    ask(gpu);
    const std::vector<std::uint64_t> sums = gpu.sums();
    const std::uint64_t* sum = sums.data();
    for (const module_variable& variable : variables_)
        if (is_watched(variable) && *sum++ != variable.sum) names.push_back(variable.name);
    return names;
}

}  // namespace launchbox
