// SPDX-License-Identifier: Apache-2.0
#include "compiler/unit_compiler.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "support/files/read_files.hpp"

namespace launchbox {

namespace {

// The name in `# 12 "dir/k.cu" 2`, as the preprocessor writes it: \" \\ and \ooo; empty for any other line.
std::string marked_file(std::string_view line)
{
    std::size_t at = line.starts_with("#line ") ? 6 : line.starts_with("# ") ? 2 : std::string_view::npos;
    if (at == std::string_view::npos) return {};
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
    if (!line.substr(at).starts_with(" \"")) return {};
    std::string name;
    for (at += 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] != '\\' || at + 1 == line.size()) {
            name += line[at];
            continue;
        }
        ++at;
        int code = 0, digits = 0;
        for (; digits < 3 && at < line.size() && line[at] >= '0' && line[at] <= '7'; ++digits, ++at)
            code = code * 8 + (line[at] - '0');
        if (digits == 0)
            name += line[at];
        else
            name += static_cast<char>(code), --at;
    }
    return name;
}

}  // namespace

std::vector<std::string> files_in(const std::string& preprocessed)
{
    std::unordered_set<std::string> files;
    std::string last;  // most markers only lead back to the file that they are in
    for (std::size_t at = 0; at < preprocessed.size();) {
        const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
        if (preprocessed[at] == '#')
            if (std::string name = marked_file(std::string_view(preprocessed).substr(at, end - at));
                !name.empty() && name != last)
                files.insert(last = std::move(name));
        at = end + 1;
    }
    std::vector<std::string> sorted(files.begin(), files.end());
    std::ranges::sort(sorted);
    return sorted;
}

void note_files(const std::vector<std::string>& files)
{
    std::error_code failure;
    for (const std::string& file : files)
        if (std::filesystem::is_regular_file(file, failure)) note_read(file);
}

unit_compiler::unit_compiler(const toolchain& tools, const std::string& ptxas_version, const compile_cache& cache,
                             nvcc_job unit)
    : tools_(tools), cache_(cache), unit_(std::move(unit))
{
    const std::optional<unit_text> text = preprocess(tools_, unit_);
    if (!text) return;
    files_ = files_in(text->text);
    note_files(files_);
    if (cache_.enabled()) key_ = unit_key(tools_, ptxas_version, unit_, *text);
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
    if (key_) cache_.store(key, output);
    return output;
}

}  // namespace launchbox
