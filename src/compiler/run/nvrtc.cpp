// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/nvrtc.hpp"

#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/preprocessed.hpp"
#include "image/ptx/ptx.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/loaded_library.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

struct nvrtc::functions {
    loaded_library library;
    decltype(&nvrtcVersion) version = library.need("nvrtcVersion");
    decltype(&nvrtcGetErrorString) text_of_code = library.need("nvrtcGetErrorString");
    decltype(&nvrtcCreateProgram) create = library.need("nvrtcCreateProgram");
    decltype(&nvrtcDestroyProgram) destroy = library.need("nvrtcDestroyProgram");
    decltype(&nvrtcAddNameExpression) add_name = library.need("nvrtcAddNameExpression");
    decltype(&nvrtcCompileProgram) compile = library.need("nvrtcCompileProgram");
    decltype(&nvrtcGetLoweredName) lowered_name = library.need("nvrtcGetLoweredName");
    decltype(&nvrtcGetProgramLogSize) log_size = library.need("nvrtcGetProgramLogSize");
    decltype(&nvrtcGetProgramLog) log = library.need("nvrtcGetProgramLog");
    decltype(&nvrtcGetCUBINSize) cubin_size = library.need("nvrtcGetCUBINSize");
    decltype(&nvrtcGetCUBIN) cubin = library.need("nvrtcGetCUBIN");
    decltype(&nvrtcGetPTXSize) ptx_size = library.need("nvrtcGetPTXSize");
    decltype(&nvrtcGetPTX) ptx = library.need("nvrtcGetPTX");
    // Since 12.8: whether the included headers were precompiled.
    nvrtcResult (*kept_headers)(nvrtcProgram) = library.find("nvrtcGetPCHCreateStatus");
};

namespace {

// The quoted folders after `option` in the lines of `nvcc --dryrun` that start with `#$ key=`.
std::vector<fs::path> folders_in(std::string_view plan, std::string_view key, std::string_view option)
{
    std::vector<fs::path> folders;
    while (!plan.empty()) {
        std::string_view line = plan.substr(0, plan.find('\n'));
        plan.remove_prefix(std::min(plan.size(), line.size() + 1));
        if (!line.starts_with("#$ " + std::string(key) + "=")) continue;
        for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at + 1)) {
            const std::size_t end = line.find('"', at + 1);
            if (end == std::string_view::npos) break;
            std::string_view word = line.substr(at + 1, end - at - 1);
            if (word.starts_with(option)) word.remove_prefix(option.size());
            std::error_code failure;
            if (fs::is_directory(word, failure)) folders.push_back(fs::canonical(word, failure));
            at = end;
        }
    }
    return folders;
}

struct toolkit_folders {
    std::vector<fs::path> includes, libraries;
};

// nvcc knows these folders for every layout: targets/*, Python wheels, distribution packages.
toolkit_folders folders_of(const toolchain& tools)
{
    toolkit_folders folders;
    subprocess_result plan;
    try {
        const temporary_directory temporary;
        plan = run({tools.nvcc.string(), "--dryrun", "-cubin", "-x", "cu", "/dev/null", "-o", "/dev/null"},
                   {.directory = {},
                    .environment = environment_for_nvcc(tools, temporary.path()),
                    .output_cap = 1 << 20,
                    .time_limit = 60});
    } catch (const error&) {
        return folders;
    }
    folders.includes = folders_in(plan.output, "INCLUDES", "-I");
    for (const fs::path& folder : folders_in(plan.output, "SYSTEM_INCLUDES", "-I")) folders.includes.push_back(folder);
    folders.libraries = folders_in(plan.output, "LIBRARIES", "-L");
    const fs::path top = tools.nvcc.parent_path().parent_path();
    folders.libraries.push_back(top / "lib64");
    folders.libraries.push_back(top / "lib");
    return folders;
}

// Headers beside a library that was found without a compiler.
std::vector<fs::path> includes_near(const fs::path& library)
{
    std::vector<fs::path> includes;
    std::error_code failure;
    const fs::path top = library.parent_path().parent_path() / "include";
    for (const fs::path& folder : {top, top / "cccl"})
        if (library.has_parent_path() && fs::is_directory(folder, failure)) includes.push_back(folder);
    return includes;
}

