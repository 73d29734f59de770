// Messages of a user's process are read strictly, and cannot contain what only the tool can know.
#include "tune/backend/callback_messages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace launchbox {
namespace {

using nlohmann::json;

json right_answer()
{
    return {{"samples_ns", {1000.0, 1100.0}}, {"verified", true}, {"failure", ""}, {"reason", ""}, {"restart", false},
            {"warnings", json::array()}};
}

measurement answer_in(const json& said)
{
    const worker_message message = callback_message_of(said.dump(), 2);
    EXPECT_FALSE(message.phase.has_value());
    return message.answer;
}

TEST(callback_messages, a_task_contains_everything_that_is_needed)
{
    callback_task task{.parameters = {{{"block", std::int64_t{256}}, {"op", std::string("a \"b\"\n")}}},
                       .workload = {{{"n", 0.5}}},
                       .reference = assignment{{{"block", std::int64_t{1}}}},
                       .is_reference = false,
                       .samples = 3,
                       .cold = false,
                       .absolute = 0.25,
                       .relative = 0.5};
    const std::string line = callback_line(task);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(json::parse(line), json({{"parameters", {{"block", 256}, {"op", "a \"b\"\n"}}},
                                       {"workload", {{"n", 0.5}}},
                                       {"reference", {{"block", 1}}},
                                       {"is_reference", false},
                                       {"samples", 3},
                                       {"cold", false},
                                       {"absolute", 0.25},
                                       {"relative", 0.5}}));
    task.reference.reset();
    EXPECT_FALSE(json::parse(callback_line(task)).contains("reference"));
}

TEST(callback_messages, phases_and_answers_are_read)
{
    EXPECT_EQ(callback_message_of(R"({"phase": "ready"})", 0).phase, worker_phase::ready);
    EXPECT_EQ(callback_message_of(R"({"phase": "measure"})", 0).phase, worker_phase::measure);
    const measurement measured = answer_in(right_answer());
    EXPECT_EQ(measured.status, outcome::measured);
    EXPECT_EQ(measured.samples_ns, (std::vector<double>{1000, 1100}));
    EXPECT_TRUE(measured.verified);
    EXPECT_FALSE(measured.sticky);
}

TEST(callback_messages, invalid_messages_are_refused)
{
    for (const char* line : {"", "{", "7", "null", "[]", "{}", R"({"phase": "asleep"})", R"({"phase": 7})",
                             R"({"samples_ns": [1]})", "\xff\xfe", R"({"phase": "ready")"})
        EXPECT_THROW(callback_message_of(line, 2), error) << line;
    for (const char* member : {"samples_ns", "verified", "failure", "reason", "restart", "warnings"}) {
        json cut = right_answer();
        cut.erase(member);
        EXPECT_THROW(callback_message_of(cut.dump(), 2), error) << member;
        for (const json& wrong : {json(nullptr), json::object(), json("x"), json(true)}) {
            json said = right_answer();
            if (said[member].type() == wrong.type()) continue;
            said[member] = wrong;
            EXPECT_THROW(callback_message_of(said.dump(), 2), error) << member << " " << wrong;
        }
    }
    EXPECT_THROW(callback_message_of(right_answer().dump(), 1), error) << "more samples than were asked for";
    EXPECT_THROW(callback_message_of(std::string(100'000, '['), 2), error);
}

TEST(callback_messages, an_invalid_time_fails_the_candidate)
{
    for (const double sample : {0.0, -1.0, 1e300, 1e-300}) {
        json said = right_answer();
        said["samples_ns"] = {1000.0, sample};
        const measurement found = answer_in(said);
        EXPECT_EQ(found.status, outcome::launch_error) << sample;
        EXPECT_TRUE(found.samples_ns.empty());
    }
}

TEST(callback_messages, failures_have_a_kind_and_a_one_line_reason)
{
    const auto failed = [](const char* what, const std::string& reason) {
        json said = right_answer();
        said["failure"] = what;
        said["reason"] = reason;
        return answer_in(said);
    };
    EXPECT_EQ(failed("out_of_memory", "no room").status, outcome::out_of_memory);
    EXPECT_EQ(failed("out_of_memory", "no room").reason, "no room");
    EXPECT_TRUE(failed("out_of_memory", "no room").samples_ns.empty());
    for (const char* what : {"measured", "worker_died", "device_lost", "nonsense"})
        EXPECT_EQ(failed(what, "").status, outcome::launch_error) << what;
    EXPECT_EQ(failed("trap", "").reason, "trap");
    EXPECT_EQ(failed("trap", "one\ntwo\x01").reason, "one two ");
    EXPECT_LT(failed("trap", std::string(100'000, 'x')).reason.size(), 600u);
    EXPECT_EQ(failed("trap", std::string(499, 'x') + "\u00e9\u00e9").reason, std::string(499, 'x') + "...");
}

TEST(callback_messages, the_error_of_the_driver_takes_precedence)
{
    const auto after = [](int status) {
        json said = right_answer();
        said["failure"] = "launch_error";
        said["cuda_status"] = status;
        return answer_in(said);
    };
    EXPECT_EQ(after(700).status, outcome::illegal_access);
    EXPECT_TRUE(after(700).sticky);
    EXPECT_EQ(after(2).status, outcome::out_of_memory);
    EXPECT_FALSE(after(2).sticky);
    EXPECT_EQ(after(0).status, outcome::launch_error);
    // The GPU does not count as lost for others because one process says so; but this process cannot continue.
    EXPECT_EQ(after(999).status, outcome::launch_error);
    EXPECT_TRUE(after(999).sticky);
}

}  // namespace
}  // namespace launchbox
