// SPDX-License-Identifier: Apache-2.0
#include "tune/build/kernel_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "compiler/compile.hpp"
#include "compiler/compile_cache.hpp"
#include "compiler/included_files.hpp"
#include "compiler/nvcc_run.hpp"
#include "compiler/nvrtc.hpp"
#include "image/module_code.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/worker_process.hpp"
#include "tune/build/compile_pool.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// Raised when what is kept of a build changes: older entries are then never found, and age away.
constexpr std::string_view build_format = "launchbox build 1";

struct found_compiler {
    std::optional<nvrtc_place> nvrtc;  // `nullopt`: nvcc
    toolchain tools;
    std::string name;     // "NVRTC 13.0"
    std::string version;  // all that tells one from another
};

std::optional<toolchain> toolchain_if_any(const std::string& nvcc)
{
    try {
        return find_toolchain(nvcc);
    } catch (const error&) {
        if (!nvcc.empty()) throw;
        return std::nullopt;
    }
}

// NVRTC tells major and minor version; libraries of one differ in size.
std::string version_of(const nvrtc_place& place)
{
    std::error_code failure;
    const auto bytes = fs::file_size(place.library, failure);
    return "NVRTC " + place.version + " " + (failure ? std::string() : std::to_string(bytes));
}

found_compiler find_compiler(const std::string& wanted, const std::string& nvcc)
{
    if (!wanted.empty() && wanted != "nvrtc" && wanted != "nvcc")
        throw error("compiler = \"" + wanted + "\" is not known", "it is \"nvrtc\" or \"nvcc\"");
    const std::optional<toolchain> tools = wanted == "nvcc" ? find_toolchain(nvcc) : toolchain_if_any(nvcc);
    if (wanted != "nvcc") {
        if (auto place = find_nvrtc(tools ? &*tools : nullptr)) {
            std::string name = "NVRTC " + place->version, version = version_of(*place);
            return {std::move(place), {}, std::move(name), std::move(version)};
        }
        if (wanted == "nvrtc" || !tools)
            throw error(wanted == "nvrtc" ? "there is no NVRTC: no libnvrtc.so in the CUDA toolkit or the library path"
                                          : "there is no CUDA compiler: neither NVRTC (libnvrtc.so) nor nvcc",
                        "install it with: pip install nvidia-cuda-nvrtc, and set LAUNCHBOX_NVRTC to its libnvrtc.so",
                        exit_status::missing);
    }
    return {std::nullopt, *tools, "nvcc " + tools->version, "nvcc " + tools->version + " " + ptxas_version(*tools)};
}

// Which is to be found; NVRTC compiles no PTX.
std::string compiler_for(const kernel_target& target, const builder_options& options)
{
    const std::string& wanted = options.compiler.empty() ? target.compiler : options.compiler;
    if (!is_ptx_source(target.source)) return wanted;
    if (wanted == "nvrtc")
        throw error(target.source + " is PTX, which NVRTC does not compile", "choose nvcc, which runs ptxas");
    return "nvcc";
}

void check_flags(const std::vector<std::string>& flags)
{
    for (const std::string& flag : flags)
        for (const std::string_view ours : {"-arch",
                                            "--gpu-architecture",
                                            "-gencode",
                                            "--generate-code",
                                            "-code",
                                            "--gpu-code",
                                            "-o",
                                            "--output-file",
                                            "-c",
                                            "--compile",
                                            "-ptx",
                                            "--ptx",
                                            "-cubin",
                                            "--cubin",
                                            "-fatbin",
                                            "-dc",
                                            "--device-c",
                                            "-rdc",
                                            "--relocatable-device-code",
                                            "-dlto",
                                            "--dlink-time-opt"})
            if (flag == ours || flag.starts_with(std::string(ours) + "="))
                throw error("[kernel] flags: " + flag + " is not for the spec to choose",
                            "launchbox chooses the architecture and the output; leave it out");
}

