// The search space against nested loops: every candidate, its index, its neighbours, and why other points are not
// candidates.
#include "tune/space/search_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "support/error.hpp"

namespace launchbox {
namespace {

parameter_value integer(std::int64_t value)
{
    return value;
}

std::vector<parameter_value> integers(std::int64_t from, std::int64_t to)
{
    std::vector<parameter_value> values;
    for (std::int64_t i = from; i <= to; ++i) values.emplace_back(i);
    return values;
}

std::int64_t number(const assignment& point, const std::string& name)
{
    return std::get<std::int64_t>(*point.find(name));
}

struct named_condition {
    std::string text;
    std::function<bool(const assignment&)> holds;
};

// Every point, with its parameters in the file's order; a parameter whose `when` is false only has the value
// `otherwise`. `when` may use any other parameter, so whole points are tested.
std::vector<assignment> by_nested_loops(const tune_spec& spec,
                                        const std::map<std::string, std::function<bool(const assignment&)>>& when,
                                        const std::vector<named_condition>& conditions)
{
    std::vector<assignment> points{{}};
    for (const tuning_parameter& parameter : spec.parameters) {
        std::vector<parameter_value> values = parameter.values;
        if (!parameter.when.empty() && std::find(values.begin(), values.end(), parameter.otherwise) == values.end())
            values.push_back(parameter.otherwise);
        std::vector<assignment> longer;
        for (const assignment& point : points)
            for (const parameter_value& value : values) {
                longer.push_back(point);
                longer.back().values.emplace_back(parameter.name, value);
            }
        points = std::move(longer);
    }
    std::erase_if(points, [&](const assignment& point) {
        for (const tuning_parameter& parameter : spec.parameters) {
            if (parameter.when.empty()) continue;
            const parameter_value& value = *point.find(parameter.name);
            const bool listed =
                std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end();
            if (when.at(parameter.when)(point) ? !listed : value != parameter.otherwise) return true;
        }
        return !std::all_of(conditions.begin(), conditions.end(),
                            [&](const auto& condition) { return condition.holds(point); });
    });
    return points;
}

void expect_same(const search_space& space, const std::vector<assignment>& right)
{
    ASSERT_EQ(space.size(), right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
        ASSERT_EQ(space.at(i), right[i]) << parameter_text(space.at(i)) << " and " << parameter_text(right[i]);
        ASSERT_EQ(space.find(right[i]), i);
        ASSERT_EQ(space.why_not(right[i]), "");
        std::vector<std::size_t> near;
        for (std::size_t j = 0; j < right.size() && right.size() < 400; ++j) {
            int different = 0;
            for (std::size_t p = 0; p < right[i].values.size(); ++p)
                different += right[i].values[p] != right[j].values[p] ? 1 : 0;
            if (different == 1) near.push_back(j);
        }
        if (right.size() < 400) {
            ASSERT_EQ(space.neighbours(i), near);
        }
    }
}

TEST(search_space, is_the_product_in_the_order_of_the_file)
{
    tune_spec spec;
    spec.parameters = {
        {"a", integers(1, 3)}, {"b", {std::string("x"), std::string("y")}}, {"c", {true, false}}, {"d", {0.5}}};
    const search_space space(spec, {});
    EXPECT_EQ(space.raw_size(), 12);
    expect_same(space, by_nested_loops(spec, {}, {}));
    EXPECT_EQ(parameter_text(space.at(1)), "a=1 b=x c=false d=0.5");
    EXPECT_EQ(space.find({{{"d", 0.5}, {"c", true}, {"b", std::string("y")}, {"a", 3.0}}}), 10u);
    EXPECT_EQ(space.find({{{"a", std::string("1")}, {"b", std::string("y")}, {"c", true}, {"d", 0.5}}}), std::nullopt);
    EXPECT_EQ(space.find({{{"a", integer(1)}}}), std::nullopt);
    EXPECT_EQ(space.why_not({{{"a", integer(9)}, {"b", std::string("y")}, {"c", true}, {"d", 0.5}}}),
              "a is 9, which the parameter does not have");
}

TEST(search_space, an_inactive_parameter_has_one_value)
{
    tune_spec spec;
    spec.parameters = {{"tile", integers(1, 4), "use_shared", integer(0)},
                       {"use_shared", {true, false}},
                       {"pad", integers(0, 2), "use_shared and tile > 2", integer(1)}};
    const std::map<std::string, std::function<bool(const assignment&)>> when{
        {"use_shared", [](const assignment& point) { return *point.find("use_shared") == parameter_value(true); }},
        {"use_shared and tile > 2", [](const assignment& point) {
             return *point.find("use_shared") == parameter_value(true) && number(point, "tile") > 2;
         }}};
    const search_space space(spec, {});
    expect_same(space, by_nested_loops(spec, when, {}));
    EXPECT_EQ(space.size(), 1u + 2 + 2 * 3);
    EXPECT_EQ(space.why_not({{{"tile", integer(2)}, {"use_shared", false}, {"pad", integer(1)}}}),
              "tile is 2, and must be 0 where use_shared is false");
    EXPECT_EQ(space.why_not({{{"tile", integer(0)}, {"use_shared", true}, {"pad", integer(1)}}}),
              "tile is 0, although use_shared is true");
    spec.constraints = {"tile + pad ~= 3"};
    expect_same(search_space(spec, {}),
                by_nested_loops(spec, when, {{"", [](const assignment& point) {
                                                  return number(point, "tile") + number(point, "pad") != 3;
                                              }}}));
}

TEST(search_space, random_specs_give_the_same_as_nested_loops)
{
    std::mt19937 random(7);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    std::size_t candidates = 0;
    for (int round = 0; round < 150; ++round) {
        tune_spec spec;
        const int count = 1 + below(6);
        for (int p = 0; p < count; ++p)
            spec.parameters.push_back(
                {"v" + std::to_string(p), integers(below(3), 3 + below(round % 10 == 0 ? 9 : 3))});
        std::map<std::string, std::function<bool(const assignment&)>> when;
        for (int p = 0; p < count; ++p) {
            if (below(3) != 0 || p + 1 == count) continue;
            // Only parameters further down, so that there is no cycle.
            const std::string other = "v" + std::to_string(p + 1 + below(count - p - 1));
            const int limit = below(5);
            spec.parameters[static_cast<std::size_t>(p)].when = other + " > " + std::to_string(limit);
            spec.parameters[static_cast<std::size_t>(p)].otherwise = integer(below(8));
            when[other + " > " + std::to_string(limit)] = [=](const assignment& point) {
                return number(point, other) > limit;
            };
        }
        std::vector<named_condition> conditions;
        for (int c = below(4); c > 0; --c) {
            const std::string a = "v" + std::to_string(below(count)), b = "v" + std::to_string(below(count)),
                              d = "v" + std::to_string(below(count));
            const int limit = 2 + below(14);
            switch (below(3)) {
                case 0:
                    conditions.push_back({a + " * " + b + " <= " + std::to_string(limit), [=](const assignment& point) {
                                              return number(point, a) * number(point, b) <= limit;
                                          }});
                    break;
                case 1:
                    conditions.push_back(
                        {"(" + a + " + " + b + " + " + d + ") % 3 ~= sm.max_blocks - 32", [=](const assignment& point) {
                             return (number(point, a) + number(point, b) + number(point, d)) % 3 != 0;
                         }});
                    break;
                default:
                    conditions.push_back(
                        {"max(" + a + ", " + b + ") >= 2 or " + d + " == 1", [=](const assignment& point) {
                             return std::max(number(point, a), number(point, b)) >= 2 || number(point, d) == 1;
                         }});
            }
        }
        for (const named_condition& condition : conditions) spec.constraints.push_back(condition.text);
        const std::vector<assignment> right = by_nested_loops(spec, when, conditions);
        const search_space space(spec, {{"sm.max_blocks", integer(32)}});
        expect_same(space, right);
        if (HasFatalFailure()) FAIL() << "round " << round;
        candidates += right.size();
        // Points that are not candidates.
        for (int i = 0; i < 20; ++i) {
            assignment point;
            for (const tuning_parameter& parameter : spec.parameters)
                point.values.emplace_back(
                    parameter.name,
                    parameter.values[static_cast<std::size_t>(below(static_cast<int>(parameter.values.size())))]);
            const bool is_one = std::find(right.begin(), right.end(), point) != right.end();
            ASSERT_EQ(space.find(point).has_value(), is_one);
            ASSERT_EQ(space.why_not(point).empty(), is_one);
        }
    }
    EXPECT_GT(candidates, 5000u);
}

// 64 parameters: more than fit into the bits of a word, or into one loop nest.
TEST(search_space, sixty_four_parameters_and_one_point_in_two_to_the_hundred)
{
    tune_spec spec;
    for (int p = 0; p < 64; ++p) {
        spec.parameters.push_back({"p" + std::to_string(p), integers(0, 3)});
        if (p > 0) spec.constraints.push_back("p" + std::to_string(p) + " == p" + std::to_string(p - 1));
    }
    const search_space space(spec, {});
    ASSERT_EQ(space.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        for (const auto& [name, value] : space.at(i).values) EXPECT_EQ(value, integer(static_cast<std::int64_t>(i)));
        EXPECT_EQ(space.find(space.at(i)), i);
        EXPECT_TRUE(space.neighbours(i).empty());
    }
}

TEST(search_space, many_candidates_are_found_by_all_cores_in_order)
{
    tune_spec spec;
    spec.parameters = {{"a", integers(0, 99)}, {"b", integers(0, 39)}, {"c", integers(0, 49)}, {"d", integers(0, 1)}};
    spec.constraints = {"a % 7 + b % 5 + c % 3 == 4", "c > 3"};
    std::size_t i = 0;
    double part = 0;
    const search_space space(spec, {}, 1'000'000, [&](double done) { part = done; });
    for (std::int64_t a = 0; a < 100; ++a)
        for (std::int64_t b = 0; b < 40; ++b)
            for (std::int64_t c = 4; c < 50; ++c)
                for (std::int64_t d = 0; d < 2; ++d)
                    if (a % 7 + b % 5 + c % 3 == 4) {
                        ASSERT_EQ(space.at(i), (assignment{{{"a", a}, {"b", b}, {"c", c}, {"d", d}}}));
                        ++i;
                    }
    EXPECT_EQ(space.size(), i);
    EXPECT_EQ(part, 1);
}

TEST(search_space, exclusions_are_counted_by_reason)
{
    tune_spec spec;
    spec.parameters = {{"a", integers(1, 10)}, {"b", integers(1, 10)}};
    spec.constraints = {"a > 5", "a + b > 20", "1 < 2"};
    const search_space space(spec, {});
    EXPECT_EQ(space.size(), 0u);
    using counts = std::vector<std::pair<std::string, std::uint64_t>>;
    EXPECT_EQ(space.rejections(), (counts{{"a > 5", 5}, {"a + b > 20", 50}, {"1 < 2", 0}}));
    spec.constraints = {"2 < 1"};
    EXPECT_EQ(search_space(spec, {}).rejections(), (counts{{"2 < 1", 1}}));
}

TEST(search_space, a_constraint_with_a_workload_value_is_evaluated_later)
{
    tune_spec spec;
    spec.parameters = {{"a", integers(1, 3)}};
    spec.workloads = {{{{{"n", integer(2)}}}, 1}, {{{{"n", integer(3)}}}, 1}};
    spec.constraints = {"a <= n", "a ~= 2"};
    const search_space space(spec, {});
    EXPECT_EQ(space.size(), 2u);
    EXPECT_EQ(space.workload_constraints(), (std::vector<std::string>{"a <= n"}));
    EXPECT_EQ(space.why_not(space.at(1), spec.workloads[0]), "a <= n");
    EXPECT_EQ(space.why_not(space.at(1), spec.workloads[1]), "");
    EXPECT_EQ(space.why_not({{{"a", integer(2)}}}), "a ~= 2");
}

std::string complaint(const tune_spec& spec, const limit_values& limits = {}, std::size_t max_candidates = 1000)
{
    try {
        const search_space space(spec, limits, max_candidates);
        return {};
    } catch (const error& failure) {
        return std::string(failure.what()) + " | " + failure.hint();
    }
}

TEST(search_space, a_space_that_is_too_large_is_reported_before_any_work)
{
    tune_spec spec;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) spec.parameters.push_back({name, integers(1, 100)});
    EXPECT_EQ(complaint(spec),
              "the space has 1,000,000,000,000 candidates, and at most 1,000 are allowed | add constraints, or give "
              "fewer values");
    spec.constraints = {"a + b + c + d + e + f == 6"};
    EXPECT_EQ(complaint(spec),
              "the space has 1e+12 points to visit before a constraint can reject some | add constraints on few "
              "parameters, or give fewer values");
    spec.constraints = {"a == 1"};
    EXPECT_EQ(
        complaint(spec),
        "the space has at least 10,000,000,000 candidates, and at most 1,000 are allowed | add constraints, or give "
        "fewer values");
    spec.parameters.resize(2);
    spec.constraints = {"a + b > 100"};
    EXPECT_NE(complaint(spec).find("candidates, and at most 1,000 are allowed"), std::string::npos);
}

TEST(search_space, a_failing_constraint_is_named)
{
    tune_spec spec;
    spec.parameters = {{"a", integers(1, 3)}, {"p1", {std::string("x")}}};
    spec.constraints = {"a < p1"};
    EXPECT_TRUE(complaint(spec).starts_with("cannot evaluate 'a < p1': attempt to compare number with string | "))
        << complaint(spec);
    spec.constraints = {"a"};
    EXPECT_NE(complaint(spec).find("'a': it is neither true nor false"), std::string::npos) << complaint(spec);
    spec.constraints = {"a // (a - 2) > 0"};
    EXPECT_NE(complaint(spec).find("cannot evaluate 'a // (a - 2) > 0': attempt to divide by zero"), std::string::npos)
        << complaint(spec);
    spec.constraints = {"a // (a - 2) > 0", "a % (a - 2) > 0"};
    EXPECT_NE(complaint(spec).find("one of the constraints with // or %: attempt to"), std::string::npos);
    spec.constraints = {"a < unknown"};
    EXPECT_NE(complaint(spec).find("unknown name 'unknown'"), std::string::npos);
    spec.constraints = {"a < sm.max_threads"};
    EXPECT_NE(complaint(spec).find("--arch sm_90"), std::string::npos);
    spec.constraints = {"a < device.sms"};
    EXPECT_NE(complaint(spec, {{"sm.max_threads", integer(1)}}).find("only available on a machine with the GPU"),
              std::string::npos);
}

TEST(search_space, the_limits_of_a_gpu_have_names)
{
    gpu_device gpu;
    gpu.name = "a GPU";
    gpu.sms = 132;
    gpu.capability = {9, 0};
    const limit_values limits = limits_for_expressions(*find_sm_limits({9, 0}), &gpu);
    EXPECT_EQ(limits.at("sm.max_threads"), integer(2048));
    EXPECT_EQ(limits.at("sm.max_warps"), integer(64));
    EXPECT_EQ(limits.at("sm.shared_per_block"), integer(49152));
    EXPECT_EQ(limits.at("sm.shared_per_block_opt_in"), integer(232448));
    EXPECT_EQ(limits.at("device.compute_capability"), integer(90));
    EXPECT_EQ(limits.at("device.name"), parameter_value(std::string("a GPU")));
    EXPECT_FALSE(limits_for_expressions(*find_sm_limits({9, 0}), nullptr).contains("device.sms"));
}

}  // namespace
}  // namespace launchbox
