// Each launch of a table gets the same answer as alone.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "app/occupancy_questions.hpp"
#include "scale.hpp"

namespace launchbox {
namespace {

struct random_launch {
    std::string line;
    occupancy_request request;
};

class launch_source {
public:
    random_launch next()
    {
        static const std::vector<std::string> architectures{"sm_35", "sm_52",  "sm_61",  "sm_70",  "sm_75", "sm_80",
                                                            "sm_86", "sm_90a", "sm_100", "sm_120", "H100",  "T4"};
        random_launch made;
        const std::string& architecture = architectures[static_cast<std::size_t>(pick(0, 11))];
        made.request.architectures = architecture_list(architecture);
        made.request.threads = pick(1, 1100);
        launch_inputs& launch = made.request.launch;
        made.line = architecture + "," + std::to_string(*made.request.threads);
        const auto number = [&](auto& member, int least, int most) {
            made.line += ",";
            if (pick(0, 3) == 0) return;
            member = pick(least, most);
            made.line += std::to_string(*member);
        };
        number(launch.registers, 0, 255);
        number(launch.static_shared_bytes, 0, 60000);
        number(launch.barriers, 0, 20);
        number(launch.max_threads, 1, 1024);
        made.line += ",";
        if (pick(0, 1) == 0) {
            const std::string size =
                pick(0, 1) == 0 ? std::to_string(pick(0, 200'000)) : std::to_string(pick(1, 64)) + "*threads";
            launch.dynamic_shared.emplace(size);
            made.line += size;
        }
        launch.carveout_percent = pick(-1, 100);
        made.line += "," + std::to_string(launch.carveout_percent);
        return made;
    }

private:
    int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

    std::mt19937_64 random_{random_seed()};
};

TEST(answers_of_table, answers_each_launch_as_if_alone)
{
    launch_source source;
    std::string table = "arch,threads,registers,shared,barriers,max-threads,dynamic_shared,carveout\n";
    std::vector<occupancy_answer> expected;
    std::size_t resident = 0;
    const int count = is_exhaustive() ? 100'000 : 10'000;
    for (int i = 0; i < count; ++i) {
        const random_launch one = source.next();
        // A launch with more registers than its architecture has is refused, in both.
        try {
            one.request.launch.refuse_registers(one.request.architectures.gpus());
        } catch (const std::exception&) {
            continue;
        }
        table += one.line + "\n";
        const occupancy_account account = accounts_of_figures(one.request).front();
        occupancy_answer answer{.architecture = account.question.architecture,
                                .resident_blocks = account.result.resident_blocks,
                                .resident_warps = account.result.resident_warps,
                                .warp_slots = account.result.warp_slots,
                                .occupancy = account.result.occupancy(),
                                .limits = {},
                                .limiters = account.result.limiters,
                                .obstacle = account.obstacle};
        answer.limits.fill(unlimited);
        for (std::size_t limit = 0; limit < account.limits.size() && limit < 5; ++limit)
            if (account.limits[limit].blocks) answer.limits[limit] = *account.limits[limit].blocks;
        resident += answer.resident_blocks > 0;
        expected.push_back(answer);
    }
    const std::vector<occupancy_answer> answers = answers_of_table({}, table, "table");
    ASSERT_EQ(answers.size(), expected.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_EQ(answers[i].architecture, expected[i].architecture) << i;
        ASSERT_EQ(answers[i].resident_blocks, expected[i].resident_blocks) << i;
        ASSERT_EQ(answers[i].resident_warps, expected[i].resident_warps) << i;
        ASSERT_EQ(answers[i].warp_slots, expected[i].warp_slots) << i;
        ASSERT_EQ(answers[i].occupancy, expected[i].occupancy) << i;
        ASSERT_EQ(answers[i].limits, expected[i].limits) << i;
        ASSERT_EQ(answers[i].limiters, expected[i].limiters) << i;
        ASSERT_EQ(answers[i].obstacle, expected[i].obstacle) << i;
    }
    EXPECT_GT(resident, answers.size() / 4);
    EXPECT_GT(answers.size() - resident, answers.size() / 10);
}

}  // namespace
}  // namespace launchbox
