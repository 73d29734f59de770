// SPDX-License-Identifier: Apache-2.0
#include "tune/build/compile_worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iostream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvrtc.hpp"
#include "compiler/run/preprocessed.hpp"
#include "image/ptx/ptx.hpp"
#include "image/ptx/ptx_modules.hpp"
#include "source/constant_edits.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/proc_file.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/types/message_json.hpp"

namespace launchbox {

namespace fs = std::filesystem;

// The job's architecture is sent separately, by name, and the files of an answer in a file.
static constexpr auto fields_of(const compile_job&)
{
    using of = compile_job;
    return std::tuple(field("wanted", &of::wanted), field("nvrtc", &of::nvrtc), field("library", &of::library),
                      field("includes", &of::includes), part_field("nvcc", &of::tools, &toolchain::nvcc),
                      part_field("environment", &of::tools, &toolchain::environment), field("folder", &of::folder),
                      field("source", &of::source), field("expression", &of::expression), field("flags", &of::flags));
}

static constexpr auto fields_of(const compile_answer&)
{
    using of = compile_answer;
    return std::tuple(part_field("exit_code", &of::output, &nvcc_output::exit_code),
                      part_field("made", &of::output, &nvcc_output::made), field("kernel", &of::kernel),
                      field("text", &of::text), field("commands", &of::commands),
                      field("out_of_memory", &of::out_of_memory), field("peak_bytes", &of::peak_bytes));
}

static constexpr compile_job::wish last_of(compile_job::wish)
{
    return compile_job::wish::text_and_list;
}

namespace {

constexpr std::string_view variable = "launchbox_address_of_kernel";
constexpr const char *log_file = "log", *cubin_file = "cubin", *ptx_file = "ptx", *names_file = "names";

compile_job job_of(const message_json& line)
{
    auto job = record_of<compile_job>(line, "job");
    job.architecture = parse_compute_capability(line.at("architecture").get<std::string>()).value();
    return job;
}

// A copy of the source with other constants, stored beside the outputs. #line makes the compiler report errors in the
// user's file.
std::string edited_copy(const compile_job& job, const constant_values& constants, const fs::path& outputs)
{
    const fs::path copy = outputs / ("edited_" + fs::path(job.source).filename().string());
    write_file_atomically(copy, "#line 1 \"" + fs::absolute(job.source).string() + "\"\n" +
                                    with_constants(utf8_text(read_file(job.source)), constants));
    return copy.string();
}

std::vector<std::string> with_source(std::vector<std::string> files, const compile_job& job)
{
    files.push_back(job.source);
    return files;
}

// For a job that asked for no module: nothing to compile counts as success.
nvcc_output nothing_made()
{
    return {.exit_code = 0, .made = true};
}

compile_answer compile_with_nvrtc(compile_job job, const fs::path& outputs)
{
    const constant_values constants = take_source_constants(job.flags);
    static std::map<fs::path, nvrtc> loaded;
    const auto library = loaded.try_emplace(job.library, job.library).first;
    nvrtc_job task{.source = with_constants(utf8_text(read_file(job.source)), constants),
                   .name = job.source,
                   .expression = signature_in(job.expression).empty() ? job.expression : address_of(job.expression),
                   .architecture = job.architecture,
                   .flags = job.flags,
                   .includes = {},
                   .precompiled_headers = outputs.string() + ".headers"};
    const fs::path beside = fs::path(job.source).parent_path();
    task.includes.push_back(beside.empty() ? "." : beside);
    task.includes.insert(task.includes.end(), job.includes.begin(), job.includes.end());
    if (job.wanted != compile_job::wish::module) task.lists = outputs;
    if (!makes_module(job)) {
        const nvrtc_reading read = library->second.read(task, job.wanted == compile_job::wish::text_and_list);
        compile_answer answer{.output = nothing_made(), .text = read.text};
        if (read.understood) answer.files = with_source(read.files, job);
        return answer;
    }
    nvrtc_output made = library->second.compile(task);
    const bool out_of_memory = made.output.exit_code == nvrtc_out_of_memory;
    compile_answer answer{
        .output = std::move(made.output), .kernel = std::move(made.kernel), .out_of_memory = out_of_memory};
    if (made.files) answer.files = with_source(*std::move(made.files), job);
    return answer;
}

// The text of nvcc's preprocessor tells both.
compile_answer read_with_nvcc(const compile_job& job)
{
    const std::time_t begin = std::time(nullptr);
    const nvcc_job named{.source = job.source, .architecture = job.architecture, .flags = job.flags};
    std::string log;
    const std::optional<unit_text> read = preprocess(job.tools, named, &log);
    if (!read) return {.output = nothing_made(), .files = with_source({}, job), .text = key_of({log})};
    return {.output = nothing_made(),
            .files = with_source(files_in(read->text), job),
            .text = hash_of_preprocessed(read->text, begin, std::time(nullptr)),
            .commands = key_of({read->commands})};
}

compile_answer compile_with_nvcc(const compile_job& job, const fs::path& outputs)
{
    const fs::path unit = outputs / unit_name;
    const bool with_list = job.wanted == compile_job::wish::module_and_list;
    // Without a variable that holds the kernel's address: taking it changes the registers of a kernel that calls
    // functions.
    write_file_atomically(unit, unit_with_instance(fs::absolute(job.source), job.expression));
    compile_answer answer{
        .output = run_nvcc(
            job.tools,
            {.source = unit.string(), .architecture = job.architecture, .flags = job.flags, .list_files = with_list})};
    const bool succeeded = answer.output.succeeded();
    if (succeeded) answer.kernel = kernel_of_marker(answer.output.ptx_outline);
    const bool is_about_unit = !succeeded && answer.output.log.find(unit_name) != std::string::npos;
    if ((succeeded && answer.kernel.empty()) || is_about_unit) {
        // If the marker does not give the name, such a variable does, and errors in the expression are clearer there.
        write_file_atomically(unit, unit_for_nvcc(fs::absolute(job.source), job.expression));
        nvcc_output named =
            run_nvcc(job.tools,
                     {.source = unit.string(), .architecture = job.architecture, .flags = job.flags, .only_ptx = true});
        if (!named.succeeded()) {
            answer.output = std::move(named);
            if (with_list) answer.files = read_with_nvcc(job).files;
            return answer;
        }
        answer.kernel = kernel_named_in(named.ptx_outline);
    }
    std::vector<std::string>& read = answer.output.files;
    if (with_list && read.empty() && !succeeded) answer.files = read_with_nvcc(job).files;
    if (with_list && !read.empty()) {
        std::erase(read, unit.string());
        answer.files = with_source(std::move(read), job);
    }
    return answer;
}

// The register limit in the flags, of which the last counts; 0 if there is none. Removes it from the flags.
int take_register_limit(std::vector<std::string>& flags)
{
    int limit = 0;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        std::string name = flags[i].substr(0, flags[i].find('='));
        if (name != "-maxrregcount" && name != "--maxrregcount") {
            others.push_back(flags[i]);
            continue;
        }
        const bool joined = name.size() < flags[i].size();
        if (!joined && i + 1 == flags.size()) throw error(name + " has no number", "write " + name + "=64");
        const std::string number = joined ? flags[i].substr(name.size() + 1) : flags[++i];
        const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), limit);
        if (wrong != std::errc() || end != number.data() + number.size() || limit < 0 || limit > 255)
            throw error(name + "=" + number + " is not a number of registers", "it is from 1 to 255; 0: no limit");
    }
    flags = std::move(others);
    return limit;
}

