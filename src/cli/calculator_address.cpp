// SPDX-License-Identifier: Apache-2.0
#include "cli/calculator_address.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cli/messages.hpp"
#include "report/core/count_text.hpp"
#include "report/html/html_page.hpp"
#include "report/kernels/calculator_state.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox::cli {

namespace {

// Only for this user, and the same name for the same values, so that opening repeatedly leaves one file.
std::filesystem::path page_for(const std::string& page)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("launchbox-calculator-{}", ::getuid());
    std::error_code failure;
    std::filesystem::create_directory(folder, failure);
    if (std::filesystem::is_symlink(folder) || !std::filesystem::is_directory(folder))
        throw error("cannot make the folder " + folder.string(), "set TMPDIR to a folder that can be written to");
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
    if (failure)
        throw error(folder.string() + " belongs to another user", "set TMPDIR to a folder that can be written to");
    std::filesystem::path file = folder / fmt::format("calculator-{:016x}.html", std::hash<std::string>()(page));
    write_file_atomically(file, page);
    return file;
}

bool has_screen()
{
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
    return false;
}

}  // namespace

void open_calculator(const std::vector<occupancy_account>& accounts)
{
    const std::filesystem::path page = page_for(calculator_page(calculator_state(accounts.front().question)));
    if (accounts.size() > 1)
        say(fmt::format("the calculator shows one of {}: {} on {}; choose with --kernel and --arch",
                        counted(accounts.size(), "launch", "launches"),
                        accounts.front().question.kernel.empty() ? "the figures" : accounts.front().question.kernel,
                        architecture_name(accounts.front().question.architecture).view()));
    std::cout << page.string() << '\n';
    if (!std::cout.flush())
        throw error("cannot write to standard output", "is the disk full, or has the reader ended?");
    if (!has_screen()) {
        say("this machine has no display");
        return;
    }
    try {
        const auto done = run({"xdg-open", page.string()});
        if (done.exit_code == 0) return;
    } catch (const error&) {
        // Reported below.
    }
    say("xdg-open failed; open it with a browser");
}

}  // namespace launchbox::cli
