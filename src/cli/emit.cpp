// launchbox emit: the winners as C++.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "app/architectures.hpp"
#include "app/tuning/spec_sources.hpp"
#include "cli/messages.hpp"
#include "cli/output_file.hpp"
#include "cli/verbs.hpp"
#include "report/tune/emit_report.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/emit/emit_check.hpp"
#include "tune/emit/emit_forms.hpp"

namespace launchbox::cli {

namespace {

struct emit_options {
    std::vector<std::string> files, workload;
    output_file output;
    std::string box, row, form = "box", name, gpu, spec, root = ".", split = "auto", baseline, architectures;
    split_names names;
    launch_box_members members;
    bool explain = false, check = false, allow_unverified = false, allow_empty = false;
};

// What is asked for, checked, before anything is read.
struct emit_plan {
    emit_settings settings;
    emit_records read, chosen;
    std::string old_header;
    std::vector<header_table> existing;
};

emit_plan plan_of(const emit_options& options);
std::string text_of_form(const emit_options& options, const emit_plan& plan, const emitted_tables& emitted);
exit_status check_only_header(const emit_options& options);
void tell(const emit_options& options, const emit_plan& plan, const emitted_tables& emitted);

bool to_file(const emit_options& options)
{
    return options.output.is_file();
}

exit_status run_emit(const emit_options& options)
{
    if (options.allow_empty && !options.check)
        throw error("--allow-empty says what --check allows", "add --check, or leave --allow-empty out");
    if (options.check && !to_file(options)) throw error("--check needs a header", "name it with -o FILE");
    if (!options.architectures.empty() && !options.explain)
        throw error("--arch says what --explain shows", "add --explain, or leave --arch out");
    if (options.check && options.files.empty()) return check_only_header(options);
    if (options.files.empty())
        throw error("no record to take rows from", "name stores of launchbox tune, or results --samples --format json");
    if (!options.check) refuse_input(options.output);
    // Another emit into the same header has to wait: its rows would be lost, or ours.
    std::optional<folder_lock> alone;
    if (to_file(options) && !options.check && !options.explain) alone.emplace(options.output.path, say);
    const emit_plan plan = plan_of(options);
    const emitted_tables emitted = emit_tables(plan.chosen.all, plan.settings, plan.existing);
    const std::string text = text_of_form(options, plan, emitted);
    for (const std::string& note : plan.chosen.notes) say(note);
    if (options.explain) {
        const architecture_list named(options.architectures.empty() ? "all" : options.architectures);
        std::vector<compute_capability> shown_architectures;
        for (const target& one : named.known(known_capabilities())) shown_architectures.push_back(one.architecture);
        const output_style style = style_of_standard_output();
        std::cout << render_text(emit_document(emitted, plan.chosen.all, shown_architectures), style);
        return exit_status::done;
    }
    if (options.check) {
        const std::string difference = first_difference(plan.old_header, text, options.output.path);
        if (!difference.empty()) {
            std::cout << shown(difference) << '\n';
            return exit_status::check_failed;
        }
        return options.form == "box" ? check_only_header(options) : exit_status::done;
    }
    const auto writer = [&](std::ostream& out) { out << text; };
    // A header that has tables of ours keeps what else is in it.
    if (plan.existing.empty() || !to_file(options))
        write_output(options.output, writer);
    else if (text != plan.old_header)
        update_output(options.output, writer);
    if (to_file(options)) tell(options, plan, emitted);
    return exit_status::done;
}

}  // namespace

void add_emit(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("emit", "Write the winners as C++: a table with one row per architecture");
    auto options = std::make_shared<emit_options>();
    verb->add_option("files", options->files, "Stores (.db) of launchbox tune, or their JSON with --samples")
        ->type_name("STORE");
    verb->add_option("-o,--output", options->output.path,
                     "The header: a new one, or an existing one whose rows are updated (default: stdout)")
        ->type_name("FILE");
    options->output.add_overwrite(*verb);
    verb->add_option("--box", options->box, "Name of the table (default: NAME_tuning)")->type_name("NAME");
    verb->add_option("--row", options->row, "Your own type of rows: its members are the parameters, in their order")
        ->type_name("TYPE");
    verb->add_option("--format,--form", options->form, "box (default), constexpr, defines or json")
        ->check(CLI::IsMember({"box", "constexpr", "defines", "json"}));
    verb->add_option("--name", options->name, "The tunable, if the stores have several")->type_name("NAME");
    verb->add_option("--gpu", options->gpu, "Only runs on GPUs with this in their name")->type_name("NAME");
    verb->add_option("--workload", options->workload,
                     "Only workloads with these values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUE");
    verb->add_option("--split", options->split,
                     "Tables by type and size: auto (where it is faster), type, size or none")
        ->check(CLI::IsMember({"auto", "type", "size", "none"}));
    verb->add_option("--type-name", options->names.type, "The workload's value that is the type of the elements")
        ->type_name("NAME");
    verb->add_option("--size-name", options->names.size, "The workload's value that is the number of elements")
        ->type_name("NAME");
    verb->add_option("--threads-name", options->members.threads,
                     "The parameter that is the threads of a row (default: threads, NT, BLOCK_THREADS, ...)")
        ->type_name("NAME");
    verb->add_option("--items-name", options->members.items,
                     "The parameter that is the items of a thread (default: items, VT, ITEMS_PER_THREAD, ...)")
        ->type_name("NAME");
    verb->add_option("--min-blocks-name", options->members.min_blocks,
                     "The parameter that is the second launch bound (default: min_blocks, OCC, ...)")
        ->type_name("NAME");
    verb->add_option("--baseline-arch", options->baseline, "A row with the spec's baseline for this architecture")
        ->type_name("ARCH");
    verb->add_option("--spec", options->spec, "Reject results if this spec or its sources have changed since")
        ->type_name("FILE");
    verb->add_flag("--allow-unverified", options->allow_unverified, "Accept winners whose outputs were not compared");
    verb->add_flag("--explain", options->explain, "Show where rows come from and who inherits them; write nothing");
    verb->add_option("--arch", options->architectures, "With --explain: these architectures, or all")
        ->type_name("ARCH,...");
    verb->add_flag("--check", options->check, "Write nothing; exit with 1 if the header differs from its records");
    verb->add_flag("--allow-empty", options->allow_empty,
                   "With --check: a header of which no row names a record is no failure");
    verb->add_option("--root", options->root,
                     "Folder that the record names in headers are relative to (default: this one)")
        ->type_name("FOLDER")
        ->check(CLI::ExistingDirectory);
    add_examples(*verb, "launchbox emit measurements/nvidia-h200/tune_block_sort.json --box block_sort_rows --explain",
                 "launchbox emit --check -o examples/block_sort/tuning.hpp");
    verb->callback([options, &context] { context.action = [options] { return run_emit(*options); }; });
}

namespace {

split_kind split_named(const std::string& text)
{
    if (text == "type") return split_kind::type;
    if (text == "size") return split_kind::size;
    return text == "none" ? split_kind::none : split_kind::automatic;
}

void refuse_box(const emit_plan& plan)
{
    for (const emit_record& record : plan.chosen.all)
        if (record.run.info.environment.architecture.empty())
            throw error(record.path +
                            (record.run.info.environment.gpu.empty() ? " was measured without a GPU"
                                                                     : " does not tell the GPU's architecture") +
                            ", and a launch_box has a row per architecture",
                        "use --format json or --format defines");
}

// A struct of our own has the members of a launch_box. The rows of a header are what they are: the same command as the
// first time changes only values.
void set_members(const emit_options& options, emit_plan& plan)
{
    const launch_box_members& given = options.members;
    if (options.form == "box" && options.row.empty()) {
        if (plan.existing.empty()) plan.settings.members = given;
    } else if (!given.threads.empty() || !given.items.empty() || !given.min_blocks.empty()) {
        throw error("--threads-name, --items-name and --min-blocks-name name the members of launchbox emit's own rows",
                    options.form != "box"
                        ? "leave them out: --format " + options.form + " has the spec's names"
                        : "leave them out: a row of your own type has its values in the spec's order");
    }
}

emit_plan plan_of(const emit_options& options)
{
    emit_plan plan;
    plan.read = read_emit_records(options.files, options.root);
    std::optional<tune_spec> spec;
    if (!options.spec.empty()) spec = parse_tune_spec(options.spec, utf8_text(read_input(options.spec)));
    run_wishes wishes{.name = options.name, .gpu = options.gpu, .workload = options.workload};
    if (spec) {
        wishes.spec = &*spec;
        wishes.has_sources_now = has_sources_of(*spec);
    }
    plan.chosen = chosen_runs(plan.read, wishes);
    plan.chosen.notes.insert(plan.chosen.notes.begin(), plan.read.notes.begin(), plan.read.notes.end());
    emit_settings& settings = plan.settings;
    settings.box = options.box.empty() ? identifier_of(plan.chosen.all.front().run.info.name) + "_tuning" : options.box;
    if (identifier_of(settings.box) != settings.box)
        throw error("--box: '" + settings.box + "' is no name of C++",
                    "write, for example, " + identifier_of(settings.box));
    settings.row_type = options.row;
    settings.allow_unverified = options.allow_unverified;
    settings.split = split_named(options.split);
    settings.names = options.names;
    if (!options.baseline.empty())
        settings.baseline_architecture = single_architecture(options.baseline, "--baseline-arch").architecture;
    const std::string& header = options.output.path;
    if (to_file(options) && std::filesystem::is_regular_file(header)) {
        plan.old_header = utf8_text(options.check ? read_file(header) : read_old_output(header));
        if (options.form == "box") {
            const std::vector<header_table> all = parse_tuning_header(plan.old_header, header);
            plan.existing = tables_of_box(all, settings.box);
            if (plan.existing.empty() && !options.output.overwrite)
                throw error(header + " has no table " + settings.box,
                            all.empty() ? "write to another file" : "it has " + all.front().name + ": --box names it");
        }
    }
    if (options.form == "box") refuse_box(plan);
    set_members(options, plan);
    return plan;
}

std::string text_of_form(const emit_options& options, const emit_plan& plan, const emitted_tables& emitted)
{
    if (options.form == "constexpr") return constexpr_header(emitted, plan.settings);
    if (options.form == "defines") return define_flags(emitted, plan.settings);
    if (options.form == "json") return rows_json(emitted, plan.chosen.all, plan.settings).dump(2) + "\n";
    return plan.existing.empty() ? new_header(emitted, plan.settings) : updated_header(plan.old_header, emitted);
}

exit_status check_only_header(const emit_options& options)
{
    const header_check found = check_header(utf8_text(read_input(options.output.path)), options.output.path,
                                            {.root = options.root,
                                             .box = options.box,
                                             .name = options.name,
                                             .workload = options.workload,
                                             .names = options.names});
    for (const std::string& difference : found.differences) std::cout << shown(difference) << '\n';
    if (!found.differences.empty()) return exit_status::check_failed;
    // Where records were given, the header was compared with what comes of them.
    if (found.rows == 0 && options.files.empty() && !options.allow_empty)
        throw error(options.output.path + ": nothing was checked: none of its rows names a record",
                    "emit rows from a store, or say that this is right with --allow-empty");
    std::cout << fmt::format("{}: {} {} what {} record says\n", shown(options.output.path), found.rows,
                             found.rows == 1 ? "row is" : "rows are", found.rows == 1 ? "its" : "their");
    return exit_status::done;
}

void tell(const emit_options& options, const emit_plan& plan, const emitted_tables& emitted)
{
    for (const emitted_table& table : emitted.tables)
        for (const emitted_row& row : table.rows) {
            std::string what = text_of(row.choice.parameters);
            if (row.choice.kept)
                what = "no gain: row kept";
            else if (row.choice.over)
                what += fmt::format(", {:.3f} times as fast as {}", row.choice.over->times, row.replaced);
            std::cout << shown(fmt::format("{}: {}: {}", table.table.name,
                                           plan.chosen.all[row.record].run.info.environment.architecture, what))
                      << '\n';
        }
    std::cout << shown(options.output.path) << "\n";
}

}  // namespace

}  // namespace launchbox::cli
