// A table of launches is any text. Every valid line gets a plausible answer; every error has a place.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "app/occupancy_questions.hpp"
#include "report/occupancy/answers_report.hpp"
#include "require.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    launchbox::occupancy_request common;
    common.architectures = launchbox::architecture_list("sm_90");
    for (const bool has_architecture : {true, false}) {
        try {
            if (!has_architecture) common.architectures = {};
            const auto answers = launchbox::answers_of_table(common, text, "fuzz");
            require(answers.size() <= size);
            for (const launchbox::occupancy_answer& answer : answers) {
                require(answer.resident_blocks >= 0 && answer.resident_warps <= answer.warp_slots);
                require((answer.resident_blocks == 0) == !answer.obstacle.empty());
            }
            std::ostringstream out;
            launchbox::write_answers_json(answers, out);
            launchbox::write_answers_csv(answers, out);
        } catch (const launchbox::error& problem) {
            require(std::string_view(problem.what()).starts_with("fuzz") ||
                    problem.status() != launchbox::exit_status::bad_input);
        }
    }
    return 0;
}
