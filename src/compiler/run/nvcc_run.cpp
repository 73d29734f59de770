// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/nvcc_run.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/preprocessed.hpp"
#include "image/ptx/ptx.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

std::string without_folder(const std::string& text, const std::string& folder)
{
    std::string result;
    std::size_t from = 0;
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, from)) {
        result.append(text, from, at - from);
        from = at + folder.size();
    }
    return result.append(text, from);
}

// Generates a module for one real architecture, or only its PTX; the front end sees the same __CUDA_ARCH__ for both.
std::vector<std::string> command_for(const toolchain& tools, const nvcc_job& job, const fs::path& folder)
{
    const std::string name(architecture_name(job.architecture).view());
    const std::string virtual_name = "compute_" + name.substr(3);
    std::vector<std::string> command{tools.nvcc.string(), "-gencode",
                                     "arch=" + virtual_name + ",code=" + (job.only_ptx ? virtual_name : name)};
    if (job.only_ptx) {
        command.insert(command.end(), {"-ptx", "-o", (folder / "kernels.ptx").string()});
    } else {
        command.insert(command.end(), {"-cubin", "-Xptxas", "-v", "--keep", "--keep-dir", folder.string(), "-o",
                                       (folder / "kernels.cubin").string()});
    }
    // Before the user's own -include, so that kernels in those files are reached, too.
    if (!job.forced_include.empty())
        command.insert(command.end(), {"-include", (folder / "launchbox_bounds.h").string()});
    command.insert(command.end(), job.flags.begin(), job.flags.end());
    command.push_back(name_for_nvcc(job.source));
    return command;
}

// nvcc names the PTX that it keeps after the source; a .ptx source is kept itself.
std::string kept_ptx(const fs::path& folder, const std::string& source)
{
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".ptx") return read_file(entry.path());
    return is_ptx_source(source) ? read_file(source) : std::string();
}

// The preprocessor output that nvcc keeps names the files.
std::vector<std::string> files_of_kept_text(const fs::path& folder)
{
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().string().ends_with(".cpp1.ii")) return files_in(read_file(entry.path()));
    return {};
}

// The commands that nvcc would run, without the lines about its own location, such as PATH.
std::string commands_in(std::string_view dry_run)
{
    std::string commands;
    while (!dry_run.empty()) {
        const std::string_view line = dry_run.substr(0, dry_run.find('\n'));
        dry_run.remove_prefix(std::min(dry_run.size(), line.size() + 1));
        if (!line.starts_with("#$ PATH=") && !line.starts_with("#$ LD_LIBRARY_PATH=") && !line.starts_with("#$ _"))
            commands.append(line) += '\n';
    }
    return commands;
}

}  // namespace

bool is_ptx_source(const std::string& source)
{
    return fs::path(source).extension() == ".ptx";
}

nvcc_output run_nvcc(const toolchain& tools, const nvcc_job& job)
{
    check_flags_for_nvcc(job.flags);
    const temporary_directory temporary;
    const fs::path& folder = temporary.path();
    check_folder_for_nvcc(folder);
    if (!job.forced_include.empty()) write_file_atomically(folder / "launchbox_bounds.h", job.forced_include);

    const subprocess_result ran =
        run(command_for(tools, job, folder), {.directory = {}, .environment = environment_for_nvcc(tools, folder)});
    nvcc_output output{.exit_code = ran.exit_code, .log = without_folder(ran.output, folder.string() + "/")};
    output.peak_bytes = ran.peak_bytes;
    if (job.list_files) output.files = files_of_kept_text(folder);
    if (ran.exit_code != 0) return output;
    std::string ptx = kept_ptx(folder, job.source);
    output.ptx_outline = ptx_outline(ptx);
    if (job.keep_ptx) output.ptx = std::move(ptx);
    const fs::path cubin = folder / "kernels.cubin";
    if (job.only_ptx) {
        output.made = !output.ptx_outline.empty();
    } else if (fs::exists(cubin)) {
        output.made = true;
        output.cubin = read_file(cubin);
    }
    return output;
}

namespace {

std::optional<std::string> run_preprocessor(const toolchain& tools, const nvcc_job& job, const fs::path& folder,
                                            subprocess_result& ran)
{
    if (interrupted()) return std::nullopt;  // the signal ended the running compilers; a new one would not end
    const std::string file = (folder / "unit.ii").string();
    std::vector<std::string> command{
        tools.nvcc.string(), "-gencode", machine_code_for(job.architecture), "-E", "-o", file};
    command.insert(command.end(), job.flags.begin(), job.flags.end());
    command.push_back(name_for_nvcc(job.source));
    ran = run(command, {.directory = {}, .environment = environment_for_nvcc(tools, folder)});
    if (ran.exit_code != 0 || !fs::exists(file)) return std::nullopt;
    return read_file(file);
}

}  // namespace

std::optional<unit_text> preprocess(const toolchain& tools, const nvcc_job& job, std::string* log)
{
    check_flags_for_nvcc(job.flags);
    const temporary_directory temporary;
    check_folder_for_nvcc(temporary.path());
    const subprocess_options options{.directory = {}, .environment = environment_for_nvcc(tools, temporary.path())};

    std::vector<std::string> dry_run = command_for(tools, job, temporary.path());
    dry_run.insert(dry_run.begin() + 1, "--dryrun");
    const subprocess_result planned = run(dry_run, options);
    const auto printed = [&](const subprocess_result& ran) {
        if (log != nullptr) *log = without_folder(ran.output, temporary.path().string() + "/");
    };
    if (planned.exit_code != 0) {
        printed(planned);
        return std::nullopt;
    }
    unit_text unit{.text = {},
                   .commands = commands_in(without_folder(planned.output, temporary.path().string() + "/"))};
    if (is_ptx_source(job.source)) {
        unit.text = read_file(job.source);
        return unit;
    }

    subprocess_result ran;
    std::optional<std::string> text = run_preprocessor(tools, job, temporary.path(), ran);
    printed(ran);
    if (!text) return std::nullopt;
    unit.text = *std::move(text);
    return unit;
}

std::optional<std::string> preprocessed_text(const toolchain& tools, const nvcc_job& job)
{
    check_flags_for_nvcc(job.flags);
    const temporary_directory temporary;
    check_folder_for_nvcc(temporary.path());
    subprocess_result ran;
    return run_preprocessor(tools, job, temporary.path(), ran);
}

}  // namespace launchbox
