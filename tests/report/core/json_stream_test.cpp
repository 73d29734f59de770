// JSON written in parts equals JSON written at once, byte by byte.
#include "report/core/json_stream.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace launchbox {
namespace {

using nlohmann::ordered_json;

TEST(json_stream, equals_a_dump_of_the_whole)
{
    const ordered_json values[] = {nullptr,
                                   "a\nb\"\\ [\n  {",
                                   1.5,
                                   ordered_json::array(),
                                   ordered_json::object(),
                                   {{"x", {1, 2, {{"y", ordered_json::array({1})}}}}, {"z", "\n"}}};
    for (std::size_t elements : {0u, 1u, 6u}) {
        ordered_json whole;
        std::ostringstream out;
        json_object_stream json(out);
        for (int i = 0; i < 6; ++i) {
            whole["member\n" + std::to_string(i)] = values[i];
            json.member("member\n" + std::to_string(i), values[i]);
        }
        whole["list"] = ordered_json::array();
        json.begin_array("list");
        for (std::size_t i = 0; i < elements; ++i) {
            whole["list"].push_back(values[i]);
            json.element(values[i]);
        }
        json.end_array();
        whole["last"] = 1;
        json.member("last", 1);
        json.finish();
        EXPECT_EQ(out.str(), whole.dump(2) + '\n');
    }
}

}  // namespace
}  // namespace launchbox
