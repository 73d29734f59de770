// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_expression.hpp"

#include <utility>

#include "tune/t1/python_evaluation.hpp"

namespace launchbox {

python_expression::python_expression(std::string text) : text_(std::move(text)), root_(read_python(text_)) {}

python_value python_expression::operator()(const python_scope& scope) const
{
    return value_of(root_, scope, text_);
}

python_value value_of(const python_node& node, const python_scope& scope, const std::string& text)
{
    return python_evaluation(scope, text).of(node);
}

bool takes_a_list(const python_node& node, const python_scope& scope)
{
    const bool place =
        (node.what == python_node::kind::call && node.parts.size() == 1 && takes_python_lists(node.word)) ||
        node.what == python_node::kind::element;
    return place && node.parts[0].what == python_node::kind::name && scope.lists.contains(node.parts[0].word);
}

}  // namespace launchbox
