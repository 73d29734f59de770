// Stands in for nvcc in the tests: replays the result of an earlier run of the same command, without a compiler.
//
// The tests run nvcc hundreds of times, and a change to one file affects only a few of these runs. A run is identified
// by its arguments, the contents of every file that it can read (inputs, their folders, the headers of this
// repository), and the identity of the compiler. Its printed output, exit status and output files are stored in the
// build folder (compiler/run/compile_cache.hpp). Names of temporary folders differ from run to run, so they are stored
// as @0, @1, ...; an output that contains such a name in binary form, or a name derived from it, is not stored.
//
// LAUNCHBOX_TEST_CACHE=off: nvcc does every run.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/preprocessed.hpp"
#include "support/files/files.hpp"

extern char** environ;

namespace launchbox {

namespace {

namespace fs = std::filesystem;

constexpr const char* real_nvcc = LAUNCHBOX_REAL_NVCC;
constexpr const char* host_compiler = LAUNCHBOX_HOST_COMPILER;  // its path and version
constexpr std::uintmax_t largest_kept = 64u << 20;

/// The parts of an nvcc command line that this program needs.
struct command {
    std::vector<std::string> arguments;
    fs::path output, keep_folder;
    std::vector<fs::path> inputs;    ///< every argument that is a file
    std::vector<fs::path> included;  ///< those that -include puts before the source
    bool cacheable = true, dry_run = false, options_in_file = false;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), text) != names.end();
}

command read_command(int count, char** arguments)
{
    command read;
    read.arguments.assign(arguments + 1, arguments + count);
    // Queries, which are quick, and runs whose result is not files.
    read.cacheable = count > 1;
    for (std::size_t i = 0; i < read.arguments.size(); ++i) {
        const std::string& argument = read.arguments[i];
        const bool more = i + 1 < read.arguments.size();
        read.dry_run |= argument == "--dryrun";
        if (is_one_of(argument, {"-dryrun", "--version", "-V", "--help", "-h", "--list-gpu-code", "--list-gpu-arch",
                                 "-run", "--run", "-M", "-MM"}))
            read.cacheable = false;
        if (argument.starts_with("-optf") || argument.find("options-file") != std::string::npos)
            read.options_in_file = true;
        if (is_one_of(argument, {"-o", "--output-file"}) && more) {
            read.output = read.arguments[++i];
        } else if (is_one_of(argument, {"--keep-dir", "-keep-dir"}) && more) {
            read.keep_folder = read.arguments[++i];
        } else if (is_one_of(argument, {"-ccbin", "--compiler-bindir"}) && more) {
            ++i;
        } else if (argument == "-include" && more) {
            read.included.emplace_back(read.arguments[++i]);
            read.inputs.push_back(read.included.back());
        } else if (std::error_code ignored; fs::is_regular_file(argument, ignored)) {
            read.inputs.emplace_back(argument);
        } else if (!argument.starts_with('-') && fs::path(argument).has_extension()) {
            // The input is missing, or its name is quoted for nvcc's shell: its contents are unknown here.
            read.cacheable = false;
        }
    }
    return read;
}

fs::path folder_of(const fs::path& file)
{
    return fs::absolute(file).parent_path();
}

/// launchbox gives each nvcc its own folder for temporary files, which also holds the output. This returns the folder
/// around all of them.
std::string folder_of_temporary_files()
{
    const std::string folder = fs::temp_directory_path().lexically_normal().string();
    return folder.substr(0, folder.find("/launchbox-run-"));
}

