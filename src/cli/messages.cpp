// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

int columns_of_standard_error()
{
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return style_of_standard_output().width;
}

}  // namespace

std::string shown(const std::string& text)
{
    const std::string safe = escape_for_terminal(text);
    return style_of_standard_output().unicode ? safe : to_ascii(safe);
}

void say(const std::string& text)
{
    std::cerr << "launchbox: " << shown(text) << '\n';
}

progress_line::progress_line(std::string unit)
    : unit_(std::move(unit)), terminal_(::isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now())
{
}

progress_line::~progress_line()
{
    clear();
}

void progress_line::clear()
{
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
    shown_ = false;
}

void progress_line::show(const std::string& what, std::size_t done, std::size_t total)
{
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    std::string left;
    if (done > 0)
        left = fmt::format(", {:.0f} s left", seconds / static_cast<double>(done) * static_cast<double>(total - done));
    // Longer text would wrap, and every update would leave a line behind.
    const std::string counts = fmt::format(": {}/{} {}{}", done, total, unit_, left);
    const int room = std::max(columns_of_standard_error() - 1 - display_width(counts), 1);
    const std::string text = shortened(escape_for_terminal(what), room);
    std::cerr << "\r\x1b[K" << (style_of_standard_output().unicode ? text : to_ascii(text)) << counts << std::flush;
    shown_ = true;
}

listener terminal_listener()
{
    return {.say = say, .begin_progress = [](const std::string& unit) {
                return [line = std::make_shared<progress_line>(unit)](const std::string& what, std::size_t done,
                                                                      std::size_t total) {
                    line->show(what, done, total);
                };
            }};
}

}  // namespace launchbox::cli
