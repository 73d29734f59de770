// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/messages.hpp"
#include "report/core/own_file.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"
#include "support/files/output_target.hpp"
#include "support/files/read_files.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

bool is_regular(const fs::path& file)
{
    std::error_code failure;
    return fs::is_regular_file(file, failure);
}

struct looked_at {
    own_file what;
    std::uintmax_t bytes = 0;
};

looked_at look_at(const fs::path& file)
{
    std::error_code failure;
    looked_at found{.what = {}, .bytes = fs::file_size(file, failure)};
    std::ifstream in(file, std::ios::binary);
    const auto read = [&](std::uintmax_t from, std::size_t most) {
        std::string text(most, '\0');
        in.clear();
        in.seekg(static_cast<std::streamoff>(from));
        in.read(text.data(), static_cast<std::streamsize>(most));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
        return text;
    };
    std::string beginning = read(0, own_file_beginning);
    const std::string end = read(found.bytes - std::min<std::uintmax_t>(found.bytes, own_file_end), own_file_end);
    if (is_gzip(beginning)) beginning = gunzip(beginning, own_file_beginning).text;
    found.what = own_file_of(beginning, end);
    return found;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw error(path + " already exists" + why + ", and is not replaced",
                "name another file, or add --overwrite to replace it");
}

// `finished`: the file that is to replace the old one.
void refuse_foreign(const output_file& output, const fs::path& finished)
{
    if (output.overwrite) return;
    const looked_at old = look_at(output.path), made = look_at(finished);
    if (old.bytes == 0 || may_replace(old.what, made.what)) return;
    if (old.bytes == made.bytes && read_old_output(output.path) == read_old_output(finished)) return;
    refuse(output.path, old.what.kind == own_kind::none     ? " and is not a report of launchbox"
                        : old.what.kind == own_kind::record ? " and contains measurements"
                                                            : " and contains something else");
}

// `accept`: as in `write_file_atomically`.
void write_file(const output_file& output, const std::function<void(std::ostream&)>& writer,
                const std::function<void(const fs::path&)>& accept)
{
    refuse_input(output);
    const bool others = has_other_names(output.path);
    write_file_atomically(output.path, writer, accept);
    if (others) report_other_names(output.path);
}

void write_to_standard_output(const std::function<void(std::ostream&)>& writer)
{
    writer(std::cout);
    if (!std::cout.flush())
        throw error("cannot write to standard output", "is the disk full, or has the reader ended?");
}

}  // namespace

void output_file::add_overwrite(CLI::App& app)
{
    app.add_flag("--overwrite", overwrite, "Also replace a file that launchbox did not write; never an input");
}

bool names_inputs(const CLI::Option& option)
{
    // A store is extended, and a baseline is noted when it is read.
    constexpr std::array written{"output", "svg", "store", "baseline"};
    constexpr std::array types{"", "FILE", "FILE|FOLDER", "FOLDER", "NEW", "PATH", "STORE", "FLAGS", "COMMAND"};
    const std::string type = option.get_type_name();
    return std::ranges::none_of(written, [&](const char* name) { return option.check_lname(name); }) &&
           std::ranges::find(types, type) != types.end();
}

void note_named_inputs(const std::vector<std::string>& words)
{
    for (const std::string& word : words) {
        if (is_regular(word)) note_read(word);
        for (std::size_t at = word.find_first_of("=, "); at != std::string::npos;
             at = word.find_first_of("=, ", at + 1))
            for (const std::string& part :
                 {word.substr(at + 1), word.substr(at + 1, word.find_first_of(", ", at + 1) - at - 1)})
                if (!part.empty() && is_regular(part)) note_read(part);
    }
}

void refuse_input(const output_file& output)
{
    if (!output.is_file() || !was_read(output.path)) return;
    throw error("the output " + output.path + " is also an input, and was not written", "name another file");
}

bool has_other_names(const std::string& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

void report_other_names(const std::string& path)
{
    say(path + " is now a separate file: its other name (a hard link) keeps the old content");
}

void check_output(const output_file& output)
{
    refuse_input(output);
    if (!output.is_file()) return;
    refuse_unwritable(output.path);
    if (!is_regular(output.path)) return;
    if (output.overwrite || target_of(output.path).descriptor >= 0) return;  // appending loses nothing
    const looked_at old = look_at(output.path);
    if (old.bytes > 0 && old.what.kind == own_kind::none) refuse(output.path, " and is not a report of launchbox");
}

void write_output(const output_file& output, const std::function<void(std::ostream&)>& writer)
{
    if (!output.is_file()) return write_to_standard_output(writer);
    write_file(output, writer, [&](const fs::path& finished) {
        refuse_input(output);
        refuse_foreign(output, finished);
    });
}

void update_output(const output_file& output, const std::function<void(std::ostream&)>& writer)
{
    if (!output.is_file()) return write_to_standard_output(writer);
    write_file(output, writer, [&](const fs::path&) { refuse_input(output); });
}

}  // namespace launchbox::cli
