// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/spec_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "compiler/run/compile_cache.hpp"
#include "support/error.hpp"
#include "support/files/file_watch.hpp"
#include "support/files/files.hpp"
#include "tune/backend/program_sources.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// The files named by the spec's commands, arguments and references, as written there: when one changes, older results
// are stale. Files in `sources` must exist.
std::vector<std::string> named_files(const tune_spec& spec)
{
    std::vector<std::string> words;
    const auto add_sources = [&](const std::vector<std::string>& sources, const char* section) {
        for (const std::string& source : sources)
            if (std::error_code failure; !fs::is_regular_file(fs::path(spec.folder) / source, failure))
                throw error(fmt::format("{}: {} sources: there is no file {}", spec.file, section, source),
                            "names are relative to the folder of the spec; remove it if results do not depend on it");
        words.insert(words.end(), sources.begin(), sources.end());
    };
    if (spec.callback) add_sources(spec.callback->sources, "[callback]");
    if (spec.program) {
        add_sources(spec.program->sources, "[program]");
        for (const auto* command : {&spec.program->build, &spec.program->run})
            words.insert(words.end(), command->begin(), command->end());
    }
    if (spec.kernel)
        for (const auto* list : {&spec.kernel->arguments, &spec.kernel->variables})
            for (const kernel_argument& argument : *list) words.push_back(argument.file);
    // The text of a capture contains the hashes of all its files.
    if (spec.kernel && !spec.kernel->capture.empty())
        for (const workload& workload : spec.workloads)
            words.push_back(filled_in(spec.kernel->capture, workload.values));
    words.insert(words.end(), spec.verify.command.begin(), spec.verify.command.end());
    for (const auto& [output, file] : spec.verify.files) words.push_back(file);
    std::erase_if(words, [&](const std::string& word) {
        std::error_code ignored;
        return word.empty() || !fs::is_regular_file(fs::path(spec.folder) / word, ignored);
    });
    return words;
}

}  // namespace

std::vector<std::string> files_of(const tune_spec& spec)
{
    std::vector<std::string> files;
    const auto add = [&](const std::string& name) {
        if (!name.empty()) files.push_back((fs::path(spec.folder) / name).string());
    };
    if (spec.kernel) add(spec.kernel->source);
    if (spec.kernel)
        for (const std::string& source : spec.kernel->sources) add(source);
    if (spec.kernel && !spec.kernel->capture.empty())
        for (const workload& workload : spec.workloads) add(filled_in(spec.kernel->capture, workload.values));
    if (spec.kernel)
        for (const auto* list : {&spec.kernel->arguments, &spec.kernel->variables})
            for (const kernel_argument& argument : *list) add(argument.file);
    if (spec.program)
        for (const auto* words : {&spec.program->sources, &spec.program->build, &spec.program->run})
            for (const std::string& word : *words) add(word);
    if (spec.callback)
        for (const std::string& source : spec.callback->sources) add(source);
    for (const auto& [output, file] : spec.verify.files) add(file);
    return files;
}

std::string hash_of_named_files(const tune_spec& spec, const std::vector<fs::path>& more)
{
    std::vector<std::string> all;
    for (const std::string& word : named_files(spec))
        all.insert(all.end(), {word, read_file(fs::path(spec.folder) / word)});
    for (const fs::path& file : more) {
        const fs::path inside = file.lexically_relative(spec.folder);
        const bool is_inside = !inside.empty() && *inside.begin() != "..";
        all.insert(all.end(), {(is_inside ? inside : file.filename()).string(), read_file(file)});
    }
    for (std::string& flag : flags_of_environment(spec)) all.push_back(std::move(flag));
    return key_of({all.begin(), all.end()});
}

std::function<std::string()> watch_sources(const tune_spec& spec, std::vector<fs::path> more)
{
    for (const std::string& word : named_files(spec)) more.push_back(fs::path(spec.folder) / word);
    const auto watch = std::make_shared<file_watch>(std::move(more));
    return [watch, folder = spec.folder] {
        const std::string file = watch->changed();
        return file.starts_with(folder + "/") ? file.substr(folder.size() + 1) : file;
    };
}

std::string own_sources_of(const tune_spec& spec, const builder_options& compiler)
{
    constexpr const char* any = "sm_90";  // any, but the same on all machines
    std::string files;
    if (spec.kernel && !spec.kernel->source.empty())
        files = kernel_builder(spec, compiler).sources(parse_compute_capability(any).value()).files;
    return files + hash_of_named_files(spec, files_of_build(spec, any));
}

std::function<bool(const run_info&)> has_sources_of(const tune_spec& spec)
{
    if (!spec.kernel || spec.kernel->source.empty())
        return [&spec](const run_info& run) {
            return run.source_hash == hash_of_named_files(spec, files_of_build(spec, run.environment.architecture));
        };
    const std::string named = hash_of_named_files(spec);
    using builders = std::map<std::string, std::unique_ptr<kernel_builder>>;
    return [&spec, named, known = std::make_shared<builders>()](const run_info& run) {
        const auto architecture = parse_compute_capability(run.environment.architecture);
        if (!architecture) return false;
        const std::string compiler = run.environment.toolkit.starts_with("nvcc") ? "nvcc" : "nvrtc";
        std::unique_ptr<kernel_builder>& builder = (*known)[compiler];
        if (!builder) builder = std::make_unique<kernel_builder>(spec, builder_options{.compiler = compiler});
        const source_identity now = builder->sources(*architecture);
        // With another compiler release the preprocessed text differs, so only the files are compared.
        if (run.environment.toolkit != builder->compiler()) return run.source_hash.starts_with(now.files + named);
        return run.source_hash == now.files + named + now.text;
    };
}

}  // namespace launchbox
