// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_evaluation.hpp"

#include <algorithm>

namespace launchbox {

namespace {

using kind = python_node::kind;

}  // namespace

python_value python_evaluation::of(const python_node& node)
{
    work(node, 1);
    switch (node.what) {
        case kind::constant:
            return std::visit([](const auto& literal) { return python_value{literal}; }, node.literal);
        case kind::name:
            return name(node);
        case kind::list:
        case kind::tuple: {
            list_elements elements;
            for (const python_node& part : node.parts) elements.push_back(of(part));
            return python_list(std::move(elements),
                               node.what == kind::list ? python_sequence::kind::list : python_sequence::kind::tuple);
        }
        case kind::comprehension:
            return comprehension(node);
        case kind::unary:
            return unary(node);
        case kind::binary: {
            const python_value left = of(node.parts[0]);
            return binary(node, left, of(node.parts[1]));
        }
        case kind::logic: {
            python_value value;
            for (const python_node& part : node.parts) {
                value = of(part);
                if (truth_of(value) == (node.word == "or")) break;
            }
            return value;
        }
        case kind::comparison: {
            python_value left = of(node.parts[0]);
            for (std::size_t i = 0; i < node.signs.size(); ++i) {
                python_value right = of(node.parts[i + 1]);
                if (!compared(node, node.signs[i], left, right)) return {false};
                left = std::move(right);
            }
            return {true};
        }
        case kind::choice:
            return of(truth_of(of(node.parts[1])) ? node.parts[0] : node.parts[2]);
        case kind::element:
            return element(node);
        case kind::call:
            return call(node);
    }
    refuse(node, "unknown expression");
}

python_value python_evaluation::name(const python_node& node) const
{
    if (const python_value* value = local(node.word)) return *value;
    if (const auto found = scope_.names.find(node.word); found != scope_.names.end()) return found->second;
    refuse(node, "unknown name " + node.word.substr(0, 80));
}

python_value python_evaluation::comprehension(const python_node& node)
{
    list_elements elements;
    run_loop(node, 0, elements);
    return python_list(std::move(elements));
}

void python_evaluation::run_loop(const python_node& node, std::size_t loop, list_elements& into)
{
    if (loop == node.loops.size()) {
        into.push_back(of(node.parts[0]));
        return;
    }
    const python_node::loop& here = node.loops[loop];
    const python_node& iterable = node.parts[here.iterable];
    for (const python_value& value : elements_of(node, of_list(iterable))) {
        work(node, 1);
        const std::size_t outside = locals_.size();
        if (here.targets.size() == 1) {
            locals_.emplace_back(here.targets[0], value);
        } else {
            const list_elements parts = elements_of(node, value);
            if (parts.size() != here.targets.size()) refuse(node, "a `for` with another number of names than values");
            for (std::size_t i = 0; i < parts.size(); ++i) locals_.emplace_back(here.targets[i], parts[i]);
        }
        if (std::all_of(here.conditions.begin(), here.conditions.end(),
                        [&](std::size_t condition) { return truth_of(of(node.parts[condition])); }))
            run_loop(node, loop + 1, into);
        locals_.resize(outside);
    }
}

python_value python_evaluation::element(const python_node& node)
{
    const python_value from = of_list(node.parts[0]);
    const python_value wanted = of(node.parts[1]);
    const auto at = integer_in(wanted);
    const python_sequence* sequence = sequence_in(from);
    const std::string* text = text_in(from);
    if (!at || (sequence == nullptr && text == nullptr)) wrong_types(node, "[...]", from, wanted);
    const auto size = static_cast<std::int64_t>(sequence != nullptr ? sequence->elements->size() : text->size());
    if (*at >= size || *at < -size) refuse(node, "there is no element " + std::to_string(*at));
    const auto place = static_cast<std::size_t>(*at < 0 ? *at + size : *at);
    return sequence != nullptr ? (*sequence->elements)[place] : python_value{std::string(1, (*text)[place])};
}

}  // namespace launchbox
