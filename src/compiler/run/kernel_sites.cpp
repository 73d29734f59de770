// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/kernel_sites.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/run/bound_injection.hpp"
#include "compiler/run/compile.hpp"
#include "image/ptx/ptx.hpp"

namespace launchbox {

namespace {

class places {
public:
    explicit places(const std::vector<std::string>& files)
    {
        for (const std::string& file : files) files_[census_hash(file)].push_back(file);
    }

    // The place that the census wrote into a kernel's launch bound. Anything else is an attribute not written with
    // CUDA's macros, which the census does not reach.
    [[nodiscard]] std::optional<source_location> of(const kernel_info& kernel, std::string& diagnostic) const
    {
        if (!kernel.bounds.max_threads || !kernel.bounds.min_blocks) return std::nullopt;
        const auto found = files_.find(*kernel.bounds.min_blocks);
        if (found == files_.end()) return std::nullopt;
        if (found->second.size() > 1)
            diagnostic = "it is unclear whether it is declared in " + found->second[0] + " or " + found->second[1] +
                         ": rename one of them";
        return source_location{.file = found->second.front(), .line = (*kernel.bounds.max_threads)[0]};
    }

private:
    std::unordered_map<int, std::vector<std::string>> files_;
};

// The injection identifies a place by line and file name.
using short_place = std::pair<std::string, int>;
short_place shortened(const source_location& at)
{
    return {at.file.substr(at.file.rfind('/') + 1), at.line};
}

void note_ambiguous(std::vector<kernel_site>& sites)
{
    std::map<short_place, std::set<std::string>> files;
    for (const kernel_site& site : sites)
        for (const auto& at : {site.declared_at, site.attribute_at})
            if (at) files[shortened(*at)].insert(at->file);
    for (kernel_site& site : sites)
        for (const auto& at : {site.declared_at, site.attribute_at})
            if (at && files.at(shortened(*at)).size() > 1)
                site.diagnostic = "two files of this name have a kernel at line " + std::to_string(at->line) + ": " +
                                  *files.at(shortened(*at)).begin() + " and " + *files.at(shortened(*at)).rbegin() +
                                  "; move one of the kernels by a line";
}

}  // namespace

kernel_census read_census(const nvcc_output& declarations, const nvcc_output& attributes,
                          const std::vector<std::string>& files, const nvcc_job& unit)
{
    kernel_census census;
    for (const nvcc_output* output : {&declarations, &attributes}) {
        if (output->succeeded()) continue;
        nvcc_output failed = *output;
        failed.made = false;
        census.errors = error_lines(read_compile(unit, std::move(failed)));
        return census;
    }
    const places known(files);
    std::unordered_map<std::string, std::size_t> place_of;
    for (const kernel_info& kernel : read_ptx(declarations.ptx_outline, unit.source, false).kernels) {
        kernel_site site{.kernel = kernel.name, .declared_at = {}, .attribute_at = {}};
        site.declared_at = known.of(kernel, site.diagnostic);
        place_of.emplace(kernel.name, census.sites.size());
        census.sites.push_back(std::move(site));
    }
    for (const kernel_info& kernel : read_ptx(attributes.ptx_outline, unit.source, false).kernels)
        if (const auto found = place_of.find(kernel.name); found != place_of.end()) {
            kernel_site& site = census.sites[found->second];
            site.attribute_at = known.of(kernel, site.diagnostic);
        }
    note_ambiguous(census.sites);
    return census;
}

}  // namespace launchbox
