// Python's meaning, compared with Python itself: hundreds of random expressions, evaluated and as conditions of a spec.
#include "tune/t1/python_expression.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"
#include "tune/t1/python_to_lua.hpp"

namespace launchbox {
namespace {

std::string value_text(const std::string& text, const python_scope& scope = {})
{
    return repr_of(python_expression(text)(scope));
}

std::string python_complaint(const std::string& text)
{
    try {
        return "no complaint: " + value_text(text);
    } catch (const error& failure) {
        return failure.what();
    }
}

TEST(python_expression, has_the_forms_of_tuning_problems)
{
    EXPECT_EQ(value_text("[16*i for i in range(1,9)]"), "[16, 32, 48, 64, 80, 96, 112, 128]");
    EXPECT_EQ(value_text("[1] + [2 * i for i in range(1, 4)]"), "[1, 2, 4, 6]");
    EXPECT_EQ(value_text("[1, 2, 4] + list(range(32, 128+1, 32))"), "[1, 2, 4, 32, 64, 96, 128]");
    EXPECT_EQ(value_text("[2**i for i in range(0, 6)]"), "[1, 2, 4, 8, 16, 32]");
    EXPECT_EQ(value_text("[x*y for x in [1, 2] for y in (3, 5) if x*y > 3 if x*y != 6]"), "[5, 10]");
    EXPECT_EQ(value_text("[a - b for a, b in [(5, 1), [7, 2]]]"), "[4, 5]");
    EXPECT_EQ(value_text("sorted([3, 1, 2])[-1]"), "3");
    EXPECT_EQ(value_text("sum(i for i in range(5))"), "10");
    EXPECT_EQ(value_text("['a' 'b', \"it's\"]"), "['ab', 'it's']");
    EXPECT_EQ(value_text("32, 64"), "(32, 64)");
    EXPECT_EQ(value_text("[\n  1,\n  2,\n]"), "[1, 2]");
    EXPECT_EQ(value_text("1_000 + 0x10 + .5"), "1016.5");
}

TEST(python_expression, a_name_alone_stands_for_its_list)
{
    const python_scope scope{{{"w", {std::int64_t{3}}}}, {{"w", python_list_of({std::int64_t{3}, std::int64_t{15}})}}};
    EXPECT_EQ(value_text("max(w) * 100 + w", scope), "1503");
    EXPECT_EQ(value_text("len(w) + w[1]", scope), "17");
    EXPECT_EQ(value_text("max(w, 1)", scope), "3");
}

TEST(python_expression, too_much_is_one_error_and_no_memory)
{
    for (const char* text : {"[0]*10**9", "range(10**12)", "[[0]*1000]*10000000", "'a'*10**12",
                             "[i for i in range(10**6) for j in range(10**6)]",
                             "sum([1 for i in range(1000) for j in range(1000) for k in range(1000)])",
                             "[0]*9223372036854775807", "len(range(-9223372036854775807, 9223372036854775807))"})
        EXPECT_TRUE(python_complaint(text).starts_with("it needs more than 1,000,000 steps")) << python_complaint(text);
    for (const char* text : {"2**64", "10**19", "9223372036854775807 + 1", "3**-0 * 2**63", "1 << 63"})
        EXPECT_TRUE(python_complaint(text).starts_with("a whole number does not fit")) << python_complaint(text);
    EXPECT_TRUE(python_complaint("99999999999999999999").starts_with("the number 99999999999999999999 does not fit"));
    std::string deep = "1";
    for (int i = 0; i < 100000; ++i) deep.insert(0, "(");
    EXPECT_TRUE(python_complaint(deep).starts_with("the expression is nested too deeply")) << python_complaint(deep);
    std::string chain = "1";
    for (int i = 0; i < 50000; ++i) chain += "+1";
    EXPECT_TRUE(python_complaint(chain).starts_with("the expression is nested too deeply")) << python_complaint(chain);
}

TEST(python_expression, what_is_not_supported_is_named_with_its_place)
{
    EXPECT_EQ(python_complaint("a.append(1)"), "modules and methods are not supported (column 2 of 'a.append(1)')");
    EXPECT_EQ(python_complaint("1 && 2"), "unexpected '&' (column 4 of '1 && 2')");
    EXPECT_EQ(python_complaint("open('x')"), "the function open is not supported (column 1 of 'open('x')')");
    EXPECT_EQ(python_complaint("[1, 2"), "] expected, but there is end (column 6 of '[1, 2')");
    EXPECT_EQ(python_complaint("3 + x"), "unknown name x (column 5 of '3 + x')");
    EXPECT_EQ(python_complaint(""), "the expression is empty (column 1 of '')");
    EXPECT_EQ(python_complaint("1 % 0"), "a division by zero (column 3 of '1 % 0')");
    EXPECT_EQ(python_complaint("'a' + 1"), "+ does not apply to str and int (column 5 of ''a' + 1')");
    EXPECT_EQ(python_complaint("lambda"), "unexpected 'lambda' (column 1 of 'lambda')");
    EXPECT_EQ(python_complaint("{1}"), "{ is not allowed in an expression (column 1 of '{1}')");
}

// What Python says of each: repr of its value, or "error".
std::vector<std::string> python_says(const std::string& assignments, const std::vector<std::string>& expressions)
{
    const temporary_directory folder;
    std::ofstream(folder.path() / "script.py") << R"py(import sys
names = [eval(line) for line in open(sys.argv[1])]
for line in open(sys.argv[2]):
    try:
        code = compile(line.strip(), "", "eval")
    except SyntaxError:
        code = ")"
    for each in names:
        try:
            print(repr(eval(code, dict(each))))
        except Exception as problem:
            print("error", type(problem).__name__)
)py";
    std::ofstream(folder.path() / "names") << assignments;
    std::ofstream file(folder.path() / "expressions");
    for (const std::string& expression : expressions) file << expression << "\n";
    file.close();
    const subprocess_result result =
        run({"python3", "-W", "ignore", (folder.path() / "script.py").string(), (folder.path() / "names").string(),
             (folder.path() / "expressions").string()});
    EXPECT_EQ(result.exit_code, 0) << result.output.substr(0, 2000);
    std::vector<std::string> lines;
    std::istringstream stream(result.output);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// Random expressions that are mostly right.
class random_expressions {
public:
    explicit random_expressions(unsigned seed) : random_(seed) {}

