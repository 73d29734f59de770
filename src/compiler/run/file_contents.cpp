// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/file_contents.hpp"

#include "compiler/run/compile_cache.hpp"
#include "support/error.hpp"
#include "support/files/file_watch.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

std::string file_contents::hash_of(const fs::path& file)
{
    const std::string state = state_of_file(file);  // before reading: an edit in between is noticed next time
    if (state.empty()) return {};
    {
        const std::lock_guard guard(lock_);
        if (const auto found = known_.find(file); found != known_.end() && found->second.state == state)
            return found->second.hash;
    }
    std::string hash;
    try {
        hash = key_of({read_file(file)});
    } catch (const error&) {
        return {};
    }
    const std::lock_guard guard(lock_);
    known_.insert_or_assign(file, known_content{state, hash});
    return hash;
}

std::string file_contents::hash_of(const std::vector<fs::path>& files)
{
    std::vector<std::string> parts;
    for (const fs::path& file : files) {
        parts.push_back(file.string());
        parts.push_back(hash_of(file));
    }
    return key_of({parts.begin(), parts.end()});
}

}  // namespace launchbox
