// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/nvcc_arguments.hpp"

#include <cstdlib>
#include <utility>

#include "compiler/run/named_files.hpp"
#include "support/error.hpp"

namespace launchbox {

// nvcc 13.0 runs its steps through `sh -c` and puts names in double quotes, within which the shell still expands $(...)
// and `...`: a source called "$(x).cu" runs x. A backslash before those characters protects the name; a double quote
// cannot be protected.
std::string name_for_nvcc(const std::string& source)
{
    if (source.find_first_of("\"\n") != std::string::npos)
        throw error("nvcc cannot compile a file with a double quote or a line feed in its name: " + source,
                    "rename the file");
    std::string name = source.starts_with('-') ? "./" : "";  // so that it is not taken for an option
    for (char c : source) {
        if (c == '$' || c == '`' || c == '\\') name += '\\';
        name += c;
    }
    return name;
}

std::string machine_code_for(const compute_capability& architecture)
{
    const std::string name(architecture_name(architecture).view());
    return "arch=compute_" + name.substr(3) + ",code=" + name;
}

// No escape works in flags: nvcc escapes the backslash in some and not in others.
bool names_language(const std::string& word)
{
    return word == "-x" || word == "--x" || word.starts_with("-x=") || word.starts_with("--x=") ||
           word.starts_with("-xc");
}

void check_flags_for_nvcc(const std::vector<std::string>& flags)
{
    for (const std::string& flag : flags)
        if (flag.find_first_of("$`\n") != std::string::npos)
            throw error("nvcc would let a shell expand $ or ` in the flag " + flag,
                        "write the flag without $, ` and line feeds");
}

std::vector<std::string> environment_for_nvcc(const toolchain& tools, const std::filesystem::path& folder)
{
    std::vector<std::string> environment = tools.environment;
    environment.push_back("TMPDIR=" + (folder.empty() ? std::filesystem::path(".") : folder).string());
    return environment;
}

std::vector<std::string> environment_that_nvcc_reads()
{
    std::vector<std::string> values;
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH",
                             "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SOURCE_DATE_EPOCH"}) {
        const char* value = std::getenv(name);
        values.emplace_back(value == nullptr ? "" : value);
    }
    return values;
}

std::vector<std::string> words_of_environment_for_nvcc()
{
    std::vector<std::string> words;
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"})
        if (const char* value = std::getenv(name); value != nullptr)
            for (std::string& word : words_in(value)) words.push_back(std::move(word));
    return words;
}

void check_folder_for_nvcc(const std::string& folder)
{
    if (folder.find_first_of("$`\"\\\n") != std::string::npos)
        throw error("nvcc cannot work in the temporary folder " + folder,
                    "set TMPDIR to a folder without $, `, \" and \\ in its name");
}

}  // namespace launchbox
