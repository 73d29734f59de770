// The sources of candidates as the compiler lists them: the files that it reads, and the preprocessed text. Include
// directives are never parsed here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/file_contents.hpp"
#include "tune/build/compile_worker.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// For one architecture and all values of the parameters.
struct unit_listing {
    bool is_known = false;                     ///< false: the compiler does not tell, and nothing can be trusted
    std::string text;                          ///< what the preprocessor makes of it, with the flags without {names}
    std::string commands;                      ///< of nvcc
    std::vector<std::filesystem::path> files;  ///< that are read with some value: all
    std::vector<std::filesystem::path> own;    ///< those that are not the compiler's or the system's
    std::string contents;                      ///< of `files`, when they were listed

    std::set<std::string> names;             ///< of `files`, as the compiler spells them
    std::set<std::filesystem::path> places;  ///< of `own`, without links
};

struct unit_sources_options {
    std::vector<std::filesystem::path> system_folders;  ///< whose headers are told by the compiler's release
    std::string compiler;                               ///< all that tells one from another
    std::vector<std::string> more_flags = {};           ///< that it takes from the environment
    unsigned jobs = 1;                                  ///< compilers at once
    /// Waits for a compiler; the job has a purpose, flags and an architecture, and the rest is filled in.
    std::function<compile_answer(compile_job)> ask;
};

/// May be used by several threads at once.
class unit_sources {
public:
    unit_sources(const tune_spec& spec, const compile_cache& cache, unit_sources_options options);

    /// Asks the compiler on the first call: for the preprocessed text once, and for the files once more per value of
    /// every parameter that flags name. Throws whatever `ask` throws.
    const unit_listing& of(const compute_capability& architecture);

    /// Whether candidates have flags of their own: then one may read files that no listed candidate reads.
    [[nodiscard]] bool flags_vary() const { return !names_.empty(); }

    /// After a compile: the files that a candidate of this listing has read. Throws `error` for a file of the user that
    /// is not listed, since changes to it would go unnoticed. Returns false if a system file is not listed, so that
    /// this compile cannot be found in the cache by its sources.
    bool covers(const unit_listing& listing, const std::vector<std::string>& read);

    /// Whether the files are unchanged since they were listed.
    [[nodiscard]] bool is_unchanged(const unit_listing& listing);

    /// A hash of the files that flags name, such as response files, and those in the environment's flags.
    [[nodiscard]] std::string hash_of_named(const std::vector<std::string>& flags);

    /// A hash of the user's files (names in the spec's folder and contents) and of those that flags name.
    [[nodiscard]] std::string hash_of_own(const unit_listing& listing);

private:
    [[nodiscard]] unit_listing list(const compute_capability& architecture);
    [[nodiscard]] std::vector<std::vector<std::string>> variations(std::size_t most) const;
    [[nodiscard]] std::vector<std::filesystem::path> named_by(std::vector<std::string> flags) const;
    [[nodiscard]] bool is_system(const std::filesystem::path& place) const;
    void add(unit_listing& listing, const std::vector<std::string>& read) const;

    std::filesystem::path folder_;
    std::string source_;
    std::vector<std::string> flags_, fixed_flags_, sources_;
    std::set<std::string> names_;                                  // in flags
    std::map<std::string, std::vector<parameter_value>> varying_;  // with their values; all others are tried with the
                                                                   // first of one
    const compile_cache& cache_;
    unit_sources_options options_;
    std::vector<std::filesystem::path> system_;
    file_contents contents_;
    std::mutex lock_;
    std::map<std::string, unit_listing> listings_;  // by architecture
};

}  // namespace launchbox
