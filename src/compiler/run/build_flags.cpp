// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/build_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "compiler/run/build_compiler.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

using std::string_view;

// Whether it is one of the words, which are separated by blanks.
bool is_among(string_view word, string_view words)
{
    return word.find(' ') == string_view::npos && words.find(fmt::format(" {} ", word)) != string_view::npos;
}

// Flags that only the build needs: whether and where output is written.
constexpr string_view left_out =
    " -c --compile -dc --device-c -dw --device-w -dlink -link --device-link --link -lib --lib -run --run -M -MM "
    "-MD -MMD -MP -MG -S -E --preprocess -ptx --ptx -cubin --cubin -fatbin --fatbin -cuda --cuda -optix-ir "
    "--optix-ir -ltoir --ltoir -dryrun --dryrun -v --verbose -keep --keep -save-temps -clean --save-temps "
    "--clean-targets -objtemp -jobserver --jobserver -### "
    "--generate-dependencies --generate-nonsystem-dependencies --generate-dependencies-with-compile "
    "--generate-nonsystem-dependencies-with-compile --generate-dependency-targets ";

// The same, with a value in the next word or after =.
constexpr string_view left_out_with_value =
    " -o --output-file -MF --dependency-output -MT --dependency-target-name -MQ -odir -arch --gpu-architecture "
    "-code --output-directory -t --gpu-code -gencode --generate-code -keep-dir --threads --keep-dir -time --time "
    "-run-args --run-args -fdevice-time-trace --fdevice-time-trace -dumpdir -Xlinker --linker-options -L -l "
    "--library-path --library -Xarchive --archive-options ";

// Flags whose value is the next word, even if it looks like a flag.
constexpr string_view takes_value =
    " -Xptxas --ptxas-options -Xcompiler --compiler-options -Xlinker --linker-options -Xnvlink --nvlink-options "
    "-Xcudafe -Xfatbin -Xcicc --archive-options -Xarchive -D -U --define-macro -L --undefine-macro -l "
    "--library-path --library -std --std -maxrregcount --maxrregcount -rdc -O --optimize -m "
    "--relocatable-device-code --machine -diag-suppress -dopt -diag-error -diag-warn --diag-suppress --diag-error "
    "--diag-warn -ftz -fmad -default-stream --default-stream -Werror ";

// Flags whose value is a path, or several separated by commas.
constexpr std::array<string_view, 11> with_path{
    "-isystem",          "--system-include", "--include-path", "-include", "--pre-include",
    "--compiler-bindir", "-ccbin",           "-ldir",          "-I",       "-Xcompiler",
    "--compiler-options"};

std::string absolute(const fs::path& folder, const std::string& path)
{
    return path.empty() ? path : (folder / path).lexically_normal().string();
}

// "a,b" means two paths to nvcc, unless a file of that name exists.
std::vector<std::string> paths_in(const std::string& list, const fs::path& folder)
{
    std::error_code failure;
    if (fs::exists(folder / list, failure)) return {list};
    std::vector<std::string> paths;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t end = std::min(list.find(',', from), list.size());
        paths.push_back(list.substr(from, end - from));
        from = end + 1;
    }
    return paths;
}

// The include folders among the host compiler's flags, which nvcc's preprocessor uses, too.
std::string absolute_host_flags(const fs::path& folder, const std::string& list)
{
    std::string result;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t end = std::min(list.find(',', from), list.size());
        std::string flag = list.substr(from, end - from);
        for (const string_view name : {"-I", "-isystem"})
            if (flag.starts_with(name) && flag.size() > name.size())
                flag = std::string(name) + absolute(folder, flag.substr(name.size()));
        result += (from == 0 ? "" : ",") + flag;
        from = end + 1;
    }
    return result;
}

