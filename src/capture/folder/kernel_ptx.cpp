// SPDX-License-Identifier: Apache-2.0
#include "capture/folder/kernel_ptx.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "image/container/elf.hpp"
#include "image/gpu_coverage.hpp"
#include "image/ptx/ptx.hpp"
#include "image/ptx/ptx_modules.hpp"
#include "support/error.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

class ptx_candidates {
public:
    explicit ptx_candidates(const captured_launch& launch)
        : kernel_(launch.kernel), gpu_(parse_compute_capability(launch.architecture))
    {
        for (const parameter_place& parameter : launch.parameters)
            parameter_bytes_ = std::max<std::int64_t>(parameter_bytes_, parameter.offset + parameter.bytes);
    }

    void add(std::string_view text)
    {
        if (!gpu_ || text.find(kernel_) == text.npos) return;
        const ptx_contents contents = read_ptx(text, "ptx", false);
        const auto found = std::ranges::find(contents.kernels, kernel_, &kernel_info::name);
        const auto target = parse_compute_capability(contents.target);
        if (found == contents.kernels.end() || !target || !ptx_runs_on(*target, *gpu_)) return;
        if (found->figures.parameter_bytes.value_or(parameter_bytes_) != parameter_bytes_) return;
        if (best_ && *target < *best_) return;
        if (!best_ || *target > *best_) texts_.clear();
        best_ = target;
        texts_.emplace(text);
    }

    /// The only one left; empty if there is none or several.
    [[nodiscard]] std::string text() const { return texts_.size() == 1 ? *texts_.begin() : std::string(); }

private:
    const std::string& kernel_;
    const std::optional<compute_capability> gpu_;
    std::int64_t parameter_bytes_ = 0;
    std::optional<compute_capability> best_;
    std::set<std::string, std::less<>> texts_;
};

// `names_kernels`: the file contains kernel names uncompressed, as programs do to register kernels, even if its PTX is
// compressed.
void add_file(const fs::path& file, bool names_kernels, const std::string& kernel, ptx_candidates& to)
{
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) return;  // a library may have been removed
    try {
        const mapped_file mapped(file.string());
        // Names end with a zero byte; without it, a short name would match many longer ones.
        if (names_kernels && mapped.bytes().find(kernel + '\0') == std::string_view::npos) return;
        for_each_ptx(mapped.bytes(), [&](std::string_view text) { to.add(text); });
    } catch (const error&) {  // unreadable, so it has no PTX
    }
}

// Device code compiled with nvcc -rdc=true: the driver got the linked code, and the PTX is next to it.
void add_linked_file(const fs::path& file, ptx_candidates& to)
{
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) return;
    try {
        const mapped_file mapped(file.string());
        std::vector<image_diagnostic> ignored;
        const auto program = read_elf(mapped.bytes(), ignored, elf_parts::sections);
        if (!program) return;
        for (const elf_section& section : program->sections)
            if (section.name == "__nv_relfatbin")
                for_each_ptx(section.content, [&](std::string_view text) { to.add(text); });
    } catch (const error&) {
    }
}

}  // namespace

std::string ptx_of(const raw_launch& raw, const fs::path& observed)
{
    ptx_candidates candidates(raw.launch);
    const std::string& kernel = raw.launch.kernel;
    for (const std::string& image : raw.images)
        add_file(observed / fs::path(image).filename(), false, kernel, candidates);
    if (std::string text = candidates.text(); !text.empty()) return text;
    for (const std::string& file : raw.linked_files) add_linked_file(file, candidates);
    for (const std::string& file : raw.program_files) add_file(file, true, kernel, candidates);
    return candidates.text();
}

}  // namespace launchbox
