// Python expressions as trees: the part of the language in which other tuners write values, conditions and sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace launchbox {

struct python_node {
    enum class kind {
        constant,       ///< `literal`
        name,           ///< `word`
        list,           ///< [parts...]
        tuple,          ///< (parts...)
        comprehension,  ///< [parts[0] for ...]: `loops`
        unary,          ///< `word` + - ~ not, of parts[0]
        binary,         ///< parts[0] `word` parts[1]: + - * / // % ** << >> & ^ |
        logic,          ///< parts joined by `word`: and, or
        comparison,     ///< parts[0] signs[0] parts[1] signs[1] ...: == != < <= > >= in, not in
        choice,         ///< parts[0] if parts[1] else parts[2]
        element,        ///< parts[0][parts[1]]
        call,           ///< `word`(parts...)
    };
    /// for targets in parts[iterable] if conditions
    struct loop {
        std::vector<std::string> targets;
        std::size_t iterable = 0;  ///< a number of a part, as the conditions are
        std::vector<std::size_t> conditions = {};
    };

    kind what = kind::constant;
    std::string word = {};
    std::variant<std::monostate, bool, std::int64_t, double, std::string> literal = {};
    std::vector<std::string> signs = {};
    std::vector<loop> loops = {};
    std::vector<python_node> parts = {};
    int column = 1;  ///< from 1, in bytes
    int depth = 1;   ///< of the tree from here
};

/// Throws `error` with the column for what is no expression and for what is one in Python and not here. A tree is never
/// so deep that recursion over it would be a danger.
python_node read_python(const std::string& text);

/// "column 7 of 'a ? b'": for messages, which stay one line.
std::string python_place(const std::string& text, int column);

}  // namespace launchbox
