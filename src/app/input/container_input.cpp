// SPDX-License-Identifier: Apache-2.0
#include "app/input/input_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "app/input/folder_files.hpp"
#include "image/container/image_scan.hpp"
#include "support/error.hpp"
#include "support/files/gzip.hpp"
#include "support/files/mapped_file.hpp"
#include "support/files/packed_files.hpp"
#include "support/files/read_files.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// A file whose name promises kernels, but whose content is of another kind.
std::string broken_promise(const std::string& file, std::string_view bytes)
{
    return "'" + escape_for_terminal(file) + "' " +
           (bytes.empty() ? "is empty: writing it did not finish"
                          : "is not what its name says: it contains no compiled CUDA code");
}

std::string not_opened(const std::string& file, std::string_view kind)
{
    return fmt::format("'{}' is a packed file ({}), which is not opened", escape_for_terminal(file), kind);
}

// PTX beside the cubin made from it would count the same kernels twice.
bool has_cubin_beside(const std::string& file)
{
    return file.ends_with(".ptx") && is_file(file.substr(0, file.size() - 3) + "cubin");
}

// Reports on a folder or archive as a whole; silent if all of it was read and contained something.
void add_container(input_reading& reading, input_summary summary, std::size_t inputs_before)
{
    std::vector<input_summary>& inputs = reading.found.inputs;
    const bool empty = std::all_of(inputs.begin() + std::ptrdiff_t(inputs_before), inputs.end(), is_idle_member);
    const std::size_t sources = summary.sources.size();
    if (sources > 0)
        summary.remarks.push_back(empty ? read_as_sources(summary.sources, summary.file)
                                        : fmt::format("it contains compiled code, and {} {} not read: name {}", sources,
                                                      sources == 1 ? "CUDA source (.cu) is" : "CUDA sources (.cu) are",
                                                      sources == 1 ? "it" : "them"));
    if (!empty) summary.sources.clear();
    summary.is_container = !empty || sources > 0;
    if (empty && sources == 0 && summary.errors.empty() && !interrupted())
        summary.errors.push_back(reading.request.architectures.empty()
                                     ? "it contains no compiled CUDA code"
                                     : "it contains no CUDA code for " + reading.asked.words());
    if (empty || !summary.errors.empty() || !summary.remarks.empty()) inputs.push_back(std::move(summary));
}

// As `has_cubin_beside` does for a folder. The members of a package come in any order.
void leave_out_ptx_beside_cubins(std::size_t first_input, input_reading& reading)
{
    const std::vector<input_summary>& inputs = reading.found.inputs;
    std::set<std::string> names;
    for (std::size_t i = first_input; i < inputs.size(); ++i) names.insert(inputs[i].file);
    reading.erase_inputs(first_input, [&](const input_summary& one) {
        return one.file.ends_with(".ptx") && names.contains(one.file.substr(0, one.file.size() - 3) + "cubin");
    });
}

constexpr std::size_t max_metadata_bytes = std::size_t{1} << 20, max_metadata = 1'000'000;

// A wheel, a conda or Debian package, or a tar file. Members are named like "torch.whl: torch/lib/libtorch_cuda.so".
void read_package(input_reading& reading, const std::string& file, std::string_view bytes)
{
    const std::size_t before = reading.found.inputs.size();
    input_summary summary{.file = file, .kind = "package"};
    packed_reader reader;
    reader.wanted = [&](std::string_view name, std::string_view beginning, bool is_all) {
        // Code may follow after text.
        return !is_all || may_hold_code(beginning) || promises_kernels(name) || name.ends_with(".json");
    };
    reader.use = [&](const std::string& name, std::string_view content) {
        const std::string shown = file + ": " + name;
        if (const std::string_view kind = kind_of_other_archive(content); !kind.empty())
            summary.remarks.push_back(not_opened(name, kind));
        else if (may_hold_code(content))
            read_binary_file(reading, shown, {content}, given::found);
        else if (promises_kernels(name))
            summary.errors.push_back(broken_promise(name, content));
        else if (name.ends_with(".json") && reading.metadata_of.size() < max_metadata &&
                 content.size() <= max_metadata_bytes)
            reading.metadata_of[shown.substr(0, shown.size() - 4)] = parse_triton_metadata(std::string(content), shown);
        return !reading.memory.used_up();
    };
    packed_findings findings = read_packed(bytes, reader);
    leave_out_ptx_beside_cubins(before, reading);
    for (std::string_view rest : findings.rest) {
        rest.remove_prefix(std::min(rest.find_first_not_of('\0'), rest.size()));
        if (holds_image(rest) || (rest.size() < bytes.size() && looks_packed(rest)))
            summary.errors.emplace_back("besides its members it has code or another archive, which is not read");
    }
    std::ranges::move(findings.errors, std::back_inserter(summary.errors));
    for (const std::string& name : findings.nested_archives)
        summary.remarks.push_back("'" + escape_for_terminal(name) + "' is a nested archive, which was not opened");
    if (findings.not_listed > 0) summary.remarks.push_back(fmt::format("and {} more", findings.not_listed));
    reading.found.interrupted |= interrupted();
    add_container(reading, std::move(summary), before);
}

}  // namespace

bool read_content(input_reading& reading, const std::string& file, const file_content& content, given how)
{
    const bool found = how == given::found, left_packed = found && !kind_of_other_archive(content.bytes).empty();
    // JAX's compilation cache without zstandard.
    constexpr std::size_t largest_stream = std::size_t{1} << 30;
    if (const auto inner = read_zlib_stream(content.bytes, largest_stream); inner && may_hold_code(*inner))
        read_binary_file(reading, file, {*inner}, how);
    else if (looks_packed(content.bytes))
        read_package(reading, file, content.bytes);
    else if (!left_packed && may_hold_code(content.bytes))
        read_binary_file(reading, file, content, how);
    else if (found)
        return false;
    else
        read_log(reading, file, content.bytes);
    return true;
}

void read_folder(input_reading& reading, const std::string& folder)
{
    const std::size_t before = reading.found.inputs.size();
    folder_files found = files_in_folder(folder, promises_kernels);
    input_summary summary{.file = folder, .kind = "folder", .errors = std::move(found.errors)};
    summary.remarks = std::move(found.remarks);
    const std::vector<std::string>& files = found.files;
    const progress_function show = reading.news.begin_progress("files");
    for (std::size_t i = 0; i < files.size() && !interrupted(); ++i) {
        const std::string& file = files[i];
        show(folder, i, files.size());
        if (has_cubin_beside(file)) continue;
        try {
            const mapped_file content(file, named_by::folder);
            const file_content bytes{content.bytes(), content.data()};
            if (read_content(reading, file, bytes, given::found))
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
    summary.sources = sources_of(found, folder);
    note_files_read({summary.sources.begin(), summary.sources.end()});  // named in the report if not read
    add_container(reading, std::move(summary), before);
}

bool is_idle_member(const input_summary& file)
{
    return file.in_container && file.kernels == 0 && file.images.empty() && file.errors.empty() && file.missing.empty();
}

}  // namespace launchbox
