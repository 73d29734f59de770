// The evaluation of one Python expression: operators, lists and functions, with a limit of the work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"
#include "tune/t1/python_expression.hpp"

namespace launchbox {

class python_evaluation {
public:
    python_evaluation(const python_scope& scope, const std::string& text) : scope_(scope), text_(text) {}

    python_value of(const python_node& node);

private:
    python_value name(const python_node& node) const;
    python_value unary(const python_node& node);
    python_value binary(const python_node& node, const python_value& a, const python_value& b);
    python_value whole_result(const python_node& node, std::int64_t a, std::int64_t b);
    python_value fraction_result(const python_node& node, double a, double b);
    python_value power(const python_node& node, const python_value& a, const python_value& b);
    python_value joined(const python_node& node, const python_value& a, const python_value& b);
    python_value repeated(const python_node& node, const python_value& what, std::int64_t times);
    bool compared(const python_node& node, const std::string& sign, const python_value& a, const python_value& b);
    bool equal(const python_node& node, const python_value& a, const python_value& b, int depth = 0);
    int order(const python_node& node, const python_value& a, const python_value& b, int depth = 0);
    bool contains(const python_node& node, const python_value& in, const python_value& value);
    python_value comprehension(const python_node& node);
    void run_loop(const python_node& node, std::size_t loop, list_elements& into);
    python_value element(const python_node& node);
    python_value call(const python_node& node);
    python_value range(const python_node& node, const list_elements& arguments);
    python_value extreme(const python_node& node, const list_elements& arguments);
    python_value as_whole(const python_node& node, const python_value& value);
    python_value as_fraction(const python_node& node, const python_value& value);
    python_value rounded(const python_node& node, const list_elements& arguments);

    // What a name or expression stands for where a list is wanted.
    python_value of_list(const python_node& node)
    {
        if (node.what == python_node::kind::name && local(node.word) == nullptr)
            if (const auto found = scope_.lists.find(node.word); found != scope_.lists.end()) return found->second;
        return of(node);
    }

    [[nodiscard]] const python_value* local(const std::string& name) const
    {
        for (auto item = locals_.rbegin(); item != locals_.rend(); ++item)
            if (item->first == name) return &item->second;
        return nullptr;
    }

    list_elements elements_of(const python_node& node, const python_value& value)
    {
        if (const python_sequence* sequence = sequence_in(value)) {
            work(node, sequence->elements->size());
            return *sequence->elements;
        }
        if (const std::string* text = text_in(value)) {
            work(node, text->size());
            list_elements letters(text->size());
            for (std::size_t i = 0; i < letters.size(); ++i) letters[i].value = std::string(1, (*text)[i]);
            return letters;
        }
        refuse(node, "a value of the type " + python_type_of(value) + " is not a list");
    }

    void work(const python_node& node, std::size_t amount)
    {
        if (amount > static_cast<std::size_t>(max_steps - done_))
            refuse(node, "it needs more than 1,000,000 steps or elements");
        done_ += static_cast<std::int64_t>(amount);
    }

    [[noreturn]] void refuse(const python_node& node, const std::string& what) const
    {
        throw error(what + " (" + python_place(text_, node.column) + ")", "write it in another way");
    }

    [[noreturn]] void too_large(const python_node& node) const
    {
        refuse(node, "a whole number does not fit in 64 bits");
    }

    [[noreturn]] void wrong_types(const python_node& node, const std::string& sign, const python_value& a,
                                  const python_value& b) const
    {
        refuse(node, sign + " does not apply to " + python_type_of(a) + " and " + python_type_of(b));
    }

    static constexpr std::int64_t max_steps = 1'000'000;  // nodes, elements and characters

    const python_scope& scope_;
    const std::string& text_;
    std::vector<std::pair<std::string, python_value>> locals_;
    std::int64_t done_ = 0;
};

/// Whether a name alone as the only argument of this function stands for its list in `python_scope::lists`.
bool takes_python_lists(const std::string& function);

}  // namespace launchbox
