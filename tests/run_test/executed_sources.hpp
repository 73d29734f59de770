// From what programs noted while a test ran to the sources that the test depends on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace launchbox {

/// The programs that ran in a test, and of each the .cpp in which a function begins that ran, as absolute names.
using executed_sources = std::map<std::string, std::set<std::string>>;

/// Reads what the programs of a test left in `folder`. Where the functions of a program come from is asked of addr2line
/// once for each build of it, and kept in `known`. Empty: something is missing, so that nothing can be concluded.
std::optional<executed_sources> read_executed_sources(const std::filesystem::path& folder,
                                                      const std::filesystem::path& known);

}  // namespace launchbox
