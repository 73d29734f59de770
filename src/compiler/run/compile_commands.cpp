// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/compile_commands.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "compiler/run/build_flags.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/text/json_memory.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_database = std::size_t{512} << 20;

std::string output_in(const std::vector<std::string>& words)
{
    std::string output;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const std::string_view flag : {"-o", "--output-file"}) {
            if (words[i] == flag && i + 1 < words.size()) output = words[i + 1];
            if (words[i].starts_with(std::string(flag) + "=")) output = words[i].substr(flag.size() + 1);
        }
    }
    return output;
}

std::optional<std::string> string_member(const nlohmann::json& entry, const char* name)
{
    const auto found = entry.find(name);
    return found != entry.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

}  // namespace

std::vector<build_command> commands_in_database(std::string_view text, const std::string& database,
                                                const std::string& source)
{
    refuse_large_json(text, text.size(), database);
    const nlohmann::json entries = nlohmann::json::parse(text, nullptr, false);
    if (!entries.is_array())
        throw error(database + " is not a list of compile commands",
                    "let CMake write it: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    std::error_code failure;
    const fs::path wanted = fs::weakly_canonical(fs::absolute(source, failure), failure);
    // A relative folder is relative to the database.
    const fs::path beside = fs::absolute(database, failure).parent_path();
    std::vector<build_command> commands;
    for (const nlohmann::json& entry : entries) {
        if (!entry.is_object()) continue;
        const std::optional<std::string> file = string_member(entry, "file");
        const fs::path folder = (beside / string_member(entry, "directory").value_or("")).lexically_normal();
        if (!file || fs::weakly_canonical(folder / *file, failure) != wanted) continue;
        std::vector<std::string> words;
        if (const auto arguments = entry.find("arguments"); arguments != entry.end() && arguments->is_array()) {
            for (const nlohmann::json& argument : *arguments)
                if (argument.is_string()) words.push_back(argument.get<std::string>());
        } else if (const auto command = string_member(entry, "command")) {
            words = command_words(*command);
        }
        if (words.empty())
            throw error(database + ": the entry of " + escape_for_terminal(source) + " has no command",
                        "let the build system write it again");
        words = with_response_files(words, folder);
        build_command command{flags_of_command(words, folder),
                              string_member(entry, "output").value_or(output_in(words))};
        if (std::ranges::find(commands, command.flags, &build_command::flags) == commands.end())
            commands.push_back(std::move(command));
    }
    if (!commands.empty()) return commands;
    throw error(database + " has no command for " + escape_for_terminal(source),
                "is the source part of that build? Flags can also follow --, as in -- -I FOLDER");
}

std::vector<build_command> commands_of_build(const std::string& folder_or_file, const std::string& source)
{
    std::error_code failure;
    const fs::path given = folder_or_file;
    const fs::path file = fs::is_directory(given, failure) ? given / "compile_commands.json" : given;
    if (!fs::exists(file, failure))
        throw error("there is no " + file.string(), "let CMake write it: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    return commands_in_database(utf8_text(read_file(file, largest_database)), file.string(), source);
}

}  // namespace launchbox
