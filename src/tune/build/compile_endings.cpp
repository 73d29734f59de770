// SPDX-License-Identifier: Apache-2.0
#include "tune/build/compile_endings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "support/process/subprocess.hpp"

namespace launchbox {

std::string timeout_reason(double seconds)
{
    return fmt::format("the compiler did not end within {:g} s", seconds);
}

std::string memory_reason(std::int64_t bytes)
{
    const double mib = static_cast<double>(bytes) / (1 << 20);
    if (bytes <= 0) return "the compiler ran out of memory";
    return fmt::format("the compiler took more than {:.4g} {} of memory", mib >= 1024 ? mib / 1024 : mib,
                       mib >= 1024 ? "GiB" : "MiB");
}

// Growing arrays double, so a process is refused a large request long before it has used the whole limit.
bool took_its_memory(std::size_t peak_bytes, std::int64_t limit)
{
    return limit > 0 && peak_bytes >= static_cast<std::size_t>(limit) / 2;
}

// If nvcc runs its programs through a shell, the shell returns 128 + n. If it runs them itself, it exits with n, and
// none of its programs exits with these numbers on its own.
int signal_of_nvcc(int exit_code)
{
    if (const int signal = signal_in_status(exit_code); signal != 0) return signal;
    constexpr std::array deaths{SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV};
    return std::ranges::find(deaths, exit_code) != deaths.end() ? exit_code : 0;
}

std::string signal_text(int signal)
{
    return "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

}  // namespace launchbox
