// Linking units that use launch_box.cuh: the bounds after a device link, and which symbols the units share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "launch_box/expected_rows.hpp"
#include "launch_box/workshop.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

// Two objects for one chip, whose code was compiled for different virtual architectures.
void compile_both(const workshop& shop)
{
    shop.write("a.cu",
               "#include \"bodies.cuh\"\nvoid use_b(int*, int);\n"
               "int main() { launchbox::launch<plain>(nullptr, 1, nullptr, 1); use_b(nullptr, 1); }\n");
    shop.write("b.cu",
               "#include \"bodies.cuh\"\n"
               "void use_b(int* data, int count) { launchbox::launch<staged>(nullptr, count, data, count); }\n");
}

TEST(launch_box_link, a_device_link_marks_the_image_with_the_oldest_architecture_but_the_probes_are_right)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    compile_both(shop);
    shop.nvcc({"-rdc=true", code("90", "sm_90"), "-c", "a.cu", "-o", "a.o"});
    shop.nvcc({"-rdc=true", code("80", "sm_90"), "-c", "b.cu", "-o", "b.o"});
    shop.nvcc({"-arch=sm_90", "-cudart=static", "a.o", "b.o", "-o", "program"});

    std::vector<image> linked = shop.images("program");
    std::erase_if(linked, [](const image& one) { return one.relocatable || one.kernels.empty(); });
    ASSERT_EQ(linked.size(), 1u);
    const image& program = linked.front();
    EXPECT_EQ(program.architecture, "sm_90");
    EXPECT_EQ(program.kernels.size(), 4u);  // plain, staged, and a probe for each
    EXPECT_EQ(program["plain"].bounds.max_threads, (std::array{row_90.threads, 1, 1}));
    EXPECT_EQ(program["plain"].bounds.register_cap, row_90.register_cap);
    EXPECT_EQ(program["staged"].bounds.max_threads, (std::array{row_80.threads, 1, 1}));
    EXPECT_EQ(program["staged"].bounds.register_cap, row_80.register_cap);
    EXPECT_EQ(program["staged"].figures.static_shared_bytes, row_80.threads * row_80.items * 4);
    std::multiset<std::string> probes;
    for (const auto& [name, kernel] : program.kernels) {
        // The runtime's ptxVersion: wrong for the kernels in a.cu.
        EXPECT_EQ(kernel.virtual_architecture, "compute_80") << name;
        if (name == "probe")
            probes.insert(demangle(kernel.name) + " " + std::to_string((*kernel.bounds.max_threads)[0]));
    }
    EXPECT_EQ(probes, (std::multiset<std::string>{
                          "void launchbox::detail::architecture_probe<launchbox::detail::unit_for<800>>() 80",
                          "void launchbox::detail::architecture_probe<launchbox::detail::unit_for<900>>() 90"}));
}

TEST(launch_box_link, link_time_optimisation_keeps_the_bounds)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    const std::string nvcc = shop.nvcc_with_nvvm();
    if (nvcc.empty()) GTEST_SKIP() << "no libnvvm.so beside nvcc";
    compile_both(shop);
    for (const char* unit : {"a.cu", "b.cu"}) shop.nvcc({"-rdc=true", code("90", "lto_90"), "-c", unit}, nvcc);
    shop.nvcc({"-dlto", "-arch=sm_90", "-cudart=static", "a.o", "b.o", "-o", "program"}, nvcc);

    std::vector<image> linked = shop.images("program");
    std::erase_if(linked, [](const image& one) { return one.kind != "cubin" || one.kernels.empty(); });
    ASSERT_EQ(linked.size(), 1u);
    const image& program = linked.front();
    EXPECT_EQ(program.kernels.size(), 3u);
    for (const char* name : {"plain", "staged"}) {
        EXPECT_EQ(program[name].bounds.max_threads, (std::array{row_90.threads, 1, 1})) << name;
        EXPECT_EQ(program[name].bounds.register_cap, row_90.register_cap) << name;
    }
    EXPECT_EQ(program["probe"].bounds.max_threads, (std::array{90, 1, 1}));
}

// Symbols that the linker merges or finds in other objects, with their letters in nm: "W launchbox::...".
std::multiset<std::string> shared_symbols(const workshop& shop, const std::string& file)
{
    std::multiset<std::string> symbols;
    std::istringstream lines(run({"nm", "-C", "--defined-only", shop.path(file)}).output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 19 && std::string("WVu").find(line[17]) != std::string::npos) symbols.insert(line.substr(17));
    return symbols;
}

