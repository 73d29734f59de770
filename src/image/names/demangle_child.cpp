// SPDX-License-Identifier: Apache-2.0
#include "image/names/demangle_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "support/process/child_process.hpp"
#include "support/process/machine_failure.hpp"

namespace launchbox {

namespace {

using std::chrono::steady_clock;
using reader = std::string (*)(const std::string&);

constexpr int max_deaths = 16;
constexpr std::chrono::seconds time_for_all{20};
constexpr std::size_t max_result = 65536, max_results = std::size_t{256} << 20;
constexpr std::size_t pipe_bytes = 65536;  // capacity of a Linux pipe

// None of 436,000 real names takes 1 ms or produces 25 KB. One that keeps doubling reaches a limit within 0.3 s.
constexpr rlim_t memory_of_child = rlim_t{128} << 20;
// Limits for CPU time and wall time: a child can also hang, as the address sanitizer does when it is out of memory.
constexpr itimerval working_time{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 250'000}};
constexpr itimerval waiting_time{.it_interval = {}, .it_value = {.tv_sec = 2, .tv_usec = 0}};

// A process that demangles names from `first` on, and the pipe that it writes into; ends with this object. Throws
// `error` if it cannot be started.
class reading_child {
public:
    reading_child(const std::vector<std::string>& names, std::size_t first, reader read);
    reading_child(const reading_child&) = delete;
    reading_child& operator=(const reading_child&) = delete;
    ~reading_child() { end(); }

    // Nothing if the child has ended or `deadline` has passed.
    std::optional<std::string> next_result(steady_clock::time_point deadline);
    // Ends the child; returns whether the user asked it to stop.
    bool end();

private:
    bool receive(char* bytes, std::size_t count, steady_clock::time_point deadline);

    child_pipe results_;
    pid_t process_ = 0;
    std::vector<char> received_;  // pending from `taken_` on: a read may bring several results
    std::size_t taken_ = 0;
};

void be_child(const std::vector<std::string>& names, std::size_t first, reader read);
void send(const char* bytes, std::size_t count) noexcept;
void limit(decltype(RLIMIT_AS) resource, rlim_t value) noexcept;
std::optional<rlim_t> mapped_memory() noexcept;

}  // namespace

std::vector<std::string> read_in_children(const std::vector<std::string>& names, reader read)
{
    std::vector<std::string> results = names;
    const auto deadline = steady_clock::now() + time_for_all;
    std::size_t next = 0, total = 0;
    try {
        for (int deaths = 0; next < names.size() && deaths < max_deaths && steady_clock::now() < deadline; ++deaths) {
            reading_child child(names, next, read);
            while (next < names.size()) {
                std::optional<std::string> result = child.next_result(deadline);
                if (!result) break;
                total += result->size();
                if (total > max_results) return results;
                results[next++] = std::move(*result);
            }
            if (child.end()) break;
            ++next;  // skip the name that it died at
        }
    } catch (const error&) {
        // No child can be started.
    }
    return results;
}

namespace {

reading_child::reading_child(const std::vector<std::string>& names, std::size_t first, reader read)
{
    // Handlers of the tool, a test program or a sanitizer would keep it alive or report its death. Results go to its
    // standard output.
    child_options options{.streams = {no_stream, results_.write, no_stream}};
    for (const int number : {SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGPIPE, SIGPROF, SIGALRM})
        options.signals.emplace_back(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    options.blocked = &none;
    const started_child started = start_copy(options, [&] { be_child(names, first, read); });
    if (started.failure != 0)
        throw_system_error("cannot start a process", started.failure, "close some programs and try again");
    process_ = started.process;
    ::close(std::exchange(results_.write, -1));
}

std::optional<std::string> reading_child::next_result(steady_clock::time_point deadline)
{
    std::uint32_t size = 0;
    std::array<char, sizeof size> prefix{};
    if (!receive(prefix.data(), prefix.size(), deadline)) return std::nullopt;
    std::memcpy(&size, prefix.data(), sizeof size);
    if (size > max_result) return std::nullopt;
    std::string result(size, '\0');
    if (!receive(result.data(), size, deadline)) return std::nullopt;
    return result;
}

bool reading_child::receive(char* bytes, std::size_t count, steady_clock::time_point deadline)
{
    while (count > 0) {
        const std::size_t here = std::min(count, received_.size() - taken_);
        if (here > 0) std::memcpy(bytes, received_.data() + taken_, here);  // no buffer yet
        bytes += here;
        count -= here;
        taken_ += here;
        if (count == 0) break;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        pollfd wait{results_.read, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        received_.resize(pipe_bytes);
        taken_ = 0;
        const ssize_t got = ::read(results_.read, received_.data(), received_.size());
        received_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
    }
    return true;
}

bool reading_child::end()
{
    if (process_ == 0) return false;
    // Either it is dead already and keeps its exit status, or it is no longer needed.
    ::kill(process_, SIGKILL);
    const int signal = wait_for_child(std::exchange(process_, 0))->signal;
    return signal == SIGINT || signal == SIGTERM;
}

void be_child(const std::vector<std::string>& names, std::size_t first, reader read)
{
    // Also prevents core dumps that are piped to a program, which RLIMIT_CORE does not.
    ::prctl(PR_SET_DUMPABLE, 0);
    limit(RLIMIT_CORE, 0);
    ::close_range(3, ~0U, 0);
    if (const auto mapped = mapped_memory()) limit(RLIMIT_AS, *mapped + memory_of_child);
    for (std::size_t i = first; i < names.size(); ++i) {
        ::setitimer(ITIMER_PROF, &working_time, nullptr);
        ::setitimer(ITIMER_REAL, &waiting_time, nullptr);
        std::string result = read(names[i]);
        result.resize(std::min(result.size(), max_result));
        const auto size = static_cast<std::uint32_t>(result.size());
        std::array<char, sizeof size> prefix{};
        std::memcpy(prefix.data(), &size, sizeof size);
        result.insert(0, prefix.data(), prefix.size());
        send(result.data(), result.size());
    }
}

void send(const char* bytes, std::size_t count) noexcept
{
    while (count > 0) {
        const ssize_t sent = ::write(STDOUT_FILENO, bytes, count);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) ::_exit(1);
        bytes += sent;
        count -= static_cast<std::size_t>(sent);
    }
}

// Lowers a limit, never raises it.
void limit(decltype(RLIMIT_AS) resource, rlim_t value) noexcept
{
    rlimit limits{};
    if (::getrlimit(resource, &limits) != 0) return;
    limits.rlim_cur = std::min(limits.rlim_cur, value);
    limits.rlim_max = std::min(limits.rlim_max, value);
    ::setrlimit(resource, &limits);
}

std::optional<rlim_t> mapped_memory() noexcept
{
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::array<char, 64> text{};
    const ssize_t got = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    unsigned long long pages = 0;
    if (got <= 0 || std::sscanf(text.data(), "%llu", &pages) != 1) return std::nullopt;
    return static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

}  // namespace launchbox
