// The libraries of the CUDA toolkits on this machine: the largest collection of kernels on most machines.
#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/process/subprocess.hpp"

namespace launchbox {

namespace cuda_libraries_detail {

// nvcc is in TOOLKIT/bin, the libraries in TOOLKIT/lib*, TOOLKIT/targets/*/lib, or, for Python wheels, in the folders
// beside TOOLKIT.
inline void add_toolkit(const std::filesystem::path& toolkit, std::vector<std::filesystem::path>& folders)
{
    std::error_code ignored;
    for (const char* name : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
        if (std::filesystem::is_directory(toolkit / name, ignored)) folders.push_back(toolkit / name);
    if (toolkit.parent_path().filename() != "nvidia") return;
    for (const auto& wheel : std::filesystem::directory_iterator(toolkit.parent_path(), ignored))
        if (std::filesystem::is_directory(wheel.path() / "lib", ignored)) folders.push_back(wheel.path() / "lib");
}

}  // namespace cuda_libraries_detail

/// The library folders of the toolkit whose nvcc is in PATH, and of those in /usr/local.
inline std::vector<std::filesystem::path> cuda_library_folders()
{
    namespace fs = std::filesystem;
    std::vector<fs::path> folders;
    std::error_code ignored;
    if (const fs::path nvcc = find_in_path("nvcc"); !nvcc.empty()) {
        cuda_libraries_detail::add_toolkit(nvcc.parent_path().parent_path(), folders);
        cuda_libraries_detail::add_toolkit(fs::canonical(nvcc, ignored).parent_path().parent_path(), folders);
    }
    std::vector<fs::path> installed;
    for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
        if (entry.path().filename().string().starts_with("cuda")) installed.push_back(entry.path());
    std::ranges::sort(installed);
    for (const fs::path& entry : installed) cuda_libraries_detail::add_toolkit(entry, folders);
    return folders;
}

/// The shared libraries in `folders`, by name; one that appears twice (links, a wheel beside the toolkit) counts once.
inline std::vector<std::string> shared_libraries_in(const std::vector<std::filesystem::path>& folders)
{
    namespace fs = std::filesystem;
    std::set<fs::path> files;
    std::set<std::pair<std::string, std::uintmax_t>> known;
    std::vector<std::pair<std::string, std::string>> found;
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        std::vector<fs::path> here;
        for (const auto& entry : fs::directory_iterator(folder, ignored)) here.push_back(entry.path());
        std::ranges::sort(here);
        for (const fs::path& entry : here) {
            const std::string name = entry.filename().string();
            if (!name.starts_with("lib") || name.find(".so") == std::string::npos) continue;
            const fs::path file = fs::canonical(entry, ignored);
            if (ignored || !fs::is_regular_file(file, ignored) || !files.insert(file).second) continue;
            // libcurand.so.10 in a wheel is libcurand.so.10.4.0.35 in the toolkit.
            const std::string stem = name.substr(0, name.find(".so"));
            if (known.insert({stem, fs::file_size(file, ignored)}).second) found.emplace_back(stem, file.string());
        }
    }
    std::ranges::sort(found);
    std::vector<std::string> paths;
    for (auto& [stem, path] : found) paths.push_back(std::move(path));
    return paths;
}

}  // namespace launchbox
