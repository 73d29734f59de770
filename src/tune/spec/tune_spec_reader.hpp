// The parts of reading a spec, each of which fills its part of the `tune_spec`. For the readers of the spec only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/text/toml_document.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::spec_toml {

/// The names that a text of the spec may use.
enum class scope {
    parameters,  ///< and sm.*, device.*
    everything,  ///< and the workload's values
    workload,    ///< the workload's values alone
    reference,   ///< the workload's values and the kernel's arguments
    commands,    ///< parameters, the workload's values, {arch}, {output} and {name}
};

/// A text whose names are checked after all names are known.
struct placed_text {
    std::string key;
    std::string text;
    toml::source_region place;
    scope names = scope::everything;
    bool is_expression = true;  ///< else it has {names} in it
};

struct reader {
    const toml_document& file;
    tune_spec& spec;
    std::vector<placed_text> texts = {};

    /// An expression, or a number, as text.
    std::string expression(const toml::node& node, const std::string& key, scope names = scope::everything);
    /// A text with {names}.
    std::string filled(const toml::node& node, const std::string& key, scope names);
    /// A command: a list of words, or one string that is split.
    std::vector<std::string> command(const toml::node& node, const std::string& key, scope names);
    /// A list of strings, or one.
    std::vector<std::string> words(const toml::node& node, const std::string& key, const std::string& example);
};

void read_parameters(reader& of, const toml::table& table);
void read_baseline(reader& of, const toml::table& table);
void read_workloads(reader& of, const toml::node* node);
void read_kernel(reader& of, const toml::table& table);
void read_program(reader& of, const toml::table& table);
void read_callback(reader& of, const toml::table& table);
void read_verify(reader& of, const toml::table& table);
void read_measure(reader& of, const toml::table& table);

/// Names in expressions and in braces, and parameters whose `when` depends on themselves.
void check_names(const reader& of);

/// Checks that it can name a parameter or a workload's value; throws with the place otherwise.
void check_new_name(const reader& of, const toml_document::entry& entry, const std::string& what);

}  // namespace launchbox::spec_toml
