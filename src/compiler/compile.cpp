#include "compiler/compile.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/nvcc_arguments.hpp"
#include "image/cubin.hpp"
#include "image/ptx.hpp"
#include "support/files.hpp"
#include "support/interrupt.hpp"
#include "support/parallel.hpp"
#include "support/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

std::string without_folder(std::string text, const std::string& folder)
{
    std::string result;
    std::size_t from = 0;
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, from)) {
        result.append(text, from, at - from);
        from = at + folder.size();
    }
    return result.append(text, from);
}

// The PTX that --keep left. nvcc names it after the source; a .ptx source is its own.
ptx_contents read_kept_ptx(const fs::path& folder, const std::string& source)
{
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".ptx") return read_ptx(read_input(entry.path().string()), source);
    if (fs::path(source).extension() == ".ptx") return read_ptx(read_input(source), source);
    return {};
}

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& other)
{
    if (!value) value = other;
}

// Adds what `other` tells and `kernel` does not.
void fill(kernel_info& kernel, const kernel_info& other)
{
    fill(kernel.registers, other.registers);
    fill(kernel.spill_store_bytes, other.spill_store_bytes);
    fill(kernel.spill_load_bytes, other.spill_load_bytes);
    fill(kernel.stack_frame_bytes, other.stack_frame_bytes);
    kernel.stack_unbounded |= other.stack_unbounded;
    if (!kernel.stack_unbounded) fill(kernel.cumulative_stack_bytes, other.cumulative_stack_bytes);
    fill(kernel.static_shared_bytes, other.static_shared_bytes);
    fill(kernel.reserved_shared_bytes, other.reserved_shared_bytes);
    if (kernel.constant_banks.empty()) kernel.constant_banks = other.constant_banks;
    fill(kernel.parameter_bytes, other.parameter_bytes);
    fill(kernel.barriers, other.barriers);
    fill(kernel.max_threads, other.max_threads);
    fill(kernel.required_threads, other.required_threads);
    fill(kernel.min_blocks, other.min_blocks);
    fill(kernel.register_cap, other.register_cap);
    fill(kernel.requested_max_registers, other.requested_max_registers);
    fill(kernel.cluster, other.cluster);
    fill(kernel.max_cluster_blocks, other.max_cluster_blocks);
    fill(kernel.code_bytes, other.code_bytes);
    fill(kernel.code_hash, other.code_hash);
    fill(kernel.toolkit_version, other.toolkit_version);
    fill(kernel.written_at, other.written_at);
    if (kernel.virtual_architecture.empty()) kernel.virtual_architecture = other.virtual_architecture;
    if (kernel.features.empty()) kernel.features = other.features;
    kernel.relocatable |= other.relocatable;
}

// The log first, for what ptxas says is what its user reads; then the cubin, then the PTX.
std::vector<kernel_info> merge(const std::vector<kernel_info>& logged, const cubin_contents& cubin,
                               const ptx_contents& ptx, const std::string& source, const std::string& architecture)
{
    std::vector<kernel_info> kernels = logged;
    std::unordered_map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < kernels.size(); ++i) by_name.emplace(kernels[i].name, i);
    for (const kernel_info& kernel : cubin.kernels) {
        const auto [entry, added] = by_name.emplace(kernel.name, kernels.size());
        if (added) kernels.emplace_back().name = kernel.name;  // a flag has silenced ptxas
        fill(kernels[entry->second], kernel);
        kernels[entry->second].relocatable |= cubin.relocatable;
    }
    for (const kernel_info& kernel : ptx.kernels)
        if (const auto found = by_name.find(kernel.name); found != by_name.end()) fill(kernels[found->second], kernel);
    for (kernel_info& kernel : kernels) {
        kernel.source = {.file = source, .container = "nvcc", .entry = {}};
        kernel.architecture = architecture;
    }
    return kernels;
}

// What a compiler that failed without a word has to say: at least that, and the last line that anything printed.
void explain_failure(compile_result& result, int exit_code)
{
    const auto is_error = [](const log_message& message) { return message.severity == log_severity::error; };
    if (result.succeeded || std::ranges::any_of(result.report.messages, is_error)) return;
    std::string_view last = result.log;
    while (last.ends_with('\n')) last.remove_suffix(1);
    last = last.substr(last.rfind('\n') + 1);
    log_message& message = result.report.messages.emplace_back();
    message.severity = log_severity::error;
    message.tool = "nvcc";
    message.text = "ended with exit status " + std::to_string(exit_code);
    if (!last.empty()) message.text.append(": ").append(last);
    message.line =
        static_cast<std::size_t>(std::ranges::count(result.log, '\n')) + (result.log.ends_with('\n') ? 0 : 1);
}

compile_result compile_one(const toolchain& tools, const compile_request& request,
                           const compute_capability& architecture, const fs::path& folder)
{
    fs::create_directory(folder);
    const std::string cubin_file = (folder / "kernels.cubin").string();
    const std::string name(architecture_name(architecture).view());
    std::vector<std::string> command{tools.nvcc.string(),
                                     "-gencode",
                                     "arch=compute_" + name.substr(3) + ",code=" + name,
                                     "-cubin",
                                     "-Xptxas",
                                     "-v",
                                     "--keep",
                                     "--keep-dir",
                                     folder.string(),
                                     "-o",
                                     cubin_file};
    command.insert(command.end(), request.flags.begin(), request.flags.end());
    command.push_back(name_for_nvcc(request.source));
    const subprocess_result ran = run(command, {.directory = {}, .environment = tools.environment});

    compile_result result{.architecture = architecture,
                          .succeeded = ran.exit_code == 0 && fs::exists(cubin_file),
                          .log = without_folder(ran.output, folder.string() + "/"),
                          .report = {},
                          .kernels = {}};
    result.report = parse_resource_log(result.log, request.source);
    explain_failure(result, ran.exit_code);
    if (result.succeeded)
        result.kernels = merge(result.report.kernels, read_cubin(read_input(cubin_file), request.source),
                               read_kept_ptx(folder, request.source), request.source, name);
    return result;
}

}  // namespace

std::vector<compile_result> compile_kernels(const toolchain& tools, const compile_request& request,
                                            const std::function<void(std::size_t done, std::size_t total)>& progress)
{
    check_flags_for_nvcc(request.flags);
    const temporary_directory temporary;
    check_folder_for_nvcc(temporary.path().string());
    const std::size_t total = request.architectures.size();
    std::vector<compile_result> results(total);
    std::mutex lock;
    std::size_t done = 0;
    run_parallel(
        total,
        [&](std::size_t i) {
            results[i].architecture = request.architectures[i];
            if (interrupted()) return;  // what is finished is kept
            results[i] = compile_one(tools, request, request.architectures[i], temporary.path() / std::to_string(i));
            const std::lock_guard guard(lock);
            ++done;
            if (progress) progress(done, total);
        },
        request.jobs);
    return results;
}

}  // namespace launchbox