// SIGKILL is what the system sends when memory runs out; nobody else ends a compiler so.
std::string machine_failure_of_death(const std::string& reason)
{
    return reason.find("signal 9 ") != std::string::npos ? reason : std::string();
}

std::string number_text(double number)
{
    std::array<char, 64> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

}  // namespace

struct kernel_builder::inside {
    inside(const tune_spec& spec, const builder_options& options)
        : target(spec.kernel.value()),
          folder(spec.folder),
          compiler(find_compiler(compiler_for(target, options), options.nvcc)),
          cache(options.cache_folder.empty() ? own_cache.emplace().path() : options.cache_folder),
          jobs(options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency())),
          pool({.jobs = jobs,
                .worker = {options.worker_program.empty() ? this_program() : options.worker_program, "--worker",
                           "compile"},
                .seconds = target.compile_seconds,
                .memory_bytes = target.compile_memory_bytes})
    {
    }

    struct request {
        compile_job job;
        std::string sources;  // hash of them
        std::string key;
    };
    [[nodiscard]] request request_for(const assignment& values, const compute_capability& architecture);
    // Folders that depend on a candidate's values cannot be looked into for all.
    [[nodiscard]] std::vector<std::string> flags_of_all() const
    {
        std::vector<std::string> flags = target.flags;
        std::erase_if(flags, [](const std::string& flag) { return flag.find('{') != std::string::npos; });
        return flags;
    }
    [[nodiscard]] std::vector<fs::path> sources(const std::vector<std::string>& flags) const;
    [[nodiscard]] std::string hash_of_sources(const std::vector<std::string>& flags) const;
    [[nodiscard]] build_result build(const request& wanted);
    [[nodiscard]] build_result finish(const request& wanted, compile_answer answer, double seconds) const;
    void keep(const request& wanted, const compile_answer& answer, double seconds) const;
    [[nodiscard]] std::string reason_of(const compile_result& compiled, const compile_job& job) const;

    kernel_target target;
    fs::path folder;
    found_compiler compiler;
    std::optional<temporary_directory> own_cache;  // candidates of one name are one build also without a cache
    compile_cache cache;
    unsigned jobs;
    compile_pool pool;

    std::mutex lock;
    std::map<std::string, std::shared_future<build_result>> under_way;
    std::map<std::string, build_result> failed;  // not kept on disk, but not tried again here
    std::map<std::vector<std::string>, std::string> sources_of_flags;
    std::atomic<std::size_t> from_cache{0};
};

kernel_builder::kernel_builder(const tune_spec& spec, const builder_options& options)
{
    if (!spec.kernel) throw error(spec.file + " has no [kernel] to be compiled");
    check_flags(spec.kernel->flags);
    const fs::path source = fs::path(spec.folder) / spec.kernel->source;
    std::error_code failure;
    if (!fs::is_regular_file(source, failure))
        throw error("[kernel] source: there is no file " + spec.kernel->source,
                    "it is looked for in the folder of " + spec.file);
    read_input(source.string());
    inside_ = std::make_unique<inside>(spec, options);
}

kernel_builder::~kernel_builder() = default;

build_result kernel_builder::build(const assignment& values, const compute_capability& architecture)
{
    const inside::request wanted = inside_->request_for(values, architecture);
    std::promise<build_result> promise;
    {
        std::unique_lock guard(inside_->lock);
        if (const auto found = inside_->failed.find(wanted.key); found != inside_->failed.end()) return found->second;
        if (const auto found = inside_->under_way.find(wanted.key); found != inside_->under_way.end()) {
            const std::shared_future<build_result> same = found->second;
            guard.unlock();
            build_result result = same.get();
            if (result.status == build_status::built) {
                result.from_cache = true;
                ++inside_->from_cache;
            }
            return result;
        }
        inside_->under_way.emplace(wanted.key, promise.get_future().share());
    }
    const auto settle = [&](const build_result* result) {
        const std::lock_guard guard(inside_->lock);
        inside_->under_way.erase(wanted.key);
        if (result != nullptr && result->status != build_status::built && result->machine_failure.empty())
            inside_->failed.emplace(wanted.key, *result);
    };
    try {
        build_result result = inside_->build(wanted);
        promise.set_value(result);
        settle(&result);
        return result;
    } catch (...) {
        promise.set_exception(std::current_exception());
        settle(nullptr);
        throw;
    }
}

