// Runs a test, unless it has passed before with the same programs, files and environment: then it says so and is done.
//
//     launchbox_run_test FOLDER REPOSITORY READS [programs...] -- COMMAND...
//
// READS is what the test reads of the repository beside the programs: `data` (what is not compiled into programs:
// headers for users, examples, test data, schemas, records), `docs` (also the documents) or `all`. Files count by name,
// size and time. What passed is kept in FOLDER, a file a test; skipped tests run each time.
//
// LAUNCHBOX_RERUN=1, LAUNCHBOX_EXHAUSTIVE or LAUNCHBOX_SEED in the environment: every test runs.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), text) != names.end();
}

void add_file(const fs::path& file, strings& facts)
{
    std::error_code failed;
    const auto size = fs::file_size(file, failed);
    const auto written = fs::last_write_time(file, failed);
    facts.push_back(file.string() +
                    (failed ? std::string(" is not there")
                            : " " + std::to_string(size) + " " + std::to_string(written.time_since_epoch().count())));
}

/// Sources that only act through the programs that they are compiled into.
bool is_compiled(const std::string& name)
{
    if (name.starts_with("src/") || name.starts_with("bench/") || name.starts_with("web/wasm/"))
        for (const char* ending : {".cpp", ".hpp", ".cu", ".cuh", ".inc"})
            if (name.ends_with(ending)) return true;
    return name.starts_with("tests/") && !name.starts_with("tests/data/") &&
           !name.starts_with("tests/include/launch_box/") && !name.starts_with("tests/compiler_cache/") &&
           (name.ends_with(".cpp") || name.ends_with(".hpp"));
}

bool is_document(const std::string& name)
{
    return name.ends_with(".md") || name.starts_with("docs/") || name.starts_with(".github/");
}

void add_repository(const fs::path& repository, std::string_view reads, strings& facts)
{
    std::error_code failed;
    for (fs::recursive_directory_iterator at(repository, failed), end; at != end; at.increment(failed)) {
        const std::string name = at->path().string().substr(repository.string().size() + 1);
        if (at->is_directory(failed)) {
            if (is_one_of(name, {"build", ".git"}) || name.starts_with(".cuda") || name.ends_with("__pycache__"))
                at.disable_recursion_pending();
            continue;
        }
        if (reads != "all" && (is_compiled(name) || (reads == "data" && is_document(name)))) continue;
        add_file(at->path(), facts);
    }
    // Recorded tuning spaces, where they are there.
    for (const auto& entry : fs::directory_iterator(repository / "../shared/reference/data", failed))
        add_file(entry.path(), facts);
}

void add_environment(strings& facts)
{
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string_view variable = *at;
        const std::string_view name = variable.substr(0, variable.find('='));
        if (name.starts_with("LAUNCHBOX") || name.starts_with("NVCC") || name.starts_with("CUDA") ||
            is_one_of(name, {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "CPATH", "CPLUS_INCLUDE_PATH"}))
            facts.emplace_back(variable);
    }
    if (const char* cuda = std::getenv("CUDA_HOME"))
        for (const char* name : {"bin/ptxas", "nvvm/bin/cicc", "include/cuda_occupancy.h"})
            add_file(fs::path(cuda) / name, facts);
    for (const char* gpu : {"/dev/nvidia0", "/dev/nvidiactl"})
        if (fs::exists(gpu)) facts.emplace_back(gpu);
}

/// What the test prints goes on to where it would; the exit status, and whether something in it was skipped.
struct test_result {
    int status = 0;
    bool skipped = false;
};

test_result run(char** command)
{
    int ends[2];
    if (::pipe(ends) != 0) {
        std::perror("launchbox_run_test");
        return {.status = 126};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], 1);
        ::dup2(ends[1], 2);
        ::close(ends[0]);
        ::close(ends[1]);
        ::execvp(command[0], command);
        std::perror(command[0]);
        ::_exit(127);
    }
    ::close(ends[1]);
    test_result result;
    std::string tail, buffer(1 << 16, '\0');
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
        const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
        std::cout << text << std::flush;
        tail += text;
        result.skipped = result.skipped || tail.find("[  SKIPPED ]") != std::string::npos;
        tail.erase(0, tail.size() - std::min<std::size_t>(tail.size(), 16));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace

int main(int count, char** arguments)
{
    const auto dashes = std::find_if(arguments, arguments + count, [](char* word) { return !std::strcmp(word, "--"); });
    if (dashes - arguments < 4 || dashes + 1 >= arguments + count) {
        std::cerr << "launchbox_run_test FOLDER REPOSITORY READS [programs...] -- COMMAND...\n";
        return 2;
    }
    const fs::path folder = arguments[1], repository = arguments[2];
    strings facts{fs::current_path()};
    for (char** at = arguments + 3; *at != nullptr; ++at) facts.emplace_back(*at);
    std::string name;
    for (char** at = dashes + 1; *at != nullptr; ++at) name += std::string(*at) + "\n";
    for (char** at = arguments + 4; at != dashes; ++at) add_file(*at, facts);
    if (fs::path program = dashes[1]; fs::exists(program)) add_file(program, facts);
    add_file(arguments[0], facts);
    add_environment(facts);
    add_repository(repository, arguments[3], facts);
    std::sort(facts.begin(), facts.end());
    std::string all;
    for (const std::string& fact : facts) all += fact + "\n";
    const std::string key = name + std::to_string(facts.size()) + " " + std::to_string(std::hash<std::string>{}(all));

    const fs::path kept = folder / std::to_string(std::hash<std::string>{}(name));
    const auto wished = [](const char* variable) { return std::getenv(variable) != nullptr; };
    if (!wished("LAUNCHBOX_RERUN") && !wished("LAUNCHBOX_EXHAUSTIVE") && !wished("LAUNCHBOX_SEED")) {
        std::ifstream known(kept, std::ios::binary);
        if (known && std::string(std::istreambuf_iterator<char>(known), {}) == key) {
            std::cout << "passed before with the same programs and files; LAUNCHBOX_RERUN=1 runs it again\n";
            std::ofstream(folder / "not_run_again", std::ios::app) << "1\n";
            return 0;
        }
    }
    std::error_code ignored;
    fs::remove(kept, ignored);
    const test_result result = run(dashes + 1);
    if (result.status == 0 && !result.skipped) {
        fs::create_directories(folder, ignored);
        const fs::path part = kept.string() + "." + std::to_string(::getpid());
        if (std::ofstream(part, std::ios::binary) << key) fs::rename(part, kept, ignored);
    }
    return result.status;
}
