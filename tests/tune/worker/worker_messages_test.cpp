// What a task or an answer is comes back from its line, and nothing else is read.
#include "tune/worker/worker_messages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace launchbox {
namespace {

gpu_task whole_task()
{
    gpu_task task;
    task.cubin_file = "a b.cubin";
    task.kernel = "_Z4copyPf";
    task.threads = {64, 2, 1};
    task.blocks = {std::int64_t{1} << 31, 1, 1};
    task.carveout_percent = -1;
    task.expected = {{"out", "out.npy"}};
    task.measure.cold = false;
    task.measure.min_samples = 7;
    task.arguments.emplace_back().name = "n";
    task.arguments[0].number = -std::numeric_limits<double>::infinity();
    task.arguments[0].fill = fill_kind::file;
    task.arguments[0].role = argument_role::in_out;
    task.arguments[0].low = 0.1;
    task.variables.emplace_back().reset = false;
    return task;
}

TEST(worker_messages, come_back_as_they_went)
{
    const gpu_task task = whole_task(), read = task_of(task_line(task));
    EXPECT_EQ(task_line(read), task_line(task));
    EXPECT_EQ(read.blocks, task.blocks);
    EXPECT_EQ(read.expected, task.expected);
    EXPECT_EQ(read.measure.min_samples, 7);
    EXPECT_EQ(read.arguments.at(0).number, task.arguments[0].number);
    EXPECT_EQ(read.arguments[0].fill, fill_kind::file);
    EXPECT_EQ(read.arguments[0].role, argument_role::in_out);
    EXPECT_EQ(read.arguments[0].low, 0.1);
    EXPECT_EQ(read.arguments[0].high, std::nullopt);
    EXPECT_EQ(read.variables.at(0).reset, false);
    measurement answer{.what = outcome::device_lost, .reason = "\"x\"\n", .samples_ns = {0.1, 1e9}};
    answer.warnings = {"one", ""};
    answer.device.emplace().throttling = "thermal";
    answer.phases = phase_seconds{.verify = 0.5};
    EXPECT_EQ(message_of(answer_line(answer)).answer, answer);
    EXPECT_EQ(message_of(phase_line(worker_phase::check)).phase, worker_phase::check);
}

// Each member that is missing, null, of another type or out of range.
TEST(worker_messages, others_are_refused)
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
    for (const char* line : {"", "{", "[]", "7", "{}", "{\"phase\": \"sleep\"}", "{\"phase\": 1}", "{\"status\": 99}"})
        EXPECT_THROW((void)message_of(line), error) << line;
}

}  // namespace
}  // namespace launchbox
