// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "advice/lint/lint_log.hpp"
#include "advice/lint/lint_warnings.hpp"
#include "advice/lint/source_lint.hpp"
#include "cli/asked_architectures.hpp"
#include "cli/input_folder.hpp"
#include "cli/launch_options.hpp"
#include "cli/messages.hpp"
#include "cli/triton_metadata.hpp"
#include "compiler/log/resource_log.hpp"
#include "compiler/run/build_flags.hpp"
#include "compiler/run/compile.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/compile_commands.hpp"
#include "compiler/run/toolchain.hpp"
#include "image/container/image_scan.hpp"
#include "image/names/launch_box_name.hpp"
#include "image/names/readable_names.hpp"
#include "image/skipped_images.hpp"
#include "report/kernels/skipped_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"
#include "support/files/packed_files.hpp"
#include "support/files/read_files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/text/matching.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox::cli {

bool is_source(const std::string& file)
{
    for (const char* ending : {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".hpp", ".h"})
        if (has_ending(file, ending)) return true;
    return false;
}

namespace {

// A loop that is not unrolled can leave an array in local memory. The front end names no kernel, so its warning goes to
// those that have local memory and no spills.
void hand_on_unroll_warnings(const resource_log& log, std::vector<kernel_info>& kernels)
{
    for (const log_message& message : log.messages) {
        if (message.severity != log_severity::warning || message.text.find("unroll") == std::string::npos) continue;
        for (kernel_info& kernel : kernels)
            if (kernel.stack_frame_bytes.value_or(0) > 0 && kernel.spill_store_bytes == 0)
                kernel.warnings.push_back(text_of(message));
    }
}

bool asks_for_lines(const std::string& flag)
{
    return flag == "-lineinfo" || flag == "--generate-line-info" || flag == "-G" || flag == "--device-debug";
}

// What the compiler says of no certain kernel.
void lint_results(const std::vector<compile_result>& results, input_summary& summary)
{
    std::vector<linted_log> logs;
    for (const compile_result& compiled : results)
        logs.push_back({&compiled.report, {}, std::string(architecture_name(compiled.architecture).view())});
    for (diagnosis& finding : lint_logs(logs)) summary.diagnoses.push_back(std::move(finding));
}

// With the flags of one command; `command` names it where there are several.
void compile_source(const kernel_input_options& options, const toolchain& tools, compile_request request,
                    const std::string& command, input_summary& summary, kernel_input& result)
{
    request.read = {.grid_dependency = true, .lines = options.lines, .examine = options.examine};
    // -G brings line information of its own; ptxas refuses both.
    if (options.lines != wanted_lines::none && std::ranges::none_of(request.flags, asks_for_lines))
        request.flags.emplace_back("-lineinfo");
    if (!options.no_cache) request.cache_folder = default_cache_folder();

    compiled_unit& unit = summary.units.emplace_back();
    unit.flags = request.flags;
    unit.container = "nvcc" + (command.empty() ? "" : ", " + command);
    std::vector<compile_result> results;
    const auto mentions = [&](const char* word) { return summary.text.find(word) != std::string::npos; };
    const bool wanted = options.lint || (options.launches && (mentions("aunch") || mentions("<<<")));
    progress_line line("architectures");
    run_parallel(
        wanted ? 2 : 1,
        [&](std::size_t i) {
            if (i == 0)
                results = compile_kernels(tools, request, [&](std::size_t done, std::size_t total) {
                    line.show(request.source, done, total);
                });
            else
                unit.seen = read_source_unit(tools, request.source, request.flags, request.architectures);
        },
        options.jobs == 1 ? 1 : 2);
    if (options.lint) lint_results(results, summary);
    std::vector<std::string> errors;
    for (compile_result& compiled : results) {
        hand_on_unroll_warnings(compiled.report, compiled.kernels);
        if (options.lint) add_warnings(compiled.report, summary.file, summary.text, summary.diagnoses);
        for (kernel_info& info : compiled.kernels) {
            info.source.container = unit.container;
            result.kernels.push_back({std::move(info), {}, {}});
        }
        summary.kernels += compiled.kernels.size();
        if (compiled.succeeded || interrupted()) continue;
        add_errors(tools, compiled, errors);
    }
    for (const std::string& text : errors) summary.errors.push_back(command.empty() ? text : command + ": " + text);
}

void read_source(const kernel_input_options& options, const std::string& file, const std::vector<std::string>& flags,
                 kernel_input& result)
{
    input_summary summary{.file = file, .kind = "CUDA source"};
    summary.text = read_file(file);  // a missing file is said so before a compiler is looked for
    const toolchain tools = find_toolchain(options.nvcc);
    std::vector<build_command> commands(1);
    if (!options.build.empty()) commands = commands_of_build(options.build, file);
    const std::vector<std::string> own = flags_for_nvcc(flags);
    bool links_later = false;
    for (std::size_t i = 0; i < commands.size() && !interrupted(); ++i) {
        links_later |= asks_for_link_time_optimization(commands[i].flags);
        compile_request request{
            .source = file, .architectures = {}, .flags = for_machine_code(commands[i].flags), .jobs = options.jobs};
        request.flags.insert(request.flags.end(), own.begin(), own.end());
        for (const target& wanted : source_targets(options.architectures, tools))
            request.architectures.push_back(wanted.architecture);
        // Kernels of two commands are two kernels of one name.
        const std::string& output = commands[i].output;
        const std::string name = commands.size() == 1 ? std::string()
                                                      : fmt::format("command {} of {}{}{}", i + 1, commands.size(),
                                                                    output.empty() ? "" : ": ", output);
        compile_source(options, tools, std::move(request), name, summary, result);
    }
    if (links_later || asks_for_link_time_optimization(with_response_files(flags, {})))
        summary.diagnoses.push_back(
            {"needs_nvlink", severity::warning,
             "compiled with -dlto: the device linker makes the code, of all files together, and every figure can "
             "change; these are of -rdc=true",
             "inspect the linked program"});
    result.interrupted |= interrupted();
    if (summary.errors.empty() && summary.kernels == 0 && !interrupted())
        summary.errors.push_back("it has no __global__ function that is instantiated");
    result.inputs.push_back(std::move(summary));
}

bool is_file(const std::string& name)
{
    std::error_code failure;
    return std::filesystem::is_regular_file(name, failure);
}

void read_log(const kernel_input_options& options, const std::string& file, std::string_view text, kernel_input& result)
{
    input_summary summary{.file = file, .kind = "compiler log"};
    resource_log log = parse_resource_log(text, file);
    hand_on_unroll_warnings(log, log.kernels);
    if (options.lint) summary.diagnoses = lint_logs({{&log, file, {}}});
    const bool tells_nothing = log.kernels.empty() && summary.diagnoses.empty();
    if (!options.before_linking && !options.keep_unlinked) leave_out_unlinked(log.kernels);
    for (const kernel_info& info : log.kernels) result.kernels.push_back({info, {}, {}});
    summary.kernels = log.kernels.size();
    for (const log_message& message : log.messages)
        if (message.severity == log_severity::error)
            summary.errors.push_back(fmt::format("line {}: {}", message.line, text_of(message)));
    for (const log_diagnostic& diagnostic : log.diagnostics)
        summary.errors.push_back(fmt::format("line {}: {}", diagnostic.line, diagnostic.what));
    if (log.ends_inside_a_report)
        summary.errors.push_back("it ends inside a report: the log was cut, or the compiler killed");
    if (tells_nothing && summary.errors.empty())
        summary.errors.push_back(std::string("it has no report of ptxas or nvlink; make one with nvcc -Xptxas -v") +
                                 (is_file(file) ? "" : " (a CUDA source is known by its name and must be a file)"));
    result.inputs.push_back(std::move(summary));
}

// Whether the user named the file, or it was found in a folder or packed file: what holds no kernel there is no input,
// unless its name says that it does.
enum class given { by_name, found };

bool promises_kernels(std::string_view file)
{
    return std::ranges::any_of(std::array{".cubin", ".fatbin", ".ptx"},
                               [&](const char* ending) { return file.ends_with(ending); });
}

// A file of a name that promises kernels, and of no kind that has any.
std::string broken_promise(const std::string& file, std::string_view bytes)
{
    return "'" + escape_for_terminal(file) + "' " +
           (bytes.empty() ? "is empty: it was never written to its end" : "is none: it holds no compiled CUDA code");
}

std::string not_opened(const std::string& file, std::string_view kind)
{
    return fmt::format("'{}' is a packed file ({}), and is not opened", escape_for_terminal(file), kind);
}

// A file, mapped or in memory.
struct file_content {
    std::string_view bytes;
    std::vector<byte_range> data = {};  // where not all of it is there
};

void read_binary_file(const kernel_input_options& options, const std::string& file, const file_content& content,
                      given how, kernel_memory& memory, kernel_input& result)
{
    const asked_architectures wanted(options.architectures);
    std::set<std::string> beside;  // code for others that runs where this was asked for
    const auto read = [&] {
        const auto reads = [&](std::string_view name) {
            return wanted.has(name) || beside.contains(std::string(name));
        };
        return read_binary(content.bytes, file,
                           {.wanted = reads,
                            .name_others = !wanted.all(),
                            .jobs = options.jobs,
                            // As Triton keeps them, with a file beside that says how they run.
                            .grid_dependency = file.ends_with(".cubin"),
                            .hash_code = options.hash_code,
                            .lines = options.lines,
                            .examine = options.examine,
                            .memory_of_run = &memory,
                            .before_linking = options.before_linking,
                            .data = content.data});
    };
    binary_contents contents = read();
    if (!contents.others.empty()) {
        std::vector<const kernel_info*> there;
        for (const std::vector<kernel_info>& kernels : contents.kernels)
            for (const kernel_info& info : kernels) there.push_back(&info);
        for (const kernel_info& info : contents.others) there.push_back(&info);
        beside = wanted.needed_beside(there);
        std::erase_if(beside, [&](const std::string& name) { return wanted.has(name); });
        if (!beside.empty()) contents = read();
    }
    input_summary summary{.file = file, .kind = contents.kind};
    summary.in_container = how == given::found;
    for (const image_diagnostic& diagnostic : contents.diagnostics)
        summary.errors.push_back(fmt::format("byte {}: {}", diagnostic.offset, diagnostic.what));
    for (std::vector<kernel_info>& kernels : contents.kernels) summary.kernels += kernels.size();
    result.kernels.reserve(result.kernels.size() + summary.kernels);
    for (std::vector<kernel_info>& kernels : contents.kernels) {
        for (kernel_info& info : kernels) result.kernels.push_back({std::move(info), {}, {}});
        kernels = {};
    }
    for (kernel_info& info : contents.others) result.others.push_back(std::move(info));
    const bool may_be_without = contents.not_wanted > 0 || !promises_kernels(file);
    const bool nothing = contents.images.empty() && contents.others.empty();
    if (how == given::found && nothing && summary.errors.empty() && may_be_without) return;
    if (const std::string_view kind = kind_of_other_archive(content.bytes); contents.images.empty() && !kind.empty())
        summary.errors.push_back(fmt::format("it is a packed file ({}), which is not opened: unpack it", kind));
    const bool says_so = how == given::by_name || contents.others.empty();
    if (says_so && contents.images.empty() && summary.errors.empty())
        summary.errors.push_back(options.architectures.empty() ? "it holds no compiled CUDA code"
                                                               : "it holds no CUDA code for " + wanted.words());
    summary.images = std::move(contents.images);
    result.inputs.push_back(std::move(summary));
}

// PTX beside the cubin that was made of it tells the same kernels once more.
bool has_cubin_beside(const std::string& file)
{
    return file.ends_with(".ptx") && is_file(file.substr(0, file.size() - 3) + "cubin");
}

bool is_idle(const input_summary& file)
{
    return file.kernels == 0 && file.images.empty() && file.errors.empty() && file.missing.empty();
}

// What is said of a folder or packed file as a whole: nothing where all of it could be read and there was something.
void add_container(input_summary summary, const kernel_input_options& options, std::size_t inputs_before,
                   kernel_input& result)
{
    // A file without code for what was asked is no input.
    const bool empty = std::all_of(result.inputs.begin() + std::ptrdiff_t(inputs_before), result.inputs.end(),
                                   [&](const input_summary& file) { return file.in_container && is_idle(file); });
    summary.is_container = !empty;
    if (empty && summary.errors.empty() && !interrupted())
        summary.errors.push_back(options.architectures.empty()
                                     ? "it holds no compiled CUDA code"
                                     : "it holds no CUDA code for " +
                                           asked_architectures(options.architectures).words());
    if (empty || !summary.errors.empty() || !summary.remarks.empty()) result.inputs.push_back(std::move(summary));
}

// As `has_cubin_beside` of a folder. The members of a package come in any order.
void leave_out_ptx_beside_cubins(std::size_t first_input, kernel_input& result)
{
    std::set<std::string> names, left_out;
    for (std::size_t i = first_input; i < result.inputs.size(); ++i) names.insert(result.inputs[i].file);
    for (const std::string& name : names)
        if (name.ends_with(".ptx") && names.contains(name.substr(0, name.size() - 3) + "cubin")) left_out.insert(name);
    if (left_out.empty()) return;
    std::erase_if(result.inputs, [&](const input_summary& summary) { return left_out.contains(summary.file); });
    std::erase_if(result.kernels,
                  [&](const found_kernel& kernel) { return left_out.contains(kernel.info.source.file); });
}

constexpr std::size_t max_metadata_bytes = std::size_t{1} << 20, max_metadata = 1'000'000;

// A wheel, a conda or Debian package, a tar file: "torch.whl: torch/lib/libtorch_cuda.so" is what a member is called.
void read_package(const kernel_input_options& options, const std::string& file, std::string_view bytes,
                  kernel_memory& memory, kernel_input& result)
{
    const std::size_t before = result.inputs.size();
    input_summary summary{.file = file, .kind = "package"};
    packed_reader reader;
    reader.wanted = [&](std::string_view name, std::string_view beginning, bool is_all) {
        // Behind text there can be code, too.
        return !is_all || looks_like_binary(beginning) || promises_kernels(name) || name.ends_with(".json");
    };
    reader.use = [&](const std::string& name, std::string_view content) {
        const std::string shown = file + ": " + name;
        if (const std::string_view kind = kind_of_other_archive(content); !kind.empty())
            summary.remarks.push_back(not_opened(name, kind));
        else if (looks_like_binary(content))
            read_binary_file(options, shown, {content}, given::found, memory, result);
        else if (promises_kernels(name))
            summary.errors.push_back(broken_promise(name, content));
        else if (name.ends_with(".json") && result.metadata_of.size() < max_metadata &&
                 content.size() <= max_metadata_bytes)
            result.metadata_of[shown.substr(0, shown.size() - 4)] = parse_triton_metadata(std::string(content), shown);
        return !memory.used_up();
    };
    packed_findings findings = read_packed(bytes, reader);
    leave_out_ptx_beside_cubins(before, result);
    for (std::string_view rest : findings.rest) {
        rest.remove_prefix(std::min(rest.find_first_not_of('\0'), rest.size()));
        if (holds_image(rest) || (rest.size() < bytes.size() && looks_packed(rest)))
            summary.errors.emplace_back("beside its members it has code or another archive, which is not read");
    }
    std::ranges::move(findings.errors, std::back_inserter(summary.errors));
    for (const std::string& name : findings.nested_archives)
        summary.remarks.push_back("'" + escape_for_terminal(name) + "' is an archive within it, and was not opened");
    if (findings.not_listed > 0) summary.remarks.push_back(fmt::format("and {} more", findings.not_listed));
    result.interrupted |= interrupted();
    add_container(std::move(summary), options, before, result);
}

// What is neither a source nor a folder, by its bytes: packed files, binaries, and logs where the user names them.
// False: it is of no kind that is read.
bool read_content(const kernel_input_options& options, const std::string& file, const file_content& content, given how,
                  kernel_memory& memory, kernel_input& result)
{
    const bool found = how == given::found, left_packed = found && !kind_of_other_archive(content.bytes).empty();
    if (looks_packed(content.bytes))
        read_package(options, file, content.bytes, memory, result);
    else if (!left_packed && looks_like_binary(content.bytes))
        read_binary_file(options, file, content, how, memory, result);
    else if (found)
        return false;
    else
        read_log(options, file, content.bytes, result);
    return true;
}

constexpr const char* was_changed = "was changed by another program while it was read";

void read_folder(const kernel_input_options& options, const std::string& folder, kernel_memory& memory,
                 kernel_input& result)
{
    const std::size_t before = result.inputs.size();
    folder_files found = files_in_folder(folder, promises_kernels);
    input_summary summary{.file = folder, .kind = "folder", .errors = std::move(found.errors)};
    summary.remarks = std::move(found.remarks);
    const std::vector<std::string>& files = found.files;
    progress_line line("files");
    for (std::size_t i = 0; i < files.size() && !interrupted(); ++i) {
        const std::string& file = files[i];
        line.show(folder, i, files.size());
        if (has_cubin_beside(file)) continue;
        try {
            const mapped_file content(file, named_by::folder);
            const file_content bytes{content.bytes(), content.data()};
            if (read_content(options, file, bytes, given::found, memory, result))
                note_read(file);  // the rest may be an earlier report
            else if (promises_kernels(file))
                summary.errors.push_back(broken_promise(file, bytes.bytes));
            else if (const std::string_view kind = kind_of_other_archive(bytes.bytes); !kind.empty())
                summary.remarks.push_back(not_opened(file, kind));
            if (content.changed()) summary.errors.push_back("'" + escape_for_terminal(file) + "' " + was_changed);
        } catch (const error& failure) {
            summary.errors.push_back(failure.what());
        }
    }
    add_container(std::move(summary), options, before, result);
}

// Sources by their names; the rest by their bytes.
void read_named(const kernel_input_options& options, const std::string& file, const std::vector<std::string>& flags,
                kernel_memory& memory, kernel_input& result)
{
    if (is_source(file)) {
        read_source(options, file, flags, result);
        return;
    }
    if (is_folder(file)) {
        read_folder(options, file, memory, result);
        return;
    }
    const mapped_file content(file, named_by::user);
    const std::size_t before = result.inputs.size();
    if (!looks_packed(content.bytes()) && is_no_utf8_text(content.bytes())) {
        const std::string text = utf8_text(std::string(content.bytes()));
        (void)read_content(options, file, {text}, given::by_name, memory, result);
    } else
        (void)read_content(options, file, {content.bytes(), content.data()}, given::by_name, memory, result);
    if (!content.changed()) return;
    if (result.inputs.size() == before) result.inputs.push_back({.file = file, .kind = "unreadable"});
    result.inputs.back().errors.push_back(std::string("it ") + was_changed);
}

// Of what the user named with one word.
void keep_asked(const kernel_input_options& options, std::size_t first_kernel, std::size_t first_input,
                kernel_input& result)
{
    const asked_architectures wanted(options.architectures);
    const std::vector<kernel_info> others = std::exchange(result.others, {});
    if (wanted.all() || result.inputs.size() == first_input) return;
    const input_summary& named = result.inputs[first_input];
    const bool compiled = named.kind == "CUDA source", some = result.kernels.size() > first_kernel;
    if (!compiled || named.errors.empty()) wanted.choose(first_kernel, first_input, others, !compiled, result);
    input_summary& file = result.inputs[first_input];
    if (file.kind == "compiler log" && some && file.kernels == 0 && file.errors.empty()) {
        file.errors.push_back("it has no kernel for " + wanted.words());
        file.missing.clear();
    }
    // Where there is nothing at all, that is said of the whole. What was interrupted may have been about to come.
    const bool nothing = result.kernels.size() == first_kernel && result.inputs.back().kind != "CUDA source" &&
                         !result.inputs.back().errors.empty();
    if (nothing || result.interrupted)
        for (std::size_t i = first_input; i < result.inputs.size(); ++i) result.inputs[i].missing.clear();
    const auto idle = [](const input_summary& one) { return one.in_container && is_idle(one); };
    result.inputs.erase(std::remove_if(result.inputs.begin() + std::ptrdiff_t(first_input), result.inputs.end(), idle),
                        result.inputs.end());
}

void add_triton_launch(kernel_info& kernel, const triton_metadata& metadata)
{
    kernel.dynamic_shared_bytes = metadata.shared_bytes;
    kernel.launch_threads = metadata.threads;
    if (metadata.threads) kernel.triton_warps = *metadata.threads / warp_size;
    kernel.launched_early = metadata.launched_early;
    if (!metadata.max_registers) return;
    kernel.requested_max_registers = metadata.max_registers;
    if (kernel.min_blocks_inferred) kernel.min_blocks.reset();  // the cap is not a bound's
    kernel.min_blocks_inferred = false;
}

// What no image holds: how a kernel is launched.
void add_launches(const kernel_input_options& options, kernel_input& input)
{
    std::vector<found_kernel>& kernels = input.kernels;
    std::map<std::string, metadata_reading>& metadata_of = input.metadata_of;
    for (found_kernel& kernel : kernels) {
        const std::string& file = kernel.info.source.file;
        const std::optional<std::string> stem = stem_of_compiled(file);
        if (!stem) continue;
        auto place = metadata_of.find(*stem);
        if (place == metadata_of.end()) place = metadata_of.emplace(*stem, metadata_beside(*stem)).first;
        metadata_reading& found = place->second;
        if (found.value && found.value->is_of(kernel.info.name)) add_triton_launch(kernel.info, *found.value);
        if (std::string problem = std::exchange(found.problem, {}); !problem.empty())
            if (const auto of = std::ranges::find(input.inputs, file, &input_summary::file); of != input.inputs.end())
                of->errors.push_back(std::move(problem));
    }
    if (!options.dynamic_shared) return;
    const auto bytes_for = dynamic_shared_function(*options.dynamic_shared);
    (void)bytes_for(max_threads_per_block);  // what is no expression is said so whatever the input holds
    for (found_kernel& kernel : kernels) {
        const std::optional<int> threads = launched_threads(kernel.info, options.threads);
        if (threads) kernel.info.dynamic_shared_bytes = bytes_for(*threads);
    }
}

void name_for_people(std::vector<found_kernel>& kernels)
{
    std::vector<std::string_view> names;
    for (const found_kernel& kernel : kernels) names.push_back(kernel.info.name);
    std::vector<readable_name> readable = readable_names(names);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        kernels[i].demangled = std::move(readable[i].demangled);
        kernels[i].short_form = std::move(readable[i].short_form);
    }
}

