// SPDX-License-Identifier: Apache-2.0
#include "compiler/unit_compiler.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace launchbox {

unit_compiler::unit_compiler(const toolchain& tools, const std::string& ptxas_version, const compile_cache& cache,
                             nvcc_job unit)
    : tools_(tools), cache_(cache), unit_(std::move(unit))
{
    const std::optional<unit_text> text = preprocess(tools_, unit_);
    if (!text) return;
    files_ = files_in(text->text);
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
