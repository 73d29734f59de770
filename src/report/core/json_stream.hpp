// JSON written part by part: a report of 45,000 kernels does not fit into memory as one tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace launchbox {

/// The text of an element of an array in the outermost object: the slow part, which any thread can do.
std::string json_element_text(const nlohmann::ordered_json& value);

/// Writes one object, byte for byte what nlohmann's dump(2) would give for the whole, with a line feed at the end. Its
/// arrays can be written element by element; everything else is passed as a value.
class json_object_stream {
public:
    explicit json_object_stream(std::ostream& out) : out_(out) {}

    void member(std::string_view name, const nlohmann::ordered_json& value);
    void begin_array(std::string_view name);
    void element(const nlohmann::ordered_json& value) { element_text(json_element_text(value)); }
    void element_text(std::string_view text);  ///< from `json_element_text`
    void end_array();
    void finish();

private:
    void begin_member(std::string_view name);

    std::ostream& out_;
    bool has_members_ = false;
    bool has_elements_ = false;
};

}  // namespace launchbox
