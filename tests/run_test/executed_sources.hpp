// From what programs noted while a test ran to the sources that the test depends on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace launchbox {

/// The programs that ran in a test, and of each the .cpp in which a function begins that ran, as absolute names.
using executed_sources = std::map<std::string, std::set<std::string>>;

/// Reads what the programs of a test left in `folder`. A copy of one of `programs`, which an installation makes, counts
/// as that. Where the functions of a program come from is asked of addr2line once for each build of it, and kept in
/// `known`. Empty: something is missing, so that nothing can be concluded.
std::optional<executed_sources> read_executed_sources(const std::filesystem::path& folder,
                                                      const std::filesystem::path& known,
                                                      const std::vector<std::string>& programs);

}  // namespace launchbox