// launchbox's own kernels, which no one launches and no one can change.
void leave_out_probes(kernel_input& input)
{
    std::erase_if(input.kernels, [&](const found_kernel& kernel) {
        if (!is_architecture_probe(kernel.demangled)) return false;
        const auto from = std::ranges::find(input.inputs, kernel.info.source.file, &input_summary::file);
        if (from != input.inputs.end() && from->kernels > 0) --from->kernels;
        return true;
    });
}

lint_request request_for(const input_summary& summary, const compiled_unit& unit, const kernel_input& input,
                         const std::string& pattern, std::vector<std::size_t>& which)
{
    lint_request request{.file = summary.file,
                         .text = summary.text,
                         .kernels = {},
                         .flags = unit.flags,
                         .unit = unit.seen ? &*unit.seen : nullptr};
    which.clear();
    for (std::size_t i = 0; i < input.kernels.size(); ++i) {
        const found_kernel& kernel = input.kernels[i];
        if (kernel.info.source.file != summary.file || kernel.info.source.container != unit.container) continue;
        request.kernels.push_back(
            {kernel.short_form, &kernel.info,
             pattern.empty() || matches_kernel(pattern, kernel.info.name, kernel.demangled, kernel.short_form)});
        which.push_back(i);
    }
    return request;
}