compile_answer compile_ptx(compile_job job, const fs::path& outputs)
{
    if (!makes_module(job)) return {.output = nothing_made(), .files = with_source({}, job)};
    std::string ptx = read_file(job.source);
    if (const int limit = take_register_limit(job.flags); limit > 0)
        ptx = with_max_registers(ptx, job.expression, limit);
    // Code for one specific chip, such as sm_90a, must be compiled for that one.
    const auto target = parse_compute_capability(read_ptx(ptx_outline(ptx), job.source, false).target);
    if (target && target->number() == job.architecture.number()) job.architecture = *target;
    const fs::path unit = outputs / "kernel.ptx";
    write_file_atomically(unit, ptx);
    compile_answer answer{
        .output = run_nvcc(job.tools, {.source = unit.string(), .architecture = job.architecture, .flags = job.flags})};
    answer.files = with_source({}, job);
    if (answer.output.succeeded()) answer.kernel = job.expression;
    return answer;
}

compile_answer compile_by(compile_job job, const fs::path& outputs)
{
    if (is_ptx_source(job.source)) return compile_ptx(job, outputs);
    if (job.nvrtc) return compile_with_nvrtc(job, outputs);
    const std::string source = job.source;
    const constant_values constants = take_source_constants(job.flags);
    if (!constants.empty()) {
        job.source = edited_copy(job, constants, outputs);
        const fs::path beside = fs::path(source).parent_path();
        job.flags.push_back("-I" + (beside.empty() ? std::string(".") : beside.string()));
    }
    compile_answer answer = makes_module(job) ? compile_with_nvcc(job, outputs) : read_with_nvcc(job);
    if (answer.files) std::ranges::replace(*answer.files, job.source, source);
    return answer;
}

