// SPDX-License-Identifier: Apache-2.0
#include "support/expression/scan_code.hpp"

#include "support/expression/expression_tokens.hpp"
#include "support/expression/lua_values.hpp"

namespace launchbox {

namespace {

// Counters are local variables unless there are many: Lua allows 200 of these.
constexpr std::size_t max_local_counters = 24;

std::string number(std::size_t value)
{
    return std::to_string(value);
}

// The level with index i among all has the names i<i> (index of its value), v<i> (its values) and p<i> (its value).
class scan_writer {
public:
    scan_writer(const std::vector<std::string>& names, const std::vector<scan_level>& before,
                const std::vector<scan_level>& levels, const std::vector<std::string>& conditions,
                const named_constants& constants)
        : names_(names),
          before_(before),
          levels_(levels),
          conditions_(conditions),
          constants_(constants),
          used_(names.size())
    {
        note_used();
    }

    scan_code write();

private:
    void note_used();
    void note_used(const std::string& expression);
    void write_head();
    void open_level(std::size_t level);
    void write_conditions(std::size_t level);
    void write_end(const std::string& point);
    [[nodiscard]] std::string counter(std::size_t k) const;
    [[nodiscard]] bool has_local_counters() const { return code_.counted.size() <= max_local_counters; }
    [[nodiscard]] std::string place(std::size_t level) const { return number(before_.size() + level); }

    void add(const std::string& line);
    // Adds a line on which only this expression can fail.
    void add(const std::string& start, const std::string& expression, const std::string& end);

    const std::vector<std::string>& names_;
    const std::vector<scan_level>& before_;
    const std::vector<scan_level>& levels_;
    const std::vector<std::string>& conditions_;
    const named_constants& constants_;
    std::vector<bool> used_;  // by name
    std::size_t next_counter_ = 0;
    int line_ = 0;
    scan_code code_;
};

void scan_writer::note_used()
{
    for (const scan_level& level : levels_) {
        if (!level.when.empty()) note_used(level.when);
        for (const std::size_t condition : level.conditions) {
            note_used(conditions_[condition]);
            code_.counted.push_back(condition);
        }
    }
}

void scan_writer::note_used(const std::string& expression)
{
    for (const std::string& name : names_in(expression_tokens(expression)))
        for (std::size_t i = 0; i < names_.size(); ++i) used_[i] = used_[i] || names_[i] == name;
}

scan_code scan_writer::write()
{
    write_head();
    std::string point = "0";
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        open_level(level);
        write_conditions(level);
        const std::string i = place(level);
        point = level == 0 ? "i" + i + " - 1"
                           : "(" + point + ") * " + number(levels_[level].values.size()) + " + i" + i + " - 1";
    }
    write_end(point);
    return std::move(code_);
}

// Tables, the function's parameters with their values, and the counters.
void scan_writer::write_head()
{
    add("local min, max, ceil_div, neither, V, F, T = ...");
    std::string parameters, values;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (!used_[i]) continue;
        code_.tables.push_back(i < before_.size() ? &before_[i] : &levels_[i - before_.size()]);
        add("local v" + number(i) + " = V[" + number(code_.tables.size()) + "]");
        if (i >= before_.size()) continue;
        code_.used_before.push_back(i);
        parameters += (parameters.empty() ? "i" : ", i") + number(i);
        values += " local p" + number(i) + " = v" + number(i) + "[i" + number(i) + "]";
    }
    add("return function(" + parameters + ")" + values + " local n, visited = 0, 0");
    for (std::size_t k = 0; k < code_.counted.size(); ++k)
        add((has_local_counters() ? "local " : "") + counter(k) + " = 0");
}

// The loop over the level's values; over a single one if its `when` is false.
void scan_writer::open_level(std::size_t level)
{
    const scan_level& opened = levels_[level];
    const std::string i = place(level);
    if (opened.when.empty()) {
        add("for i" + i + " = 1, " + number(opened.values.size()) + " do");
    } else {
        const std::string otherwise = number(opened.otherwise + 1);
        add("local a" + i + ", b" + i + " = 1, " + number(opened.listed));
        add("do local w = ", opened.when, "");
        add("if w == false then a" + i + ", b" + i + " = " + otherwise + ", " + otherwise);
        code_.condition_of_line[line_ + 1] = opened.when;
        add("elseif w ~= true then neither() end end");
        add("for i" + i + " = a" + i + ", b" + i + " do");
    }
    add("visited = visited + 1");
    if (used_[before_.size() + level]) add("local p" + i + " = v" + i + "[i" + i + "]");
}

void scan_writer::write_conditions(std::size_t level)
{
    for (const std::size_t condition : levels_[level].conditions) {
        const std::string count = counter(next_counter_++);
        add("do local c = ", conditions_[condition],
            " if c ~= true then if c ~= false then neither() end " + count + " = " + count + " + 1 goto next" +
                place(level) + " end end");
    }
}

void scan_writer::write_end(const std::string& point)
{
    add("n = n + 1 F[n] = " + point);
    for (std::size_t level = levels_.size(); level-- > 0;) add("::next" + place(level) + ":: end");
    if (has_local_counters())
        for (std::size_t k = 0; k < code_.counted.size(); ++k) add("T[" + number(k + 1) + "] = " + counter(k));
    add("return n, visited end");
}

std::string scan_writer::counter(std::size_t k) const
{
    return has_local_counters() ? "t" + number(k) : "T[" + number(k + 1) + "]";
}

void scan_writer::add(const std::string& line)
{
    code_.text += line + "\n";
    ++line_;
}

void scan_writer::add(const std::string& start, const std::string& expression, const std::string& end)
{
    code_.condition_of_line[line_ + 1] = expression;
    add(start + "(" + in_lua(expression_tokens(expression), names_, constants_) + ")" + end);
}

}  // namespace

scan_code code_of_scan(const std::vector<std::string>& names, const std::vector<scan_level>& before,
                       const std::vector<scan_level>& levels, const std::vector<std::string>& conditions,
                       const named_constants& constants)
{
    return scan_writer(names, before, levels, conditions, constants).write();
}

}  // namespace launchbox
