// SPDX-License-Identifier: Apache-2.0
#include "app/results/new_store.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "support/files/files.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/exchange/result_merge.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

std::string counted(std::size_t count, const std::string& what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void refuse_existing(const std::string& store, const std::string& option)
{
    // Files left beside a removed store would be taken for parts of the new one.
    for (const char* part : {"", "-wal", "-journal"})
        if (fs::exists(fs::symlink_status(store + part)))
            throw error(store + part + " already exists", "name another with " + option + " FILE.db, or remove it");
}

// Written beside the store and renamed at the end, so that it is complete or absent. If another process has made one
// meanwhile, that one stays.
merge_summary write_runs(const std::string& store, const std::vector<recorded_run>& runs,
                         const std::vector<std::string>& from, const listener& news)
{
    const fs::path folder = fs::path(store).parent_path();
    if (!folder.empty() && !fs::is_directory(folder))
        throw error("there is no folder " + folder.string(), "make it, or name another");
    const temporary_directory beside(folder.empty() ? "." : folder);
    const fs::path unfinished = beside.path() / "store";
    merge_summary merged;
    {
        result_store made(unfinished.string());
        merged = merge_runs(made, runs, from);
    }
    move_to_new_name(unfinished, store);
    if (merged.repeated > 0) news.say(fmt::format("{} came twice", counted(merged.repeated, "result")));
    for (const kept_run& kept : merged.kept_apart)
        news.say(kept.run + " " + kept.why + " than another run of the same task and GPU: kept as a separate run");
    return merged;
}

}  // namespace

imported_store import_results(const std::vector<std::string>& files, std::string store, const listener& news)
{
    imported_store imported;
    if (store.empty()) {
        if (files.size() != 1 || files.front() == "-")
            throw error("the store of --import has no name", "name it with --store FILE.db");
        // "a.json.gz" becomes ./a.db, since the folder of the file may be read-only.
        const std::string name = fs::path(files.front()).filename().string();
        store = name.substr(0, name.find('.', 1)) + ".db";
    }
    refuse_existing(store, "--store");
    std::vector<recorded_run> runs;
    std::vector<std::string> from;
    for (const std::string& path : files) try {
            result_file read = read_result_file(path);
            from.insert(from.end(), read.runs.size(), path);
            std::move(read.runs.begin(), read.runs.end(), std::back_inserter(runs));
            imported.diagnostics.insert(imported.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            if (files.size() == 1) throw;
            news.say(failure.what());
            imported.status = failure.status();
        }
    if (runs.empty()) throw error("none of the files can be read", "name files of Kernel Tuner, KTT, T4 or launchbox");
    write_runs(store, runs, from, news);
    imported.name = std::move(store);
    return imported;
}

void merge_results(const std::vector<std::string>& files, const std::string& path, const listener& news)
{
    if (path.empty() || path == "-") throw error("--merge needs a name for the store", "name it with -o fleet.db");
    refuse_existing(path, "-o");
    std::vector<recorded_run> runs;
    std::vector<std::string> from;
    for (const std::string& file : files) {
        result_file read = read_result_file(file);
        for (const std::string& diagnostic : read.diagnostics) news.say(diagnostic);
        from.insert(from.end(), read.runs.size(), file);
        std::move(read.runs.begin(), read.runs.end(), std::back_inserter(runs));
    }
    if (runs.empty()) throw error("the files contain no runs", "name stores of launchbox tune");
    const merge_summary merged = write_runs(path, runs, from, news);
    news.say(fmt::format("{}: {} of {}, {}", path, counted(merged.runs, "run"), counted(files.size(), "file"),
                         counted(merged.results, "result")));
    if (merged.joined > 0)
        news.say(fmt::format("{} was added to another run of the same task and GPU", counted(merged.joined, "run")));
}

}  // namespace launchbox