// Compilers print paths as they were passed; users know them relative to the spec's folder.
std::string without(std::string text, const std::string& folder)
{
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
        text.erase(at, folder.size());
    return text;
}

// The peak memory of this process, in which NVRTC compiles. Not from getrusage, which includes the process that forked
// this one.
std::size_t own_peak_bytes()
{
    std::istringstream words(read_proc_file("/proc/self/status"));
    std::size_t kilobytes = 0;
    for (std::string word; words >> word;)
        if (word == "VmHWM:" && words >> kilobytes) break;
    return kilobytes * 1024;
}

message_json answer_to(const message_json& line)
{
    const compile_job job = job_of(line);
    const fs::path outputs = line.at("outputs").get<std::string>();
    if (::chdir(job.folder.c_str()) != 0) throw error("cannot go to the folder " + job.folder.string());
    compile_answer answer = compile_by(job, outputs);
    std::string log = without(std::move(answer.output.log), outputs.string() + "/");
    log = without(std::move(log), job.folder.string() + "/");
    write_file_atomically(outputs / log_file, log);
    write_file_atomically(outputs / cubin_file, answer.output.cubin);
    write_file_atomically(outputs / ptx_file, answer.output.ptx_outline);
    // Names are bytes, which JSON cannot hold.
    std::string names;
    if (answer.files)
        for (const std::string& name : *answer.files) names.append(name) += '\0';
    write_file_atomically(outputs / names_file, names);
    answer.peak_bytes = std::max(answer.output.peak_bytes, own_peak_bytes());
    message_json said = message_of_value(answer);
    said["files"] = answer.files.has_value();
    return said;
}

std::vector<std::string> listed_names(std::string_view names)
{
    std::vector<std::string> files;
    for (std::size_t end = 0; (end = names.find('\0')) != std::string_view::npos; names.remove_prefix(end + 1))
        files.emplace_back(names.substr(0, end));
    return files;
}

}  // namespace

std::string line_of(const compile_job& job, const fs::path& outputs)
{
    message_json line = message_of_value(job);
    line["architecture"] = architecture_name(job.architecture).view();
    line["outputs"] = outputs.string();
    return line.dump();
}

compile_answer read_compile_answer(const std::string& line, const fs::path& outputs)
{
    const message_json answer = message_json::parse(line, nullptr, false);
    if (!answer.is_object()) throw error("a compile worker answered: " + line.substr(0, 200));
    if (answer.contains("error")) {
        const std::string what = answer.value("error", std::string());
        if (answer.value("machine", false)) throw machine_error(what);
        throw error(what);
    }
    auto result = record_of<compile_answer>(answer, "answer");
    try {
        result.output.log = read_file(outputs / log_file);
        result.output.cubin = read_file(outputs / cubin_file);
        result.output.ptx_outline = read_file(outputs / ptx_file);
        if (answer.value("files", false)) result.files = listed_names(read_file(outputs / names_file));
    } catch (const error& failure) {
        throw machine_error(failure.what(), failure.hint());  // it existed a moment ago
    }
    return result;
}

// ".global .align 8 .u64 launchbox_address_of_kernel = _Z5scaleIiEvPT_;"
std::string kernel_named_in(const std::string& ptx_outline)
{
    const std::string before = std::string(variable) + " = ";
    const std::size_t at = ptx_outline.rfind(before);
    if (at == std::string::npos) return {};
    std::string name = ptx_outline.substr(at + before.size());
    name.erase(std::min(name.find(';'), name.size()));
    constexpr std::string_view generic = "generic(";
    if (name.starts_with(generic) && name.ends_with(')'))
        name = name.substr(generic.size(), name.size() - generic.size() - 1);
    return name;
}