std::optional<nvrtc_place> try_library(const fs::path& library, std::vector<fs::path> includes)
{
    try {
        const nvrtc loaded(library);
        return nvrtc_place{library, loaded.version(), std::move(includes)};
    } catch (const error&) {
        return std::nullopt;
    }
}

constexpr std::array<const char*, 3> library_names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

// NVRTC prints ptxas's lines as "ptxas         .     0 bytes stack frame"; nvcc prints only what follows the dot.
std::string as_nvcc_prints(std::string_view log)
{
    constexpr std::string_view continued = "ptxas         . ";
    std::string result;
    while (!log.empty()) {
        std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(log.size(), line.size() + 1));
        if (line.starts_with(continued)) line.remove_prefix(continued.size());
        result.append(line) += '\n';
    }
    return result;
}

// The next option is for the front end.
constexpr const char* to_front_end = "-Xcudafe";

// Flags of a run: those common to all runs of the job, and `more`.
std::vector<std::string> flags_of(const nvrtc_job& job, std::vector<std::string> more)
{
    std::vector<std::string> flags{"--gpu-architecture=" + std::string(architecture_name(job.architecture).view())};
    for (std::string& flag : more) flags.push_back(std::move(flag));
    for (std::string& flag : flags_for_nvrtc(job.flags)) flags.push_back(std::move(flag));
    for (const fs::path& folder : job.includes) flags.push_back("--include-path=" + folder.string());
    return flags;
}

// Makes the front end write the names of the files that it reads to a file.
void add_trace(std::vector<std::string>& flags, const fs::path& file)
{
    flags.insert(flags.end(), {to_front_end, "--trace_includes", to_front_end, "--error_output=" + file.string()});
}

// Reads a file and removes it; empty if it does not exist.
std::string taken(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return {};
    std::string content = read_file(file);
    fs::remove(file, ignored);
    return content;
}

std::vector<const char*> pointers(const std::vector<std::string>& words)
{
    std::vector<const char*> result;
    for (const std::string& word : words) result.push_back(word.c_str());
    return result;
}

// NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED from 12.8: existing precompiled headers were used.
constexpr auto nvrtc_no_headers_kept = static_cast<nvrtcResult>(13);

// Removes '"k.cu": using precompiled header file "/tmp/..."', or "creating", and the empty line after it. Returns
// whether a precompiled header was used.
bool take_out_headers_message(std::string& log)
{
    bool used = false;
    for (const std::string_view what : {"creating", "using"}) {
        const std::size_t at = log.find(std::string(": ").append(what) + " precompiled header file ");
        if (at == std::string::npos) continue;
        const std::size_t begin = log.rfind('\n', at) + 1;  // 0 if there is none
        std::size_t end = std::min(log.find('\n', at), log.size() - 1) + 1;
        if (end < log.size() && log[end] == '\n') ++end;
        log.erase(begin, end - begin);
        used |= what == "using";
    }
    return used;
}

