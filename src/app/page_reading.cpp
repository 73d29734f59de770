// SPDX-License-Identifier: Apache-2.0
#include "app/page_reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "app/advise.hpp"
#include "capture/launches/launches_file.hpp"
#include "image/binary.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {

namespace {

// A store or JSON, by its name or its first bytes; anything else contains kernels.
bool is_record(const std::string& path)
{
    if (path == "-") return false;
    const bool is_named_so = std::ranges::any_of(std::array{".db", ".sqlite", ".json", ".json.gz"},
                                                 [&](const char* ending) { return has_ending(path, ending); });
    if (is_named_so) refuse_irregular(path);  // it is read more than once
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) return is_named_so;  // a pipe can be read only once
    std::ifstream file(path, std::ios::binary);
    std::string start(4096, '\0');
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    if (start.starts_with("SQLite format 3")) return true;
    return is_named_so && (is_gzip(start) || !looks_like_binary(start));
}

// JSON of `capture`, whatever the order of its members.
bool holds_launches(const std::string& path)
{
    return has_ending(path, ".json") && is_launches_json(utf8_text(read_input(path)));
}

void read_runs(const page_request& request, const std::vector<std::string>& files, page_material& page,
               const listener& news)
{
    page_content& content = page.content;
    results_report& found = content.runs.found;
    for (const std::string& path : files) try {
            result_file read = read_result_file(path);
            if (read.runs.empty()) content.errors.push_back(path + " has no run: it contains no measurements");
            for (recorded_run& run : read.runs)
                if (request.run == 0 || run.number == request.run) found.runs.push_back({path, std::move(run), {}});
            found.diagnostics.insert(found.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            if (files.size() == 1 && request.input.files.size() == 1) throw;
            news.say(failure.what());
            content.errors.emplace_back(failure.what());
            page.status = failure.status();
        }
    if (found.runs.empty() && request.run != 0)
        throw error(fmt::format("there is no run {}", request.run), "leave --run out");
    const value_filter& filter = request.workloads;
    for (shown_run& run : found.runs) {
        if (!filter.wanted.empty()) {
            std::erase_if(run.run.results, [&](const stored_result& one) { return !filter.matches(one.workload); });
            std::erase_if(run.run.races, [&](const race_result_info& one) { return !filter.matches(one.workload); });
        }
        run.rankings = rank(run.run);
    }
    if (!filter.wanted.empty()) {
        const bool any = std::any_of(found.runs.begin(), found.runs.end(),
                                     [](const shown_run& run) { return !run.run.results.empty(); });
        if (!any) throw error("there is no result for that workload", "launchbox results lists them");
    }
    for (std::size_t i = 1; i < found.runs.size(); ++i)
        content.runs.others.push_back(
            compare_runs(found.runs[0].run, found.runs[0].rankings, found.runs[i].run, found.runs[i].rankings));
}

// The command that compiles alternatives for a kernel of a source and recommends some.
std::string advise_command(const kernel_findings& found, const kernel_input& input, const kernel_request& request)
{
    const kernel_info& info = found.kernel->info;
    const bool of_source = std::ranges::any_of(input.inputs, [&](const input_summary& one) {
        return one.kind == source_kind && one.file == info.source.file;
    });
    if (!of_source) return "";
    std::vector<std::string> architectures;
    for (const auto& finding : found.findings)
        for (const std::string& name : finding.architectures)
            if (std::ranges::find(architectures, name) == architectures.end()) architectures.push_back(name);
    std::ranges::sort(architectures, {}, [](const std::string& name) { return parse_compute_capability(name); });
    std::string command = fmt::format("launchbox advise {} --arch {} --kernel {}", shell_word(info.source.file),
                                      fmt::join(architectures, ","), shell_word(info.short_form));
    if (!request.compiler_flags.empty()) command += " --";
    for (const std::string& flag : request.compiler_flags) command += " " + shell_word(flag);
    return command;
}

// Recommendations for the sources, from compiled alternatives.
void read_advice(const page_request& request, page_material& page, const listener& news)
{
    const kernel_request& asked = request.input;
    bool any = false;
    for (const input_summary& input : page.input.inputs) {
        if (input.kind != source_kind) continue;
        any = true;
        source_bounds_request wanted;
        wanted.file = input.file;
        wanted.architectures = asked.architectures;
        wanted.kernel = asked.kernel;
        wanted.nvcc = asked.nvcc;
        wanted.compiler_flags = asked.compiler_flags;
        if (asked.threads) wanted.threads = {*asked.threads};
        wanted.jobs = asked.jobs;
        wanted.no_cache = asked.no_cache;
        wanted.of_folder = true;
        try {
            advice_result found = find_advice(wanted, news);
            if (page.status == exit_status::done) page.status = found.status;
            page.content.advice.push_back(std::move(found.report));
        } catch (const error& failure) {
            page.content.errors.push_back(input.file + ": no advice: " + failure.what());
            if (page.status == exit_status::done) page.status = failure.status();
        }
    }
    if (!any) throw error("--advise compiles sources, and none is named", "name a CUDA source, or leave --advise out");
}

void read_page_kernels(const page_request& request, kernel_request wanted, page_material& page, const listener& news)
{
    page_content& content = page.content;
    wanted.hash_code = !request.against.empty();
    wanted.lint = true;
    catch_interrupts();  // from here on, an interrupt shows what is finished
    inspected_files files = inspect_kernels(wanted, news);
    page.input = std::move(files.input);
    const inspection& found = content.kernels.emplace(std::move(files.found));
    content.kernels->page_rows = usual_page_rows;
    content.findings = findings_by_kernel(found.kernels);
    if (request.advise) read_advice(request, page, news);
    for (kernel_findings& kernel : content.findings)
        if (!request.advise) kernel.next_step = advise_command(kernel, page.input, request.input);
    if (!shown_as_list(found)) content.accounts = accounts_of(found.kernels);
    if (!request.against.empty()) {
        wanted.files = {request.against};
        wanted.lint = false;
        page.earlier = inspect_kernels(wanted, news);
        page.changes = compare_kernels(page.earlier.found.kernels, found.kernels);
        refuse_debug_and_release(page.changes);
        content.changes = &page.changes;
        content.against = request.against;
    }
    for (const inspected_input& one : found.inputs)
        for (const std::string& failure : one.errors) content.errors.push_back(one.file + ": " + failure);
    if (page.status == exit_status::done) page.status = page.input.status();
}

}  // namespace

