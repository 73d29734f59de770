// Messages between ranks may come from another version of launchbox or from a broken machine: cut off, too long, out of
// order, nonsense. The input is a list of messages, separated by byte 30. Each is read alone; then all are sent as a
// rank to the coordinator, and as a coordinator to a rank: nothing crashes, nothing waits forever, and every message
// that is accepted is one that launchbox could have sent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/cluster_backend.hpp"
#include "cluster/cluster_messages.hpp"
#include "cluster/rank_calls.hpp"
#include "cluster/rank_server.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/store/result_json.hpp"

using namespace launchbox;

namespace {

using fuzz_json = nlohmann::ordered_json;

template <class Read>
void try_to_read(const fuzz_json& from, Read read)
{
    try {
        const auto value = read(from);
        const fuzz_json written = json_of(value);
        if (json_of(read(written)) != written) std::abort();
    } catch (const error&) {
    }
}

void read_alone(const std::string& text)
{
    try {
        const cluster_message read = cluster_message_of(text);
        const cluster_message again = cluster_message_of(encoded(read));
        if (again.bytes != read.bytes || again.said.size() != read.said.size()) std::abort();
        const fuzz_json nothing;
        try_to_read(read.said, facts_of);
        try_to_read(read.said.value("role", nothing), role_of);
        try_to_read(read.said.value("job", nothing),
                    [](const fuzz_json& from) { return record_of<tune_job>(from, "job"); });
        try_to_read(read.said.value("request", nothing),
                    [](const fuzz_json& from) { return record_of<measure_request>(from, "request"); });
        try_to_read(read.said.value("prepared", nothing), prepared_of);
        const measurement measured = measured_of(read.said.value("measurement", nothing));
        stored_result stored;
        stored.measured = measured;
        if (measured.machine_failure.empty() && !why_invalid(stored).empty()) std::abort();
    } catch (const error&) {
    }
}

// Sends one message after each message of the coordinator, or after a silence, since some messages need no answer; then
// nonsense, which ends all waiting.
class talking_rank {
public:
    explicit talking_rank(const std::vector<std::string>& messages) : messages_(messages.begin(), messages.end()) {}

    rank_link link()
    {
        return {.rank = 0,
                .ranks = 2,
                .send =
                    [this](int to, const std::string& text) {
                        const std::lock_guard guard(lock_);
                        if (to == 1 && text != nothing_) ++may_say_;
                    },
                .receive = [this](double) -> std::optional<rank_message> {
                    const std::lock_guard guard(lock_);
                    if (may_say_ == 0 && ++silent_ < 500) {
                        std::this_thread::yield();
                        return std::nullopt;
                    }
                    silent_ = 0;
                    if (may_say_ > 0) --may_say_;
                    if (messages_.empty()) return rank_message{.from = 1, .text = "nonsense"};
                    rank_message message{.from = 1, .text = std::move(messages_.front())};
                    messages_.pop_front();
                    return message;
                }};
    }

private:
    std::mutex lock_;
    std::deque<std::string> messages_;
    std::size_t may_say_ = 1;  // the first message
    int silent_ = 0;
    const std::string nothing_ = encoded({.said = {{"do", "nothing"}}});
};

void coordinate(const std::vector<std::string>& messages)
{
    talking_rank rank(messages);
    try {
        const auto calls = std::make_shared<rank_calls>(rank.link(), rank_calls_options{});
        if (calls->wait_for_facts(20, 0).empty()) std::abort();  // the rank sent its facts or was lost
        calls->begin({{1, json_of(rank_role{.gpu = 0, .gpus = {}, .driver = {}})}});
        tune_backend local;
        const tune_backend backend = cluster_backend(
            std::move(local), calls, {.backend = 0, .measuring = {{.rank = 1, .jobs = 1}}, .compiling = {}});
        const tune_job job{.candidate = 0, .workload = 0, .parameters = {{{"threads", std::int64_t{32}}}}};
        for (int i = 0; i < 2; ++i) {
            const prepared_job made = backend.prepare(job);
            if (made.build.status != build_status::built || !made.build.machine_failure.empty()) continue;
            const measurement measured = backend.measurers.front()(job, made, {});
            stored_result stored;
            stored.measured = measured;
            if (measured.machine_failure.empty() && !why_invalid(stored).empty()) std::abort();
        }
    } catch (const error&) {
    }
}

tune_backend backend_of_rank()
{
    static const temporary_directory folder;
    tune_backend backend;
    backend.prepare = [](const tune_job&) {
        prepared_job made;
        made.file = (folder.path() / "module").string();
        write_file_atomically(made.file, "module");
        return made;
    };
    backend.measurers.push_back([](const tune_job&, const prepared_job&, const measure_request&) {
        return measurement{.samples_ns = {1, 2, 3}};
    });
    return backend;
}

void serve(const std::vector<std::string>& messages)
{
    static const temporary_directory folder;
    std::size_t next = 0;
    int patience = 50;  // because other threads answer
    const rank_link link{.rank = 1,
                         .ranks = 2,
                         .send = [](int, const std::string& text) { (void)text_in(cluster_message_of(text), "is"); },
                         .receive = [&](double) -> std::optional<rank_message> {
                             if (next < messages.size()) return rank_message{.from = 0, .text = messages[next++]};
                             if (--patience > 0) {
                                 std::this_thread::yield();
                                 return std::nullopt;
                             }
                             return rank_message{.from = 0, .text = encoded({.said = {{"do", "end"}}})};
                         }};
    rank_server_options options;
    options.folder = folder.path();
    options.workloads = 1;
    options.open = [](const rank_role& role) {
        if (role.jobs > 4) throw error("so many threads take too long here");
        return std::vector<tune_backend>{backend_of_rank()};
    };
    if (serve_rank(link, rank_facts{}, options) == serving_end::coordinator_lost) std::abort();  // it was told to stop
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> messages;
    while (!rest.empty() && messages.size() < 16) {
        const std::size_t end = rest.find('\x1e');
        messages.emplace_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    for (const std::string& message : messages) read_alone(message);
    coordinate(messages);
    serve(messages);
    return 0;
}
