// launchbox completion: completion scripts for shells, generated from the options.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "advice/model/gpu_models.hpp"
#include "app/architectures.hpp"
#include "app/input/kernel_names.hpp"
#include "cli/option_words.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"

namespace launchbox::cli {

namespace {

std::vector<std::string> all_words(const CLI::App& verb)
{
    std::vector<std::string> words;
    for (const CLI::Option* option : verb.get_options())
        for (std::string& word : words_of(*option)) words.push_back(std::move(word));
    return words;
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ")
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

// For use inside '...' in a shell.
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

// The values of --arch.
std::vector<std::string> architecture_words()
{
    std::vector<std::string> words{"all"};
    for (const compute_capability& capability : known_capabilities())
        words.emplace_back(architecture_name(capability).view());
    for (const gpu_model& model : gpu_models())
        if (std::string name = name_of(model); std::ranges::find(words, name) == words.end())
            words.push_back(std::move(name));
    return words;
}

// Shell functions are named after the program: launchbox or launchbox-mpi.
std::string function_name(const CLI::App& app)
{
    std::string name = "_" + app.get_name();
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string replaced(std::string text, std::string_view name, const std::string& value)
{
    for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; at += value.size())
        text.replace(at, name.size(), value);
    return text;
}

// Kernel names come from files that anybody may have made, so, unlike compgen -W, the script must not expand what it
// offers.
constexpr const char* bash_script =
    R"bash(# bash completion for PROGRAM: source it, or put it into ~/.local/share/bash-completion/completions/PROGRAM
FUNCTION_offer() {  # of the lines on standard input those that begin with $1, with $2 before each
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == "$1"* ]]; then COMPREPLY+=("$2$line"); fi
    done
}
FUNCTION_kernels() {  # of the files on the command line
    local word files=()
    for word in "${COMP_WORDS[@]:2}"; do
        if [[ $word != -* && -e $word ]]; then files+=("$word"); fi
    done
    if [ ${#files[@]} -gt 0 ]; then PROGRAM completion kernels "${files[@]}" 2>/dev/null; fi
}
FUNCTION() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verbs='VERBS' options='' values=''
    if [ "$COMP_CWORD" -eq 1 ]; then
        FUNCTION_offer "$word" '' <<< "${verbs// /$'\n'}"$'\nhelp\n--help\n--version'
        return
    fi
    if [ "$word" = = ]; then word=''; elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
    case ${COMP_WORDS[1]} in
OPTIONS    esac
    case ${COMP_WORDS[1]}:$previous in
VALUES        help:help|man:man) values=$verbs ;;
    esac
    word=${word#[\'\"]}
    word=${word//\\/}  # what is typed as a\ b
    if [ "$values" = ARCHITECTURES ]; then
        FUNCTION_offer "${word##*,}" "${word%"${word##*,}"}" <<'END'
ARCHS
END
    elif [ "$values" = KERNELS ]; then
        FUNCTION_offer "$word" '' < <(FUNCTION_kernels)
    elif [ -n "$values" ]; then
        compopt +o filenames 2>/dev/null  # a folder of that name is not meant
        FUNCTION_offer "$word" '' <<< "${values// /$'\n'}"
    elif [ "${word#-}" != "$word" ]; then
        compopt +o filenames 2>/dev/null
        FUNCTION_offer "$word" '' <<< "${options// /$'\n'}"
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F FUNCTION PROGRAM
)bash";

// "inspect:--format|inspect:-f) values='table json' ;;"
std::string bash_values(const CLI::App& verb, const CLI::Option& option)
{
    const value_kind kind = kind_of_value(option);
    if (!takes_value(option) || kind == value_kind::file) return {};
    std::vector<std::string> patterns = words_of(option);
    if (patterns.empty()) patterns.push_back(verb.get_name());  // the first argument follows the verb
    for (std::string& word : patterns) word.insert(0, verb.get_name() + ":");
    return "        " + joined(patterns, "|") + ") values=" +
           (kind == value_kind::architectures ? "ARCHITECTURES"
            : kind == value_kind::kernels     ? "KERNELS"
                                              : "'" + quoted_for_shell(joined(value_words(option))) + "'") +
           " ;;\n";
}

std::string bash_completion(const CLI::App& app)
{
    std::vector<std::string> verbs;
    std::string options, values;
    for (const CLI::App* verb : verbs_of(app)) {
        verbs.push_back(verb->get_name());
        options += "        " + verb->get_name() + ") options='" + joined(all_words(*verb)) + "' ;;\n";
        for (const CLI::Option* option : verb->get_options()) values += bash_values(*verb, *option);
    }
    std::string script = bash_script;
    script = replaced(std::move(script), "ARCHS", joined(architecture_words(), "\n"));
    script = replaced(std::move(script), "VERBS", joined(verbs));
    script = replaced(std::move(script), "OPTIONS", options);
    script = replaced(std::move(script), "VALUES", values);
    script = replaced(std::move(script), "FUNCTION", function_name(app));
    return replaced(std::move(script), "PROGRAM", app.get_name());
}

// In zsh's descriptions, [ ] and : are special.
std::string zsh_text(const std::string& text)
{
    std::string result;
    for (const char c : quoted_for_shell(first_sentence(text))) {
        if (c == '[' || c == ']' || c == ':') result += '\\';
        result += c;
    }
    return result;
}

constexpr const char* zsh_helpers = R"zsh(FUNCTION_architectures() {
    _values -s , architecture ARCHS
}
FUNCTION_kernels() {  # of the files on the command line
    local -a files kernels
    local word
    for word in ${(Q)words[2,-1]}; do
        if [[ $word != -* && -e $word ]]; then files+=($word); fi
    done
    if (( $#files )); then kernels=(${(f)"$(PROGRAM completion kernels $files 2>/dev/null)"}); fi
    compadd -a kernels
}
)zsh";

std::string zsh_value(const CLI::App& app, const CLI::Option& option)
{
    switch (kind_of_value(option)) {
        case value_kind::architectures:
            return function_name(app) + "_architectures";
        case value_kind::kernels:
            return function_name(app) + "_kernels";
        case value_kind::words:
            return "(" + quoted_for_shell(joined(value_words(option))) + ")";
        case value_kind::file:
            break;
    }
    return "_files";
}

std::string zsh_completion(const CLI::App& app)
{
    const std::string& program = app.get_name();
    const std::string function = function_name(app);
    std::vector<std::string> architectures;
    for (const std::string& word : architecture_words()) architectures.push_back("'" + quoted_for_shell(word) + "'");
    std::string helpers = replaced(zsh_helpers, "ARCHS", joined(architectures));
    helpers = replaced(replaced(std::move(helpers), "FUNCTION", function), "PROGRAM", program);
    std::string text = "#compdef " + program + "\n# zsh completion for " + program + ": put it as " + function +
                       " into a folder of $fpath\n" + helpers + function + "() {\n    local -a verbs\n    verbs=(\n";
    for (const CLI::App* verb : verbs_of(app))
        text += "        '" + verb->get_name() + ":" + zsh_text(verb->get_description()) + "'\n";
    text +=
        "        'help:What a verb does'\n    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n"
        "        return\n    fi\n    shift words\n    (( CURRENT-- ))  # as if the verb were the program\n    case "
        "${words[1]} in\n"
        "        help|man) _describe verb verbs ;;\n";
    for (const CLI::App* verb : verbs_of(app)) {
        if (verb->get_name() == "man") continue;
        text += "        " + verb->get_name() + ") _arguments";
        for (const CLI::Option* option : verb->get_options()) {
            if (words_of(*option).empty())
                text += std::string(" \\\n            '") + (option->get_items_expected_max() > 1 ? "*" : "") +
                        ":argument:" + zsh_value(app, *option) + "'";
            for (const std::string& word : words_of(*option))
                text += " \\\n            '" + word + "[" + zsh_text(option->get_description()) + "]" +
                        (takes_value(*option) ? ":value:" + zsh_value(app, *option) : "") + "'";
        }
        text += " ;;\n";
    }
    return text + "    esac\n}\n" + function + " \"$@\"\n";
}

constexpr const char* fish_helpers = R"fish(function _FUNCTION_architectures
    printf '%s\n' ARCHS
end
function _FUNCTION_kernels --description 'of the files on the command line'
    set -l files
    for word in (commandline -opc)[3..-1]
        if not string match -q -- '-*' $word; and test -e $word
            set -a files $word
        end
    end
    if set -q files[1]
        PROGRAM completion kernels $files 2>/dev/null
    end
end
)fish";

std::string fish_value(const CLI::App& app, const CLI::Option& option)
{
    switch (kind_of_value(option)) {
        case value_kind::architectures:
            return " -x -a '(_" + function_name(app) + "_architectures)'";
        case value_kind::kernels:
            return " -x -a '(_" + function_name(app) + "_kernels)'";
        case value_kind::words:
            return " -x -a '" + quoted_for_shell(joined(value_words(option))) + "'";
        case value_kind::file:
            break;
    }
    return " -r";
}

std::string fish_completion(const CLI::App& app)
{
    const std::string& program = app.get_name();
    const std::string complete = "complete -c " + program;
    std::vector<std::string> architectures;
    for (const std::string& word : architecture_words()) architectures.push_back("'" + quoted_for_shell(word) + "'");
    std::string helpers = replaced(fish_helpers, "ARCHS", joined(architectures));
    helpers = replaced(replaced(std::move(helpers), "FUNCTION", function_name(app)), "PROGRAM", program);
    std::string text = "# fish completion for " + program + ": put it into ~/.config/fish/completions/" + program +
                       ".fish\n" + helpers;
    for (const CLI::App* verb : verbs_of(app)) {
        const std::string of_verb = complete + " -n '__fish_seen_subcommand_from " + verb->get_name() + "'";
        text += complete + " -n __fish_use_subcommand -a " + verb->get_name() + " -d '" +
                quoted_for_shell(first_sentence(verb->get_description())) + "'\n";
        for (const CLI::Option* option : verb->get_options()) {
            if (words_of(*option).empty()) {
                if (const auto words = value_words(*option); !words.empty())
                    text += of_verb + " -f -a '" + quoted_for_shell(joined(words)) + "'\n";
                continue;
            }
            text += of_verb;
            for (const std::string& name : option->get_lnames()) text += " -l " + name;
            for (const std::string& name : option->get_snames()) text += " -s " + name;
            if (takes_value(*option)) text += fish_value(app, *option);
            text += " -d '" + quoted_for_shell(first_sentence(option->get_description())) + "'\n";
        }
    }
    return text;
}

}  // namespace

void add_completion(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("completion", "Print the completion script for a shell");
    auto shell = std::make_shared<std::string>();
    auto files = std::make_shared<std::vector<std::string>>();
    verb->add_option("shell", *shell,
                     "bash, zsh or fish; kernels: list the kernels of FILE, for the completion scripts")
        ->required()
        ->check(one_of({"bash", "zsh", "fish", "kernels"}))
        ->type_name("SHELL");
    verb->add_option("files", *files, "With kernels: files and folders as for inspect")->type_name("FILE");
    add_examples(*verb, "launchbox completion bash", "launchbox completion fish");
    verb->callback([shell, files, &app, &context] {
        context.action = [shell, files, &app] {
            if (*shell == "kernels")
                for (const std::string& name : kernel_names(*files)) std::cout << name << '\n';
            else
                std::cout << (*shell == "bash"  ? bash_completion(app)
                              : *shell == "zsh" ? zsh_completion(app)
                                                : fish_completion(app));
            return exit_status::done;
        };
    });
}

}  // namespace launchbox::cli