// Figures of launches that the source itself has. One with other threads, of which the user asks, tells nothing of its
// dynamic shared memory.
void add_source_launches(const kernel_input_options& options, kernel_input& input)
{
    std::vector<std::size_t> which;
    for (const input_summary& summary : input.inputs)
        for (const compiled_unit& unit : summary.units) {
            if (!unit.seen) continue;
            const std::vector<launch_size> sizes =
                launch_sizes(request_for(summary, unit, input, options.kernel, which));
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                kernel_info& kernel = input.kernels[which[i]].info;
                kernel.launch_threads = sizes[i].threads;
                if (!options.threads || !sizes[i].threads || options.threads == sizes[i].threads)
                    kernel.dynamic_shared_bytes = sizes[i].dynamic_shared_bytes;
            }
        }
}

// Before kernels are left out: whether a launch is wrong can depend on all instantiations.
void lint_sources(const std::string& pattern, kernel_input& input)
{
    std::vector<std::size_t> which;
    for (input_summary& summary : input.inputs) {
        std::vector<diagnosis> all;
        for (const compiled_unit& unit : summary.units)
            for (diagnosis& one : lint_source(request_for(summary, unit, input, pattern, which)))
                if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
        summary.diagnoses.insert(summary.diagnoses.end(), all.begin(), all.end());
        sort_by_place(summary.diagnoses, summary.file);
    }
}

