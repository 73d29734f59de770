// SPDX-License-Identifier: Apache-2.0
#include "support/process/pager.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "support/process/subprocess.hpp"

namespace launchbox {

namespace {

constexpr int command_not_found = 127, command_not_executable = 126;  // of sh

bool is_higher_than_terminal(const std::string& text)
{
    const char* kind = std::getenv("TERM");
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 1 || (kind != nullptr && std::string_view(kind) == "dumb")) return false;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return false;
    return std::ranges::count(text, '\n') >= size.ws_row;  // the prompt needs a line
}

// Empty if none.
std::string pager_command()
{
    for (const char* name : {"LAUNCHBOX_PAGER", "PAGER"})
        if (const char* value = std::getenv(name)) return std::string_view(value) == "cat" ? "" : value;
    return find_in_path("less").empty() ? "" : "less";
}

}  // namespace

bool show_in_pager(const std::string& text)
{
    if (!is_higher_than_terminal(text)) return false;
    const std::string command = pager_command();
    if (command.find_first_not_of(' ') == std::string::npos) return false;
    ::setenv("LESS", "FRX", 0);
    std::FILE* pager = ::popen(command.c_str(), "w");
    if (pager == nullptr) return false;
    // A page that was left in the buffer would fail in pclose, as if there had been no pager.
    std::setvbuf(pager, nullptr, _IONBF, 0);
    auto* const before = std::signal(SIGPIPE, SIG_IGN);  // the user may quit the pager early
    std::fwrite(text.data(), 1, text.size(), pager);
    const int status = ::pclose(pager);
    std::signal(SIGPIPE, before);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return status != -1 && code != command_not_found && code != command_not_executable;
}

}  // namespace launchbox
