// Which code is host code, where launches are, and their constants, all from text alone.
#include "source/source_scopes.hpp"

#include <gtest/gtest.h>

#include "source/constant_expression.hpp"
#include "source/source_declarations.hpp"
#include "source/source_launches.hpp"
#include "source/source_reach.hpp"
#include "source/source_values.hpp"

namespace launchbox {
namespace {

// The kind of scope around the word MARK.
scope_kind kind_of(std::string_view text)
{
    const source_text source = read_source_text(text);
    const source_scopes scopes = read_source_scopes(source);
    EXPECT_EQ(scopes.of_token.size(), source.tokens.size());
    for (std::size_t i = 0; i < source.tokens.size(); ++i)
        if (source.tokens[i].is("mark")) return scopes.kind_at(i);
    ADD_FAILURE() << "no mark in " << text;
    return scope_kind::file;
}

TEST(source_scopes, host_functions)
{
    for (const char* text :
         {"int main() { mark; }", "void f(int x = 3) { if (x) { mark; } }", "static int g() noexcept { mark; }",
          "struct s { void f() const { mark; } };", "template <class T, int THREADS = 3> void f(T t) { mark; }",
          "extern \"C\" void f() { mark; }", "extern \"C\" { void f() { mark; } }", "namespace a { int f() { mark; } }",
          "void f()\n#if A\n{ int x;\n#else\n{\n#endif\n mark; }", "bool operator==(a, b) { mark; }",
          "void g() {}\nvoid f() { auto l = [&](int i) { mark; }; }", "__host__ void f() { mark; }",
          "class a : public b<int> { a() : b<int>(1) { mark; } };",
          "__global__ void k() {} void f() { k<<<1, 2>>>(); mark; }"})
        EXPECT_EQ(kind_of(text), scope_kind::host) << text;
}

TEST(source_scopes, device_code)
{
    for (const char* text :
         {"__global__ void k() { mark; }", "__device__ int f() { for (;;) { mark; } }",
          "__host__ __device__ int f() { mark; }", "void f() { g([=] __device__ (int i) { mark; }); }",
          "void f() { struct s { __device__ void operator()() { mark; } }; }",
          "template <class T> __global__ void __launch_bounds__(64) k(T) { { mark; } }",
          "struct s { __host__ __device__ s() : x(1) { mark; } };"})
        EXPECT_EQ(kind_of(text), scope_kind::device) << text;
}

TEST(source_scopes, undecided_code)
{
    for (const char* text :
         {"constexpr int f() { mark; }", "MY_DEVICE int f() { mark; }", "TEST(a, b) { mark; }", "int x[] = { mark };",
          "auto f = [](int x) { mark; };", "_CCCL_HOST_DEVICE void f() { mark; }"})
        EXPECT_EQ(kind_of(text), scope_kind::uncertain) << text;
    for (const char* text : {"mark", "namespace a { mark; }", "} mark", "void f() {} mark;", "extern \"C\" { mark; }",
                             "void f() {\n#if A\n}\n#else\n}\n#endif\nmark;",
                             "void f()\n{\n#if A\n#if B\nif (x) {\n#endif\n#else\n}\n#endif\nmark;"})
        EXPECT_EQ(kind_of(text), scope_kind::file) << text;
    for (const char* text : {"struct s { mark; };", "enum class e : int { mark };", "struct __align__(16) s { mark; };",
                             "struct alignas(16) s { mark; };", "template <class T> class c : d<T> { mark; };"})
        EXPECT_EQ(kind_of(text), scope_kind::type) << text;
}

TEST(source_scopes, kernels_have_names)
{
    const source_text source = read_source_text("namespace a {\n__global__ void\n__launch_bounds__(64)\nk(int)\n{ } }");
    const source_scopes scopes = read_source_scopes(source);
    ASSERT_EQ(scopes.scopes.size(), 2u);
    EXPECT_EQ(scopes.scopes[1].name, "k");
    EXPECT_TRUE(scopes.scopes[1].global);
    EXPECT_EQ(scopes.scopes[1].line, 4);
}

std::optional<std::int64_t> evaluated(std::string_view text)
{
    const source_text source = read_source_text(text);
    const expression_names names{.value = [](token_span name) -> std::optional<std::int64_t> {
                                     return name.size() == 1 && name[0].is("three") ? std::optional<std::int64_t>(3)
                                                                                    : std::nullopt;
                                 },
                                 .defined = [](std::string_view name) -> std::optional<bool> {
                                     return name == "three" ? std::optional(true) : std::nullopt;
                                 }};
    return evaluate_constant(source.tokens, names);
}

TEST(constant_expression, values)
{
    // The compiler is the oracle; the warnings are off because operator precedence is tested.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#define SAME(...) EXPECT_EQ(evaluated(#__VA_ARGS__), (__VA_ARGS__)) << #__VA_ARGS__
    [[maybe_unused]] constexpr int three = 3;
    SAME(1 + 2 * 3);
    SAME((1 + 2) * 3);
    SAME(20 - 3 - 4);
    SAME(100 / 7 % 5);
    SAME(1 << 4 << 1);
    SAME(1 + 1 << 3);
    SAME(0x10 + 010 + 0b11 + 1'000u + 5L);
    SAME(-three + +2);
    SAME(!0 + !5);
    SAME(1 < 2 == 1);
    SAME(1 | 6 & 3);
    SAME(three >= 3 && three != 4 || 0);
    SAME(true + false);
    SAME(1 ? 2 : 3);
    SAME(three > 3 ? 1 : three == 3 ? 20 : 30);
    SAME(8 >> 1);
    SAME(~7 & 64);
    SAME(5 ^ 3);
    SAME((unsigned)3 + int(4) + static_cast<std::int64_t>(5));
    SAME(std::max(three, 5) - std::min<int>(three, 7));
#undef SAME
#pragma GCC diagnostic pop
}

TEST(constant_expression, unknown_values)
{
    for (const char* text : {"",         "x",      "1 +",    "(1",    "1)",
                             "1 / 0",    "5 % 0",  "1.5",    "\"a\"", "x ? 2 : 3",
                             "f(1)",     "x && 1", "x || 0", "1 2",   "4294967296 * 4294967296",
                             "1 << 40",  "0x",     "1 ? 2",  "1 = 1", "08",
                             "(char)300"})
        EXPECT_EQ(evaluated(text), std::nullopt) << text;
    EXPECT_EQ(evaluated("0 && x"), 0);
    EXPECT_EQ(evaluated("f(1, (2)) || 1"), 1);
    EXPECT_EQ(evaluated("defined(three) && defined three"), 1);
    EXPECT_EQ(evaluated("defined(x) && 0"), 0);
    EXPECT_EQ(evaluated("defined(x)"), std::nullopt);
    EXPECT_EQ(evaluated(std::string(100000, '(')), std::nullopt);
    EXPECT_EQ(evaluated(std::string(100000, '!') + "1"), std::nullopt);
}

// What the text says about its last launch.
struct read_text {
    explicit read_text(const std::string& text)
        : source(read_source_text(text)), scopes(read_source_scopes(source)), names(source, scopes), values(names)
    {
    }
    [[nodiscard]] launch_figures figures(const template_values& instance = {}) const
    {
        const std::vector<source_launch> launches = read_source_launches(source);
        if (!launches.empty()) return figures_of(launches.back(), values, instance);
        ADD_FAILURE() << "no launch";
        return {};
    }
    source_text source;
    source_scopes scopes;
    source_declarations names;
    source_values values;
};

std::optional<std::int64_t> threads(const std::string& text, const template_values& instance = {})
{
    return volume_of(read_text(text).figures(instance).block);
}

std::optional<std::int64_t> shared(const std::string& text)
{
    return read_text(text).figures().dynamic_shared_bytes;
}

TEST(source_values, known_block_sizes)
{
    EXPECT_EQ(threads("k<<<g, 512>>>();"), 512);
    EXPECT_EQ(threads("k<<<g, 2 * (32 + 32), 0, s>>>();"), 128);
    EXPECT_EQ(threads("#define T 64\n#define B (T * 4)\nk<<<g, B>>>();"), 256);
    EXPECT_EQ(threads("constexpr int t = 64, u = t * 2; void f() { k<<<g, u>>>(); }"), 128);
    EXPECT_EQ(threads("static constexpr unsigned int t = 64;\nvoid f() { k<<<g, t>>>(); }"), 64);
    EXPECT_EQ(threads("void f() { const int t{1}; const int u = 32; k<<<g, u>>>(); }"), 32);
    EXPECT_EQ(threads("k<<<g, dim3(32, 16)>>>();"), 512);
    EXPECT_EQ(threads("k<<<g, dim3{8, 8, 4}>>>();"), 256);
    EXPECT_EQ(threads("k<<<g, {16, 8}>>>();"), 128);
    EXPECT_EQ(threads("k<<<g, dim3()>>>();"), 1);
    EXPECT_EQ(threads("k<<<g, dim3(0, 8)>>>();"), 0);
    EXPECT_EQ(threads("void f() { dim3 b(32, 8); dim3 g((n + b.x - 1) / b.x); k<<<g, b>>>(); }"), 256);
    EXPECT_EQ(threads("void f() { const dim3 b = dim3(32, 8); k<<<g, b>>>(); }"), 256);
    EXPECT_EQ(threads("void f() { dim3 b{32}; k<<<g, b>>>(); }"), 32);
    // Variables that have their values before the launch, and names of classes, enumerations and templates.
    EXPECT_EQ(threads("void f() { int t = 64; t = 128; k<<<g, t>>>(); }"), 128);
    EXPECT_EQ(threads("void f() { dim3 b(32); b.y = 4; k<<<g, b>>>(); }"), 128);
    EXPECT_EQ(threads("struct c { static constexpr int t = 96; }; void f() { k<<<g, c::t>>>(); }"), 96);
    EXPECT_EQ(threads("enum { a = 3, b }; void f() { k<<<g, b * 32>>>(); }"), 128);
    EXPECT_EQ(threads("template <int N> void f() { k<N><<<g, N>>>(); }", {{"N", "192"}}), 192);
    EXPECT_EQ(threads("constexpr int up(int n) { return n * 32; } void f() { k<<<g, up(4)>>>(); }"), 128);
    EXPECT_EQ(threads("namespace a { const int t = 32; } void f() { k<<<g, a::t>>>(); }"), 32);
    EXPECT_EQ(threads("void f(int big) { const bool b = false; k<<<g, b ? 512 : 256>>>(); }"), 256);
}

TEST(source_values, members_of_class_templates)
{
    const std::string tile =
        "template <int W, int H = W / 2> struct tile { static constexpr int warps = W, threads = 32 * warps; "
        "enum { half = W * 16 }; static constexpr int rows() { return H * 8; } template <int> struct part; };\n"
        "template <class T> struct pair { using first = T; static constexpr int all = T::threads * 2; };\n"
        "template <int N> struct wide : public tile<2 * N> {}; struct four : tile<4> {};\n"
        "namespace a { template <int N> struct c { static constexpr int t = N + 1; }; using d = c<95>; }\n"
        "constexpr int three = 3;\n";
    const auto size = [&](const std::string& words, const std::string& before = "") {
        return threads(tile + "void f() { " + before + " k<<<g, " + words + ">>>(); }");
    };
    EXPECT_EQ(size("tile<3>::threads"), 96);
    EXPECT_EQ(size("tile<three + 1>::threads / 2"), 64);
    EXPECT_EQ(size("tile<5>::half"), 80);
    EXPECT_EQ(size("tile<8>::rows()"), 32);
    EXPECT_EQ(size("tile<8, 16>::rows()"), 128);
    EXPECT_EQ(size("dim3(tile<2>::threads, 4)"), 256);
    EXPECT_EQ(size("pair<tile<4>>::all"), 256);
    EXPECT_EQ(size("pair<tile<4>>::first::threads"), 128);
    EXPECT_EQ(size("t::threads", "using t = tile<7>;"), 224);
    EXPECT_EQ(size("wide<3>::threads"), 192);
    EXPECT_EQ(size("four::half"), 64);
    EXPECT_EQ(size("a::c<31>::t"), 32);
    EXPECT_EQ(size("a::d::t"), 96);
    // Through the instance of the function around the launch: the arguments are those of a kernel's name.
    const std::string inside =
        tile + "template <class P, int N> void f() { k<P><<<g, P::threads + tile<N>::warps>>>(); }";
    EXPECT_EQ(threads(inside, {{"P", "tile<4, 2>"}, {"N", "8"}}), 136);
    EXPECT_EQ(threads(inside, {{"P", "tile<4, 2>"}}), std::nullopt);
    // Another specialisation may have another value; a member that does not exist has none.
    for (const char* text :
         {"template <int N> struct c { static constexpr int t = N; }; template <> struct c<3> { static constexpr int t "
          "= 7; "
          "}; void f() { k<<<g, c<3>::t>>>(); }",
          "template <int... N> struct c { static constexpr int t = 4; }; void f() { k<<<g, c<3>::t>>>(); }",
          "template <int N> struct c { static int t; }; void f() { k<<<g, c<3>::t>>>(); }",
          "template <int N> struct c { static constexpr int t = N; }; void f(int n) { k<<<g, c<n>::t>>>(); }",
          "template <int N> struct c { static constexpr int t = N; }; void f() { k<<<g, c<1, 2>::t>>>(); }",
          "template <int N> struct c : c<N + 1> {}; void f() { k<<<g, c<0>::t>>>(); }",
          "template <int N> struct c { using d = c<N + 1>; }; void f() { k<<<g, c<0>::d::d::t>>>(); }",
          "using a = b; using b = a; void f() { k<<<g, a::t>>>(); }"})
        EXPECT_EQ(threads(text), std::nullopt) << text;
}

TEST(source_values, brackets_around_a_variable_do_not_change_it)
{
    EXPECT_EQ(threads("void f(int n) { int t = 64; int g = ((n) + (t) - 1) / (t); k<<<g, (t)>>>(); }"), 64);
    EXPECT_EQ(threads("void f(int n) { int t = 64; int g = -(t), h = ((t)); k<<<g, t>>>(); }"), 64);
    EXPECT_EQ(threads("void f(int n) { int t = 64; if (n) (void)(n < (t)); k<<<n, t>>>(); }"), 64);
    EXPECT_EQ(threads("void f(int n) { int t = 64; (read)(t); k<<<n, t>>>(); }"), std::nullopt);
    EXPECT_EQ(threads("void f(int n) { int t = 64; table[3](t); k<<<n, t>>>(); }"), std::nullopt);
}

// In the first statement of a function that returns nothing, or in a later one.
TEST(source_values, taking_the_address_may_change_the_variable)
{
    EXPECT_EQ(threads("void f() { dim3 b(32, 32), *q = &b; q->x = 8; k<<<g, b>>>(); }"), std::nullopt);
    EXPECT_EQ(threads("void f() { dim3 b(32, 32); dim3* q = &b; q->x = 8; k<<<g, b>>>(); }"), std::nullopt);
    EXPECT_EQ(threads("void f() { int t, *q = &t; t = 64; *q = 8; k<<<g, t>>>(); }"), std::nullopt);
    EXPECT_EQ(threads("void f() { int t; auto& r = t; t = 64; r = 8; k<<<g, t>>>(); }"), std::nullopt);
    for (const char* arguments : {"void* a[] = {&p, &t};", "void* a[]{&p, &t};", "run((void*[]){&p, &t});"})
        EXPECT_EQ(threads("void f() { int t = 64; " + std::string(arguments) + " k<<<g, t>>>(); }"), 64) << arguments;
}

TEST(source_values, a_static_variable_keeps_what_an_earlier_call_assigned)
{
    EXPECT_EQ(threads("void f() { static int t = 64; k<<<g, t>>>(); t = 128; }"), std::nullopt);
    EXPECT_EQ(threads("void f() { static dim3 b(64); k<<<g, b>>>(); b.y = 2; }"), std::nullopt);
    EXPECT_EQ(threads("void f() { int t = 64; k<<<g, t>>>(); t = 128; }"), 64);
    EXPECT_EQ(threads("void f() { static const int t = 64; k<<<g, t>>>(); }"), 64);
    EXPECT_EQ(threads("void f() { static int t = 64; k<<<g, t>>>(); }"), 64);
}

TEST(source_values, logical_operators_in_template_arguments)
{
    EXPECT_EQ(threads("template <bool B> struct c { static constexpr int t = B ? 64 : 32; }; constexpr int n = 3; "
                      "void f() { k<n < 4 && true><<<g, c<(n > 2) && true>::t>>>(); }"),
              64);
    EXPECT_EQ(threads("void f() { const int a = 1, b = 2, c = 3, d = 0; k<<<g, a < b && c > d ? 64 : 32>>>(); }"), 64);
    EXPECT_EQ(threads("void f() { const int a = 1, b = 2; k<<<g, a < b && b > 4 ? 64 : 32>>>(); }"), 32);
    EXPECT_EQ(threads("void f() { const int a = 1, b = 2; k<<<g, a < b || (b > (a)) ? 64 : 32>>>(); }"), 64);
}

// Whether the launch in the text is never executed.
bool never(const std::string& body, const template_values& instance = {})
{
    const std::string whole = "constexpr int N = 8; constexpr bool no = false;\n" + body;
    const read_text text(whole);
    return is_never_reached(text.values, read_source_launches(text.source).at(0).first, instance);
}

TEST(source_reach, branches_that_are_not_taken)
{
    for (const char* body :
         {"if constexpr (N == 7) k<<<1, 2>>>();", "if (no) k<<<1, 2>>>();", "if constexpr (no) { f(); k<<<1, 2>>>(); }",
          "if constexpr (N == 8) f(); else k<<<1, 2>>>();", "if constexpr (N == 8) { f(); } else { k<<<1, 2>>>(); }",
          "if (x) f(); else if constexpr (no) { k<<<1, 2>>>(); } else g();",
          "if constexpr (N > 9) f(); else if constexpr (N > 7) g(); else { k<<<1, 2>>>(); }",
          "if (no) { for (int i = 0; i < 3; ++i) { while (x) k<<<1, 2>>>(); } }",
          "if (no) for (int i = 0; i < 3; ++i) check(launch(cudaLaunchKernel(k, 1, 2, p, 0, 0)));",
          "if (N == 8) for (int i = 0; i < 3; ++i) f(); else k<<<1, 2>>>();",
          "if (no) { auto run = [&](int n) { k<<<1, 2>>>(); }; run(3); }", "if (no) run([&] { k<<<1, 2>>>(); });",
          "if (no) do { k<<<1, 2>>>(); } while (0);", "if constexpr (N == 8) { f(); return; } k<<<1, 2>>>();",
          "if (!no) return g(); if (x) { k<<<1, 2>>>(); }", "if (no) { } else { if (N) return; } k<<<1, 2>>>();"})
        EXPECT_TRUE(never("void h(int x) { " + std::string(body) + " }")) << body;
    for (const char* body :
         {"k<<<1, 2>>>();", "if constexpr (N == 8) k<<<1, 2>>>();", "if (x) k<<<1, 2>>>();",
          "if constexpr (no) f(); else k<<<1, 2>>>();", "if (no) f(); k<<<1, 2>>>();",
          "if (no) { f(); } k<<<1, 2>>>();", "if (no) return; k<<<1, 2>>>();", "if (x) return; k<<<1, 2>>>();",
          "if (x) { if (N) return; } k<<<1, 2>>>();", "for (;;) { if (N) return; } k<<<1, 2>>>();",
          "auto f = [] { return 3; }; k<<<1, 2>>>();", "switch (x) { case 1: return; default: k<<<1, 2>>>(); }",
          "switch (x) { case 1: return; } k<<<1, 2>>>();", "if (int no = x; no) k<<<1, 2>>>();",
          "int no = x; if (no) k<<<1, 2>>>();", "if (x) { f(); return; } else { k<<<1, 2>>>(); }",
          "k<<<1, 2>>>(); return;", "if (no) f(); else if (x) k<<<1, 2>>>();", "return [&] { k<<<1, 2>>>(); }();",
          "if (N == 8) { return run(3, [&] { f(); k<<<1, 2>>>(); }); }",
          // A condition may change its variables.
          "int n = 0; if (query(&n) || n == 0) return; k<<<1, 2>>>();",
          "int n = 0; if (query(n), n != 0) k<<<1, 2>>>();", "int n = 0; if ((n = x) == 1) k<<<1, 2>>>();",
          "int n = 0; if (++n) k<<<1, 2>>>();",
          // A later iteration of a loop may have another value.
          "for (int n = 0; n < 2; ++n) if (n) k<<<1, 2>>>();",
          "int n = 0; while (n < 3) { if (n == 2) k<<<1, 2>>>(); ++n; }",
          "int n = 0; auto set = [&] { n = 1; }; set(); if (n) k<<<1, 2>>>();"})
        EXPECT_FALSE(never("void h(int x) { " + std::string(body) + " }")) << body;
    // By the arguments of the enclosing template.
    const std::string by_size = "template <int B> void h() { if constexpr (B > 1024) { k<<<1, 2>>>(); } }";
    EXPECT_FALSE(never(by_size));
    EXPECT_TRUE(never(by_size, {{"B", "512"}}));
    EXPECT_FALSE(never(by_size, {{"B", "2048"}}));
    EXPECT_TRUE(never("if (no) k<<<1, 2>>>();}}}} else"));  // arbitrary text
}

// The values of N in the instances of the function template that contains the launch.
std::vector<std::string> instances(const std::string& calls)
{
    const std::string whole = "template <int N, class T = float> void go(T* p) { k<N><<<1, N>>>(p); }\n" + calls;
    const read_text text(whole);
    std::vector<std::string> all;
    for (const template_values& one : text.values.instances_around(read_source_launches(text.source).at(0).first))
        all.push_back(one.at("N") + " " + one.at("T"));
    return all;
}

// A generated source may have thousands of launches, returns and instances: only a limited number is examined per
// launch.
TEST(source_reach, the_search_is_limited)
{
    std::string returns, calls = "void h(float* p) { ";
    for (int i = 0; i < 40; ++i) returns += "if (x) return; ";
    for (int i = 1; i <= 40; ++i) calls += "go<" + std::to_string(i) + ">(p); ";
    EXPECT_TRUE(never("void h(int x) { return; if (x) return; k<<<1, 2>>>(); }"));
    EXPECT_FALSE(never("void h(int x) { return; " + returns + "k<<<1, 2>>>(); }"));
    EXPECT_EQ(instances("void h(float* p) { go<1>(p); go<2>(p); }").size(), 2u);
    EXPECT_TRUE(instances(calls + "}").empty());
}

TEST(source_values, instances_of_a_function_template_are_its_calls)
{
    using list = std::vector<std::string>;
    EXPECT_EQ(instances("void f(float* p) { go<64>(p); go<128, double>(p); if (p) go<64>(p); }"),
              (list{"64 float", "128 double"}));
    EXPECT_EQ(instances("template void go<32, int>(int*);"), list{"32 int"});
    // Arguments that are deduced or unknown, and a use that may be any instance.
    for (const char* calls : {"void f(int n) { go<64>(p); go<n>(p); }", "void f() { go<64>(p); auto g = &go<32>; }",
                              "void f() { go<64>(p); call(go); }", "void f() { go<1, 2, 3>(p); }", ""})
        EXPECT_EQ(instances(calls), list{}) << calls;
    EXPECT_EQ(instances("template <int M> void up() { go<M>(0); } void f() { go<64>(0); up<32>(); }"), list{});
}

TEST(source_values, unknown_block_sizes)
{
    for (const char* text : {"k<<<g, n>>>();",
                             "int t = 64; void f() { k<<<g, t>>>(); }",
                             "#if A\n#define T 64\n#endif\nk<<<g, T>>>();",
                             "#define T 64\n#undef T\nk<<<g, T>>>();",
                             "#define T 64\n#define T 32\nk<<<g, T>>>();",
                             "#define T(x) x\nk<<<g, T>>>();",
                             "#define A B\n#define B A\nk<<<g, A>>>();",
                             "constexpr int t = 64; void f(int t) { k<<<g, t>>>(); }",
                             "constexpr int t = 64; template <int t> void f() { k<<<g, t>>>(); }",
                             "void f(const int t = 64) { k<<<g, t>>>(); }",
                             "k<<<g, dim3(32, n)>>>();",
                             "k<<<g, f<1, 2>(3)>>>();",
                             "void f() { k<<<g, big ? 512 : 256>>>(); }",
                             "void f() { int t = 64; if (x) t = 128; k<<<g, t>>>(); }",
                             "void f() { int t = 64; read(&t); k<<<g, t>>>(); }",
                             "void f() { int t = 64; read(t); k<<<g, t>>>(); }",
                             "void f() { for (int t = 32; t < 99; t *= 2) k<<<g, t>>>(); }",
                             "void f() { for (int t = 32; t < 99; t *= 2) { k<<<g, t>>>(); } }",
                             "void f() { int t = 64; auto& r = t; r = 8; k<<<g, t>>>(); }",
                             "void f() { int t; std::cin >> t; k<<<g, t>>>(); }",
                             "struct c { int t = 64; void f() { k<<<g, t>>>(); } };"})
        EXPECT_EQ(threads(text), std::nullopt) << text;
    std::string chain = "#define N0 1\n";
    for (int i = 1; i < 50000; ++i) chain += "#define N" + std::to_string(i) + " N" + std::to_string(i - 1) + "\n";
    EXPECT_EQ(threads(chain + "k<<<g, N49999>>>();"), std::nullopt);
}

TEST(source_values, dynamic_shared_memory_of_a_launch)
{
    EXPECT_EQ(shared("k<<<1, 256>>>();"), 0);
    EXPECT_EQ(shared("k<<<1, 256, 64 * 1024>>>();"), 65536);
    EXPECT_EQ(shared("k<<<1, 256, 256 * sizeof(float4)>>>();"), 4096);
    EXPECT_EQ(shared("struct s { char c; double d; }; void f() { k<<<1, 2, 3 * sizeof(s)>>>(); }"), 48);
    EXPECT_EQ(shared("using real = double; void f() { size_t b = sizeof(real) * 100; k<<<1, 2, b, 0>>>(); }"), 800);
    EXPECT_EQ(shared("void f() { cudaLaunchKernel((void*)k, 1, 2, args, 1000, 0); }"), 1000);
    EXPECT_EQ(
        shared("void f() { cudaLaunchConfig_t c = {0}; c.dynamicSmemBytes = 512; cudaLaunchKernelEx(&c, k, 1); }"),
        512);
    EXPECT_EQ(shared("k<<<1, 256, n * 4>>>();"), std::nullopt);
    EXPECT_EQ(shared("k<<<1, 256, sizeof(mystery)>>>();"), std::nullopt);
}

TEST(source_values, clusters_of_a_launch)
{
    const auto cluster = [](const std::string& text) { return volume_of(read_text(text).figures().cluster); };
    const std::string attribute =
        "void f() { cudaLaunchConfig_t c{}; c.gridDim = 32; c.blockDim = 128; cudaLaunchAttribute a[1]; "
        "a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = ";
    const std::string rest =
        "; a[0].val.clusterDim.y = 1; a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1; "
        "cudaLaunchKernelEx(&c, k, 1); }";
    EXPECT_EQ(cluster(attribute + "16" + rest), 16);
    EXPECT_EQ(cluster(attribute + "n" + rest), std::nullopt);
    EXPECT_EQ(cluster("k<<<1, 2>>>();"), 1);
}

TEST(source_launches, names_and_arguments)
{
    const source_text source = read_source_text(
        "k<<<1, 2>>>(); a::b<int, c<3>> <<<x[1, 2], f(3, 4), 5, s>>>(1); (*p)<<<1, 2>>>(); q<<<1>>>();\n"
        "r<<<1, 2; t<<<1, 2> >>(); operator<<<int>(x); u<<<1, v<<<1, 2>>>();");
    const std::vector<source_launch> launches = read_source_launches(source);
    std::string names;
    for (const source_launch& found_launch : launches)
        names += std::string(found_launch.kernel) + std::to_string(found_launch.arguments.size()) + ' ';
    EXPECT_EQ(names, "k2 b4 2 v2 ");
}

}  // namespace
}  // namespace launchbox