void sort_out_doubles(std::vector<std::string>& names)
{
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// "DeviceReduceKernel" of "cub::detail::reduce::DeviceReduceKernel<int, plus<int>>".
std::string name_of_template(const std::string& short_form)
{
    const std::size_t end = std::min(short_form.find('<'), short_form.size());
    const std::size_t colons = end > 0 ? short_form.rfind("::", end - 1) : std::string::npos;
    const std::size_t begin = colons == std::string::npos ? 0 : colons + 2;
    return begin < end ? short_form.substr(begin, end - begin) : short_form;
}

// "kQuantizeBlockwise*" for "kQantize*": what a pattern says before its first star is the beginning of a name.
std::string nearest_template(const std::string& pattern, const std::vector<std::string>& names)
{
    const std::size_t star = pattern.find('*', 1);
    std::string word = pattern.substr(0, star);
    std::erase(word, '*');
    constexpr std::size_t shortest = 4;  // of fewer letters any name is near
    if (word.size() < shortest) return {};
    std::vector<std::string> beginnings = names;
    if (star != std::string::npos)
        for (std::string& name : beginnings) name.resize(std::min(name.size(), word.size() + 1));
    const std::string meant = nearest(word, beginnings);
    const auto found = std::ranges::find(beginnings, meant);
    if (meant.empty() || found == beginnings.end()) return {};
    return names[static_cast<std::size_t>(found - beginnings.begin())] + "*";
}

void keep_matching(const std::string& pattern, kernel_input& input)
{
    if (pattern.empty() || input.kernels.empty()) return;
    std::vector<std::string> names;
    for (const found_kernel& kernel : input.kernels) names.push_back(kernel.short_form);
    std::erase_if(input.kernels, [&](const found_kernel& kernel) {
        return !matches_kernel(pattern, kernel.info.name, kernel.demangled, kernel.short_form);
    });
    bool missing = false;
    for (input_summary& summary : input.inputs) {
        std::erase_if(summary.missing, [&](const missing_kernel& kernel) {
            return !matches_kernel(pattern, kernel.name, kernel.demangled, kernel.short_form);
        });
        missing |= !summary.missing.empty();
    }
    if (!input.kernels.empty() || missing) return;
    refuse_pattern(pattern, std::move(names));
}

}  // namespace

