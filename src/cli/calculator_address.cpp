// SPDX-License-Identifier: Apache-2.0
#include "cli/calculator_address.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "advice/model/kernel_question.hpp"
#include "advice/model/launch_words.hpp"
#include "cli/messages.hpp"
#include "report/core/count_text.hpp"
#include "report/html/html_page.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox::cli {

namespace {

// As in an address: all that is no letter, digit or one of -._~ as %XX.
std::string percent_encoded(std::string_view text)
{
    std::string encoded;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || letter == '-' || letter == '.' || letter == '_' ||
                           letter == '~';
        encoded += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
    }
    return encoded;
}

// Of this user alone, and the same for the same values, so that opening again and again leaves one file.
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
        throw error(folder.string() + " belongs to somebody else", "set TMPDIR to a folder that can be written to");
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

std::string calculator_state(const occupancy_question& question)
{
    std::string state;
    const auto add = [&](const char* name, const std::string& value) {
        state += fmt::format("{}{}={}", state.empty() ? "" : "&", name, percent_encoded(value));
    };
    add("architecture", std::string(architecture_name(question.limits->capability).view()));
    add("threads", std::to_string(question.shape.threads));
    add("registers", std::to_string(question.resources.registers));
    add("static_shared_bytes", std::to_string(question.resources.static_shared_bytes));
    add("dynamic_shared_bytes", std::to_string(question.shape.dynamic_shared_bytes));
    add("barriers", std::to_string(question.resources.barriers));
    add("max_threads", std::to_string(question.resources.max_threads));
    add("cluster_blocks", std::to_string(question.shape.cluster_blocks));
    const launch_settings& settings = question.settings;
    add("carveout", std::to_string(settings.carveout_percent));
    add("cache", name_of(settings.cache));
    add("caching", name_of(settings.caching));
    add("mode", settings.mode == model_mode::driver ? "driver" : "spreadsheet");
    // As the page understands its "max": so much that the launch is allowed.
    const std::int64_t most =
        raised_shared_limit(*question.limits, question.resources, question.shape.dynamic_shared_bytes);
    const std::optional<std::int64_t> allowed = settings.max_dynamic_shared_bytes;
    add("opt_in", !allowed ? "default" : *allowed == most ? "max" : "bytes");
    if (allowed && *allowed != most) add("opt_in_bytes", std::to_string(*allowed));
    if (question.sms) add("sms", std::to_string(*question.sms));
    if (question.grid) add("grid", std::to_string(*question.grid));
    if (!question.kernel.empty()) add("kernel", escape_for_terminal(question.kernel));
    return state;
}

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
        say("there is no screen here");
        return;
    }
    try {
        const auto done = run({"xdg-open", page.string()});
        if (done.exit_code == 0) return;
    } catch (const error&) {
        // Said below.
    }
    say("xdg-open failed; open it with a browser");
}

}  // namespace launchbox::cli
