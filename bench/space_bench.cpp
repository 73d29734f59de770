// Finding 10^5 candidates among 10^8 points, against testing the same expressions on each point of the full product.
// Prints seconds and ratios; LAUNCHBOX_RECORD names the file to which they are written.
#include <chrono>
#include <cstdio>
#include <thread>

#include "record.hpp"
#include "tune/space/search_space.hpp"

namespace {

using namespace launchbox;

double seconds_of(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

tune_spec spec_with(std::vector<std::string> constraints)
{
    tune_spec spec;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        tuning_parameter& parameter = spec.parameters.emplace_back();
        parameter.name = name;
        for (std::int64_t value = 1; value <= 10; ++value) parameter.values.emplace_back(value);
    }
    spec.constraints = std::move(constraints);
    return spec;
}

// The first `most` points of the product, tested by the simplest code.
std::size_t naive(const tune_spec& spec, std::uint64_t most)
{
    std::vector<value_expression> expressions;
    for (const std::string& each : spec.constraints) expressions.emplace_back(each);
    assignment point;
    for (const tuning_parameter& each : spec.parameters) point.values.emplace_back(each.name, each.values[0]);
    std::size_t found = 0;
    for (std::uint64_t i = 0; i < most; ++i) {
        std::uint64_t rest =
            i * 7919 % 100'000'000;  // spread over the whole product: 7919 and 10 have no common divisor
        for (std::size_t p = spec.parameters.size(); p-- > 0; rest /= 10)
            point.values[p].second = spec.parameters[p].values[rest % 10];
        bool right = true;
        for (const value_expression& each : expressions) right = right && each.truth(point);
        found += right ? 1 : 0;
    }
    return found;
}

}  // namespace

int main()
{
    constexpr double points = 1e8;
    constexpr std::uint64_t naive_points = 4'000'000;
    const std::pair<const char*, tune_spec> spaces[] = {
        {"early constraints", spec_with({"a * b == 12", "c + d <= 7", "e * f > 80 or e == f"})},
        {"one that names everything", spec_with({"a * b + c * d + e * f + g * h == 79 and (a + b + c + d) % 9 == 3"})}};
    nlohmann::ordered_json json{{"cores", std::thread::hardware_concurrency()}, {"points", points}};
    std::printf("%-28s %12s %10s %16s %8s\n", "constraints", "candidates", "seconds", "full product, s", "ratio");
    for (const auto& [name, spec] : spaces) {
        std::size_t size = 0;
        const double ours = seconds_of([&] { size = search_space(spec, {}).size(); });
        std::size_t hits = 0;
        const double theirs = seconds_of([&] { hits = naive(spec, naive_points); }) * points / naive_points;
        std::printf("%-28s %12zu %10.3f %16.1f %7.1fx\n", name, size, ours, theirs, theirs / ours);
        json["spaces"].push_back({{"constraints", name},
                                  {"candidates", size},
                                  {"seconds", ours},
                                  {"full_product_points_tried", naive_points},
                                  {"full_product_candidates_found", hits},
                                  {"full_product_seconds_for_all_points", theirs},
                                  {"times_as_fast", theirs / ours}});
    }
    bench::record("bench/space_bench", json);
}