// The symbols of launch_box for a body, without the one that gives its name.
std::multiset<std::string> symbols_of_bodies(const std::multiset<std::string>& all)
{
    std::multiset<std::string> found;
    for (const std::string& symbol : all) {
        const auto has = [&](const char* part) { return symbol.find(part) != std::string::npos; };
        if (has("launchbox::") && !has("type_name<") && (has("<plain") || has("<staged") || has("architecture_probe<")))
            found.insert(symbol);
    }
    return found;
}

std::multiset<std::string> in_both(const std::multiset<std::string>& a, const std::multiset<std::string>& b)
{
    std::multiset<std::string> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}

std::ptrdiff_t count_with(const std::multiset<std::string>& symbols, const std::string& start, const std::string& end)
{
    return std::count_if(symbols.begin(), symbols.end(),
                         [&](const std::string& symbol) { return symbol.starts_with(start) && symbol.ends_with(end); });
}

const char* const pointers_of_plain = "u launchbox::detail::unit_pointers<plain, ";
const char* const entry_of_plain = "u launchbox::detail::tuned_entry<plain, ";

// Two whole programs from two files with a common header.
void compile_two_units(const workshop& shop, const std::vector<std::string>& first,
                       const std::vector<std::string>& second)
{
    shop.write("a.cu",
               "#include \"bodies.cuh\"\nvoid use_b(int*, int);\n"
               "int main() { launch_both(nullptr, 1); use_b(nullptr, 1); }\n");
    shop.write("b.cu", "#include \"bodies.cuh\"\nvoid use_b(int* data, int count) { launch_both(data, count); }\n");
    const auto compile = [&](std::vector<std::string> options, const std::string& unit) {
        options.insert(options.end(), {"-c", unit});
        shop.nvcc(options);
    };
    compile(first, "a.cu");
    compile(second, "b.cu");
    shop.nvcc({"-cudart=static", "a.o", "b.o", "-o", "program"});
}

TEST(launch_box_link, units_with_different_lists_share_no_symbol_of_a_body)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    compile_two_units(shop, {code("80", "sm_80")}, {code("80", "sm_80"), code("90", "sm_90")});
    const auto a = shared_symbols(shop, "a.o"), b = shared_symbols(shop, "b.o"), both = in_both(a, b);
    const auto bodies_a = symbols_of_bodies(a), bodies_b = symbols_of_bodies(b);
    EXPECT_GT(bodies_a.size(), 20u);
    EXPECT_EQ(bodies_a.size(), bodies_b.size());
    EXPECT_EQ(symbols_of_bodies(both), std::multiset<std::string>{});
    for (const std::string& symbol : bodies_a) EXPECT_NE(symbol.find("unit_for<800>"), std::string::npos) << symbol;
    for (const std::string& symbol : bodies_b)
        EXPECT_NE(symbol.find("unit_for<800, 900>"), std::string::npos) << symbol;
    // The user's function is one symbol for the linker; it launches by the list of the file that it was kept from.
    EXPECT_EQ(count_with(both, "W void launch_both<int>(", ""), 1);
    // Functions that do not depend on the list exist once, so that programs do not grow.
    EXPECT_EQ(count_with(both, "W launchbox::detail::choose_row(", ""), 1);

    const auto program = shared_symbols(shop, "program");
    EXPECT_EQ(count_with(program, pointers_of_plain, "::all"), 2);
    EXPECT_EQ(count_with(program, entry_of_plain, "::known"), 2);
}

TEST(launch_box_link, units_with_the_same_list_share_a_body)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    const std::vector<std::string> list{code("80", "sm_80"), code("90", "sm_90")};
    compile_two_units(shop, list, list);
    const auto a = symbols_of_bodies(shared_symbols(shop, "a.o")), b = symbols_of_bodies(shared_symbols(shop, "b.o"));
    EXPECT_GT(a.size(), 20u);
    EXPECT_EQ(a, b);

    const auto program = shared_symbols(shop, "program");
    EXPECT_EQ(count_with(program, pointers_of_plain, "::all"), 1);
    EXPECT_EQ(count_with(program, entry_of_plain, "::known"), 1);
}

}  // namespace
}  // namespace launchbox