std::vector<std::string> flags_for_nvcc(const std::vector<std::string>& flags)
{
    return for_machine_code(with_response_files(flags, {}));
}

std::vector<target> source_targets(const std::string& architectures, const toolchain& tools)
{
    if (architectures.empty()) return {target_of_this_machine()};
    // Asking nvcc what it can compile for costs one more run of it, and only "all" needs to know beforehand.
    const bool all = ("," + architectures + ",").find(",all,") != std::string::npos;
    return parse_targets(architectures, all ? compiler_architectures(tools) : std::vector<compute_capability>{});
}

void refuse_pattern(const std::string& pattern, std::vector<std::string> names)
{
    sort_out_doubles(names);
    std::string meant = nearest(pattern, names);
    // A library has hundreds of instances of few templates.
    for (std::string& name : names) name = name_of_template(name);
    sort_out_doubles(names);
    if (meant.empty()) meant = nearest_template(pattern, names);
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i)
        list += (i > 0 ? ", " : "") + escape_for_terminal(names[i]);
    throw error(
        "no kernel matches '" + escape_for_terminal(pattern) + "'",
        meant.empty() ? "there are: " + list + (names.size() > 10 ? ", …" : "") : "did you mean " + meant + "?");
}

exit_status kernel_input::status() const
{
    if (interrupted) return exit_status::interrupted;
    const bool errors =
        std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return !input.errors.empty(); });
    return errors ? exit_status::bad_input : exit_status::done;
}

