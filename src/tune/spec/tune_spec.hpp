// The spec of a tuning task: the content of the user's TOML file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/expression/parameter_value.hpp"
#include "support/expression/value_expression.hpp"
#include "tune/types/objective.hpp"
#include "tune/types/work_amounts.hpp"

namespace launchbox {

struct tuning_parameter {
    std::string name;
    std::vector<parameter_value> values;  ///< one or more, all different, of one type, in the order of the file
    std::string when = {};                ///< an expression of other parameters; where it is false, there is one value:
    parameter_value otherwise = {};
};

/// Type, size and distribution of the data. `values` may be empty: then there is one workload without a name.
struct workload {
    assignment values;
    double weight = 1;  ///< above 0
    work_amounts work = {};
};

enum class fill_kind {
    zeros,
    constant,  ///< `value` everywhere
    sequence,  ///< 0, 1, 2, ...
    random,    ///< integers of the whole range of their type, floating point in [0, 1), or from `low` to `high`
    poison,    ///< a pattern that no kernel leaves by chance
    file,      ///< .npy, or the bytes as they are
};
enum class argument_role { input, output, in_out };
constexpr fill_kind last_of(fill_kind)
{
    return fill_kind::file;
}
constexpr argument_role last_of(argument_role)
{
    return argument_role::in_out;
}

/// One parameter of the kernel, or a variable of its module. Texts may hold {names} of parameters and workload values.
struct kernel_argument {
    std::string name;
    std::string type;        ///< "int", "float", "{type}", ...; empty: a variable that keeps what the source gives it
    std::string count = {};  ///< elements, an expression; empty: a scalar
    std::string value = {};  ///< of a scalar, or of `constant`: an expression
    fill_kind fill = fill_kind::zeros;
    std::optional<double> low = {}, high = {};  ///< of `random`
    std::int64_t seed = 1;                      ///< of `random`
    std::string file = {};                      ///< of `file`
    argument_role role = argument_role::input;  ///< of a scalar always `input`
    /// For a variable: true: it is filled again before each launch; false: launches may change it, and later ones see
    /// the change; not given: as false, but a candidate that is wrong or faster because of it is rejected.
    std::optional<bool> reset = {};
};

/// [kernel]: launchbox compiles and launches it.
struct kernel_target {
    std::string source;        ///< from the spec's folder; empty: the captured module as it is
    std::string capture = {};  ///< capture.json of a captured launch, with {names} of the workload: gives the
                               ///< arguments, and what has to come out of them; empty: `arguments` do
    std::string name;          ///< with {names}: "block_sort<{type}, {threads}>"
    std::array<std::string, 3> threads{"", "1", "1"};  ///< expressions
    std::array<std::string, 3> blocks{"", "1", "1"};
    std::array<std::string, 3> cluster{"1", "1", "1"};
    std::string dynamic_shared = "0";
    std::string carveout = {};  ///< an expression: percent of shared memory that is preferred; -1 and empty: none is
    std::vector<kernel_argument> arguments;
    std::vector<kernel_argument> variables;  ///< `__constant__` and `__device__` ones, filled when the module is loaded
    std::vector<std::string> flags;          ///< of the compiler, with {names}
    std::vector<std::string> constants = {};  ///< parameters whose values take the place of those that macros and
                                              ///< constants of the source have; `flags` has them, too
    std::vector<std::string> sources;         ///< files that results depend on, beside those that are found
    std::string compiler = {};                ///< "nvrtc" or "nvcc"; empty: NVRTC where it is found
    std::string static_shared = {};           ///< an expression that estimates it in bytes; empty: the compiler tells
    double compile_seconds = 300;             ///< a compile that takes longer is stopped
    std::int64_t compile_memory_bytes = std::int64_t{8} << 30;
};

/// [program]: any program, built and run per candidate.
struct program_target {
    std::vector<std::string> build;  ///< may be empty: nothing is built; {output} is the program, {arch} "sm_90"
    std::vector<std::string> run;
    /// A regular expression whose first group is the time; empty: see benchmark_output.hpp; "wall": the wall time.
    std::string metric = {};
    std::string unit = "ms";  ///< of what `metric` finds: ns, us, ms or s
    double build_seconds = 600;
    std::vector<std::string> sources;  ///< files whose content decides whether an older result still holds
};

/// [callback]: a program that keeps running and launches one candidate after the other in its own process, such as
/// Python with its libraries. Protocol: docs/tune_spec.md.
struct callback_target {
    std::vector<std::string> command;
    bool on_gpu = true;                ///< one for each GPU; else on the processor
    int count = 1;                     ///< so many at once on the processor
    int preparers = 0;                 ///< more of these processes, which compile candidates that are measured later
    std::vector<std::string> sources;  ///< files whose content decides whether an older result still holds
    std::string software = {};         ///< "triton 3.6.0": what else the times depend on, as the results show it
    double start_seconds = 300;        ///< until it is ready
    double first_seconds = 300;        ///< for the first launch of a candidate, and what is compiled for it
    double check_seconds = 300;        ///< for the check of one launch
    std::int64_t memory_bytes = 0;     ///< of its own, not of the GPU; one that has more is ended; 0: no limit
};

/// [verify]
struct verification {
    enum class source { baseline, file, program, nothing };
    source against = source::baseline;
    std::map<std::string, std::string> files;  ///< .npy of each output, {names} in it; the output's name first
    std::vector<std::string> command;          ///< run once a workload: writes the outputs' .npy
    std::string type = {};                     ///< of what a captured launch writes; empty: bytes, which are equal
    double absolute = 0, relative = 0;         ///< |x - reference| <= absolute + relative * |reference| is right
};

/// [measure]
struct measure_settings {
    bool cold = true;            ///< L2 flushed before each sample; else hot
    bool rotate_inputs = false;  ///< each sample reads another copy of the inputs
    int min_samples = 10;        ///< 3 or more
    int max_samples = 200;
    double relative_error = 0.005;  ///< standard error of the mean over the mean at which it is enough
    double max_seconds = 2;         ///< for the samples of one candidate and workload
    double give_up_ratio = 1.5;     ///< a candidate whose every sample is this much slower than the best is given up
    double hang_ratio = 50;         ///< a launch that takes this many times as long as the baseline's hangs,
    double hang_seconds = 2;        ///< but never before this
};

/// [screen]
struct screen_settings {
    double min_occupancy = 0;  ///< 0 to 1; candidates below are not measured
};

/// The places of expressions in the file, by their text: "block_sort.toml:12:9".
using expression_places = std::map<std::string, std::string>;

struct tune_spec {
    std::string file;    ///< as the user named it
    std::string folder;  ///< absolute; commands run there
    std::string text;    ///< of the file
    std::string name;
    std::optional<assignment> baseline;  ///< of all parameters, in their order
    objective goal = {};
    std::vector<tuning_parameter> parameters;
    std::vector<std::string> constraints;
    std::vector<workload> workloads;  ///< one or more
    std::optional<kernel_target> kernel;
    std::optional<program_target> program;
    std::optional<callback_target> callback;
    verification verify;
    measure_settings measure;
    screen_settings screen;
    expression_places places;
};

/// Throws `error` with file, line and column of the first mistake: invalid TOML, unknown keys (with the nearest known
/// one), wrong types, values out of range, a baseline that does not fit the parameters, none or several of [kernel],
/// [program] and [callback], unknown names in placeholders and expressions.
tune_spec parse_tune_spec(const std::string& file, const std::string& text);

/// Runs `work`; an error in an expression of the spec gets its place in front: "block_sort.toml:12:9: ".
template <class Work>
auto in_spec(const expression_places& places, const Work& work)
{
    try {
        return work();
    } catch (const expression_error& failure) {
        const auto place = places.find(failure.text());
        if (place == places.end()) throw;
        throw error(place->second + ": " + failure.what(), failure.hint());
    }
}

/// Throws `error` if an objective asks a [kernel] for more than time, energy and power.
void check_objective(const tune_spec& spec);

/// Each value as its text, by its name.
std::map<std::string, std::string> texts_of(const assignment& values);

/// Replaces {names} by their values; {{ and }} are braces. Throws `error` for unknown names.
std::string filled_in(const std::string& text, const assignment& values);

/// The element type for a kernel argument's type. Throws `error` for an unknown type.
struct element_type {
    enum class kind { signed_integer, unsigned_integer, floating, half, bfloat16, opaque };
    kind what = kind::opaque;
    int bytes = 0;
};
element_type element_type_of(const std::string& name);

}  // namespace launchbox
