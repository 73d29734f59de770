// Messages from the process of a [callback], which runs any user code: lines, each read alone. Whatever is read can be
// stored: valid times, one-line reasons, and nothing that only the tool can know.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "tune/backend/callback_messages.hpp"
#include "tune/types/sample_time.hpp"

using namespace launchbox;

namespace {

void read_one(const std::string& line)
{
    constexpr std::size_t max_samples = 4;
    try {
        const worker_message message = callback_message_of(line, max_samples);
        if (message.phase) return;
        const measurement& answer = message.answer;
        if (answer.samples_ns.size() > max_samples || answer.reason.find('\n') != std::string::npos) std::abort();
        if (!std::ranges::all_of(answer.samples_ns, is_time)) std::abort();
        if (answer.status == outcome::worker_died || answer.status == outcome::device_lost) std::abort();
        if (answer.status != outcome::measured && !answer.samples_ns.empty()) std::abort();
    } catch (const error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        read_one(std::string(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return 0;
}