void kernel_input::leave_out(const found_kernel& kernel, bool threads_known)
{
    std::string why = "kernel " + kernel.short_form;
    if (kernel.info.architecture.empty())
        why += ": its architecture is not known";
    else if (limits_of(kernel.info) == nullptr)
        why += ": unknown architecture '" + kernel.info.architecture + "'";
    else if (!kernel.info.registers)
        why += ": its registers are not known";
    else if (threads_known)
        why += ": its static shared memory is not known: add --shared";
    else
        why += " has no launch bound: add --threads 256";
    const auto from = std::find_if(inputs.begin(), inputs.end(),
                                   [&](const input_summary& input) { return input.file == kernel.info.source.file; });
    if (from != inputs.end()) from->errors.push_back(why);
}

void kernel_input_options::add_to(CLI::App& app, bool files_required)
{
    CLI::Option* option =
        app.add_option(
               "file", files,
               "Programs, libraries, objects, cubins, PTX, CUDA sources, logs of ptxas -v; folders, wheels, conda and "
               "Debian packages, tar and zip files; - for stdin")
            ->type_name("FILE");
    if (files_required) option->required();
    app.add_option(
           "-a,--arch", architectures,
           "Architectures, such as sm_80,sm_90a, GPUs, such as H100, or all; default: those in the file, or that of "
           "this machine's GPU for a source")
        ->type_name("LIST");
    app.add_option("-k,--kernel", kernel, "Only kernels that match this pattern (* ? [...])")->type_name("PATTERN");
    app.add_option("--nvcc", nvcc,
                   "nvcc, the folder of its toolkit, or a release such as 13.0; flags for nvcc follow --")
        ->type_name("PATH");
    app.add_option("-p,--build", build,
                   "The folder with a build's compile_commands.json, whose flags are used for a source")
        ->type_name("FOLDER");
    app.add_option("-j,--jobs", jobs, "Threads, or compilers, at a time; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    app.add_flag("--no-cache", no_cache, "Compile again what was compiled before");
    app.add_flag("--before-linking", before_linking,
                 "Also code from before device linking (-rdc), which a program carries but does not run");
}

void kernel_input_options::add_dynamic_shared(CLI::App& app)
{
    app.add_option("-d,--dynamic-shared", dynamic_shared,
                   "Dynamic shared memory per block: bytes, or an expression of threads, such as 4*threads; default: "
                   "what Triton's metadata beside a cubin says")
        ->type_name("EXPR");
}

kernel_input read_kernels(const kernel_input_options& options, const std::vector<std::string>& compiler_flags)
{
    catch_interrupts();
    kernel_input result;
    kernel_memory memory;
    for (const std::string& file : options.files) {
        const std::size_t kernels_before = result.kernels.size(), inputs_before = result.inputs.size();
        try {
            read_named(options, file, compiler_flags, memory, result);
            keep_asked(options, kernels_before, inputs_before, result);
        } catch (const error& failure) {
            if (options.files.size() == 1) throw;
            result.inputs.push_back(
                {.file = file,
                 .kind = is_source(file) ? "CUDA source" : "unreadable",
                 .errors = {std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint())}});
        }
        if (interrupted()) break;
    }
    name_for_people(result.kernels);
    if (options.launches) add_source_launches(options, result);
    add_launches(options, result);
    result.interrupted |= interrupted();
    leave_out_probes(result);
    if (options.lint) lint_sources(options.kernel, result);
    keep_matching(options.kernel, result);
    return result;
}

