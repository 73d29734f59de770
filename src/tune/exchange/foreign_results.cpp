// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/foreign_results.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <set>

#include "support/error.hpp"
#include "tune/exchange/foreign/formats.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"

namespace launchbox {

namespace {

using reader = std::vector<recorded_run> (*)(const foreign_text&, foreign_diagnostics&);

struct format {
    const char* words;
    reader read;
};

std::optional<format> format_of(std::string_view text);

}  // namespace

std::optional<result_file> read_foreign_results(std::string_view text, const std::string& name)
{
    const std::optional<format> found = format_of(text);
    if (!found) return std::nullopt;
    const std::string hash = fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
    foreign_diagnostics diagnostics(name);
    result_file read;
    read.runs = found->read({text, name, hash}, diagnostics);
    std::size_t results = 0;
    for (const recorded_run& run : read.runs) results += run.results.size();
    read.diagnostics = diagnostics.sentences();
    if (results == 0)
        throw error(fmt::format("{} is {} without a candidate that can be read", name, found->words),
                    read.diagnostics.empty() ? "" : read.diagnostics.back());
    return read;
}

namespace {

std::optional<format> format_of(std::string_view text)
{
    std::set<std::string> names;
    json_pieces members(text);
    while (const std::optional<json_piece> member = members.next()) {
        if (member->name == "schema") return std::nullopt;  // launchbox's own
        if (names.size() < 100) names.insert(member->name);
    }
    if (names.contains("tune_params_keys") || (names.contains("cache") && names.contains("tune_params")))
        return format{"a Kernel Tuner cache", read_kernel_tuner_cache};
    if (names.contains("Results") && (names.contains("Metadata") || text.find("\"Configuration\"") != text.npos))
        return format{"KTT's output", read_ktt_output};
    if (names.contains("results") && text.find("\"configuration\"") != text.npos)
        return format{"a T4 file", read_t4_results};
    return std::nullopt;
}

}  // namespace

}  // namespace launchbox