    std::string number(int depth)
    {
        if (depth <= 0)
            return pick(
                {"a", "b", "a", "b", "c", "t", "1", "2", "3", "7", "-4", "0", "32", "1.5", "0.1", "64", "True"});
        const auto n = [&] { return number(depth - 1); };
        switch (below(12)) {
            case 0:
                return n() + " + " + n();
            case 1:
                return n() + " - " + n();
            case 2:
                return n() + " * " + n();
            case 3:
                return "(" + n() + ") // (" + n() + ")";
            case 4:
                return "(" + n() + ") % (" + n() + ")";
            case 5:
                return n() + " / " + n();
            case 6:
                return "-" + number(0) + pick({" ** 2", " ** 3", " ** b", " * 2"});
            case 7:
                return pick({"max", "min"}) + "(" + n() + ", " + n() + ")";
            case 8:
                return pick({"abs", "int", "float"}) + "(" + n() + ")";
            case 9:
                return "(" + n() + " if " + truth(depth - 1) + " else " + n() + ")";
            case 10:
                return "(" + n() + pick({" or ", " and "}) + n() + ")";
            default:
                return "(" + n() + pick({" + ", " - ", " * ", " << ", " >> ", " & ", " | ", " ^ "}) + number(0) + ")";
        }
    }

    std::string truth(int depth)
    {
        const auto n = [&] { return number(depth - 1); };
        if (depth <= 0) return pick({"t", "a == 8", "b > 1", "not t", "s == 'up'", "a", "s != 'down'", "t == 1"});
        switch (below(9)) {
            case 0:
                return n() + pick({" < ", " <= ", " == ", " != ", " >= ", " > "}) + n();
            case 1:
                return n() + pick({" < ", " <= "}) + n() + pick({" < ", " <= ", " == "}) + n();
            case 2:
                return "(" + truth(depth - 1) + " or " + truth(depth - 1) + ")";
            case 3:
                return truth(depth - 1) + " and " + truth(depth - 1);
            case 4:
                return "not (" + truth(depth - 1) + ")";
            case 5:
                return n() + pick({" in ", " not in "}) +
                       pick({"[1, 2, 8]", "(a, b)", "range(0, 64, 8)", "[1.5, True, 'up']"});
            case 6:
                return "s" + pick({" in ['up', 'left']", " == 'up'", " not in ('down',)", " != 'it'"});
            case 7:
                return pick({"any", "all"}) + "([" + truth(depth - 1) + ", " + truth(depth - 1) + "])";
            default:
                return n();
        }
    }

