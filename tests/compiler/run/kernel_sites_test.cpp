// Asks the real nvcc where kernels are declared. The source has the answers: each place has a comment with its name.
#include "compiler/run/kernel_sites.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "compiler/run/bound_injection.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/preprocessed.hpp"
#include "compiler/run/unit_compiler.hpp"
#include "nvcc_test.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

using namespace launchbox;
namespace fs = std::filesystem;

namespace {

class KernelSites : public nvcc_test {
protected:
    std::string write(const std::string& name, const std::string& text) const
    {
        const fs::path path = folder_.path() / name;
        fs::create_directories(path.parent_path());
        write_file_atomically(path, text);
        return path.string();
    }

    [[nodiscard]] kernel_census census_of_kernels(const std::string& source) const
    {
        const compile_cache none({});
        unit_compiler unit(tools_, {}, none, {.source = source, .architecture = {9, 0}});
        const nvcc_output declarations = unit.compile(census_header(census_of::declarations), true);
        return read_census(declarations, unit.compile(census_header(census_of::attributes), true), unit.files(),
                           unit.job({}, true));
    }

    [[nodiscard]] std::map<std::string, kernel_site> sites_in(const std::string& source)
    {
        const kernel_census census = census_of_kernels(source);
        EXPECT_TRUE(census.errors.empty()) << census.errors.front();
        std::map<std::string, kernel_site> sites;
        for (const kernel_site& site : census.sites) sites.emplace(site.kernel, site);
        return sites;
    }
};

// The line that contains /*mark*/.
source_location place_of(const std::string& mark, const std::string& file)
{
    const std::string text = read_input(file);
    const std::size_t at = text.find("/*" + mark + "*/");
    EXPECT_NE(at, std::string::npos) << mark;
    return {file, 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'))};
}

TEST_F(KernelSites, EveryWayToDeclareAKernel)
{
    const std::string header = write("include/header.cuh",
                                     "#pragma once\n\n"
                                     "template <class T> /*h*/ __global__ void in_header(T* p) { *p = 1; }\n");
    const std::string source = write("k.cu", R"(#include "include/header.cuh"
template /*i*/ __global__ void in_header<long>(long*);
__global__ void forward(int* p);
namespace ns {
/*stA*/ __launch_bounds__(
    128,
    2)
static /*st*/ __global__
void st(int* p) { ++*p; }
}
template <int N> /*t*/ __global__ void /*tA*/ __launch_bounds__(N, 2) t(int* p) { *p = N; }
template </*s*/> __global__ void t<7>(int* p) { *p = 3; }
template /*t9*/ __global__ void t<9>(int* p);
#define MAKE(n) __global__ void n(int* p) { *p = 3; }
/*m*/ MAKE(made)
/*f*/ __global__ void forward(int* p) { *p = 2; }
/*eA*/ extern "C" __global__ void __maxnreg__(40) early(int* p);
/*e*/ extern "C" __global__ void early(int* p) { *p = 4; }
#define KERNEL __global__ void
/*b*/ KERNEL behind_a_macro(int* p) { *p = 5; }
__cluster_dims__(2, 1, 1) /*c*/ __global__ void clustered(int* p) { *p = 6; }
/*z*/ __global__ void __block_size__((128, 1, 1)) sized(int* p) { *p = 7; }
void launch(int* p)
{
    ns::st<<<1, 1>>>(p);
    t<8><<<1, 1>>>(p);
    in_header<<<1, 1>>>(p);
}
)");
    const auto sites = sites_in(source);
    const auto expect = [&](const std::string& name, const std::string& file, const std::string& declared,
                            const std::string& attribute) {
        ASSERT_TRUE(sites.contains(name)) << name;
        const kernel_site& site = sites.at(name);
        EXPECT_EQ(site.declared_at, place_of(declared, file))
            << name << site.declared_at.value_or(source_location{}).line;
        if (attribute.empty())
            EXPECT_EQ(site.attribute_at, std::nullopt) << name;
        else
            EXPECT_EQ(site.attribute_at, place_of(attribute, file)) << name;
        EXPECT_EQ(site.diagnostic, "") << name;
    };
    expect("_Z9in_headerIiEvPT_", header, "h", "");
    expect("_Z9in_headerIlEvPT_", source, "i", "");  // an explicit instantiation is a declaration of its own
    expect("_ZN2ns2stEPi", source, "st", "stA");
    expect("_Z1tILi8EEvPi", source, "t", "tA");
    expect("_Z1tILi9EEvPi", source, "t9", "tA");
    expect("_Z1tILi7EEvPi", source, "s", "tA");  // a specialisation inherits the bounds
    expect("_Z4madePi", source, "m", "");
    expect("_Z7forwardPi", source, "f", "");
    expect("early", source, "e", "eA");
    expect("_Z14behind_a_macroPi", source, "b", "");
    expect("_Z9clusteredPi", source, "c", "");
    expect("_Z5sizedPi", source, "z", "");
    EXPECT_EQ(sites.size(), 12u);
}

TEST_F(KernelSites, AttributesThatBypassTheKeywordsAreNotFound)
{
    const auto sites = sites_in(write("k.cu",
                                      "extern \"C\" __attribute__((global)) void hidden() {}\n"
                                      "extern \"C\" __global__ void __attribute__((launch_bounds(96, 4))) raw() {}\n"));
    EXPECT_EQ(sites.at("hidden").declared_at, std::nullopt);
    EXPECT_EQ(sites.at("raw").declared_at, std::nullopt);  // its own attribute comes after that of the census
    EXPECT_EQ(sites.at("raw").attribute_at, std::nullopt);
}

TEST_F(KernelSites, TwoFilesOfTheSameNameWithAKernelOnTheSameLine)
{
    write("one/k.cuh", "extern \"C\" __global__ void a() {}\nextern \"C\" __global__ void c() {}\n");
    write("two/k.cuh", "extern \"C\" __global__ void b() {}\n");
    const auto sites = sites_in(write("k.cu", "#include \"one/k.cuh\"\n#include \"two/k.cuh\"\n"));
    EXPECT_NE(sites.at("a").diagnostic.find("two/k.cuh"), std::string::npos);
    EXPECT_NE(sites.at("b").diagnostic.find("one/k.cuh"), std::string::npos);
    EXPECT_EQ(sites.at("c").diagnostic, "");
}

TEST_F(KernelSites, GeneratedCodeNamesItsSource)
{
    const auto sites =
        sites_in(write("k.cu", "#line 2000000 \"dir/a \\\"b\\\\c.gen\"\nextern \"C\" __global__ void k() {}\n"));
    EXPECT_EQ(sites.at("k").declared_at, (source_location{"dir/a \"b\\c.gen", 2000000}));
}

TEST_F(KernelSites, AFileThatDoesNotCompileIsReported)
{
    const kernel_census census = census_of_kernels(write("k.cu", "__global__ void k() { x; }\n"));
    EXPECT_TRUE(census.sites.empty());
    ASSERT_FALSE(census.errors.empty());
    EXPECT_NE(census.errors.front().find("k.cu(1): identifier \"x\" is undefined"), std::string::npos);
}

TEST(FilesIn, ReadsOnlyLineMarkers)
{
    EXPECT_EQ(files_in("# 1 \"k.cu\"\n#pragma once\n# 4 \"a\\\"b\\\\c\\303\\244.h\" 1 3\nint x; // # 3 \"no.cu\"\n"
                       "# 7\n#line 9 \"d.h\"\n# 1 \"k.cu\" 2\n# 1 \"open"),
              (std::vector<std::string>{"a\"b\\c\xc3\xa4.h", "d.h", "k.cu", "open"}));
    EXPECT_TRUE(files_in("").empty());
    EXPECT_TRUE(files_in("#\n# \n# 1\n#line\n# 1 \"").empty());
}

}  // namespace
