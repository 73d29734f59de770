// JSON that is written part by part: a report of 45,000 kernels does not fit into memory as one tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace launchbox {

/// How an element of an array of the outermost object is written: the slow part, which can be done on any thread.
std::string json_element_text(const nlohmann::ordered_json& value);

/// Writes one object, byte by byte what nlohmann's dump(2) would write of the whole, with a line feed at the end.
/// Arrays of it can be written element by element; everything else is given as a value.
class json_object_stream {
public:
    explicit json_object_stream(std::ostream& out) : out_(out) {}

    void member(std::string_view name, const nlohmann::ordered_json& value);
    void begin_array(std::string_view name);
    void element(const nlohmann::ordered_json& value) { element_text(json_element_text(value)); }
    void element_text(std::string_view text);  ///< of `json_element_text`
    void end_array();
    void finish();

private:
    void begin_member(std::string_view name);

    std::ostream& out_;
    bool has_members_ = false;
    bool has_elements_ = false;
};

}  // namespace launchbox
