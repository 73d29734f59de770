// JSON that is written part by part: a report of 45,000 kernels does not fit into memory as one tree.
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <string_view>

namespace launchbox {

/// Writes one object, byte by byte what nlohmann's dump(2) would write of the whole, with a line feed at the end.
/// Arrays of it can be written element by element; everything else is given as a value.
class json_object_stream {
public:
    explicit json_object_stream(std::ostream& out) : out_(out) {}

    void member(std::string_view name, const nlohmann::ordered_json& value);
    void begin_array(std::string_view name);
    void element(const nlohmann::ordered_json& value);
    void end_array();
    void finish();

private:
    void begin_member(std::string_view name);
    void put(const nlohmann::ordered_json& value, int depth);

    std::ostream& out_;
    bool has_members_ = false;
    bool has_elements_ = false;
};

}  // namespace launchbox
