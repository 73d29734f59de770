#include "cli/tune_input.hpp"

#include <filesystem>
#include <iostream>

#include "cli/messages.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "tune/t1_spec.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

// From the folder where the spec is to be, to that of the problem.
std::string way_to(const std::string& problem, const std::string& spec)
{
    if (spec.empty() || spec == "-" || problem == "-") return {};
    const fs::path from = fs::absolute(spec).lexically_normal().parent_path();
    const fs::path to = fs::absolute(problem).lexically_normal().parent_path();
    const std::string way = to.lexically_relative(from).string();
    return way == "." ? std::string() : way + "/";
}

}  // namespace

std::optional<tune_spec> read_spec(const std::string& file, const std::string& write_spec)
{
    const std::string text = read_input(file, std::size_t{1} << 20);
    if (!looks_like_json(text)) {
        if (!write_spec.empty())
            throw error(file + " is a spec already: --write-spec makes one of a T1 problem", "leave --write-spec out");
        return parse_tune_spec(file, text);
    }
    const t1_translation made = translate_t1(file, text, way_to(file, write_spec));
    for (const t1_note& each : made.notes) say(shown(file + ": " + each.place + ": " + each.what));
    if (write_spec == "-") {
        std::cout << made.spec << std::flush;
        return std::nullopt;
    }
    if (!write_spec.empty()) {
        write_file_atomically(write_spec, made.spec);
        return std::nullopt;
    }
    const std::string own_hint = "write the spec with --write-spec FILE.toml, complete it, and tune that";
    if (!made.has_kernel) throw error(file + " has no kernel that launchbox can compile", own_hint);
    try {
        return parse_tune_spec(file, made.spec);
    } catch (const error& problem) {
        throw error("of the spec that was made of " + std::string(problem.what()), own_hint);
    }
}

}  // namespace launchbox::cli
