// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/unit_compiler.hpp"

#include <system_error>
#include <utility>

#include "compiler/run/file_contents.hpp"
#include "compiler/run/named_files.hpp"
#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/preprocessed.hpp"
#include "support/files/files.hpp"
#include "support/files/read_files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

file_contents& contents_of_files()
{
    static file_contents all;  // architectures and sources share most of their headers
    return all;
}

// The preprocessor reports the files that it has read, but not those named in flags for other programs, such as -Xptxas
// --options-file=o.txt.
std::vector<fs::path> files_behind(const nvcc_job& job, const std::vector<std::string>& read)
{
    std::vector<std::string> words = job.flags;
    for (const std::string& more : words_of_environment_for_nvcc()) words.push_back(more);
    std::error_code unknown;
    std::vector<fs::path> files = named_files(words, fs::current_path(unknown));
    files.insert(files.end(), read.begin(), read.end());
    files.emplace_back(job.source);
    return files;
}

}  // namespace

unit_compiler::unit_compiler(const toolchain& tools, const std::string& ptxas_version, const compile_cache& cache,
                             nvcc_job unit)
    : tools_(tools), cache_(cache), unit_(std::move(unit))
{
    const std::optional<unit_text> text = preprocess(tools_, unit_);
    if (!text) return;
    files_ = files_in(text->text);
    behind_ = files_behind(unit_, files_);
    note_files_read(behind_);
    if (!cache_.enabled()) return;
    contents_ = contents_of_files().hash_of(behind_);
    key_ = unit_key(tools_, ptxas_version, unit_, *text, contents_);
}

nvcc_job unit_compiler::job(const std::string& forced_include, bool only_ptx) const
{
    nvcc_job job = unit_;
    job.forced_include = forced_include;
    job.only_ptx = only_ptx;
    return job;
}

nvcc_output unit_compiler::compile(const std::string& forced_include, bool only_ptx)
{
    const nvcc_job wanted = job(forced_include, only_ptx);
    const std::string key = key_ ? compile_key(*key_, wanted) : std::string();
    if (key_)
        if (std::optional<nvcc_output> known = cache_.find(key)) {
            ++from_cache_;
            return *std::move(known);
        }
    ++compiles_;
    nvcc_output output = run_nvcc(tools_, wanted);
    // A file that was edited while the compiler read it must not be cached under its old hash.
    if (key_ && contents_of_files().hash_of(behind_) == contents_) cache_.store(key, output);
    return output;
}

nvcc_output unit_compiler::assemble(const std::string& ptx, const std::string& kernel) const
{
    const std::string key = key_ ? key_of({*key_, "assembled", kernel, ptx}) : std::string();
    if (key_)
        if (std::optional<nvcc_output> known = cache_.find(key)) return *std::move(known);
    const temporary_directory folder;
    nvcc_job wanted = unit_;
    wanted.source = (folder.path() / "kernel.ptx").string();
    wanted.flags.insert(wanted.flags.end(), {"-Xptxas", "--entry=" + kernel});
    wanted.keep_ptx = false;
    write_file_atomically(wanted.source, ptx);
    nvcc_output output = run_nvcc(tools_, wanted);
    if (key_ && output.succeeded() && contents_of_files().hash_of(behind_) == contents_) cache_.store(key, output);
    return output;
}

}  // namespace launchbox
