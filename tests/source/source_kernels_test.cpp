// Kernels in text, with their parameters.
#include "source/source_kernels.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

// "a::f<T:type, N>(x*, n)" for each; a declaration ends with ;
std::vector<std::string> kernels_in(const std::string& text)
{
    const source_text source = read_source_text(text);
    const source_scopes scopes = read_source_scopes(source);
    const source_declarations names(source, scopes);
    std::vector<std::string> all;
    for (const kernel_in_text& kernel : read_source_kernels(names)) {
        std::string one = kernel.space.empty() ? "" : kernel.space + "::";
        one += kernel.name;
        const auto list = [&](const std::vector<parameter_in_text>& parameters) {
            std::string words;
            for (const parameter_in_text& parameter : parameters)
                words += (words.empty() ? "" : ", ") + std::string(parameter.name) +
                         (parameter.is_type() ? ":type" : "") + (parameter.is_array ? "[]" : "") +
                         (parameter.is_pack ? "..." : "");
            return words;
        };
        if (kernel.is_template) one += "<" + list(kernel.template_parameters) + ">";
        one += "(" + list(kernel.parameters) + ")" + (kernel.scope < 0 ? ";" : "");
        all.push_back(one);
    }
    return all;
}

using names = std::vector<std::string>;

TEST(source_kernels, definitions_and_declarations)
{
    EXPECT_EQ(kernels_in("__global__ void f(float* x, const int n) { g(x); }"), names{"f(x, n)"});
    EXPECT_EQ(kernels_in("extern \"C\" __global__ void __launch_bounds__(256, 2) f() {}"), names{"f()"});
    EXPECT_EQ(kernels_in("void __global__ __cluster_dims__(2) f(void) {}"), names{"f()"});
    EXPECT_EQ(kernels_in("__global__ void f(int n);\n__global__ void f(int n) {}"), (names{"f(n);", "f(n)"}));
    EXPECT_EQ(kernels_in("namespace a { namespace b { static __global__ void f(int) {} } }"), names{"a::b::f()"});
    EXPECT_EQ(kernels_in("__device__ void f(int n) {} void g(int n) {}"), names{});
}

TEST(source_kernels, templates_and_parameters_of_every_form)
{
    EXPECT_EQ(
        kernels_in("template <typename T, int N = 4, class... R> __global__ void f(T in[], T out[][64], R... r) {}"),
        names{"f<T:type, N, R:type...>(in[], out[], r...)"});
    EXPECT_EQ(kernels_in("template <const unsigned BM> __global__ void f(const float *__restrict__ A) {}"),
              names{"f<BM>(A)"});
    EXPECT_EQ(kernels_in("__global__ void f(float (*rows)[64], std::pair<int, int> p, unsigned, float const) {}"),
              names{"f(rows[], p, , )"});
    EXPECT_EQ(kernels_in("template <int N> __global__ void f() {} template __global__ void f<3>();"), names{"f<N>()"});
    EXPECT_EQ(kernels_in("template <> __global__ void f<3>(int n) {}"), names{"f<>(n)"});
}

TEST(source_kernels, any_text_is_read)
{
    for (const char* text : {"__global__", "__global__ void f(", "__global__ (", "template < __global__ void f() {",
                             "__global__ void >() {}", "__global__ void <f>() ;", "template <int> __global__"})
        (void)kernels_in(text);
}

TEST(source_kernels, are_found_by_patterns)
{
    EXPECT_EQ(kernels_in_text("__global__ void scale(float* p) { *p = 1; }"), names{"scale"});
    EXPECT_EQ(kernels_in_text("template <class T>\n__global__ void merge(T* p) { *p = 1; }"), names{"merge<*"});
    EXPECT_EQ(kernels_in_text("namespace a::b { static __global__ void k() {} } extern \"C\" __global__ void c() {}"),
              (names{"a::b::k", "c"}));
    EXPECT_EQ(kernels_in_text("__global__ void __launch_bounds__(256, 2) k(int (*f)(int)) {}"), names{"k"});
    EXPECT_EQ(kernels_in_text("__global__ void BOUNDS(256) k(int* p) {}"), names{"k"});
    EXPECT_EQ(kernels_in_text("template <> __global__ void k<3>(int* p) {}"), names{"k<*"});
    EXPECT_EQ(kernels_in_text("void __global__ k() {} __global__ void k() {}"), names{"k"}) << "each once";
}

TEST(source_kernels, other_code_has_no_kernel_name)
{
    for (const char* text :
         {"", "__device__ int f() { return 1; }", "// __global__ void k() {}", "__global__ void k();",
          "const char* s = \"__global__ void k() {}\";", "__global__ void (*p)();", "__global__", "__global__ {}",
          "__global__ void KERNEL(k)(int* p) {}", "__global__ ) {", "__global__ > {", "__global__ void >(int) {}"})
        EXPECT_EQ(kernels_in_text(text), names{}) << text;
}

}  // namespace
}  // namespace launchbox
