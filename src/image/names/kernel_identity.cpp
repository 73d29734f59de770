// SPDX-License-Identifier: Apache-2.0
#include "image/names/kernel_identity.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "image/names/changing_name.hpp"
#include "image/names/launch_box_name.hpp"

namespace launchbox {

namespace {

constexpr std::string_view static_prefix = "__nv_static_", anonymous = "_GLOBAL__N__";

// Removes leading digits and the `_` after them.
std::optional<std::size_t> take_number(std::string_view& text)
{
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::size_t digits = static_cast<std::size_t>(end - text.data());
    if (failure != std::errc{} || digits >= text.size() || *end != '_') return std::nullopt;
    text.remove_prefix(digits + 1);
    return number;
}

// The file in HASH_LENGTH_FILE_..., nvcc's name for a translation unit. Before CUDA 11.3 there is no hash, and FILE is
// the name of a temporary file: tmpxft_PID_0_NAME_cpp1_ii_HASH.
std::string_view file_of_unit(std::string_view unit);

}  // namespace

std::string_view without_static_prefix(std::string_view name)
{
    if (!name.starts_with(static_prefix)) return name;
    std::string_view rest = name.substr(static_prefix.size());
    const auto length = take_number(rest);
    if (!length || *length >= rest.size() || rest[*length] != '_') return name;
    return rest.substr(*length + 1);
}

std::string_view file_in_symbol(std::string_view name)
{
    if (const auto at = name.find(anonymous); at != std::string_view::npos)
        return file_of_unit(name.substr(at + anonymous.size()));
    if (!name.starts_with(static_prefix)) return {};
    std::string_view rest = name.substr(static_prefix.size());
    if (!take_number(rest) || !rest.starts_with('_')) return {};
    return file_of_unit(rest.substr(1));
}

std::string kernel_identity(std::string_view name, std::string_view demangled)
{
    std::string identity = without_changing_part(without_unit(demangled));
    if (const std::string_view file = file_in_symbol(name); !file.empty()) identity.append(" [").append(file) += ']';
    return identity;
}

std::string without_architectures(std::string_view name)
{
    constexpr std::string_view digits = "0123456789", mark = "_SM_";
    std::string result;
    while (true) {
        const std::size_t at = name.find(mark);
        if (at == std::string_view::npos) return result.append(name);
        // Preceded by the version, and one of the two names.
        const std::size_t version = name.substr(0, at).find_last_not_of(digits) + 1;
        const std::string_view before = name.substr(0, version);
        result.append(name.substr(0, at));
        name.remove_prefix(at + mark.size());
        const std::size_t end = std::min(name.find_first_not_of("0123456789_"), name.size());
        const bool is_namespace = version < at && (before.ends_with("CUB_") || before.ends_with("THRUST_")) &&
                                  name.find_first_of(digits) == 0;
        if (is_namespace)
            name.remove_prefix(name.substr(0, end).find_last_of(digits) + 1);
        else
            result.append(mark);
    }
}

namespace {

std::string_view file_of_unit(std::string_view unit)
{
    constexpr std::size_t hash_digits = 8;
    if (unit.size() > hash_digits && unit.find_first_not_of("0123456789abcdef") == hash_digits &&
        unit[hash_digits] == '_')
        unit.remove_prefix(hash_digits + 1);
    const auto length = take_number(unit);
    if (!length || *length > unit.size()) return {};
    std::string_view file = unit.substr(0, *length);
    if (file.starts_with("tmpxft_")) {
        for (int underscores = 0; underscores < 4; ++underscores) {
            const auto at = file.find('_');
            if (at == std::string_view::npos) return {};
            file.remove_prefix(at + 1);
        }
        file = file.substr(0, file.rfind("_cpp1_ii_"));
    }
    return file;
}

}  // namespace

}  // namespace launchbox
