// SPDX-License-Identifier: Apache-2.0
#include "tune/build/kernel_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "compiler/run/compile.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/nvrtc.hpp"
#include "image/module_code.hpp"
#include "source/constant_edits.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/process/worker_process.hpp"
#include "tune/build/compile_pool.hpp"
#include "tune/build/unit_sources.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// Increased when the cached data of a build changes: older entries are no longer found, and expire.
constexpr std::string_view build_format = "launchbox build 2";

struct found_compiler {
    std::optional<nvrtc_place> nvrtc;  // `nullopt`: nvcc
    toolchain tools;
    std::string name;     // "NVRTC 13.0"
    std::string version;  // everything that identifies it
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

// NVRTC reports only major and minor version; the libraries of one version still differ in size.
std::string version_of(const nvrtc_place& place)
{
    std::error_code failure;
    const auto bytes = fs::file_size(place.library, failure);
    return "NVRTC " + place.version + " " + (failure ? std::string() : std::to_string(bytes));
}

found_compiler find_compiler(const std::string& wanted, const std::string& nvcc)
{
    if (!wanted.empty() && wanted != "nvrtc" && wanted != "nvcc")
        throw error("compiler = \"" + wanted + "\" is unknown", "use \"nvrtc\" or \"nvcc\"");
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

// The compiler to use; NVRTC does not compile PTX.
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
                throw error("[kernel] flags: " + flag + " cannot be set in the spec",
                            "launchbox sets the architecture and the output; leave it out");
}

// Control files are options of ptxas since 13.3: an older compiler would reject every candidate.
void check_release(const std::vector<std::string>& flags, const found_compiler& compiler)
{
    const auto named = std::ranges::find_if(
        flags, [](const std::string& flag) { return flag.find("-apply-controls") != std::string::npos; });
    if (named == flags.end()) return;
    const std::string& release = compiler.nvrtc ? compiler.nvrtc->version : compiler.tools.version;
    int major = 0, minor = 0;
    if (std::sscanf(release.c_str(), "%d.%d", &major, &minor) < 2 || std::pair(major, minor) >= std::pair(13, 3))
        return;
    throw error(fmt::format("[kernel] flags: {} needs the compilers of CUDA 13.3 or later, and this is {}", *named,
                            compiler.name),
                "pip install nvidia-cuda-nvcc nvidia-cuda-nvrtc has them; name nvcc with --nvcc, and libnvrtc.so with "
                "LAUNCHBOX_NVRTC",
                exit_status::missing);
}

// Folders whose headers belong to a release of the compiler or of the system.
std::vector<fs::path> system_folders_of(const found_compiler& compiler)
{
    std::vector<fs::path> folders{"/usr/include", "/usr/lib"};
    if (compiler.nvrtc)
        folders.insert(folders.end(), compiler.nvrtc->includes.begin(), compiler.nvrtc->includes.end());
    else
        for (fs::path& folder : toolkit_includes(compiler.tools)) folders.push_back(std::move(folder));
    return folders;
}

std::string number_text(double number)
{
    std::array<char, 64> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

}  // namespace

static build_result not_built(const std::string& why, const std::string& machine_failure = {})
{
    return {.build = {.status = build_status::compile_error, .reason = why, .machine_failure = machine_failure}};
}

struct kernel_builder::impl {
    impl(const tune_spec& spec, const builder_options& options)
        : target(spec.kernel.value()),
          folder(spec.folder),
          compiler(find_compiler(compiler_for(target, options), options.nvcc)),
          cache(options.cache_folder.empty() ? own_cache.emplace().path() : options.cache_folder),
          jobs(options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency())),
          pool({.jobs = jobs,
                .worker = {options.worker_program.empty() ? this_program() : options.worker_program, "--worker",
                           "compile"},
                .seconds = target.compile_seconds,
                .memory_bytes = target.compile_memory_bytes}),
          units(spec, cache,
                {.system_folders = system_folders_of(compiler),
                 .compiler = compiler.version,
                 .more_flags = compiler.nvrtc ? std::vector<std::string>() : words_of_environment_for_nvcc(),
                 .jobs = jobs,
                 .ask = [this](compile_job job) { return ask(std::move(job)); }})
    {
    }

    struct request {
        compile_job job;
        const unit_listing* listing = nullptr;
        std::string key;
    };
    [[nodiscard]] request request_for(const assignment& values, const compute_capability& architecture);
    void complete(compile_job& job) const;
    [[nodiscard]] compile_answer ask(compile_job job);
    [[nodiscard]] build_result build(const request& wanted);
    [[nodiscard]] build_result finish(const request& wanted, compile_answer answer, double seconds) const;
    void keep(const request& wanted, const compile_answer& answer, double seconds);
    [[nodiscard]] std::string reason_of(const compile_result& compiled, const compile_job& job) const;

    kernel_target target;
    fs::path folder;
    found_compiler compiler;
    std::optional<temporary_directory> own_cache;  // candidates with the same name are built once even without a cache
    compile_cache cache;
    unsigned jobs;
    compile_pool pool;
    unit_sources units;

