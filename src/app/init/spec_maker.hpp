// Makes a spec from a chosen kernel, step by step: names for the source's quantities, its launch, its arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/init/init_spec.hpp"
#include "app/init/kernel_parameters.hpp"
#include "app/init/source_launch_words.hpp"
#include "app/init/source_tunables.hpp"
#include "app/init/spec_draft.hpp"
#include "app/init/spec_expressions.hpp"

namespace launchbox {

/// Whether the text consists of digits alone.
std::optional<std::int64_t> whole_number(const std::string& text);

/// Whether an expression of a spec uses this name.
bool mentions(const std::string& expression, const std::string& name);

class spec_maker {
public:
    spec_maker(const init_request& request, const kernel_choice& choice)
        : request_(request),
          choice_(choice),
          host_(*(choice.launched_in != nullptr ? choice.launched_in : &choice.views.front())->view),
          expressions_(host_),
          parameters_(parameters_of(choice)),
          tunables_(tunables_of(choice)),
          instance_(instance_of(choice))
    {
        expressions_.instance = instance_;
        if (choice.launch) words_ = words_of(*choice.launch->launch, host_, expressions_);
        if (words_.passed.size() != parameters_.size()) words_.passed.clear();
    }

    written_spec make()
    {
        refuse_what_no_spec_gives();
        leave_out_sizes_of_the_problem();
        name_tunables();
        name_sizes();
        write_head();
        write_block();
        write_tunables();
        write_grid();
        write_shared();
        write_arguments();
        write_variables();
        write_constraints();
        forget_unused_sizes();
        write_kernel();
        write_verify();
        return {.text = text_of(draft_), .kernel = choice_.info->short_form, .to_fill_in = to_fill_in_};
    }

private:
    [[nodiscard]] std::string fresh(const std::string& wanted);
    [[nodiscard]] std::string place(int line) const { return fmt::format("{}:{}", request_.file, line); }
    [[nodiscard]] std::string own_name() const { return function_name(choice_.info->short_form); }
    void fill_in(const std::string& name) { to_fill_in_.push_back(name); }
    static bool is_size(const kernel_parameter& one)
    {
        return !one.is_pointer && one.is_whole() && one.bytes.value_or(0) >= 4 && !one.is_enumeration;
    }

    void refuse_what_no_spec_gives() const;
    void leave_out_sizes_of_the_problem();
    void name_tunables();
    void name_sizes();
    void write_head();
    void write_block();
    void write_axis(std::size_t axis, std::size_t axes);
    void write_tunables();
    void write_grid();
    void enlarge_for_grid();
    void write_shared();
    void write_arguments();
    void write_scalar(const kernel_parameter& one, std::size_t number);
    void write_buffer(const kernel_parameter& one, std::size_t number);
    void write_variables();
    void write_constraints();
    void forget_unused_sizes();
    void write_kernel();
    void write_verify();

    [[nodiscard]] std::optional<std::int64_t> declared_threads() const;
    [[nodiscard]] std::optional<std::string> declared_block();
    [[nodiscard]] std::optional<std::string> tunable_named_for_blocks(const placed_words& words);
    [[nodiscard]] std::int64_t largest_block();
    [[nodiscard]] std::string all_sizes(const kernel_parameter& one, std::string& comment);
    [[nodiscard]] std::optional<std::string> allocated(std::size_t number, std::int64_t bytes);
    [[nodiscard]] std::optional<std::string> text_with_sizes(const placed_words& words, std::int64_t usual);
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> strided_loops() const;
    [[nodiscard]] bool is_tuned(const std::string& expression) const;
    [[nodiscard]] std::optional<std::int64_t> value_at_baseline(const std::string& expression) const;
    [[nodiscard]] const placed_words* passed(std::size_t number) const
    {
        return number < words_.passed.size() ? &words_.passed[number] : nullptr;
    }

    const init_request& request_;
    const kernel_choice& choice_;
    const source_view& host_;
    spec_expressions expressions_;
    std::vector<kernel_parameter> parameters_;
    source_tunables tunables_;
    template_values instance_;
    launch_words words_;
    spec_draft draft_;
    std::set<std::string> taken_{"sm", "device", "arch", "output", "name", "weight", "work"};
    std::map<std::string, std::string> tunable_names_;                  // source -> spec
    std::map<std::size_t, std::string> size_names_;                     // parameter -> workload value
    std::map<std::size_t, std::string> size_texts_;                     // parameter -> expression of such values
    std::vector<std::string> sizes_;                                    // the values that buffers may be as large as
    std::set<std::string> block_names_;                                 // parameters that are the block
    std::vector<std::pair<std::string, std::string>> bound_quotients_;  // of the launch bound
    bool is_free_ = false;
    std::vector<std::string> to_fill_in_;
};

}  // namespace launchbox