std::string absolute_list(string_view flag, const fs::path& folder, const std::string& list)
{
    if (flag == "-Xcompiler" || flag == "--compiler-options") return absolute_host_flags(folder, list);
    std::error_code failure;
    // A file that is not in the build's folder is searched for in those of -I.
    if ((flag == "-include" || flag == "--pre-include") && !fs::exists(folder / list, failure) &&
        list.find(',') == std::string::npos)
        return list;
    // Without a folder, the host compiler is searched for in PATH.
    if (flag == "-ccbin" || flag == "--compiler-bindir")
        return list.find('/') == std::string::npos ? list : absolute(folder, list);
    std::string result;
    for (const std::string& path : paths_in(list, folder))
        result += (result.empty() ? "" : ",") + absolute(folder, path);
    return result;
}

// "-MF" for "-MF=file"; the word itself if it has no value.
string_view flag_name(string_view word)
{
    return word.substr(0, word.find('='));
}

constexpr string_view response_flags = " --options-file -optf ";

void expand(const std::vector<std::string>& words, const fs::path& folder, std::vector<std::string>& outer,
            std::vector<std::string>& result);

// One response file, or several separated by commas.
void expand_files(const std::string& list, const fs::path& folder, std::vector<std::string>& outer,
                  std::vector<std::string>& result)
{
    constexpr std::size_t deepest = 30, largest_file = std::size_t{64} << 20, max_words = 1'000'000;
    for (const std::string& name : paths_in(list, folder)) {
        const std::string path = (folder / name).lexically_normal().string();
        if (std::ranges::find(outer, path) != outer.end() || outer.size() == deepest || result.size() > max_words)
            throw error(
                "the response file " + escape_for_terminal(path) + " includes itself, directly or through others",
                "write the flags into one file");
        std::string text;
        try {
            text = read_input(path, largest_file);
        } catch (const error&) {
            throw error("there is no response file " + escape_for_terminal(path) + " with flags for the compiler",
                        "build the project once, or put its flags after --");
        }
        std::ranges::replace(text, '\r', ' ');
        if (text.find_first_not_of(" \t\n") == std::string::npos) continue;
        outer.push_back(path);
        expand(command_words(text), folder, outer, result);
        outer.pop_back();
    }
}

void expand(const std::vector<std::string>& words, const fs::path& folder, std::vector<std::string>& outer,
            std::vector<std::string>& result)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.size() > 1 && word.front() == '@') {
            expand_files(word.substr(1), folder, outer, result);
        } else if (is_among(flag_name(word), response_flags)) {
            const std::size_t value = flag_name(word).size();
            if (value < word.size())
                expand_files(word.substr(value + 1), folder, outer, result);
            else if (i + 1 < words.size())
                expand_files(words[++i], folder, outer, result);
        } else {
            result.push_back(word);
            if (is_among(word, takes_value) && i + 1 < words.size()) result.push_back(words[++i]);
        }
    }
}

// Whether one of these is a flag of Microsoft's compiler written with -, as CMake does: -Zi -Ob0. No other compiler
// knows those listed.
bool has_microsoft_flag(string_view flags)
{
    while (!flags.empty()) {
        const std::size_t begin = std::min(flags.find_first_not_of(" \t\","), flags.size());
        const std::size_t end = std::min(flags.find_first_of(" \t\",", begin), flags.size());
        const string_view one = flags.substr(begin, end - begin);
        flags.remove_prefix(end);
        for (const string_view flag : {"-EH", "-Zi", "-ZI", "-Z7", "-Zc:", "-Od", "-Ob0", "-Ob1", "-Ob2", "-RTC", "-GR",
                                       "-Fd", "-FS", "-MDd", "-MTd", "-bigobj", "-utf-8", "-permissive-"})
            if (one.starts_with(flag)) return true;
    }
    return false;
}

// "/EHsc /W3" or -ccbin "C:\\VC\\bin": flags of Microsoft's compiler, or a path to it, in a build on Windows. They
// concern the host's code alone.
bool is_of_windows(string_view name, string_view value)
{
    value.remove_prefix(std::min(value.find_first_not_of(" \t\""), value.size()));
    if (name == "-Xcompiler" || name == "--compiler-options")
        return value.starts_with('/') || has_microsoft_flag(value);
    if (name != "-ccbin" && name != "--compiler-bindir") return false;
    return value.size() > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/');
}