void read_page(const page_request& request, page_material& page, const listener& news)
{
    page_content& content = page.content;
    std::vector<std::string> records, launches;
    kernel_request wanted = request.input;
    wanted.files.clear();
    for (const std::string& path : request.input.files)
        (!is_record(path) ? wanted.files : holds_launches(path) ? launches : records).push_back(path);
    for (const std::string& path : launches)
        content.launches.push_back({path, read_launches_json(utf8_text(read_input(path)), path)});
    content.title = request.title;
    if (content.title.empty())
        for (const std::string& path : request.input.files)
            content.title += (content.title.empty() ? "launchbox: " : ", ") + path.substr(path.rfind('/') + 1);
    if (!records.empty()) read_runs(request, records, page, news);
    if (wanted.files.empty() && !request.against.empty())
        throw error("--against compares kernels, but no program or source is named", "name the newer build too");
    if (wanted.files.empty() && (!request.input.architectures.empty() || !request.input.kernel.empty() ||
                                 request.input.threads || request.input.dynamic_shared))
        throw error(
            "--arch, --kernel, --threads and --dynamic-shared are about kernels, and no file with kernels is named",
            "name a program, a source or a log, or leave them out");
    if (wanted.files.empty() && request.advise)
        throw error("--advise compiles sources, and none is named", "name a CUDA source, or leave --advise out");
    if (!wanted.files.empty()) read_page_kernels(request, std::move(wanted), page, news);
}

}  // namespace launchbox
