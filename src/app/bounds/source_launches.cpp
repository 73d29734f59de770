// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/source_launches.hpp"

#include <utility>

#include "compiler/run/nvcc_run.hpp"

namespace launchbox {

source_launches::source_launches(const toolchain& tools, std::string file, const std::string& text,
                                 std::vector<std::string> flags, std::vector<compute_capability> architectures)
    : text_(text), file_(std::move(file)), flags_(std::move(flags))
{
    // PTX contains no launches.
    if (is_ptx_source(file_)) return;
    reading_ = std::async(std::launch::async,
                          [&tools, file = file_, flags = flags_, architectures = std::move(architectures)] {
                              return read_source_unit(tools, file, flags, architectures);
                          });
}

std::vector<block_size_use> source_launches::uses_of(const std::vector<const kernel_info*>& kernels)
{
    if (reading_.valid()) unit_ = reading_.get();
    if (!view_) view_.emplace(unit_ ? std::string_view(unit_->host.text) : std::string_view(text_));
    lint_request request{
        .file = file_, .text = text_, .kernels = {}, .flags = flags_, .unit = unit_ ? &*unit_ : nullptr};
    for (const kernel_info* kernel : kernels) request.kernels.push_back({kernel->short_form, kernel});
    return block_size_uses(request, *view_);
}

}  // namespace launchbox