kernel_builder::inside::request kernel_builder::inside::request_for(const assignment& values,
                                                                    const compute_capability& architecture)
{
    request result;
    compile_job& job = result.job;
    job.nvrtc = compiler.nvrtc.has_value();
    if (compiler.nvrtc) {
        job.library = compiler.nvrtc->library;
        job.includes = compiler.nvrtc->includes;
    }
    job.tools = compiler.tools;
    job.folder = folder;
    job.source = target.source;
    job.expression = filled_in(target.name, values);
    job.architecture = architecture;
    for (const std::string& flag : target.flags) job.flags.push_back(filled_in(flag, values));
    {
        const std::lock_guard guard(lock);
        std::string& sources = sources_of_flags[job.flags];
        if (sources.empty()) sources = hash_of_sources(job.flags);
        result.sources = sources;
    }
    const architecture_text name = architecture_name(architecture);
    const std::string path = (folder / target.source).string();  // the log and line information hold it
    std::vector<std::string_view> parts{build_format,   compiler.version, name.view(),          path,
                                        job.expression, result.sources,   "behind these, flags"};
    for (const std::string& flag : job.flags) parts.push_back(flag);
    if (!job.nvrtc)
        for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}) {
            const char* value = std::getenv(variable);
            parts.push_back(value == nullptr ? "" : value);
        }
    result.key = key_of(parts);
    return result;
}

std::vector<fs::path> kernel_builder::inside::sources(const std::vector<std::string>& flags) const
{
    std::vector<fs::path> first{folder / target.source}, folders;
    for (const std::string& file : forced_includes(flags)) first.push_back(folder / file);
    for (const std::string& include_folder : include_folders(flags)) folders.push_back(folder / include_folder);
    folders.push_back((folder / target.source).parent_path());
    return included_files(first, folders);
}

std::string kernel_builder::inside::hash_of_sources(const std::vector<std::string>& flags) const
{
    std::vector<std::string> texts;
    for (const fs::path& file : sources(flags)) {
        texts.push_back(file.filename().string());
        try {
            texts.push_back(read_input(file.string()));
        } catch (const error& failure) {
            texts.emplace_back(failure.what());  // the compiler says it better
        }
    }
    return key_of({texts.begin(), texts.end()});
}

build_result kernel_builder::inside::build(const request& wanted)
{
    if (auto texts = cache.find_texts(wanted.key); texts && texts->size() == 5) {
        double seconds = 0;
        std::from_chars(texts->at(4).data(), texts->at(4).data() + texts->at(4).size(), seconds);
        compile_answer answer{{.made = true,
                               .log = std::move(texts->at(0)),
                               .cubin = std::move(texts->at(1)),
                               .ptx_outline = std::move(texts->at(2))},
                              std::move(texts->at(3))};
        build_result result = finish(wanted, std::move(answer), seconds);
        result.from_cache = true;
        ++from_cache;
        return result;
    }
    pool_answer answer;
    try {
        answer = pool.compile(wanted.job);
    } catch (const error& failure) {
        const std::string lacked = machine_failure_in(failure.what());
        if (failure.status() == exit_status::interrupted) throw;
        if (failure.status() != exit_status::bad_input && lacked.empty()) throw;  // no worker to be had
        return {.status = build_status::compile_error, .reason = failure.what(), .machine_failure = lacked};
    }
    if (answer.how != pool_answer::ending::answered) {
        const bool died = answer.how == pool_answer::ending::died;
        return {.status = died ? build_status::compile_error : build_status::compile_timeout,
                .reason = std::move(answer.reason),
                .log = std::move(answer.answer.output.log),
                .seconds = answer.seconds,
                .machine_failure = died ? machine_failure_of_death(answer.reason) : std::string()};
    }
    keep(wanted, answer.answer, answer.seconds);
    build_result result = finish(wanted, std::move(answer.answer), answer.seconds);
    if (result.status != build_status::built) result.machine_failure = machine_failure_in(result.log);
    return result;
}

