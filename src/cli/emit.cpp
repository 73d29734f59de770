// launchbox emit: writes the winners as C++.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "app/emit_header.hpp"
#include "app/sizes.hpp"
#include "cli/messages.hpp"
#include "cli/output_file.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/tune/emit_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/emit/emit_check.hpp"

namespace launchbox::cli {

namespace {

struct emit_options {
    emit_request typed;  // filled by CLI11
    output_file output;
    std::string form = "box", split = "auto", baseline, predicted, architectures, within;
    bool only_measured = false, explain = false, check = false, allow_empty = false;
};

split_kind split_named(const std::string& text)
{
    if (text == "type") return split_kind::type;
    if (text == "size") return split_kind::size;
    return text == "none" ? split_kind::none : split_kind::automatic;
}

emit_form form_named(const std::string& text)
{
    return text == "constexpr" ? emit_form::constexpr_rows
           : text == "defines" ? emit_form::defines
           : text == "json"    ? emit_form::json
           : text == "cub"     ? emit_form::cub
                               : emit_form::box;
}

emit_request request_of(const emit_options& options)
{
    emit_request request = options.typed;
    if (options.output.is_file()) request.header = options.output.path;
    request.header_is_replaced = options.output.overwrite;
    request.header_is_compared = options.check;
    request.form = form_named(options.form);
    request.split = split_named(options.split);
    if (!options.within.empty())
        request.fleet =
            fleet_wish{.within = parse_percent(options.within, "--within"), .only_measured = options.only_measured};
    else if (options.only_measured)
        throw error("--only-measured needs --within", "add --within 2%, or leave --only-measured out");
    if (!options.predicted.empty()) {
        if (!options.within.empty())
            throw error("--predict and --within exclude each other", "predict into a table of its own");
        for (const target& one : architecture_list(options.predicted).known(known_capabilities()))
            request.predicted.push_back(one.architecture);
    }
    if (!options.baseline.empty())
        request.baseline = single_architecture(options.baseline, "--baseline-arch").architecture;
    return request;
}

exit_status check_only_header(const emit_options& options)
{
    const header_check found = check_header(utf8_text(read_input(options.output.path)), options.output.path,
                                            {.root = options.typed.root,
                                             .box = options.typed.box,
                                             .name = options.typed.name,
                                             .workload = options.typed.workload,
                                             .names = options.typed.names});
    for (const std::string& difference : found.differences) std::cout << shown(difference) << '\n';
    if (!found.differences.empty()) return exit_status::check_failed;
    // If records were given, the header was compared with the rows made from them.
    if (found.rows == 0 && options.typed.files.empty() && !options.allow_empty)
        throw error(options.output.path + ": nothing was checked: no row names a record",
                    "emit rows from a store, or accept this with --allow-empty");
    std::cout << fmt::format("{}: {} {} what {} record says\n", shown(options.output.path), found.rows,
                             found.rows == 1 ? "row is" : "rows are", found.rows == 1 ? "its" : "their");
    return exit_status::done;
}

void tell(const std::string& header, const emitted_header& made)
{
    for (const emitted_table& table : made.emitted.tables)
        for (const emitted_row& row : table.rows) {
            std::string what = parameter_text(row.choice.parameters);
            if (row.choice.kept)
                what = "no gain: row kept";
            else if (row.choice.over)
                what += fmt::format(", {:.3f} times as fast as {}", row.choice.over->times, row.replaced);
            const environment_info& where = made.chosen.all[row.record].run.info.environment;
            if (row.loss) what += fmt::format(", {:.1f} % slower than the best on {}", *row.loss * 100, where.gpu);
            std::cout << shown(fmt::format("{}: {}: {}", table.table.name, where.architecture, what)) << '\n';
        }
    for (const emitted_table& table : made.emitted.tables)
        for (const prediction& row : table.predicted)
            std::cout << shown(fmt::format("{}: {}: {}, predicted: {:.1f} % of the best expected", table.table.name,
                                           architecture_name(row.architecture).view(), parameter_text(row.parameters),
                                           row.share * 100))
                      << '\n';
    std::cout << shown(header) << "\n";
}

exit_status run_emit(const emit_options& options)
{
    if (options.allow_empty && !options.check)
        throw error("--allow-empty needs --check", "add --check, or leave --allow-empty out");
    if (options.check && !options.output.is_file()) throw error("--check needs a header", "name it with -o FILE");
    if (!options.architectures.empty() && !options.explain)
        throw error("--arch needs --explain", "add --explain, or leave --arch out");
    if (options.check && options.typed.files.empty()) return check_only_header(options);
    if (options.typed.files.empty())
        throw error("no record is given", "name stores of launchbox tune, or results --samples --format json");
    std::vector<compute_capability> shown_architectures;
    // Without a row, CUB uses its own tuning.
    const bool inherits = options.form != "cub";
    if (!inherits && !options.architectures.empty())
        throw error("--arch asks which row an architecture inherits, and rows of --format cub are not inherited",
                    "leave --arch out");
    const architecture_list named(options.architectures.empty() ? "all" : options.architectures);
    if (inherits)
        for (const target& one : named.known(known_capabilities())) shown_architectures.push_back(one.architecture);
    if (!options.check) refuse_input(options.output);
    // Another emit into the same header must wait, or one of the two would lose its rows.
    std::optional<folder_lock> alone;
    if (options.output.is_file() && !options.check && !options.explain) alone.emplace(options.output.path, say);
    const emitted_header made = emit_header(request_of(options));
    for (const std::string& note : made.chosen.notes) say(note);
    if (options.explain) {
        const output_style style = style_of_standard_output();
        std::cout << render_text(emit_document(made.emitted, made.chosen.all, shown_architectures), style);
        return exit_status::done;
    }
    if (options.check) {
        const std::string difference = first_difference(made.old_text, made.text, options.output.path);
        if (!difference.empty()) {
            std::cout << shown(difference) << '\n';
            return exit_status::check_failed;
        }
        return options.form == "box" ? check_only_header(options) : exit_status::done;
    }
    const auto writer = [&](std::ostream& out) { out << made.text; };
    // An existing header with our tables keeps its other content.
    if (!made.is_updated || !options.output.is_file())
        write_output(options.output, writer);
    else if (made.text != made.old_text)
        update_output(options.output, writer);
    if (options.output.is_file()) tell(options.output.path, made);
    return exit_status::done;
}

}  // namespace

void add_emit(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("emit", "Write the winners as C++: a table with one row per architecture");
    auto options = std::make_shared<emit_options>();
    verb->add_option("files", options->typed.files, "Stores (.db) of launchbox tune, or their JSON with --samples")
        ->type_name("STORE");
    verb->add_option("-o,--output", options->output.path,
                     "The header: a new one, or an existing one whose rows are updated (default: stdout)")
        ->type_name("FILE");
    options->output.add_overwrite(*verb);
    verb->add_option("--box", options->typed.box, "Name of the table (default: NAME_tuning)")->type_name("NAME");
    verb->add_option("--row", options->typed.row,
                     "Your own type of rows: its members are the parameters, in their order")
        ->type_name("TYPE");
    verb->add_option("--format,--form", options->form, "box (default), constexpr, defines, json or cub")
        ->check(one_of({"box", "constexpr", "defines", "json", "cub"}))
        ->type_name("FORMAT");
    verb->add_option("--name", options->typed.name, "The tunable, if the stores have several")->type_name("NAME");
    verb->add_option("--gpu", options->typed.gpu, "Only runs on GPUs with this in their name")->type_name("NAME");
    verb->add_option("--workload", options->typed.workload,
                     "Only workloads with these values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUE");
    verb->add_option("--split", options->split,
                     "Tables by type and size: auto (where it is faster), type, size or none")
        ->check(one_of({"auto", "type", "size", "none"}))
        ->type_name("BY");
    verb->add_option("--type-name", options->typed.names.type, "The workload's value that is the type of the elements")
        ->type_name("NAME");
    verb->add_option("--size-name", options->typed.names.size, "The workload's value that is the number of elements")
        ->type_name("NAME");
    verb->add_option("--threads-name", options->typed.members.threads,
                     "The parameter that is the threads of a row (default: threads, NT, BLOCK_THREADS, ...)")
        ->type_name("NAME");
    verb->add_option("--items-name", options->typed.members.items,
                     "The parameter that is the items of a thread (default: items, VT, ITEMS_PER_THREAD, ...)")
        ->type_name("NAME");
    verb->add_option("--min-blocks-name", options->typed.members.min_blocks,
                     "The parameter that is the second launch bound (default: min_blocks, OCC, ...)")
        ->type_name("NAME");
    verb->add_option("--baseline-arch", options->baseline, "A row with the spec's baseline for this architecture")
        ->type_name("ARCH");
    verb->add_option(
            "--within", options->within,
            "One table for the GPUs of all records: the fewest rows that keep each GPU within this loss of its best")
        ->type_name("PERCENT");
    verb->add_flag("--only-measured", options->only_measured,
                   "With --within: use the spec's baseline on GPUs that were not measured");
    verb->add_option("--predict", options->predicted,
                     "Predict a row for each of these architectures from the records of at least two other GPUs")
        ->type_name("ARCH,...");
    verb->add_option("--spec", options->typed.spec, "Reject results if this spec or its sources have changed since")
        ->type_name("FILE");
    verb->add_flag("--allow-unverified", options->typed.allow_unverified,
                   "Accept winners whose outputs were not compared");
    verb->add_flag("--explain", options->explain,
                   "Show the origin of each row and the architectures that inherit it; write nothing");
    verb->add_option("--arch", options->architectures, "With --explain: these architectures, or all")
        ->type_name("ARCH,...");
    verb->add_flag("--check", options->check, "Write nothing; exit with 1 if the header differs from its records");
    verb->add_flag("--allow-empty", options->allow_empty,
                   "With --check: accept a header in which no row names a record");
    verb->add_option("--root", options->typed.root,
                     "Folder that the record names in headers are relative to (default: the current folder)")
        ->type_name("FOLDER")
        ->check(existing_folder());
    add_examples(*verb, "launchbox emit measurements/nvidia-h200/tune_block_sort.json --box block_sort_rows --explain",
                 "launchbox emit --check -o examples/block_sort/tuning.hpp");
    verb->callback([options, &context] { context.action = [options] { return run_emit(*options); }; });
}

}  // namespace launchbox::cli