    std::string list(int depth)
    {
        if (depth <= 0) return pick({"[a, b, c]", "[3, 1, 2]", "list(range(a))", "(1, b)", "[]", "['x', s]"});
        switch (below(6)) {
            case 0:
                return list(depth - 1) + " + " + list(depth - 1);
            case 1:
                return "[x * " + number(0) + " for x in " + list(depth - 1) + pick({"", " if x > 1", " if x % 2"}) +
                       "]";
            case 2:
                return "sorted(" + list(depth - 1) + ")";
            case 3:
                return "list(" + list(depth - 1) + ") * " + pick({"2", "0", "b"});
            case 4:
                return "[" + number(depth - 1) + ", " + list(depth - 1) + "[" + pick({"0", "-1", "1"}) + "]]";
            default:
                return "[sum(" + list(depth - 1) + "), len(" + list(depth - 1) + "), x] if (a := 0) else 1";
        }
    }

    std::string any(int depth)
    {
        const int what = below(3);
        return what == 0 ? number(depth) : what == 1 ? truth(depth) : list(depth);
    }

private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    std::string pick(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
    std::mt19937 random_;
};

const std::vector<parameter_value> a_values{std::int64_t{1}, std::int64_t{8}, std::int64_t{-3}, std::int64_t{0},
                                            std::int64_t{32}},
    b_values{std::int64_t{2}, std::int64_t{5}}, c_values{0.5, 3.0, -2.25}, t_values{true, false},
    s_values{std::string("up"), std::string("down")};

std::vector<assignment> all_assignments()
{
    std::vector<assignment> all;
    for (const auto& a : a_values)
        for (const auto& b : b_values)
            for (const auto& c : c_values)
                for (const auto& t : t_values)
                    for (const auto& s : s_values) all.push_back({{{"a", a}, {"b", b}, {"c", c}, {"t", t}, {"s", s}}});
    return all;
}

std::string python_text(const std::vector<assignment>& all)
{
    std::string text;
    for (const assignment& values : all) {
        text += "{";
        for (const auto& [name, value] : values.values) text += "'" + name + "': " + repr_of(python_of(value)) + ", ";
        text += "}\n";
    }
    return text;
}

TEST(python_oracle, random_expressions_have_python_s_value)
{
    if (find_in_path("python3").empty()) GTEST_SKIP() << "there is no python3";
    const std::vector<assignment> all = all_assignments();
    random_expressions random(20261121);
    std::vector<std::string> expressions;
    for (int i = 0; i < 400; ++i) expressions.push_back(random.any(1 + i % 4));
    const std::vector<std::string> answers = python_says(python_text(all), expressions);
    ASSERT_EQ(answers.size(), expressions.size() * all.size());
    std::size_t equal = 0, refused = 0, errors = 0;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const std::string& python = answers[i * all.size() + j];
            python_scope scope;
            for (const auto& [name, value] : all[j].values) scope.names[name] = python_of(value);
            std::string ours, why;
            try {
                ours = value_text(expressions[i], scope);
            } catch (const error& failure) {
                ours = "error";
                why = failure.what();
            }
            if (ours == "error" && !python.starts_with("error")) {
                // What we do not have on purpose.
                const bool on_purpose =
                    why.find("64 bits") != std::string::npos || why.find("complex") != std::string::npos ||
                    why.find("unexpected") != std::string::npos || why.find("expected, and") != std::string::npos;
                EXPECT_TRUE(on_purpose || why.find("not allowed in an expression") != std::string::npos)
                    << expressions[i] << ": " << why << ", Python: " << python;
                ++refused;
            } else if (python.starts_with("error")) {
                EXPECT_EQ(ours, "error") << expressions[i] << " with " << parameter_text(all[j])
                                         << ", Python: " << python;
                ++errors;
            } else {
                EXPECT_EQ(ours, python) << expressions[i] << " with " << parameter_text(all[j]);
                ++equal;
            }
            if (HasFailure()) return;
        }
    EXPECT_GT(equal, expressions.size() * all.size() / 2);
    EXPECT_GT(errors, 100U);
    EXPECT_LT(refused, expressions.size() * all.size() / 5);
    RecordProperty("equal", static_cast<int>(equal));
}

TEST(python_oracle, random_conditions_mean_the_same_in_a_spec)
{
    if (find_in_path("python3").empty()) GTEST_SKIP() << "there is no python3";
    const std::vector<assignment> all = all_assignments();
    random_expressions random(7);
    std::vector<std::string> expressions;
    for (int i = 0; i < 600; ++i) expressions.push_back(random.truth(1 + i % 4));
    const std::vector<std::string> answers = python_says(python_text(all), [&] {
        std::vector<std::string> truths;
        for (const std::string& expression : expressions) truths.push_back("not not (" + expression + ")");
        return truths;
    }());
    ASSERT_EQ(answers.size(), expressions.size() * all.size());
    const python_names names{{{"a", {"a", a_values}},
                              {"b", {"b", b_values}},
                              {"c", {"c", c_values}},
                              {"t", {"t", t_values}},
                              {"s", {"s", s_values}}}};
    std::size_t translated = 0, errors = 0;
    std::map<std::string, int> refused;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        std::vector<value_expression> ours;
        std::string text;
        try {
            for (const std::string& condition : conditions_in_lua(python_expression(expressions[i]), names)) {
                ours.emplace_back(condition);
                text += condition + " | ";
            }
        } catch (const error& failure) {
            const std::string why = failure.what();
            ++refused[why.substr(0, why.find(" ("))];
            continue;
        }
        ++translated;
        for (std::size_t j = 0; j < all.size(); ++j) {
            std::string truth = "True";
            try {
                for (const value_expression& our : ours)
                    if (!our.truth(all[j])) truth = "False";
            } catch (const error&) {
                truth = "error";
            }
            const std::string& python = answers[i * all.size() + j];
            ASSERT_EQ(truth, python.substr(0, truth == "error" ? 5 : python.size()))
                << expressions[i] << "\nas " << text << "\nwith " << parameter_text(all[j]);
            errors += truth == "error" ? 1 : 0;
        }
    }
    std::string reasons;
    for (const auto& [why, count] : refused) reasons += std::to_string(count) + " " + why + "\n";
    EXPECT_GT(translated, expressions.size() / 2) << reasons;
    EXPECT_GT(errors, 0U);
    RecordProperty("translated", static_cast<int>(translated));
    RecordProperty("refused", reasons);
}

std::string translated(const std::string& text)
{
    const python_names names{{{"x", {"x", {std::int64_t{1}, std::int64_t{2}, std::int64_t{64}}}},
                              {"y", {"y", {std::int64_t{16}, std::int64_t{32}}}},
                              {"f", {"f", {0.5, 1.0}}},
                              {"t", {"t", {true, false}}},
                              {"s", {"s", {std::string("up"), std::string("it's")}}}}};
    try {
        std::string all;
        for (const std::string& condition : conditions_in_lua(python_expression(text), names))
            all += (all.empty() ? "" : "; ") + condition;
        return all;
    } catch (const error& failure) {
        return std::string("refused: ") + failure.what();
    }
}

TEST(python_to_lua, conditions_stay_readable)
{
    EXPECT_EQ(translated("32 <= x*y <= 1024"), "32 <= x * y and x * y <= 1024");
    EXPECT_EQ(translated("x != 2 and y > 16"), "x ~= 2; y > 16");
    EXPECT_EQ(translated("x in [1, 2]"), "x == 1 or x == 2");
    EXPECT_EQ(translated("not (x == 1 and t)"), "not (x == 1 and t)");
    EXPECT_EQ(translated("x"), "x ~= 0");
    EXPECT_EQ(translated("t == 1"), "(t and 1 or 0) == 1");
    EXPECT_EQ(translated("s == \"it's\""), "s == 'it\\'s'");
    EXPECT_EQ(translated("x ** 2 < 100"), "x * x < 100");
    EXPECT_EQ(translated("2 ** x % 7 == 0 if x < 60 else True"),
              "refused: a power that may be too large (column 3 of '2 ** x % 7 == 0 if x < 60 else True')");
    EXPECT_EQ(translated("max(x) <= 64"), "true");
    EXPECT_EQ(translated("y // x / 2 == 4"), "y // x / 2 == 4");
    // A division that may fail is not tried alone.
    EXPECT_EQ(translated("y > 16 and y % (x - 1) == 0"), "y > 16 and y % (x - 1) == 0");
    EXPECT_EQ(translated("x * 10**18 > 1"),
              "refused: a whole number that may exceed 64 bits (column 3 of 'x * 10**18 > 1')");
    EXPECT_EQ(translated("s < 'b'"), "refused: the order of strings (column 3 of 's < 'b'')");
    EXPECT_EQ(translated("round(f) == 1"), "refused: round of a fraction (column 1 of 'round(f) == 1')");
}

}  // namespace
}  // namespace launchbox
