// SPDX-License-Identifier: Apache-2.0
#include "app/input/folder_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "support/process/interrupt.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_listed = 100;

class folder_reader {
public:
    folder_reader(const std::string& folder, const std::function<bool(std::string_view)>& is_wanted)
        : folder_(folder), is_wanted_(is_wanted)
    {
        std::error_code failure;
        real_folder_ = fs::canonical(folder, failure);
    }

    folder_files read()
    {
        std::vector<fs::path> folders{folder_};
        while (!folders.empty() && !interrupted()) {
            const fs::path next = std::move(folders.back());
            folders.pop_back();
            std::error_code failure;
            fs::directory_iterator entries(next, failure);
            for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) add(*entries, folders);
            if (failure) list(found_.errors, next, "cannot be read: " + failure.message());
        }
        if (not_listed_ > 0) found_.remarks.push_back("and " + std::to_string(not_listed_) + " more");
        keep_each_once();
        return std::move(found_);
    }

private:
    void add(const fs::directory_entry& entry, std::vector<fs::path>& folders)
    {
        std::error_code failure;
        const fs::file_status status = entry.status(failure);
        const bool is_link = entry.is_symlink(failure);
        if (fs::is_regular_file(status)) {
            found_.files.push_back(entry.path().string());
        } else if (fs::is_directory(status)) {
            if (!is_link)
                folders.push_back(entry.path());
            else if (leads_outside(entry.path()))
                list(found_.remarks, entry.path(), "is a link to a folder elsewhere, and is not followed");
        } else if (is_link || status.type() != fs::file_type::not_found) {  // else it was deleted meanwhile
            const std::string why = status.type() == fs::file_type::not_found ? "is a dangling link"
                                    : status.type() == fs::file_type::none    ? "cannot be read: " + message_of(entry)
                                                                              : "is not a file, and is not read";
            const bool is_missed = status.type() == fs::file_type::none || is_wanted_(entry.path().string());
            list(is_missed ? found_.errors : found_.remarks, entry.path(), why);
        }
    }

    void list(std::vector<std::string>& where, const fs::path& path, const std::string& what)
    {
        if (where.size() < max_listed)
            where.push_back(shown_name(path) + " " + what);
        else
            ++not_listed_;
    }

    static std::string message_of(const fs::directory_entry& entry)
    {
        std::error_code failure;
        (void)fs::status(entry.path(), failure);
        return failure.message();
    }

    bool leads_outside(const fs::path& link) const
    {
        std::error_code failure;
        const fs::path way = fs::canonical(link, failure).lexically_relative(real_folder_);
        return failure || way.empty() || *way.begin() == "..";
    }

    // Prefers the file itself to a link to it.
    void keep_each_once()
    {
        std::vector<std::string>& files = found_.files;
        std::ranges::sort(files);
        std::stable_partition(files.begin(), files.end(), [](const std::string& file) {
            std::error_code unknown;
            return !fs::is_symlink(file, unknown);
        });
        std::set<std::pair<dev_t, ino_t>> seen;
        std::erase_if(files, [&](const std::string& file) {
            struct stat status = {};
            return ::stat(file.c_str(), &status) == 0 && !seen.emplace(status.st_dev, status.st_ino).second;
        });
        std::ranges::sort(files);
    }

    std::string shown_name(const fs::path& path) const
    {
        const std::string relative = path.lexically_relative(folder_).string();
        return "'" + escape_for_terminal(relative.empty() ? path.string() : relative) + "'";
    }

    const std::string& folder_;
    const std::function<bool(std::string_view)>& is_wanted_;
    fs::path real_folder_;
    folder_files found_;
    std::size_t not_listed_ = 0;
};

}  // namespace

folder_files files_in_folder(const std::string& folder, const std::function<bool(std::string_view)>& is_wanted)
{
    return folder_reader(folder, is_wanted).read();
}

std::vector<std::string> sources_of(const folder_files& files, const std::string& folder)
{
    std::vector<std::string> sources;
    for (const std::string& file : files.files) {
        const fs::path way = fs::path(file).lexically_relative(folder);
        const bool is_hidden = std::ranges::any_of(
            way, [](const fs::path& part) { return part.string().starts_with('.') && part != "." && part != ".."; });
        if (file.ends_with(".cu") && !is_hidden) sources.push_back(file);
    }
    return sources;
}

std::vector<std::string> sources_in_folder(const std::string& folder)
{
    return sources_of(files_in_folder(folder, [](std::string_view) { return false; }), folder);
}

std::string read_as_sources(const std::vector<std::string>& sources, const std::string& folder)
{
    constexpr std::size_t max_named = 10;
    std::string names;
    for (std::size_t i = 0; i < std::min(sources.size(), max_named); ++i)
        names += (i > 0 ? ", " : "") + escape_for_terminal(fs::path(sources[i]).lexically_relative(folder).string());
    if (sources.size() > max_named) names += " and " + std::to_string(sources.size() - max_named) + " more";
    return "read as CUDA sources: " + names;
}

// - is standard input, even if the current folder has a file of that name.
bool is_folder(const std::string& name)
{
    std::error_code unknown;
    return name != "-" && fs::is_directory(name, unknown);
}

bool is_file(const std::string& name)
{
    std::error_code unknown;
    return name != "-" && fs::is_regular_file(name, unknown);
}

}  // namespace launchbox
