// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile_commands.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

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

// What is left out, and whether a value of its own follows.
struct left_out {
    std::string_view flag;
    bool with_value = false;
};
constexpr std::array dropped{
    left_out{"-c"},
    left_out{"--compile"},
    left_out{"-M"},
    left_out{"-MM"},
    left_out{"-MD"},
    left_out{"-MMD"},
    left_out{"-MP"},
    left_out{"-o", true},
    left_out{"--output-file", true},
    left_out{"-MF", true},
    left_out{"-MT", true},
    left_out{"-MQ", true},
    left_out{"-x", true},
    left_out{"--x", true},
    left_out{"-arch", true},
    left_out{"--gpu-architecture", true},
    left_out{"-code", true},
    left_out{"--gpu-code", true},
    left_out{"-gencode", true},
    left_out{"--generate-code", true},
    left_out{"-t", true},
    left_out{"--threads", true},
    left_out{"-forward-unknown-to-host-compiler"},
    left_out{"-ptx"},
    left_out{"-cubin"},
    left_out{"-fatbin"},
    left_out{"-v"},
    left_out{"--verbose"},
    left_out{"-keep"},
};
// Flags whose value is a path, beside it or behind it.
constexpr std::array<std::string_view, 6> with_path{"-isystem",      "-I",    "--include-path", "-include",
                                                    "--pre-include", "-ccbin"};

bool names_architecture(std::string_view word)
{
    for (const std::string_view beginning :
         {"-arch=", "--gpu-architecture=", "-code=", "--gpu-code=", "-gencode=", "--generate-code=", "--cuda-gpu-arch=",
          "-o=", "--output-file=", "--threads=", "-t=", "-x=", "--x="})
        if (word.starts_with(beginning)) return true;
    return false;
}

std::string absolute(const fs::path& folder, const std::string& path)
{
    return path.empty() ? path : (folder / path).lexically_normal().string();
}

std::vector<std::string> useful(const std::vector<std::string>& words, const fs::path& folder, const fs::path& source)
{
    std::vector<std::string> flags;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-dc" || word == "--device-c") {  // what is left of it without the object
            flags.emplace_back("-rdc=true");
            continue;
        }
        const auto drop = std::ranges::find(dropped, std::string_view(word), &left_out::flag);
        if (drop != dropped.end()) {
            i += drop->with_value ? 1 : 0;
            continue;
        }
        if (names_architecture(word)) continue;
        if (!word.starts_with('-')) {
            if (fs::path(absolute(folder, word)) != source) flags.push_back(word);
            continue;
        }
        const auto path =
            std::ranges::find_if(with_path, [&](std::string_view flag) { return word.starts_with(flag); });
        if (path == with_path.end()) {
            flags.push_back(word);
            continue;
        }
        if (word == *path) {  // behind it
            flags.push_back(word);
            if (i + 1 < words.size()) {
                const std::string& value = words[++i];
                const bool is_name = *path == "-ccbin" && value.find('/') == std::string::npos;
                flags.push_back(is_name ? value : absolute(folder, value));
            }
            continue;
        }
        const std::size_t at = path->size() + (word[path->size()] == '=' ? 1 : 0);
        const bool is_name = *path == "-ccbin" && word.find('/') == std::string::npos;
        flags.push_back(is_name ? word : word.substr(0, at) + absolute(folder, word.substr(at)));
    }
    return flags;
}

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

std::optional<std::string> text_of(const nlohmann::json& entry, const char* name)
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
        throw error(database + " is no list of compile commands",
                    "let CMake write it: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    std::error_code failure;
    const fs::path wanted = fs::weakly_canonical(fs::absolute(source, failure), failure);
    std::vector<build_command> commands;
    for (const nlohmann::json& entry : entries) {
        if (!entry.is_object()) continue;
        const std::optional<std::string> file = text_of(entry, "file");
        const fs::path folder = text_of(entry, "directory").value_or(".");
        if (!file || fs::weakly_canonical(folder / *file, failure) != wanted) continue;
        std::vector<std::string> words;
        if (const auto arguments = entry.find("arguments"); arguments != entry.end() && arguments->is_array()) {
            for (const nlohmann::json& argument : *arguments)
                if (argument.is_string()) words.push_back(argument.get<std::string>());
        } else if (const auto command = text_of(entry, "command")) {
            words = command_words(*command);
        }
        if (words.empty())
            throw error(database + ": the entry of " + escape_for_terminal(source) + " has no command",
                        "write it again with the build system");
        build_command command{useful(words, folder, (folder / *file).lexically_normal()),
                              text_of(entry, "output").value_or(output_in(words))};
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