void refuse_nothing(kernel_input& input)
{
    for (input_summary& summary : input.inputs) {
        if (!summary.errors.empty() || summary.kernels > 0 || summary.is_container) continue;
        const std::string held = images_without_kernels_text(summary.images);
        summary.errors.push_back(held.empty() ? "it has no kernel" : "it has no kernel: it holds " + held);
    }
}

void refuse_debug_and_release(const kernel_diff& diff)
{
    if (diff.debug_and_release.empty()) return;
    const auto& [before, after] = diff.debug_and_release.front();
    const bool was = is_debug_build(before->info);
    const std::size_t more = diff.debug_and_release.size() - 1;
    throw error(fmt::format("{}{} compiled with {} {}, and without it {}: a debug build is not compared with a release "
                            "build",
                            escape_for_terminal(before->short_form),
                            more == 0 ? " is" : fmt::format(" and {} more kernel{} are", more, more == 1 ? "" : "s"),
                            debug_flag_of(was ? before->info : after->info), was ? "before" : "after",
                            was ? "after" : "before"),
                "compile both sides the same way, or choose kernels with --kernel");
}

std::vector<inspected_input> inspected_inputs(const kernel_input& input)
{
    std::vector<inspected_input> inputs;
    for (const input_summary& summary : input.inputs)
        inputs.push_back({summary.file, summary.kind, summary.kernels, summary.errors, summary.images,
                          summary.diagnoses, summary.missing});
    return inputs;
}

