// Runs a test, unless it has passed before with the same programs, files and environment: then it says so and is done.
//
//     launchbox_run_test FOLDER REPOSITORY READS [programs...] [SOURCE=FILE...] -- COMMAND...
//
// READS is what the test reads of the repository beside the programs: `data` (what is not compiled into programs:
// headers for users, examples, test data, schemas, records), `docs` (also documents and benchmarks) or `all`. Files
// count by name, size and time. What passed is kept in FOLDER, a file a test; skipped tests run each time.
//
// Of a program only what ran of it counts: programs of the preset dev note which of their functions a test enters
// (executed_functions.cpp), and the test depends on the .cpp files of these, on all headers, and on how all is compiled
// (build.ninja). A test that starts such a program hands on its environment. Where nothing is noted, the whole program
// counts. SOURCE=FILE: who enters a function of SOURCE depends on FILE, which is embedded in it.
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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executed_sources.hpp"

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
    return name.ends_with(".md") || name.starts_with("docs/") || name.starts_with(".github/") ||
           name.starts_with("bench/");
}

/// `scripts`: those that the test's command names; of scripts in folders of tests/ only those beside them count.
void add_repository(const fs::path& repository, std::string_view reads, const strings& scripts, strings& facts)
{
    std::error_code failed;
    const auto is_of_other_tests = [&](const fs::path& file, const std::string& name) {
        return name.starts_with("tests/") && name.ends_with(".py") && file.parent_path() != repository / "tests" &&
               std::none_of(scripts.begin(), scripts.end(),
                            [&](const fs::path& script) { return script.parent_path() == file.parent_path(); });
    };
    for (fs::recursive_directory_iterator at(repository, failed), end; at != end; at.increment(failed)) {
        const std::string name = at->path().string().substr(repository.string().size() + 1);
        if (at->is_directory(failed)) {
            if (is_one_of(name, {"build", ".git", ".nvdisasm"}) || name.starts_with(".cuda") ||
                name.ends_with("__pycache__"))
                at.disable_recursion_pending();
            continue;
        }
        if (reads != "all" && (is_compiled(name) || (reads == "data" && is_document(name)))) continue;
        if (reads != "all" && is_of_other_tests(at->path(), name)) continue;
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
        for (const char* name : {"bin/ptxas", "bin/nvdisasm", "nvvm/bin/cicc", "include/cuda_occupancy.h"})
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

/// Headers of programs, and what else of src/ and tests/ is compiled but has no function of its own.
bool is_header(const std::string& name)
{
    return is_compiled(name) && !name.ends_with(".cpp") && (name.starts_with("src/") || name.starts_with("tests/"));
}

std::string content(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The command line.
struct call {
    fs::path folder, repository;
    std::string reads;
    strings programs;  ///< those of the command line, and the first word of the command
    strings embedded;  ///< SOURCE=FILE
    std::string name;  ///< of the test: its command
    char** command = nullptr;
};

/// What counts in any case.
strings facts_of(const call& of, const char* own_program)
{
    strings facts{of.name, fs::current_path(), of.reads};
    facts.insert(facts.end(), of.programs.begin(), of.programs.end());
    facts.insert(facts.end(), of.embedded.begin(), of.embedded.end());
    add_file(own_program, facts);
    add_environment(facts);
    strings scripts;
    for (char** at = of.command; *at != nullptr; ++at)
        if (std::string_view(*at).ends_with(".py")) scripts.emplace_back(*at);
    add_repository(of.repository, of.reads, scripts, facts);
    return facts;
}

/// How programs are compiled, and their headers: what counts of programs beside the sources that ran.
void add_compiling(const call& of, strings& facts)
{
    facts.push_back("compiled as " +
                    std::to_string(std::hash<std::string>{}(content(of.folder.parent_path() / "build.ninja"))));
    std::error_code failed;
    for (const char* part : {"src", "tests"})
        for (fs::recursive_directory_iterator at(of.repository / part, failed), end; at != end; at.increment(failed))
            if (is_header(at->path().string().substr(of.repository.string().size() + 1))) add_file(at->path(), facts);
    add_file("/var/lib/dpkg/status", facts);  // libraries that are linked
}

std::string key_of(strings facts, const strings& files)
{
    for (const std::string& file : files) add_file(file, facts);
    std::sort(facts.begin(), facts.end());
    std::string all;
    for (const std::string& fact : facts) all += fact + "\n";
    return std::to_string(facts.size()) + " " + std::to_string(std::hash<std::string>{}(all));
}

/// The files that the programs of a test that has run stand for; empty: one was edited after its program was built, and
/// what ran is not what is there now.
std::optional<strings> files_of_programs(const call& of, const std::optional<launchbox::executed_sources>& ran)
{
    strings files;
    std::error_code failed;
    for (const std::string& program : of.programs)
        if (!ran || !ran->contains(fs::canonical(program, failed))) files.push_back(program);
    if (!ran) return files;
    for (const auto& [program, sources] : *ran) {
        const auto built = fs::last_write_time(program, failed);
        if (failed) return std::nullopt;
        for (const std::string& source : sources) {
            const auto written = fs::last_write_time(source, failed);
            if (failed || written > built) return std::nullopt;
            files.push_back(source);
            for (const std::string& pair : of.embedded)
                if (const std::size_t sign = pair.find('='); source == pair.substr(0, sign))
                    files.push_back(pair.substr(sign + 1));
        }
    }
    return files;
}

std::optional<call> read_call(int count, char** arguments)
{
    const auto dashes = std::find_if(arguments, arguments + count, [](char* word) { return !std::strcmp(word, "--"); });
    if (dashes - arguments < 4 || dashes + 1 >= arguments + count) return std::nullopt;
    call read;
    read.folder = arguments[1];
    read.repository = arguments[2];
    read.reads = arguments[3];
    read.command = dashes + 1;
    for (auto at = arguments + 4; at != dashes; ++at)
        (std::strchr(*at, '=') != nullptr ? read.embedded : read.programs).emplace_back(*at);
    if (fs::path program = dashes[1]; fs::exists(program)) read.programs.push_back(program);
    for (char** at = read.command; *at != nullptr; ++at) read.name += std::string(*at) + "\n";
    return read;
}

}  // namespace

int main(int count, char** arguments)
{
    const std::optional<call> test = read_call(count, arguments);
    if (!test) {
        std::cerr << "launchbox_run_test FOLDER REPOSITORY READS [programs...] [SOURCE=FILE...] -- COMMAND...\n";
        return 2;
    }
    strings facts = facts_of(*test, arguments[0]);
    add_compiling(*test, facts);

    // Kept: the key, and the files that stand for the programs.
    const fs::path kept = test->folder / std::to_string(std::hash<std::string>{}(test->name));
    const auto wished = [](const char* variable) { return std::getenv(variable) != nullptr; };
    if (!wished("LAUNCHBOX_RERUN") && !wished("LAUNCHBOX_EXHAUSTIVE") && !wished("LAUNCHBOX_SEED")) {
        std::ifstream known(kept);
        std::string key, file;
        strings files;
        std::getline(known, key);
        while (std::getline(known, file)) files.push_back(file);
        if (!key.empty() && key == key_of(facts, files)) {
            std::cout << "passed before with the same programs and files; LAUNCHBOX_RERUN=1 runs it again\n";
            std::ofstream(test->folder / "not_run_again", std::ios::app) << "1\n";
            return 0;
        }
    }
    std::error_code ignored;
    fs::remove(kept, ignored);
    const fs::path executed = kept.string() + ".executed";
    fs::remove_all(executed, ignored);
    fs::create_directories(executed, ignored);
    ::setenv("LAUNCHBOX_EXECUTED", executed.c_str(), 1);
    const test_result result = run(test->command);
    if (result.status == 0 && !result.skipped) {
        const auto files = files_of_programs(
            *test, launchbox::read_executed_sources(executed, test->folder / "sources", test->programs));
        const fs::path part = kept.string() + "." + std::to_string(::getpid());
        if (files) {
            std::ofstream out(part);
            out << key_of(facts, *files) << "\n";
            for (const std::string& file : *files) out << file << "\n";
            out.close();
            if (out) fs::rename(part, kept, ignored);
        }
    }
    fs::remove_all(executed, ignored);
    return result.status;
}
