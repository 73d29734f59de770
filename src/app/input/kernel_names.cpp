// SPDX-License-Identifier: Apache-2.0
#include "app/input/kernel_names.hpp"

#include <filesystem>
#include <set>
#include <system_error>

#include "app/input/folder_files.hpp"
#include "app/input/kernel_input.hpp"
#include "app/input/source_input.hpp"
#include "source/source_kernels.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

void add_kernels(const std::string& file, std::set<std::string>& names)
{
    if (is_source(file)) {
        for (std::string& name : kernels_in_text(read_file(file))) names.insert(std::move(name));
        return;
    }
    kernel_request request;
    request.files = {file};
    for (const found_kernel& kernel : read_kernels(request).kernels) names.insert(kernel.info.short_form);
}

// Without subfolders, which may be a whole disk.
std::vector<std::string> sources_right_in(const std::string& folder)
{
    namespace fs = std::filesystem;
    std::vector<std::string> sources;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        if (at->path().extension() == ".cu" && is_file(at->path().string())) sources.push_back(at->path().string());
    return sources;
}

}  // namespace

std::vector<std::string> kernel_names(const std::vector<std::string>& files)
{
    std::set<std::string> names;
    for (const std::string& word : files)
        for (const std::string& file : is_folder(word) ? sources_right_in(word) : std::vector{word}) try {
                add_kernels(file, names);
            } catch (const error&) {
            }
    // A name that a terminal cannot show cannot be typed either.
    std::erase_if(names, [](const std::string& name) { return escape_for_terminal(name) != name; });
    return {names.begin(), names.end()};
}

}  // namespace launchbox