    std::mutex lock;
    std::map<std::string, std::shared_future<build_result>> under_way;
    std::map<std::string, build_result> failed;  // not kept on disk, and not tried again in this process
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
                    "names are relative to the folder of " + spec.file);
    const std::string text = read_file(source);
    constant_values constants;
    for (const std::string& name : spec.kernel->constants) constants.emplace_back(name, "1");
    if (!constants.empty()) (void)with_constants(text, constants);
    for (const std::string& named : spec.kernel->sources)
        if (!fs::is_regular_file(fs::path(spec.folder) / named, failure))
            throw error("[kernel] sources: there is no file " + named,
                        "names are relative to the folder of the spec; remove it if results do not depend on it");
    impl_ = std::make_unique<impl>(spec, options);
    check_release(spec.kernel->flags, impl_->compiler);
}

kernel_builder::~kernel_builder() = default;

build_result kernel_builder::build(const assignment& values, const compute_capability& architecture)
{
    impl::request wanted;
    try {
        wanted = impl_->request_for(values, architecture);
    } catch (const machine_error& failure) {
        return not_built(failure.what(), failure.what());
    }
    std::promise<build_result> promise;
    {
        std::unique_lock guard(impl_->lock);
        if (const auto found = impl_->failed.find(wanted.key); found != impl_->failed.end()) return found->second;
        if (const auto found = impl_->under_way.find(wanted.key); found != impl_->under_way.end()) {
            const std::shared_future<build_result> same = found->second;
            guard.unlock();
            build_result result = same.get();
            if (result.build.status == build_status::built) {
                result.build.from_cache = true;
                ++impl_->from_cache;
            }
            return result;
        }
        impl_->under_way.emplace(wanted.key, promise.get_future().share());
    }
    const auto settle = [&](const build_result* result) {
        const std::lock_guard guard(impl_->lock);
        impl_->under_way.erase(wanted.key);
        if (result != nullptr && result->build.status != build_status::built && result->build.machine_failure.empty())
            impl_->failed.emplace(wanted.key, *result);
    };
    try {
        build_result result = impl_->build(wanted);
        promise.set_value(result);
        settle(&result);
        return result;
    } catch (...) {
        promise.set_exception(std::current_exception());
        settle(nullptr);
        throw;
    }
}

kernel_builder::impl::request kernel_builder::impl::request_for(const assignment& values,
                                                                const compute_capability& architecture)
{
    request result;
    compile_job& job = result.job;
    job.expression = filled_in(target.name, values);
    job.architecture = architecture;
    job.flags = filled_options(target.flags, texts_of(values));
    complete(job);
    if (units.flags_vary()) job.wanted = compile_job::wish::module_and_list;
    result.listing = &units.of(architecture);
    const architecture_text name = architecture_name(architecture);
    const std::string path = (folder / target.source).string();  // the log and line information contain it
    const std::string named = units.hash_of_named(job.flags);
    std::vector<std::string> environment;
    if (!job.nvrtc) environment = environment_that_nvcc_reads();
    std::vector<std::string_view> parts{build_format,
                                        compiler.version,
                                        name.view(),
                                        path,
                                        job.expression,
                                        result.listing->text,
                                        result.listing->commands,
                                        result.listing->contents,
                                        named,
                                        "flags"};
    parts.insert(parts.end(), job.flags.begin(), job.flags.end());
    parts.emplace_back("environment");
    parts.insert(parts.end(), environment.begin(), environment.end());
    result.key = key_of(parts);
    return result;
}

// Sets what all jobs share.
void kernel_builder::impl::complete(compile_job& job) const
{
    job.nvrtc = compiler.nvrtc.has_value();
    if (compiler.nvrtc) {
        job.library = compiler.nvrtc->library;
        job.includes = compiler.nvrtc->includes;
    }
    job.tools = compiler.tools;
    job.folder = folder;
    job.source = target.source.starts_with('-') ? "./" + target.source : target.source;  // no option
}

compile_answer kernel_builder::impl::ask(compile_job job)
{
    complete(job);
    pool_answer answer = pool.compile(job);
    if (answer.how != pool_answer::ending::answered)
        throw error("cannot find out what " + target.source + " includes: " + answer.reason,
                    "its compiler does not end, even when it only preprocesses");
    return std::move(answer.answer);
}