report_forms with_skipped(report_forms forms, const std::vector<inspected_input>& inputs)
{
    forms.page = [page_of = std::move(forms.page), inputs](const output_style& style) {
        document page = page_of(style);
        add_skipped(page, inputs);
        return page;
    };
    forms.json = [json_of_report = std::move(forms.json), inputs] {
        nlohmann::ordered_json json = json_of_report();
        json["skipped_images"] = skipped_json(inputs);
        return json;
    };
    return forms;
}

void print_kinds_of_code(const kernel_input& input)
{
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : missing_lines(summary.missing))
            say((summary.file == "-" ? "standard input" : summary.file) + ": " + text);
    const auto debug =
        std::ranges::find_if(input.kernels, [](const found_kernel& kernel) { return is_debug_build(kernel.info); });
    if (debug != input.kernels.end())
        say(fmt::format("{} is a debug build ({}): what is said of it is not true of a release build",
                        escape_for_terminal(debug->short_form), debug_flag_of(debug->info)));
}

void print_errors(const kernel_input& input)
{
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : summary.errors)
            say((summary.file == "-" ? "standard input" : summary.file) + ": " + text);
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : summary.remarks) say(summary.file + ": " + text);
    if (input.interrupted) say("interrupted; what was finished is shown");
}

}  // namespace launchbox::cli
