// The parameters of a kernel with their types, and how its text uses the memory they point to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/init/kernel_choice.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

struct kernel_parameter {
    std::string name;                   ///< "arg3": the text has none
    std::string shown;                  ///< the type as the source or the compiler says it
    bool is_pointer = false;            ///< then the rest is about what it points to
    bool is_constant = false;           ///< const
    std::string type;                   ///< that specs have for it; empty: none
    std::string template_type;          ///< the template's parameter that the type is: "T"; empty: not one
    std::optional<std::int64_t> bytes;  ///< of one
    bool is_pointer_to_pointer = false;
    bool is_enumeration = false;
    bool is_handle = false;        ///< of a texture or surface
    bool is_only_written = false;  ///< every use in the kernel is an assignment to an element
    bool is_only_read = false;     ///< every use reads an element
    bool may_be_index = false;     ///< whole numbers that the kernel addresses by, or that it counts to

    [[nodiscard]] bool is_whole() const;
    [[nodiscard]] bool is_fraction() const;
};

std::vector<kernel_parameter> parameters_of(const kernel_choice& choice);

/// The template parameters of the chosen instance with their values, including types.
template_values instance_of(const kernel_choice& choice);

/// Every function that the kernel's text names, the kernel first, with their scopes in the file that defines the
/// kernel.
std::vector<int> functions_behind(const kernel_choice& choice);

/// All names in these functions and in the macros that they use.
std::set<std::string_view> names_behind(const kernel_choice& choice);

/// Whether the kernel reads its block size; nullopt: unknown, because it calls a function that the text does not show.
std::optional<bool> reads_block_size(const kernel_choice& choice);

}  // namespace launchbox
