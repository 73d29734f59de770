// launchbox completion and launchbox man: what shells and `man` need, made of the options themselves.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report_output.hpp"
#include "cli/verbs.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app)
{
    std::vector<const CLI::App*> verbs;
    for (const CLI::App* verb : app.get_subcommands({}))
        if (!verb->get_group().empty()) verbs.push_back(verb);
    return verbs;
}

// "--arch", "-a"; positional arguments have none.
std::vector<std::string> words_of(const CLI::Option& option)
{
    std::vector<std::string> words;
    for (const std::string& name : option.get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option.get_snames()) words.push_back("-" + name);
    return words;
}

std::vector<std::string> all_words(const CLI::App& verb)
{
    std::vector<std::string> words;
    for (const CLI::Option* option : verb.get_options())
        for (std::string& word : words_of(*option)) words.push_back(std::move(word));
    return words;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// Inside '...' of a shell.
std::string quoted_for_shell(std::string_view text)
{
    std::string result;
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result;
}

std::string first_sentence(const std::string& text)
{
    return text.substr(0, std::min(text.find(". "), text.find('\n')));
}

bool takes_value(const CLI::Option& option)
{
    return option.get_items_expected_max() > 0;
}

// launchbox or launchbox-mpi; in shells a function is named after it.
std::string function_name(const CLI::App& app)
{
    std::string name = "_" + app.get_name();
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string bash_completion(const CLI::App& app)
{
    const std::string& program = app.get_name();
    const std::string function = function_name(app);
    std::string verbs, cases;
    for (const CLI::App* verb : verbs_of(app)) {
        verbs += (verbs.empty() ? "" : " ") + verb->get_name();
        cases += "        " + verb->get_name() + ") options=\"" + joined(all_words(*verb)) + "\" ;;\n";
    }
    return "# bash completion for " + program +
           ": source it, or put it into "
           "~/.local/share/bash-completion/completions/" +
           program + "\n" + function +
           "() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"" +
           verbs +
           " help --help --version\" -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n" +
           cases + "        help) options=\"" + verbs +
           "\" ;;\n"
           "    esac\n"
           "    if [ \"${COMP_WORDS[1]}\" = help ] || [ \"${word#-}\" != \"$word\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F " +
           function + " " + program + "\n";
}

// In zsh's descriptions [ ] and : have a meaning.
std::string zsh_text(const std::string& text)
{
    std::string result;
    for (const char c : quoted_for_shell(first_sentence(text))) {
        if (c == '[' || c == ']' || c == ':') result += '\\';
        result += c;
    }
    return result;
}

std::string zsh_completion(const CLI::App& app)
{
    const std::string& program = app.get_name();
    const std::string function = function_name(app);
    std::string text = "#compdef " + program + "\n# zsh completion for " + program + ": put it as " + function +
                       " into a folder of $fpath\n" + function + "() {\n    local -a verbs\n    verbs=(\n";
    for (const CLI::App* verb : verbs_of(app))
        text += "        '" + verb->get_name() + ":" + zsh_text(verb->get_description()) + "'\n";
    text +=
        "        'help:What a verb does'\n    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n"
        "        return\n    fi\n    case ${words[2]} in\n        help) _describe verb verbs ;;\n";
    for (const CLI::App* verb : verbs_of(app)) {
        text += "        " + verb->get_name() + ") _arguments";
        for (const CLI::Option* option : verb->get_options())
            for (const std::string& word : words_of(*option))
                text += " \\\n            '" + word + "[" + zsh_text(option->get_description()) + "]" +
                        (takes_value(*option) ? ":value:_files" : "") + "'";
        text += " \\\n            '*:file:_files' ;;\n";
    }
    return text + "    esac\n}\n" + function + " \"$@\"\n";
}

std::string fish_completion(const CLI::App& app)
{
    const std::string& program = app.get_name();
    const std::string complete = "complete -c " + program;
    std::string text =
        "# fish completion for " + program + ": put it into ~/.config/fish/completions/" + program + ".fish\n";
    for (const CLI::App* verb : verbs_of(app)) {
        text += complete + " -n __fish_use_subcommand -a " + verb->get_name() + " -d '" +
                quoted_for_shell(first_sentence(verb->get_description())) + "'\n";
        for (const CLI::Option* option : verb->get_options()) {
            if (words_of(*option).empty()) continue;
            text += complete + " -n '__fish_seen_subcommand_from " + verb->get_name() + "'";
            for (const std::string& name : option->get_lnames()) text += " -l " + name;
            for (const std::string& name : option->get_snames()) text += " -s " + name;
            if (takes_value(*option)) text += " -r";
            text += " -d '" + quoted_for_shell(first_sentence(option->get_description())) + "'\n";
        }
    }
    return text;
}

// A line of troff must not begin with a dot or an apostrophe, and - is a hyphen unless it is escaped.
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

std::string man_page(const CLI::App& app, const CLI::App* verb)
{
    const std::string& program = app.get_name();
    const std::string name = verb == nullptr ? program : program + "-" + verb->get_name();
    const CLI::App& shown = verb == nullptr ? app : *verb;
    std::string text = ".TH \"" + troff(name) + "\" 1 \"\" \"launchbox " LAUNCHBOX_VERSION "\"\n.SH NAME\n" +
                       troff(name) + " \\- " + troff(shown.get_description()) + "\n.SH SYNOPSIS\n\\fB" +
                       troff(program) + "\\fR ";
    text += verb == nullptr ? "\\fIVERB\\fR" : "\\fB" + troff(verb->get_name()) + "\\fR";
    text += " [\\fIfile\\fR...] [\\fIoptions\\fR]\n";
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

}  // namespace

void add_completion(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("completion", "Completion of the command line, for a shell to read");
    auto shell = std::make_shared<std::string>();
    verb->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL");
    add_examples(*verb, "launchbox completion bash", "launchbox completion fish");
    verb->callback([shell, &app, &context] {
        context.action = [shell, &app] {
            std::cout << (*shell == "bash"  ? bash_completion(app)
                          : *shell == "zsh" ? zsh_completion(app)
                                            : fish_completion(app));
            return exit_status::done;
        };
    });
}

void add_man(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("man", "The manual page of launchbox or of a verb, for man to show");
    auto wanted = std::make_shared<std::string>();
    verb->add_option("verb", *wanted, "The verb; without one, launchbox as a whole")->type_name("VERB");
    add_examples(*verb, "launchbox man", "launchbox man inspect");
    verb->callback([wanted, &app, &context] {
        context.action = [wanted, &app] {
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
