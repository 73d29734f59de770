// SPDX-License-Identifier: Apache-2.0
#include "cli/results_exchange.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>

#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/value_checks.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"
#include "tune/exchange/result_export.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

using writer = std::function<void(std::ostream&)>;

constexpr std::size_t listed_parts = 8;
constexpr std::size_t longest_name = 150;  // of a file, before its number and ending

void write_to(const output_file& output, const writer& write);
void write_files(const output_file& folder, const std::string& format, const std::vector<exported_part>& parts);
writer writer_of(const std::string& format, const exported_part& part);
std::string description_of(const exported_part& part);

}  // namespace

void exchange_options::add_to(CLI::App& app)
{
    app.add_option("--export", format,
                   "Write a file for other tools: t4, or kernel-tuner (a cache), to the file or folder of -o")
        ->type_name("FORMAT")
        ->check(one_of({"t4", "kernel-tuner"}));
    app.add_flag("--import", import, "Write everything in the files, also of Kernel Tuner, KTT and T4, to a new store");
    CLI::Option* merging =
        app.add_flag("--merge", merge, "Write the runs of all files to one new store, the file of -o");
    // Exporting writes everything, so options that select a part would be ignored.
    for (const char* other :
         {"--import", "--export", "--workload", "--gpu", "--run", "--top", "--samples", "--failures"})
        merging->excludes(app.get_option(other));
    app.add_option("--store", store, "With --import: the store to write; default: the file's name with .db")
        ->type_name("FILE")
        ->needs(app.get_option("--import"));
}

void export_results(const exchange_options& options, const std::vector<std::string>& files, const output_file& output,
                    const results_report& report)
{
    const std::string& path = output.path;
    for (const std::string& diagnostic : report.diagnostics) say(diagnostic);
    const bool is_folder = !path.empty() && (path.back() == '/' || fs::is_directory(path));
    std::vector<exported_part> parts;
    std::size_t lost = 0;
    for (const shown_run& run : report.runs) {
        for (exported_part& part : parts_of(run.run)) parts.push_back(std::move(part));
        for (const stored_result& result : run.run.results) lost += result.measured.status == outcome::device_lost;
    }
    if (parts.empty())
        throw error(fmt::format("{}: there is no candidate to export", fmt::join(files, ", ")),
                    "launchbox results without --export shows what is there");
    if (lost > 0) say(fmt::format("{} candidates that were lost with the GPU are left out", lost));
    if (is_folder) {
        write_files(output, options.format, parts);
        return;
    }
    if (parts.size() > 1) {
        std::string list;
        for (std::size_t i = 0; i < parts.size() && i < listed_parts; ++i)
            list += (i == 0 ? "" : "; ") + description_of(parts[i]);
        if (parts.size() > listed_parts) list += fmt::format(" and {} more", parts.size() - listed_parts);
        throw error(fmt::format("a file of --export {} has one run on one workload, but there are {}: {}",
                                options.format, parts.size(), list),
                    "choose with --run, --workload or --gpu, or name a folder for one file each: -o out/");
    }
    write_to(output, writer_of(options.format, parts.front()));
}

namespace {

void write_to(const output_file& output, const writer& write)
{
    write_output(output, [&](std::ostream& out) {
        if (!output.path.ends_with(".gz")) return write(out);
        std::ostringstream text;
        write(text);
        out << gzip(std::move(text).str());
    });
}

writer writer_of(const std::string& format, const exported_part& part)
{
    return [&part, write = format == "t4" ? write_t4_results : write_kernel_tuner_cache](std::ostream& out) {
        write(part, out);
    };
}

// Without characters that have a meaning to a shell or another system.
std::string file_name_of(const exported_part& part)
{
    const environment_info& where = part.run->info.environment;
    std::string name = part.run->info.name + "-" + machine_of(where);
    if (!part.workload.values.empty()) name += "-" + parameter_text(part.workload);
    name.resize(std::min(name.size(), longest_name));
    for (char& letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte >= 128 || (std::isalnum(byte) == 0 && letter != '-' && letter != '=' && letter != '.')) letter = '_';
    }
    if (name.front() == '.' || name.front() == '-') name.front() = '_';
    return name;
}

void write_files(const output_file& folder, const std::string& format, const std::vector<exported_part>& parts)
{
    std::error_code failure;
    fs::create_directories(folder.path, failure);
    if (failure)
        throw error("cannot make the folder " + folder.path + ": " + failure.message(), "name another with -o");
    std::set<std::string> names;
    for (const exported_part& part : parts) {
        const std::string wanted = file_name_of(part);
        std::string name = wanted;
        for (int number = 2; !names.insert(name).second; ++number) name = fmt::format("{}-{}", wanted, number);
        const std::string path = (fs::path(folder.path) / (name + ".json")).string();
        write_to({path, folder.overwrite}, writer_of(format, part));
        std::cout << path << '\n';
    }
}

std::string description_of(const exported_part& part)
{
    const environment_info& where = part.run->info.environment;
    return fmt::format("run {} of {} on {}{}", part.run->number, escape_for_terminal(part.run->info.name),
                       escape_for_terminal(machine_of(where)),
                       part.workload.values.empty() ? "" : ", " + escape_for_terminal(parameter_text(part.workload)));
}

}  // namespace

}  // namespace launchbox::cli
