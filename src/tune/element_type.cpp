#include <map>

#include "support/error.hpp"
#include "tune/tune_spec.hpp"

namespace launchbox {

element_type element_type_of(const std::string& name)
{
    using kind = element_type::kind;
    static const std::map<std::string, element_type> types{
        {"bool", {kind::unsigned_integer, 1}},
        {"char", {kind::signed_integer, 1}},
        {"signed char", {kind::signed_integer, 1}},
        {"unsigned char", {kind::unsigned_integer, 1}},
        {"short", {kind::signed_integer, 2}},
        {"unsigned short", {kind::unsigned_integer, 2}},
        {"int", {kind::signed_integer, 4}},
        {"unsigned", {kind::unsigned_integer, 4}},
        {"unsigned int", {kind::unsigned_integer, 4}},
        {"long", {kind::signed_integer, 8}},
        {"unsigned long", {kind::unsigned_integer, 8}},
        {"long long", {kind::signed_integer, 8}},
        {"unsigned long long", {kind::unsigned_integer, 8}},
        {"float", {kind::floating, 4}},
        {"double", {kind::floating, 8}},
        {"half", {kind::half, 2}},
        {"__half", {kind::half, 2}},
        {"__nv_bfloat16", {kind::bfloat16, 2}},
    };
    const auto found = types.find(name);
    if (found == types.end()) throw error("'" + name + "' is no type that launchbox can fill");
    return found->second;
}

}  // namespace launchbox
