// The element types of kernel arguments.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "support/text/matching.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

using element_kind = element_type::kind;

struct known_type {
    std::string_view name;
    element_type type;
};

constexpr std::array known_types =
    std::to_array<known_type>({{"char", {element_kind::signed_integer, 1}},
                               {"signed char", {element_kind::signed_integer, 1}},
                               {"short", {element_kind::signed_integer, 2}},
                               {"int", {element_kind::signed_integer, 4}},
                               {"long", {element_kind::signed_integer, 8}},
                               {"long long", {element_kind::signed_integer, 8}},
                               {"int8_t", {element_kind::signed_integer, 1}},
                               {"int16_t", {element_kind::signed_integer, 2}},
                               {"int32_t", {element_kind::signed_integer, 4}},
                               {"int64_t", {element_kind::signed_integer, 8}},
                               {"ptrdiff_t", {element_kind::signed_integer, 8}},
                               {"bool", {element_kind::unsigned_integer, 1}},
                               {"unsigned char", {element_kind::unsigned_integer, 1}},
                               {"unsigned short", {element_kind::unsigned_integer, 2}},
                               {"unsigned", {element_kind::unsigned_integer, 4}},
                               {"unsigned int", {element_kind::unsigned_integer, 4}},
                               {"unsigned long", {element_kind::unsigned_integer, 8}},
                               {"unsigned long long", {element_kind::unsigned_integer, 8}},
                               {"uint8_t", {element_kind::unsigned_integer, 1}},
                               {"uint16_t", {element_kind::unsigned_integer, 2}},
                               {"uint32_t", {element_kind::unsigned_integer, 4}},
                               {"uint64_t", {element_kind::unsigned_integer, 8}},
                               {"size_t", {element_kind::unsigned_integer, 8}},
                               {"float", {element_kind::floating, 4}},
                               {"double", {element_kind::floating, 8}},
                               {"half", {element_kind::half, 2}},
                               {"__half", {element_kind::half, 2}},
                               {"nv_bfloat16", {element_kind::bfloat16, 2}},
                               {"__nv_bfloat16", {element_kind::bfloat16, 2}},
                               {"half2", {element_kind::opaque, 4}},
                               {"__half2", {element_kind::opaque, 4}},
                               {"__nv_bfloat162", {element_kind::opaque, 4}},
                               {"nv_bfloat162", {element_kind::opaque, 4}},
                               {"__nv_fp8_e4m3", {element_kind::opaque, 1}},
                               {"__nv_fp8_e5m2", {element_kind::opaque, 1}}});

// CUDA's vectors: float4, uchar2, ...
constexpr std::array vector_elements = std::to_array<std::pair<std::string_view, int>>({{"char", 1},
                                                                                        {"uchar", 1},
                                                                                        {"short", 2},
                                                                                        {"ushort", 2},
                                                                                        {"int", 4},
                                                                                        {"uint", 4},
                                                                                        {"long", 8},
                                                                                        {"ulong", 8},
                                                                                        {"longlong", 8},
                                                                                        {"ulonglong", 8},
                                                                                        {"float", 4},
                                                                                        {"double", 8}});

std::string_view without_namespace(std::string_view name)
{
    for (const std::string_view space : {"::", "std::", "cuda::std::"})
        if (name.starts_with(space) && name.ends_with("_t")) return name.substr(space.size());
    return name;
}

[[noreturn]] void refuse_type(const std::string& name)
{
    std::vector<std::string> names;
    for (const known_type& type : known_types) names.emplace_back(type.name);
    const std::string meant = nearest(name.substr(0, 64), names);
    throw error("unknown type \"" + name.substr(0, 80) + "\"",
                meant.empty() ? "supported are C++'s numbers, half, nv_bfloat16 and CUDA's vectors, such as float4"
                              : "did you mean " + meant + "?");
}

}  // namespace

element_type element_type_of(const std::string& name)
{
    const std::string_view wanted = without_namespace(name);
    for (const known_type& type : known_types)
        if (type.name == wanted) return type.type;
    if (!wanted.empty() && wanted.back() >= '1' && wanted.back() <= '4')
        for (const auto& [element, bytes] : vector_elements)
            if (wanted.substr(0, wanted.size() - 1) == element)
                return {element_kind::opaque, bytes * (wanted.back() - '0')};
    refuse_type(name);
}

}  // namespace launchbox
