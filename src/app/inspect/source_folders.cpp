// SPDX-License-Identifier: Apache-2.0
#include "app/inspect/source_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "support/error.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

fs::path without_links(const fs::path& file)
{
    std::error_code failure;
    fs::path real = fs::canonical(file, failure);
    return failure ? fs::path() : real;
}

// Empty if there is none.
fs::path working_tree()
{
    std::error_code failure;
    const fs::path here = without_links(fs::current_path(failure));
    const char* const home = std::getenv("HOME");
    const fs::path home_folder = home == nullptr ? fs::path() : without_links(home);
    for (fs::path folder = here; folder.has_relative_path(); folder = folder.parent_path()) {
        if (folder == home_folder && folder != here) break;
        if (fs::exists(folder / ".git", failure)) return folder;
    }
    return here.has_relative_path() ? here : fs::path();
}

bool is_hidden(const fs::path& way)
{
    return std::ranges::any_of(way, [](const fs::path& part) { return part.string().starts_with('.'); });
}

}  // namespace

source_folders::source_folders(const std::vector<std::string>& named, const std::vector<std::string>& inputs)
{
    if (fs::path tree = working_tree(); !tree.empty()) folders_.push_back(std::move(tree));
    for (const std::string& name : named) {
        std::error_code failure;
        if (!fs::is_directory(name, failure))
            throw error("--source-root " + name + " is not a folder", "name one that has the sources");
        folders_.push_back(without_links(name));
    }
    for (const std::string& name : inputs)
        if (fs::path input = without_links(name); !input.empty()) inputs_.push_back(std::move(input));
}

std::string source_folders::why_not_shown(const fs::path& file) const
{
    const fs::path real = without_links(file);
    if (std::ranges::find(inputs_, real) != inputs_.end()) return {};
    std::string why = folders_.empty() ? "there is no working tree here, and it is left out"
                                       : "it is outside of " + folders_.front().string() + ", and is left out";
    for (const fs::path& folder : folders_) {
        const fs::path way = real.lexically_relative(folder);
        if (way.empty() || *way.begin() == "..") continue;
        if (!is_hidden(way)) return {};
        why = "it is hidden, and is left out";
    }
    return why + ": --source-root FOLDER allows one";
}

}  // namespace launchbox