// A mangled name as it appears inside the name of an instance of `marker_kernel`, whose marker is the first
// substitution: S_ becomes S0_ there, S0_ becomes S1_. Names with a length prefix are skipped; text that is not
// understood is equal inside a marker.
static std::string as_in_marker(std::string_view name)
{
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    std::string inside;
    for (std::size_t at = 0; at < name.size();) {
        if (is_digit(name[at])) {
            std::size_t length = 0;
            while (at < name.size() && is_digit(name[at]) && length < name.size()) {
                length = length * 10 + static_cast<std::size_t>(name[at] - '0');
                inside += name[at++];
            }
            // A number that is not a length, as in Li3E, ends without a name after it.
            if (at < name.size() && name[at] != 'E' && name[at] != '_') {
                inside += name.substr(at, length);
                at += length;
            }
            continue;
        }
        const std::size_t end = name[at] == 'S' ? name.find('_', at) : std::string_view::npos;
        std::size_t number = 0;
        const bool refers = end != std::string_view::npos && end <= at + 2 &&
                            (end == at + 1 || (is_digit(name[at + 1]) && name[at + 1] < '9'));
        if (refers) {
            if (end == at + 2) number = static_cast<std::size_t>(name[at + 1] - '0') + 1;
            inside += "S" + std::to_string(number) + "_";
            at = end + 1;
            continue;
        }
        inside += name[at++];
    }
    return inside;
}

std::string kernel_of_marker(std::string_view ptx_outline)
{
    std::vector<std::string_view> entries;
    constexpr std::string_view entry = ".entry ";
    for (std::size_t at = ptx_outline.find(entry); at != std::string_view::npos; at = ptx_outline.find(entry, at)) {
        at += entry.size();
        entries.push_back(ptx_outline.substr(at, ptx_outline.find_first_of("( \n", at) - at));
    }
    constexpr std::string_view before = "XadL", after = "EEEvv";
    for (std::string_view marked : entries) {
        const std::size_t at = marked.find(before);
        if (!marked.starts_with("_Z16launchbox_marker") || at == std::string_view::npos || !marked.ends_with(after))
            continue;
        marked = marked.substr(at + before.size(), marked.size() - after.size() - at - before.size());
        for (const std::string_view one : entries) {
            if (as_in_marker(one) == marked) return std::string(one);
        }
        // For extern "C", only the name is known, and only one function can have it.
        for (const std::string_view one : entries)
            if (!one.starts_with("_Z") && marked.starts_with("_Z" + std::to_string(one.size()) + std::string(one)))
                return std::string(one);
    }
    return {};
}

std::string_view signature_in(std::string_view name)
{
    if (!name.ends_with(')')) return {};
    int depth = 0;
    for (std::size_t at = name.size(); at-- > 0;) {
        depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
        if (depth == 0) return at > 0 ? name.substr(at) : std::string_view();
    }
    return {};
}

std::string address_of(std::string_view expression)
{
    const std::string_view parameters = signature_in(expression);
    expression.remove_suffix(parameters.size());
    if (parameters.empty()) return "&" + std::string(expression);
    if (expression.starts_with("void ")) expression.remove_prefix(5);
    return fmt::format("static_cast<void (*){}>(&{})", parameters, expression);
}

std::string unit_for_nvcc(const fs::path& source, const std::string& expression)
{
    return "#include \"" + source.string() + "\"\nextern \"C\" __device__ auto " + std::string(variable) + " = " +
           address_of(expression) + ";\n";
}

std::string unit_with_instance(const fs::path& source, const std::string& expression)
{
    return fmt::format(
        "#include \"{0}\"\ntemplate <auto> __global__ void {1}() {{}}\ntemplate __global__ void {1}<{2}>();\n",
        source.string(), marker_kernel, address_of(expression));
}

int run_compile_worker()
{
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        message_json answer;
        try {
            answer = answer_to(message_json::parse(line));
        } catch (const std::bad_alloc&) {
            ::_exit(worker_out_of_memory);  // this process cannot be used again
        } catch (const machine_error& failure) {
            answer = {{"error", failure.what()}, {"machine", true}};
        } catch (const error& failure) {
            answer = {{"error", failure.what()}};
        } catch (const std::exception& failure) {
            answer = {{"error", std::string("invalid: ") + failure.what()}};
        }
        std::cout << answer.dump(-1, ' ', false, message_json::error_handler_t::replace) << std::endl;
    }
    // Compiler libraries are slow to unload.
    ::_exit(0);
}

}  // namespace launchbox