/// The temporary folders of a command, with new names in each run: longest first, so that a nested folder is replaced
/// before its parent.
std::vector<std::string> private_folders(const command& asked)
{
    const std::string temporary = folder_of_temporary_files() + "/", repository = LAUNCHBOX_SOURCE_DIR;
    std::vector<std::string> found;
    const auto add = [&](const fs::path& folder) {
        const std::string name = folder.lexically_normal().string();
        // The repository itself may be in a temporary folder.
        const bool in_repository = name == repository || name.starts_with(repository + "/");
        if (name.starts_with(temporary) && !in_repository && std::find(found.begin(), found.end(), name) == found.end())
            found.push_back(name);
    };
    add(fs::current_path());
    if (!asked.output.empty()) add(folder_of(asked.output));
    if (!asked.keep_folder.empty()) add(fs::absolute(asked.keep_folder));
    for (const fs::path& input : asked.inputs) add(folder_of(input));
    for (const std::string& argument : asked.arguments)
        if (const std::size_t at = argument.find(temporary); at != std::string::npos)
            if (std::error_code ignored; fs::is_directory(argument.substr(at), ignored)) add(argument.substr(at));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return found;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Replaces temporary folders in a text by @0, @1, ..., and back.
class folder_names {
public:
    explicit folder_names(std::vector<std::string> folders) : folders_(std::move(folders)) {}

    [[nodiscard]] std::string without(std::string text) const
    {
        for (std::size_t i = 0; i < folders_.size(); ++i) text = replaced(std::move(text), folders_[i], tag(i));
        return text;
    }
    [[nodiscard]] std::string with(std::string text) const
    {
        for (std::size_t i = 0; i < folders_.size(); ++i) text = replaced(std::move(text), tag(i), folders_[i]);
        return text;
    }
    [[nodiscard]] bool is_in(const std::string& text) const
    {
        return std::any_of(folders_.begin(), folders_.end(),
                           [&](const std::string& folder) { return text.find(folder) != std::string::npos; });
    }
    [[nodiscard]] const std::vector<std::string>& all() const { return folders_; }

private:
    static std::string tag(std::size_t i) { return "\x01@" + std::to_string(i) + "\x01"; }
    std::vector<std::string> folders_;
};

/// Whether the sources are in a temporary folder, so that the output depends on their path: through __FILE__, and
/// through names in anonymous namespaces. False if only outputs are there, and headers that launchbox wrote to have
/// macros of the source expanded.
bool compiles_private_files(const command& asked, const folder_names& names)
{
    std::set<std::string> of_outputs;
    if (!asked.output.empty()) of_outputs.insert(folder_of(asked.output).lexically_normal().string());
    if (!asked.keep_folder.empty()) of_outputs.insert(fs::absolute(asked.keep_folder).lexically_normal().string());
    for (const std::string& folder : names.all())
        if (!of_outputs.contains(folder) || folder == fs::current_path()) return true;
    return std::any_of(asked.inputs.begin(), asked.inputs.end(), [&](const fs::path& input) {
        const bool is_included = std::find(asked.included.begin(), asked.included.end(), input) != asked.included.end();
        return !is_included && names.is_in(folder_of(input).string());
    });
}

bool is_text(const std::string& content)
{
    return content.find('\0') == std::string::npos;
}

std::string read_all(const fs::path& file)
{
    try {
        return read_input(file.string());
    } catch (const std::exception&) {
        return {};
    }
}

// Whether a folder has sources of the repository, and nothing that is built or written by a test.
bool is_in_repository(const fs::path& folder)
{
    const std::string name = fs::absolute(folder).lexically_normal().string(), repository = LAUNCHBOX_SOURCE_DIR;
    return name.starts_with(repository + "/") && !name.starts_with(repository + "/build");
}

// Whether a file's content depends on its folder. The header by which launchbox injects bounds only compares names.
bool is_made_of_path(const std::string& content)
{
    return replaced(content, "is_file(__FILE__, name)", "").find("__FILE__") != std::string::npos;
}

// Whether it depends on the time, so that a stored result would be out of date.
bool is_made_of_time(const std::string& content)
{
    for (const char* macro : {"__DATE__", "__TIME__", "__TIMESTAMP__"})
        if (content.find(macro) != std::string::npos) return true;
    return false;
}

/// The compiler, and the variables that it reads.
std::vector<std::string> identity_of_compiler()
{
    struct stat compiler {};
    ::stat(real_nvcc, &compiler);
    std::vector<std::string> parts{
        real_nvcc, std::to_string(compiler.st_size) + " " + std::to_string(compiler.st_mtime), host_compiler};
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"})
        parts.emplace_back(std::getenv(name) == nullptr ? "" : std::getenv(name));
    return parts;
}

/// Everything that determines the result of the command.
class command_key {
public:
    command_key(const command& asked, const folder_names& names)
        : names_(names), compiles_private_files_(compiles_private_files(asked, names))
    {
        parts_ = identity_of_compiler();
        for (const std::string& argument : asked.arguments) add(names.without(argument));
        for (const std::string& folder : names.all()) add_folder(folder, true);
        const fs::path repository = LAUNCHBOX_SOURCE_DIR;
        for (const char* part : {"include", "examples", "algorithms", "tests/include/launch_box"})
            add_folder(repository / part, true);
        for (const std::string& argument : asked.arguments)
            if (argument.starts_with("-I" + repository.string())) add_folder(argument.substr(2), true);
        std::set<fs::path> folders;
        for (const fs::path& input : asked.inputs) {
            const std::string content = read_all(input);
            if (is_text(content) && is_made_of_time(content)) cacheable_ = false;
            add(content);
            folders.insert(folder_of(input));
        }
        for (const fs::path& folder : folders)
            if (!names.is_in(folder.string())) add_folder(folder, false);
    }

    [[nodiscard]] bool cacheable() const { return cacheable_; }

    [[nodiscard]] std::string text() const
    {
        std::vector<std::string_view> parts{"launchbox compiler cache of the tests 5"};
        parts.insert(parts.end(), parts_.begin(), parts_.end());
        return key_of(parts);
    }

private:
    void add(std::string part) { parts_.push_back(std::move(part)); }

    // Reads files because an include or a link could use them.
    void add_folder(const fs::path& folder, bool with_folders_in_it)
    {
        // Nothing in the repository is written while tests run, so that times tell changes: to read all of its headers
        // took half of the time of a replayed run.
        const bool in_repository = is_in_repository(folder);
        std::map<std::string, std::string> contents;
        std::error_code ignored;
        for (auto at = fs::recursive_directory_iterator(folder, ignored); at != fs::recursive_directory_iterator();
             ++at) {
            if (at->is_directory(ignored) && !with_folders_in_it) at.disable_recursion_pending();
            if (!at->is_regular_file(ignored)) continue;
            const std::string name = at->path().lexically_relative(folder).string();
            const std::string ending = at->path().extension().string();
            const bool is_private = names_.is_in(folder.string());
            if (!is_private && !is_one_of(ending, {".cu", ".cuh", ".h", ".hpp", ".inl", ".ptx"})) continue;
            const std::uintmax_t size = fs::file_size(at->path(), ignored);
            if (size > largest_kept) continue;
            if (in_repository) {
                const auto written = fs::last_write_time(at->path(), ignored).time_since_epoch().count();
                contents[name] = std::to_string(size) + " " + std::to_string(written);
                continue;
            }
            std::string content = read_all(at->path());
            // A result computed from the name of a temporary folder is useless in the next one.
            if (is_private && compiles_private_files_ && is_made_of_path(content)) cacheable_ = false;
            if (is_private && is_text(content) && is_made_of_time(content)) cacheable_ = false;
            contents[name] = names_.without(std::move(content));
        }
        for (auto& [name, content] : contents) {
            add(name);
            add(std::move(content));
        }
    }

    const folder_names& names_;
    const bool compiles_private_files_;
    std::vector<std::string> parts_;
    bool cacheable_ = true;
};

struct file_state {
    std::uintmax_t size = 0;
    fs::file_time_type written;
    friend bool operator==(const file_state&, const file_state&) = default;
};

std::map<fs::path, file_state> files_beside_outputs(const command& asked)
{
    std::set<fs::path> folders;
    if (!asked.output.empty()) folders.insert(folder_of(asked.output));
    if (!asked.keep_folder.empty()) folders.insert(fs::absolute(asked.keep_folder));
    if (folders.empty()) folders.insert(fs::current_path());
    std::map<fs::path, file_state> found;
    std::error_code ignored;
    for (const fs::path& folder : folders)
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
            if (entry.is_regular_file(ignored))
                found[entry.path()] = {entry.file_size(ignored), entry.last_write_time(ignored)};
    return found;
}

// The exit status and the output on each stream; nothing if it was killed.
std::optional<std::vector<std::string>> run_real(const command& asked)
{
    const temporary_directory folder;
    const fs::path out = folder.path() / "out", err = folder.path() / "err";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<char*> words{const_cast<char*>(real_nvcc)};
    for (const std::string& argument : asked.arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    pid_t child = 0;
    int status = 0;
    const int failure = posix_spawn(&child, real_nvcc, &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return std::nullopt;
    return std::vector<std::string>{std::to_string(WEXITSTATUS(status)), read_all(out), read_all(err)};
}

bool is_text_of_preprocessor(const fs::path& file)
{
    return file.string().ends_with(".cpp1.ii");
}

// The only part of the text that is used.
std::string line_markers_of(const std::string& text)
{
    std::string markers;
    for (const std::string& file : files_in(text)) markers += "# 1 \"" + file + "\"\n";
    return markers;
}

// A file that nvcc keeps with --keep but nobody reads.
bool is_intermediate(const command& asked, const fs::path& file)
{
    const bool wanted = !asked.output.empty() && file == fs::absolute(asked.output).lexically_normal();
    return !wanted && !is_text_of_preprocessor(file) &&
           !is_one_of(file.extension().string(), {".ptx", ".cubin", ".o", ".d", ".fatbin", ".so", ""});
}

// Names that nvcc derives from the path of a source: those in anonymous namespaces, and that of the unit.
bool has_name_of_path(const std::string& content)
{
    for (const char* mark : {"_GLOBAL__N__", "_INTERNAL_", "__nv_module_id"})
        if (content.find(mark) != std::string::npos) return true;
    return false;
}

// Adds the files that the run created; false if one cannot be stored.
bool add_outputs(const command& asked, const folder_names& names, const std::map<fs::path, file_state>& before,
                 std::vector<std::string>& texts)
{
    for (const auto& [file, state] : files_beside_outputs(asked)) {
        const auto old = before.find(file);
        if ((old != before.end() && old->second == state) || is_intermediate(asked, file)) continue;
        if (state.size > largest_kept) return false;
        std::string content = read_all(file);
        if (is_text_of_preprocessor(file)) content = line_markers_of(content);
        const bool text = is_text(content);
        if (!text && names.is_in(content)) return false;
        // Preprocessed text has such words from CUDA's headers, but no names that nvcc derived.
        const bool is_preprocessed = file.extension() == ".ii";
        if (!is_preprocessed && compiles_private_files(asked, names) && has_name_of_path(content)) return false;
        texts.push_back(names.without(file.string()));
        texts.emplace_back(::access(file.c_str(), X_OK) == 0 ? "x" : "-");
        texts.push_back(text ? names.without(std::move(content)) : std::move(content));
    }
    return true;
}

int answer(const std::vector<std::string>& texts, const folder_names& names)
{
    for (std::size_t i = 3; i + 2 < texts.size(); i += 3) {
        const fs::path file = names.with(texts[i]);
        write_file_atomically(file, is_text(texts[i + 2]) ? names.with(texts[i + 2]) : texts[i + 2]);
        if (texts[i + 1] == "x")
            fs::permissions(file, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    }
    std::cout << names.with(texts[1]) << std::flush;
    std::cerr << names.with(texts[2]) << std::flush;
    return std::stoi(texts[0]);
}

/// What launchbox asks whenever it starts, and before it compiles: the compiler's version, and the commands of a run.
bool is_question(const command& asked)
{
    return asked.arguments == std::vector<std::string>{"--version"} ||
           (asked.dry_run && asked.cacheable && !asked.options_in_file);
}

/// The answer depends on no file's content. PATH decides which host compiler there is.
int answer_question(const command& asked)
{
    const folder_names names(private_folders(asked));
    std::vector<std::string> parts = identity_of_compiler();
    parts.emplace_back(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (const std::string& argument : asked.arguments) parts.push_back(names.without(argument));
    const std::string key = key_of({parts.begin(), parts.end()});
    const compile_cache cache(LAUNCHBOX_TEST_CACHE);
    if (const auto known = cache.find_texts(key); known && known->size() == 3) return answer(*known, names);
    const auto ran = run_real(asked);
    if (!ran) return 255;
    const std::vector<std::string> texts{ran->at(0), names.without(ran->at(1)), names.without(ran->at(2))};
    if (texts[0] == "0") cache.store_texts(key, texts);
    return answer(texts, names);
}

int compile(const command& asked)
{
    const folder_names names(private_folders(asked));
    const command_key everything(asked, names);
    const compile_cache cache(everything.cacheable() ? LAUNCHBOX_TEST_CACHE : "");
    const std::string key = everything.text();
    if (const auto known = cache.find_texts(key); known && known->size() >= 3) return answer(*known, names);

    const std::map<fs::path, file_state> before = files_beside_outputs(asked);
    const auto ran = run_real(asked);
    if (!ran) return 255;
    std::vector<std::string> texts{ran->at(0), names.without(ran->at(1)), names.without(ran->at(2))};
    if (add_outputs(asked, names, before, texts)) cache.store_texts(key, texts);
    std::cout << ran->at(1) << std::flush;
    std::cerr << ran->at(2) << std::flush;
    return std::stoi(ran->at(0));
}

}  // namespace

}  // namespace launchbox

int main(int count, char** arguments)
{
    try {
        const launchbox::command asked = launchbox::read_command(count, arguments);
        const char* wish = std::getenv("LAUNCHBOX_TEST_CACHE");
        if (wish == nullptr || std::strcmp(wish, "off") != 0) {
            if (launchbox::is_question(asked)) return launchbox::answer_question(asked);
            if (asked.cacheable && !asked.dry_run) return launchbox::compile(asked);
        }
    } catch (const std::exception& failure) {
        std::cerr << "compiler cache of the tests: " << failure.what() << "\n";
        return 254;
    }
    arguments[0] = const_cast<char*>(launchbox::real_nvcc);
    ::execv(launchbox::real_nvcc, arguments);
    std::cerr << "cannot start " << launchbox::real_nvcc << "\n";
    return 255;
}