build_result kernel_builder::impl::build(const request& wanted)
{
    const bool is_told = wanted.listing->is_known;  // if not, the key does not identify the build
    if (auto texts = is_told ? cache.find_texts(wanted.key) : std::nullopt; texts && texts->size() == 5) {
        double seconds = 0;
        std::from_chars(texts->at(4).data(), texts->at(4).data() + texts->at(4).size(), seconds);
        compile_answer answer{{.made = true,
                               .log = std::move(texts->at(0)),
                               .cubin = std::move(texts->at(1)),
                               .ptx_outline = std::move(texts->at(2))},
                              std::move(texts->at(3))};
        build_result result = finish(wanted, std::move(answer), seconds);
        result.build.from_cache = true;
        ++from_cache;
        return result;
    }
    pool_answer answer;
    try {
        answer = pool.compile(wanted.job);
    } catch (const machine_error& failure) {
        return not_built(failure.what(), failure.what());
    } catch (const error& failure) {
        if (failure.status() != exit_status::bad_input) throw;  // no worker could be started, or an interrupt
        return not_built(failure.what());
    }
    if (answer.how != pool_answer::ending::answered) {
        const bool died = answer.how == pool_answer::ending::died;
        return {.build = {.status = died ? build_status::compile_error : build_status::compile_timeout,
                          .reason = std::move(answer.reason),
                          .log = std::move(answer.answer.output.log),
                          .compile_seconds = answer.seconds,
                          .machine_failure = died ? std::move(answer.machine_failure) : std::string()}};
    }
    // Checked for failed builds too: the fault may be in a file that the results do not track.
    const std::optional<std::vector<std::string>>& read = answer.answer.files;
    const bool is_covered = !units.flags_vary() || (read && units.covers(*wanted.listing, *read));
    if (is_covered) keep(wanted, answer.answer, answer.seconds);
    build_result result = finish(wanted, std::move(answer.answer), answer.seconds);
    if (result.build.status != build_status::built) result.build.machine_failure = std::move(answer.machine_failure);
    return result;
}

void kernel_builder::impl::keep(const request& wanted, const compile_answer& answer, double seconds)
{
    if (!answer.output.succeeded() || !wanted.listing->is_known) return;
    // A file that was edited while the compiler read it must not be cached under its old hash.
    if (!units.is_unchanged(*wanted.listing)) return;
    cache.store_texts(wanted.key, {answer.output.log, answer.output.cubin, answer.output.ptx_outline, answer.kernel,
                                   number_text(seconds)});
}

build_result kernel_builder::impl::finish(const request& wanted, compile_answer answer, double seconds) const
{
    const compile_job& job = wanted.job;
    build_result result{.build = {.status = build_status::compile_error, .compile_seconds = seconds}};
    build_record& made = result.build;
    std::string cubin = answer.output.cubin;
    const compile_result compiled = read_compile({.source = job.source, .architecture = job.architecture},
                                                 std::move(answer.output), {.hash_code = true});
    made.log = compiled.log;
    if (!compiled.succeeded) {
        made.reason = reason_of(compiled, job);
        return result;
    }
    const auto found = std::ranges::find(compiled.kernels, answer.kernel, &kernel_info::name);
    if (answer.kernel.empty() || found == compiled.kernels.end()) {
        made.reason = "the compiler produced no kernel " + job.expression;
        return result;
    }
    made.kernel = *found;
    made.kernel->source.container = job.nvrtc ? "NVRTC" : "nvcc";
    made.code = module_code(cubin, *made.kernel);
    result.cubin = std::move(cubin);
    made.status = build_status::built;
    return result;
}

// The first error, or its cause if the error is about code that we added to the source.
std::string kernel_builder::impl::reason_of(const compile_result& compiled, const compile_job& job) const
{
    const std::vector<std::string> errors = error_lines(compiled);
    std::string first = errors.empty() ? std::string() : errors.front();
    if (first.starts_with("ended with ")) return compiler.name + ": " + first;
    // ptxas names the PTX of our unit, which users do not know.
    const std::string unit_ptx = fs::path(unit_name).replace_extension(".ptx").string();
    if (first.starts_with(unit_ptx))
        first.replace(0, unit_ptx.size(), fs::path(job.source).filename().replace_extension(".ptx").string());
    if (first.find(unit_name) != std::string::npos || first.find("__nv_name_map") != std::string::npos)
        return job.source + " has no kernel " + job.expression + ", or several: " + first;
    if (job.nvrtc && compiled.log.find("could not open source file") != std::string::npos)
        first += "; NVRTC has no host headers: use compiler = \"nvcc\" in [kernel]";
    return first;
}

void kernel_builder::give_up()
{
    impl_->pool.give_up();
}

std::string kernel_builder::compiler() const
{
    return impl_->compiler.name;
}

source_identity kernel_builder::sources(const compute_capability& architecture)
{
    const unit_listing& listing = impl_->units.of(architecture);
    std::string text = listing.text;
    // An unknown listing must not equal anything.
    if (!listing.is_known) text = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    std::vector<std::string> environment;
    if (!impl_->compiler.nvrtc) environment = environment_that_nvcc_reads();
    std::vector<std::string_view> parts{text};
    parts.insert(parts.end(), environment.begin(), environment.end());
    return {.files = impl_->units.hash_of_own(listing), .text = key_of(parts), .own = listing.own};
}

unsigned kernel_builder::jobs() const
{
    return impl_->jobs;
}

double kernel_builder::compile_seconds() const
{
    return impl_->pool.seconds();
}

std::size_t kernel_builder::compiles() const
{
    return impl_->pool.compiles();
}

std::size_t kernel_builder::from_cache() const
{
    return impl_->from_cache;
}

}  // namespace launchbox