// NVRTC opens its built-in functions by file name without a path, which only works for the system's folders, or if they
// are loaded already. In Python packages and copied folders they are beside the library.
void load_builtins_beside(const fs::path& library)
{
    std::error_code failure;
    for (const fs::path& file : {library, fs::canonical(library, failure)}) {
        if (!file.has_parent_path()) continue;
        for (fs::directory_iterator at(file.parent_path(), failure), end; at != end; at.increment(failure))
            if (at->path().filename().string().starts_with("libnvrtc-builtins.so."))
                ::dlopen(at->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
}

}  // namespace

std::vector<fs::path> toolkit_includes(const toolchain& tools)
{
    return folders_of(tools).includes;
}

std::optional<nvrtc_place> find_nvrtc(const toolchain* tools)
{
    const toolkit_folders toolkit = tools != nullptr ? folders_of(*tools) : toolkit_folders{};
    const auto headers = [&](const fs::path& library) {
        return toolkit.includes.empty() ? includes_near(library) : toolkit.includes;
    };
    if (const char* named = std::getenv("LAUNCHBOX_NVRTC"); named != nullptr && *named != '\0')
        if (auto place = try_library(named, headers(named))) return place;
    std::error_code failure;
    for (const fs::path& folder : toolkit.libraries)
        for (const char* name : library_names)
            if (folder.filename() != "stubs" && fs::exists(folder / name, failure))
                if (auto place = try_library(folder / name, headers(folder / name))) return place;
    for (const char* name : library_names)
        if (auto place = try_library(name, headers(name))) return place;
    return std::nullopt;
}

nvrtc::nvrtc(const fs::path& library)
{
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto refuse = [&](const std::string& why) {
        throw error("cannot use " + library.string() + ": " + why, "install NVRTC of CUDA 12 or 13",
                    exit_status::missing);
    };
    if (handle == nullptr) refuse(::dlerror());
    load_builtins_beside(library);
    call_ = std::make_unique<functions>(functions{loaded_library(handle)});
    if (const std::string& name = call_->library.missing(); !name.empty()) refuse("it has no " + name);
}

// The library stays loaded: its allocations at load time would leak each time.
nvrtc::~nvrtc() = default;

std::string nvrtc::version() const
{
    int major = 0, minor = 0;
    if (call_->version(&major, &minor) != NVRTC_SUCCESS) return "of an unknown version";
    return std::to_string(major) + "." + std::to_string(minor);
}

nvrtc_output nvrtc::compile(const nvrtc_job& job)
{
    if (similar_jobs* similar = similar_with_headers(job)) {
        nvrtc_output result = compile_once(job, true, similar);
        if (result.output.exit_code == 0) return result;  // else again, for the usual messages
    }
    return compile_reading_all(job);
}

nvrtc_output nvrtc::compile_reading_all(const nvrtc_job& job)
{
    nvrtc_output result = compile_once(job, true);
    // With -v, NVRTC 13.0 omits ptxas's errors from the log.
    const bool silent = result.output.log.find("error") == std::string::npos;
    if (result.output.exit_code != 0 && silent) result = compile_once(job, false);
    if (result.output.exit_code != 0 && result.output.log.find("error") == std::string::npos)
        result.output.log +=
            std::string("nvrtc: error: ") + call_->text_of_code(static_cast<nvrtcResult>(result.output.exit_code));
    return result;
}

// Null if headers are not precompiled. Precompiling costs about half as much as reading them, and each later job saves
// most of that (CUB's block sort: 0.9 s alone, 1.45 s when precompiling, 0.26 s from then on). This pays from the
// second similar job on, of which there are many or none.
nvrtc::similar_jobs* nvrtc::similar_with_headers(const nvrtc_job& job)
{
    constexpr std::uintmax_t room_wanted = std::uintmax_t{2} << 30;
    constexpr std::size_t max_kept = 2;
    if (job.precompiled_headers.empty() || call_->kept_headers == nullptr ||
        job.source.find("#include") == std::string::npos)
        return nullptr;
    if (!job.lists.empty()) return nullptr;  // it does not list precompiled headers
    const architecture_text architecture = architecture_name(job.architecture);
    std::vector<std::string> folders;
    for (const fs::path& folder : job.includes) folders.push_back(folder.string());
    std::vector<std::string_view> parts{architecture.view(), job.name, job.source, "flags"};
    parts.insert(parts.end(), job.flags.begin(), job.flags.end());
    parts.emplace_back("folders");
    parts.insert(parts.end(), folders.begin(), folders.end());
    const std::string key = key_of(parts);
    similar_jobs& similar = similar_[key];
    if (++similar.count == 1 || similar.cannot_be_kept) return nullptr;
    if (!similar.headers.empty()) return &similar;
    // Each has its own folder: NVRTC warns if it finds headers precompiled with other flags.
    const fs::path folder = job.precompiled_headers / key;
    std::error_code failure;
    similar.cannot_be_kept = kept_ >= max_kept || !fs::create_directories(folder, failure) ||
                             fs::space(folder, failure).available < room_wanted || failure;
    if (similar.cannot_be_kept) return nullptr;
    ++kept_;
    similar.headers = folder;
    return &similar;
}

nvrtc_output nvrtc::compile_once(const nvrtc_job& job, bool verbose, similar_jobs* similar)
{
    nvrtc_output result;
    nvrtcProgram program = nullptr;
    const auto failed = [&](nvrtcResult code) {
        if (code == NVRTC_SUCCESS) return false;
        result.output.exit_code = static_cast<int>(code);
        return true;
    };
    if (failed(call_->create(&program, job.source.c_str(), job.name.c_str(), 0, nullptr, nullptr))) return result;
    const std::unique_ptr<nvrtcProgram, decltype(call_->destroy)> destroy(&program, call_->destroy);

    std::vector<std::string> more;
    if (verbose) more.emplace_back("--ptxas-options=-v");
    if (similar != nullptr) more.insert(more.end(), {"--pch", "--pch-dir=" + similar->headers.string()});
    const fs::path trace = job.lists / "included_files";
    if (!job.lists.empty()) add_trace(more, trace);
    const std::vector<std::string> flags = flags_of(job, std::move(more));
    const std::vector<const char*> words = pointers(flags);

    if (!failed(call_->add_name(program, job.expression.c_str())))
        failed(call_->compile(program, static_cast<int>(words.size()), words.data()));
    if (!job.lists.empty())
        if (const std::string told = taken(trace); !told.empty()) result.files = files_traced_in(told);
    const auto text = [&](auto size_of, auto read) {
        std::size_t size = 0;
        if (size_of(program, &size) != NVRTC_SUCCESS) return std::string();
        std::string bytes(size, '\0');
        if (size > 0 && read(program, bytes.data()) != NVRTC_SUCCESS) return std::string();
        return bytes;
    };
    std::string log = log_of(program);
    if (similar != nullptr) {
        const nvrtcResult kept = call_->kept_headers(program);
        similar->cannot_be_kept = kept != NVRTC_SUCCESS && kept != nvrtc_no_headers_kept;
        result.used_precompiled_headers = take_out_headers_message(log);
    }
    result.output.log = as_nvcc_prints(log);
    const char* name = nullptr;
    if (result.output.exit_code == 0 && !failed(call_->lowered_name(program, job.expression.c_str(), &name))) {
        result.kernel = name;
        result.output.cubin = text(call_->cubin_size, call_->cubin);
        result.output.ptx_outline = ptx_outline(text(call_->ptx_size, call_->ptx));
        result.output.made = !result.output.cubin.empty();
    }
    return result;
}

// NVRTC passes options after -Xcudafe to its front end (EDG), which has those of a preprocessor, in all releases from
// 12.0 to 13.5. The result of such a run is NVRTC_ERROR_COMPILATION, because no code is generated.
nvrtc_reading nvrtc::read(const nvrtc_job& job, bool with_text)
{
    nvrtcProgram program = nullptr;
    if (call_->create(&program, job.source.c_str(), job.name.c_str(), 0, nullptr, nullptr) != NVRTC_SUCCESS) return {};
    const std::unique_ptr<nvrtcProgram, decltype(call_->destroy)> destroy(&program, call_->destroy);
    const fs::path text = job.lists / "preprocessed", trace = job.lists / "included_files";
    // Never to standard output: the front end closes it after a catastrophic error. With --dependencies, which prevents
    // compiling, this file is empty, because the names are in the other one.
    std::vector<std::string> more{to_front_end, with_text ? "--preprocess" : "--dependencies", to_front_end,
                                  "--output=" + text.string()};
    add_trace(more, trace);
    const std::vector<std::string> flags = flags_of(job, std::move(more));
    const std::vector<const char*> words = pointers(flags);
    const std::time_t begin = std::time(nullptr);
    const nvrtcResult code = call_->compile(program, static_cast<int>(words.size()), words.data());
    const std::string said = taken(text), told = taken(trace);
    // The result includes NVRTC's own headers.
    nvrtc_reading result{.understood =
                             code == NVRTC_ERROR_COMPILATION && !told.empty() && (!with_text || !said.empty())};
    if (!result.understood) return result;
    result.files = files_traced_in(told);
    if (with_text) result.text = hash_of_preprocessed(said, begin, std::time(nullptr)) + log_of(program);
    return result;
}

std::string nvrtc::log_of(void* program) const
{
    std::size_t size = 0;
    auto* const of = static_cast<nvrtcProgram>(program);
    if (call_->log_size(of, &size) != NVRTC_SUCCESS || size == 0) return {};
    std::string log(size, '\0');
    if (call_->log(of, log.data()) != NVRTC_SUCCESS) return {};
    log.erase(std::min(log.find('\0'), log.size()));
    return log;
}

}  // namespace launchbox
