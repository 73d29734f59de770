// launchbox man: manual pages, generated from the options.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_words.hpp"
#include "cli/verbs.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox::cli {

namespace {

// A troff line must not begin with a dot or an apostrophe, and - must be escaped, or it becomes a hyphen.
std::string troff(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n'))
            result += std::string("\\&") + c;
        else
            result += c;
    }
    return result;
}

std::string options_page(const CLI::App& verb)
{
    std::string text;
    for (const CLI::Option* option : verb.get_options()) {
        const std::vector<std::string> words = words_of(*option);
        std::string names;
        for (const std::string& word : words) names += (names.empty() ? "" : ", ") + troff(word);
        if (words.empty()) names = troff(option->get_name());
        text += ".TP\n\\fB" + names + "\\fR";
        if (takes_value(*option) && !words.empty()) text += " \\fI" + troff(option->get_type_name()) + "\\fR";
        text += "\n" + troff(option->get_description()) + "\n";
    }
    return text;
}

// "SPEC", "[FILE...]": the arguments of a verb besides options, for SYNOPSIS.
std::string arguments_of(const CLI::App& verb)
{
    std::string text;
    for (const CLI::Option* option : verb.get_options()) {
        if (!words_of(*option).empty()) continue;
        std::string name = option->get_type_name();
        name.resize(std::min(name.find(':'), name.size()));  // without the text of its check
        if (name.empty()) name = option->get_name();
        name = "\\fI" + troff(name) + "\\fR" + (option->get_items_expected_max() > 1 ? "..." : "");
        text += option->get_required() ? " " + name : " [" + name + "]";
    }
    return text;
}

std::string man_page(const CLI::App& app, const CLI::App* verb)
{
    const std::string& program = app.get_name();
    const std::string name = verb == nullptr ? program : program + "-" + verb->get_name();
    const CLI::App& shown = verb == nullptr ? app : *verb;
    std::string text = ".TH \"" + troff(name) + "\" 1 \"\" \"launchbox " LAUNCHBOX_VERSION "\"\n.SH NAME\n" +
                       troff(name) + " \\- " + troff(shown.get_description()) + "\n.SH SYNOPSIS\n\\fB" +
                       troff(program) + "\\fR ";
    text += verb == nullptr ? "\\fIVERB\\fR" : "\\fB" + troff(verb->get_name()) + "\\fR";
    text += " [\\fIoptions\\fR]" + (verb == nullptr ? std::string() : arguments_of(*verb)) + "\n";
    if (verb == nullptr) {
        text += ".SH VERBS\n";
        for (const CLI::App* one : verbs_of(app))
            text += ".TP\n\\fB" + troff(one->get_name()) + "\\fR\n" + troff(one->get_description()) + "\n";
    }
    text += ".SH OPTIONS\n" + options_page(shown);
    if (!shown.get_footer().empty()) {
        const std::string footer = shown.get_footer();
        text +=
            ".SH EXAMPLES\n.nf\n" + troff(footer.substr(std::min(footer.size(), footer.find('\n') + 1))) + "\n.fi\n";
    }
    return text +
           ".SH EXIT STATUS\n0: done. 1: done, and a check failed. 2: the input or the command line is wrong. 3: "
           "something needed is missing. 4: interrupted, what was finished is kept.\n";
}

// "launchbox", "launchbox-inspect": the name of the page, and of the file without its section.
std::string page_name(const CLI::App& app, const CLI::App* verb)
{
    return verb == nullptr ? app.get_name() : app.get_name() + "-" + verb->get_name();
}

// With the names that man expects: launchbox.1, launchbox-inspect.1 and so on.
void write_pages(const CLI::App& app, const std::filesystem::path& folder)
{
    if (!std::filesystem::is_directory(folder))
        throw error(folder.string() + " is not a folder", "create it first: mkdir -p " + folder.string());
    std::vector<const CLI::App*> verbs = verbs_of(app);
    verbs.push_back(nullptr);
    for (const CLI::App* verb : verbs)
        write_file_atomically(folder / (page_name(app, verb) + ".1"), man_page(app, verb));
}

}  // namespace

void add_man(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("man", "Print the manual page of launchbox or of a verb");
    auto wanted = std::make_shared<std::string>();
    verb->add_option("verb", *wanted, "The verb; without one, launchbox as a whole")->type_name("VERB");
    auto folder = std::make_shared<std::string>();
    verb->add_option("--folder", *folder, "Write the pages of launchbox and of all its verbs into this folder instead")
        ->type_name("FOLDER");
    add_examples(*verb, "launchbox man", "launchbox man inspect");
    verb->callback([wanted, folder, &app, &context] {
        context.action = [wanted, folder, &app] {
            if (!folder->empty()) {
                write_pages(app, *folder);
                return exit_status::done;
            }
            const CLI::App* found = nullptr;
            for (const CLI::App* one : verbs_of(app))
                if (one->get_name() == *wanted) found = one;
            if (!wanted->empty() && found == nullptr)
                throw error("unknown command '" + *wanted + "'", "see " + app.get_name() + " --help");
            std::cout << man_page(app, found);
            return exit_status::done;
        };
    });
}

}  // namespace launchbox::cli
