// What the two halves of the T1 translation share: the space (t1_spec.cpp) and the kernel (t1_kernel.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tune/t1/python_to_lua.hpp"
#include "tune/t1/t1_spec.hpp"

namespace launchbox::t1 {

using json = nlohmann::ordered_json;

struct t1_reader {
    const std::string& file;
    const std::string& folder;
    t1_translation result = {};
    python_names names = {};                   ///< of sizes and conditions
    std::vector<std::string> parameters = {};  ///< their names in the problem, in its order
    std::string source = {};                   ///< text of KernelFile; empty where it cannot be read
    std::string variables = {};                ///< lines of [kernel] variables

    void note(const std::string& place, const std::string& what) { result.notes.push_back({place, what}); }
    /// The same, and a comment at the end of the spec so far.
    void note_here(const std::string& place, const std::string& what);
    /// Names what the object has beside these keys.
    void name_others(const json& object, const std::string& place, std::initializer_list<const char*> known);
    void write(const std::string& line) { result.spec += line + "\n"; }
};

/// [kernel] and [verify], and what the problem says of the search.
void translate_kernel(t1_reader& of, const json& root);

/// A number, word or list of JSON as Python would write it; a string is an expression already.
std::string python_text(const json& value);

/// The member, or null.
const json& member(const json& object, const char* key);

}  // namespace launchbox::t1