void kernel_builder::inside::keep(const request& wanted, const compile_answer& answer, double seconds) const
{
    // A file that was edited while the compiler read it must not stand under the name of its older content.
    if (!answer.output.succeeded() || hash_of_sources(wanted.job.flags) != wanted.sources) return;
    cache.store_texts(wanted.key, {answer.output.log, answer.output.cubin, answer.output.ptx_outline, answer.kernel,
                                   number_text(seconds)});
}

build_result kernel_builder::inside::finish(const request& wanted, compile_answer answer, double seconds) const
{
    const compile_job& job = wanted.job;
    build_result result{.status = build_status::compile_error, .seconds = seconds};
    std::string cubin = answer.output.cubin;
    const compile_result compiled = read_compile({.source = job.source, .architecture = job.architecture},
                                                 std::move(answer.output), {.hash_code = true});
    result.log = compiled.log;
    if (!compiled.succeeded) {
        result.reason = reason_of(compiled, job);
        return result;
    }
    const auto found = std::ranges::find(compiled.kernels, answer.kernel, &kernel_info::name);
    if (answer.kernel.empty() || found == compiled.kernels.end()) {
        result.reason = "the compiler made no kernel " + job.expression;
        return result;
    }
    result.kernel = *found;
    result.kernel.source.container = job.nvrtc ? "NVRTC" : "nvcc";
    result.code = module_code(cubin, result.kernel);
    result.cubin = std::move(cubin);
    result.status = build_status::built;
    return result;
}

// The first error, and what it comes to where it is about what we added to the source.
std::string kernel_builder::inside::reason_of(const compile_result& compiled, const compile_job& job) const
{
    const std::vector<std::string> errors = error_lines(compiled);
    std::string first = errors.empty() ? std::string() : errors.front();
    if (first.starts_with("ended with ")) return compiler.name + ": " + first;
    // ptxas names the PTX of our unit, of which users know nothing.
    const std::string unit_ptx = fs::path(unit_name).replace_extension(".ptx").string();
    if (first.starts_with(unit_ptx))
        first.replace(0, unit_ptx.size(), fs::path(job.source).filename().replace_extension(".ptx").string());
    if (first.find(unit_name) != std::string::npos || first.find("__nv_name_map") != std::string::npos)
        return job.source + " has no kernel " + job.expression + ", or several: " + first;
    if (job.nvrtc && compiled.log.find("could not open source file") != std::string::npos)
        first += "; NVRTC has no headers of the host: compiler = \"nvcc\" in [kernel] has them";
    return first;
}

void kernel_builder::give_up()
{
    inside_->pool.give_up();
}

std::string kernel_builder::compiler() const
{
    return inside_->compiler.name;
}

std::string kernel_builder::source_hash() const
{
    return inside_->hash_of_sources(inside_->flags_of_all());
}

std::vector<fs::path> kernel_builder::source_files() const
{
    return inside_->sources(inside_->flags_of_all());
}

unsigned kernel_builder::jobs() const
{
    return inside_->jobs;
}

double kernel_builder::compile_seconds() const
{
    return inside_->pool.seconds();
}

std::size_t kernel_builder::compiles() const
{
    return inside_->pool.compiles();
}

std::size_t kernel_builder::from_cache() const
{
    return inside_->from_cache;
}

}  // namespace launchbox
