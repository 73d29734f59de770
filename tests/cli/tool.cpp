#include "tool.hpp"

#include <algorithm>
#include <sstream>

#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

call launchbox_run(const std::vector<std::string>& arguments, const std::string& standard_input,
                   const std::vector<std::string>& environment)
{
    const temporary_directory streams;
    const auto file = [&](const char* name) { return (streams.path() / name).string(); };
    write_file_atomically(file("in"), standard_input);
    std::vector<std::string> command{"sh", "-c", R"(exec "$0" "$@" <"$TEST_IN" >"$TEST_OUT" 2>"$TEST_ERR")",
                                     LAUNCHBOX_TOOL};
    command.insert(command.end(), arguments.begin(), arguments.end());
    // If a variable occurs twice, the first one counts.
    std::vector<std::string> all = environment;
    for (const char* entry : {"COLUMNS=100", "LC_ALL=C.UTF-8", "NO_COLOR="}) all.emplace_back(entry);
    for (const char* name : {"in", "out", "err"}) {
        std::string upper(name);
        std::transform(upper.begin(), upper.end(), upper.begin(),
                       [](char c) { return static_cast<char>(c - 'a' + 'A'); });
        all.push_back("TEST_" + upper + "=" + file(name));
    }
    std::vector<std::string> first_of_each;
    for (const std::string& entry : all) {
        const std::string name = entry.substr(0, entry.find('=') + 1);
        const bool known = std::any_of(first_of_each.begin(), first_of_each.end(),
                                       [&](const std::string& other) { return other.starts_with(name); });
        if (!known) first_of_each.push_back(entry);
    }
    call result;
    result.status = run(command, {.directory = LAUNCHBOX_SOURCE_DIR, .environment = first_of_each}).exit_code;
    result.out = read_input(file("out"));
    result.err = read_input(file("err"));
    return result;
}

std::vector<std::string> all_verbs()
{
    const temporary_directory pages;
    EXPECT_EQ(launchbox_run({"man", "--folder", pages.path().string()}).status, 0);
    const std::string prefix = "launchbox-";
    std::vector<std::string> verbs;
    for (const fs::directory_entry& page : fs::directory_iterator(pages.path()))
        if (const std::string name = page.path().stem(); name.starts_with(prefix))
            verbs.push_back(name.substr(prefix.size()));
    std::sort(verbs.begin(), verbs.end());
    return verbs;
}

void expect_refused(const call& result, const std::string& words, int status)
{
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.says(words)) << result.err;
    EXPECT_TRUE(result.err.starts_with("launchbox: ")) << result.err;
    EXPECT_LE(lines_of(result.err).size(), 2u) << result.err;
}

bool has_nvcc()
{
    static const bool found = launchbox_run({"--version"}).out.find("\nnvcc: ") == std::string::npos;
    return found;
}

fs::path make_nvcc(const fs::path& folder, const std::string& body)
{
    fs::path program = folder / "nvcc";
    const std::string root = LAUNCHBOX_SOURCE_DIR;
    write_file_atomically(program,
                          "#!/bin/sh\n"
                          "case $1 in\n"
                          "--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;;\n"
                          "--list-gpu-code) printf 'sm_75\\nsm_80\\nsm_90\\n'; exit;;\n"
                          "esac\n"
                          "while [ $# -gt 0 ]; do\n"
                          "  case $1 in -o) cubin=$2;; -gencode) architecture=${2##*=};; esac\n"
                          "  shift\n"
                          "done\n"
                          "finish() {\n"
                          "  cat '" +
                              root +
                              "/tests/data/logs/basic_'$architecture.log\n"
                              "  cp '" +
                              root +
                              "/tests/fuzz/corpus/cubin/sm_90.cubin' \"$cubin\"\n"
                              "}\n" +
                              body + "\n");
    fs::permissions(program, fs::perms::owner_all);
    return program;
}

std::string repository_file(const std::string& path)
{
    return std::string(LAUNCHBOX_SOURCE_DIR) + "/" + path;
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace launchbox
