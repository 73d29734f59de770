// What the terminal at standard output or standard error can show.
// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

output_style style_of(int stream)
{
    output_style style;
    const bool terminal = ::isatty(stream) == 1;
    style.colour = terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
    winsize size{};
    if (terminal && ::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
    const std::string columns = environment("COLUMNS");
    int asked = 0;
    const auto [end, failure] = std::from_chars(columns.data(), columns.data() + columns.size(), asked);
    if (failure == std::errc() && end == columns.data() + columns.size() && asked > 0) style.width = asked;
    style.width = std::clamp(style.width, 40, 400);

    std::string locale = environment("LC_ALL");
    if (locale.empty()) locale = environment("LC_CTYPE");
    if (locale.empty()) locale = environment("LANG");
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // Containers and CI set no locale at all, but their logs show UTF-8.
    style.unicode = locale.empty() || locale.find("utf") != std::string::npos;
    return style;
}

}  // namespace

output_style style_of_standard_output()
{
    return style_of(STDOUT_FILENO);
}

output_style style_of_standard_error()
{
    return style_of(STDERR_FILENO);
}

}  // namespace launchbox
