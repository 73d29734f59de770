// Tasks and answers are read back from their lines unchanged, and other lines are refused.
#include "tune/worker/worker_messages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace launchbox {
namespace {

gpu_task whole_task()
{
    gpu_task task;
    task.cubin_file = "/a b/c.cubin";
    task.workload = "n=1";
    task.threads = {1, 2, 3};
    task.blocks = {std::int64_t{1} << 40, 5, 6};
    task.arguments = {{.name = "x",
                       .type = "float",
                       .scalar = true,
                       .number = -std::numeric_limits<double>::infinity(),
                       .integer = -(std::int64_t{1} << 62)},
                      {.name = "y",
                       .type = "int",
                       .count = 7,
                       .fill = fill_kind::file,
                       .low = -0.1,
                       .seed = -3,
                       .file = "f",
                       .role = argument_role::in_out}};
    task.variables = {{.name = "table", .type = "float", .count = 3}};
    task.expected = {{"y", "r.npy"}};
    task.measure.relative_error = 0.1;
    return task;
}

TEST(worker_messages, are_read_back_unchanged)
{
    const gpu_task task = whole_task();
    const std::string line = task_line(task);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const gpu_task back = task_of(line);
    EXPECT_EQ(task_line(back), line);
    EXPECT_EQ(back.arguments[0].number, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(back.variables.at(0).name, "table");
    EXPECT_EQ(back.arguments[0].integer, -(std::int64_t{1} << 62));
    EXPECT_EQ(back.arguments[1].low, -0.1);
    EXPECT_EQ(back.blocks, task.blocks);

    measurement answer{.status = outcome::hang, .reason = "a \"b\"\n\xff", .samples_ns = {1.1, 1e300}, .dropped = 3};
    answer.device = device_state{5, {}, 60, {}, "thermal"};
    answer.warnings = {"one", ""};
    answer.phases = phase_seconds{.verify = 0.5};
    const worker_message message = message_of(answer_line(answer));
    ASSERT_FALSE(message.phase);
    answer.reason = "a \"b\"\n\xef\xbf\xbd";  // invalid UTF-8 is replaced
    EXPECT_EQ(message.answer, answer);
    EXPECT_EQ(message_of(phase_line(worker_phase::check)).phase, worker_phase::check);
    EXPECT_THROW(task_of("{}"), error);
}

// Each member missing, null, of another type, or out of range.
TEST(worker_messages, invalid_messages_are_refused)
{
    const nlohmann::json task = nlohmann::json::parse(task_line(whole_task()));
    for (const auto& [name, value] : task.items())
        for (const nlohmann::json& other : {nlohmann::json(), nlohmann::json("text"), nlohmann::json(0.5),
                                            nlohmann::json(std::uint64_t{1} << 63), nlohmann::json::array({1, 2})}) {
            if (value.type() == other.type() || (value.is_number_float() && other.is_number())) continue;
            nlohmann::json broken = task;
            broken[name] = other;
            EXPECT_THROW((void)task_of(broken.dump()), error) << name << " " << other;
            broken.erase(name);
            EXPECT_THROW((void)task_of(broken.dump()), error) << name;
        }
    for (const auto& [name, value] : {std::pair("fill", nlohmann::json(6)),
                                      {"fill", -1},
                                      {"role", 3},
                                      {"number", "x"},
                                      {"number", "1.5x"},
                                      {"low", "y"},
                                      {"count", 1.5}}) {
        nlohmann::json broken = task;
        broken["arguments"][0][name] = value;
        EXPECT_THROW((void)task_of(broken.dump()), error) << name << " " << value;
    }
    for (const char* line :
         {"", "{", "[]", "7", "{}", "{\"phase\": \"sleep\"}", "{\"phase\": 1}", "{\"status\": 99}", "nonsense"})
        EXPECT_THROW((void)message_of(line), error) << line;
}

}  // namespace
}  // namespace launchbox