constexpr string_view link_time_flags = " -dlto --dlink-time-opt -lto --lto ";

// Reads the words of a build's command in order, as nvcc does.
class flag_reader {
public:
    explicit flag_reader(const fs::path& folder) : folder_(folder) {}

    std::vector<std::string> read(std::span<const std::string> words);

private:
    std::size_t read_one(std::span<const std::string> words);
    void read_language(string_view value);
    void read_code(string_view value);
    void add(std::string flag) { flags_.push_back(std::move(flag)); }

    const fs::path& folder_;
    std::vector<std::string> flags_;
};

std::vector<std::string> flag_reader::read(std::span<const std::string> words)
{
    while (!words.empty()) words = words.subspan(std::min(read_one(words), words.size()));
    return std::move(flags_);
}

// Returns how many words it has read.
std::size_t flag_reader::read_one(std::span<const std::string> words)
{
    const std::string& word = words[0];
    const string_view name = flag_name(word);
    const bool joined = name.size() < word.size();
    const std::string value = joined ? word.substr(name.size() + 1) : words.size() > 1 ? words[1] : std::string();
    const std::size_t both = joined ? 1 : 2;
    if (word == "-dc" || word == "--device-c") add("-rdc=true");
    if (word == "-dw" || word == "--device-w") add("-rdc=false");
    if (is_among(word, left_out)) return 1;
    if (name == "-x" || name == "--x") {
        read_language(value);
        return both;
    }
    if (is_among(name, left_out_with_value)) {
        read_code(value);
        return both;
    }
    if (word.starts_with("-Wl,") || word.starts_with("-L")) return 1;
    if (!word.starts_with('-')) return 1;  // an input: the source, another one, or an object
    if (is_of_windows(name, value)) return both;
    for (const string_view flag : with_path) {
        if (word == flag) {
            add(word);
            if (words.size() > 1) add(absolute_list(flag, folder_, words[1]));
            return 2;
        }
        const bool is_own = flag == name || flag == "-I" || flag == "-isystem";
        if (!is_own || !word.starts_with(flag)) continue;
        const std::size_t at = flag.size() + (word[flag.size()] == '=' ? 1 : 0);
        add(word.substr(0, at) + absolute_list(flag, folder_, word.substr(at)));
        return 1;
    }
    add(word);
    if (joined || !is_among(word, takes_value)) return 1;
    if (words.size() > 1) add(words[1]);
    return 2;
}

// For a file whose name does not tell nvcc that it is CUDA.
void flag_reader::read_language(string_view value)
{
    if (value != "cu" && value != "cuda") return;
    add("-x");
    add("cu");
}

// We choose the architectures, but link-time code generation must be kept.
void flag_reader::read_code(string_view value)
{
    if (value.find("lto_") != string_view::npos) add("-dlto");
}

}  // namespace

std::vector<std::string> with_response_files(const std::vector<std::string>& words, const fs::path& folder)
{
    std::vector<std::string> outer, result;
    expand(words, folder, outer, result);
    return result;
}

bool asks_for_link_time_optimization(const std::vector<std::string>& flags)
{
    return std::ranges::any_of(flags, [](const std::string& flag) { return is_among(flag, link_time_flags); });
}

std::vector<std::string> for_machine_code(const std::vector<std::string>& flags)
{
    std::vector<std::string> result;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string& flag = flags[i];
        if (is_among(flag, link_time_flags) || flag == "-dc" || flag == "--device-c")
            result.emplace_back("-rdc=true");
        else if (flag == "-dw" || flag == "--device-w")
            result.emplace_back("-rdc=false");
        else
            result.push_back(flag);
        if (is_among(flag, takes_value) && i + 1 < flags.size()) result.push_back(flags[++i]);
    }
    return result;
}

std::vector<std::string> flags_of_command(const std::vector<std::string>& words, const fs::path& folder)
{
    return flag_reader(folder).read(as_nvcc_words(words));
}

}  // namespace launchbox
