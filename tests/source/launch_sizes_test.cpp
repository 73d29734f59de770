// The size of launches whose text computes it step by step: by updates, in tables, in members, and where conditions
// tell it. Each has similar texts that leave the size open.
#include <gtest/gtest.h>

#include "source/source_launches.hpp"
#include "source/source_reach.hpp"
#include "source/source_values.hpp"

namespace launchbox {
namespace {

struct launch_text {
    explicit launch_text(const std::string& words)
        : text(words),
          source(read_source_text(text)),
          scopes(read_source_scopes(source)),
          names(source, scopes),
          values(names)
    {
    }

    // Of the last launch.
    [[nodiscard]] launch_figures figures() const
    {
        const std::vector<source_launch> launches = read_source_launches(source);
        if (launches.empty()) return {};
        template_values implied;
        add_implied_values(values, launches.back().first, implied);
        return figures_of(launches.back(), values, implied);
    }

    std::string text;
    source_text source;
    source_scopes scopes;
    source_declarations names;
    source_values values;
};

std::optional<std::int64_t> block_of(const std::string& text)
{
    return volume_of(launch_text(text).figures().block);
}

std::optional<std::int64_t> in_function(const std::string& body)
{
    return block_of("void f(int n, int m) { " + body + " }");
}

std::optional<std::int64_t> bytes_of(const std::string& text)
{
    return launch_text(text).figures().dynamic_shared_bytes;
}

TEST(launch_sizes, updates_of_a_variable)
{
    const auto updated = [](const std::string& update) {
        return in_function("int t = 96; " + update + " k<<<g, t>>>();");
    };
    EXPECT_EQ(updated("t *= 2;"), 192);
    EXPECT_EQ(updated("t /= 2;"), 48);
    EXPECT_EQ(updated("t <<= 1;"), 192);
    EXPECT_EQ(updated("t >>= 1;"), 48);
    EXPECT_EQ(updated("t += 32; t -= 64;"), 64);
    EXPECT_EQ(updated("t |= 1; t &= ~32; t ^= 3; t %= 50;"), 16);
    EXPECT_EQ(updated("t++; ++t; t--;"), 97);
    EXPECT_EQ(updated("{ t *= 2; }"), 192);
    EXPECT_EQ(updated("int u = t *= 2; t = u / 4;"), 48);
    EXPECT_EQ(in_function("dim3 b(8, 8); b.x *= b.y; b.y /= 2; k<<<g, b>>>();"), 256);
    EXPECT_EQ(in_function("int a[2] = {0}; a[1] += 64; k<<<g, a[1]>>>();"), 64);
    for (const char* open :
         {"if (n) t *= 2;", "while (n--) t *= 2;", "do t *= 2; while (n--);", "for (; n; t *= 2) {}", "n ? t *= 2 : 0;",
          "n && (t *= 2);", "again: t *= 2; if (n--) goto again;", "switch (n) { case 1: t *= 2; }", "t *= n;",
          "auto twice = [&] { t *= 2; }; twice();", "int& r = t; r *= 2;", "t *= 0.5;", "int u = t++; t = u;"})
        EXPECT_EQ(updated(open), std::nullopt) << open;
    EXPECT_EQ(in_function("int t = 32; for (;;) { t *= 2; k<<<g, t>>>(); }"), std::nullopt);
    EXPECT_EQ(in_function("unsigned char t = 200; t *= 2; k<<<g, t>>>();"), std::nullopt);
}

TEST(launch_sizes, assignments_in_the_head_of_a_loop)
{
    EXPECT_EQ(in_function("for (int t = 32; t <= n; t = t + 32) k<<<g, t>>>();"), std::nullopt);
    EXPECT_EQ(in_function("int t = 32; do t = t + 32; while (t < n); k<<<g, t>>>();"), std::nullopt);
    EXPECT_EQ(in_function("for (int i = 0; i < n; i = i + 1) { int t = 64; t = 32; k<<<g, t>>>(); }"), 32);
}

TEST(launch_sizes, elements_of_arrays)
{
    EXPECT_EQ(block_of("const int sizes[] = {128, 256}; void f() { k<<<g, sizes[1]>>>(); }"), 256);
    EXPECT_EQ(block_of("constexpr int sizes[3] = {32}; void f() { k<<<g, sizes[2]>>>(); }"), 0);
    EXPECT_EQ(block_of("constexpr std::array<int, 2> sizes{128, 512}; void f() { k<<<g, sizes[1]>>>(); }"), 512);
    EXPECT_EQ(block_of("constexpr std::array<int, 2> sizes = {{128, 512}}; void f() { k<<<g, sizes[0]>>>(); }"), 128);
    EXPECT_EQ(block_of("struct s { static constexpr int t[2] = {32, 160}; }; void f() { k<<<g, s::t[1]>>>(); }"), 160);
    EXPECT_EQ(block_of("enum { small, big }; const int t[] = {64, 96,}; void f() { k<<<g, t[big]>>>(); }"), 96);
    EXPECT_EQ(block_of("const int t[2][2] = {{32, 64}, {96, 128}}; void f() { k<<<g, t[1][0]>>>(); }"), 96);
    EXPECT_EQ(block_of("const int t[] = {32, 64}; void f() { k<<<g, t[sizeof(t) / sizeof(t[0]) - 1]>>>(); }"), 64);
    EXPECT_EQ(in_function("dim3 b[2] = {dim3(32), dim3(8, 8)}; k<<<g, b[1]>>>();"), 64);
    EXPECT_EQ(in_function("int t[2] = {32, 64}; t[0] = 96; k<<<g, t[0]>>>();"), 96);
    for (const char* open :
         {"k<<<g, t[n]>>>();", "init(t); k<<<g, t[0]>>>();", "for (int& x : t) x = 96; k<<<g, t[0]>>>();",
          "int* q = t; q[0] = 96; k<<<g, t[0]>>>();", "t[n] = 96; k<<<g, t[0]>>>();", "k<<<g, t[9]>>>();"})
        EXPECT_EQ(in_function("int t[] = {32, 64}; " + std::string(open)), std::nullopt) << open;
    EXPECT_EQ(in_function("std::vector<int> t{32, 64}; k<<<g, t[1]>>>();"), 64);
    EXPECT_EQ(in_function("std::vector<int> t{32, 64}; t.insert(t.begin(), 96); k<<<g, t[1]>>>();"), std::nullopt);
    EXPECT_EQ(in_function("std::vector<int> t(2, 64); k<<<g, t[1]>>>();"), std::nullopt);
    EXPECT_EQ(block_of("int t[] = {32, 64}; void f() { k<<<g, t[1]>>>(); }"), std::nullopt);
}

TEST(launch_sizes, members_of_objects)
{
    const std::string config = "struct config { int threads = 192; private: int x; public: dim3 block{32, 2}; };\n";
    const auto of = [&](const std::string& body) { return block_of(config + "void f(int n) { " + body + " }"); };
    EXPECT_EQ(of("config c; k<<<g, c.threads>>>();"), 192);
    EXPECT_EQ(of("config c{64}; k<<<g, c.threads>>>();"), 64);
    EXPECT_EQ(of("auto c = config{.threads = 96}; k<<<g, c.threads>>>();"), 96);
    EXPECT_EQ(of("config c; k<<<g, c.block>>>();"), 64);
    EXPECT_EQ(of("config c; c.threads /= 2; k<<<g, c.threads>>>();"), 96);
    EXPECT_EQ(of("constexpr config t[] = {{64}, {128}}; k<<<g, t[1].threads>>>();"), 128);
    EXPECT_EQ(of("config c; if (n) c.threads = 64; k<<<g, c.threads>>>();"), std::nullopt);
    EXPECT_EQ(of("config c; k<<<g, c.x>>>();"), std::nullopt);  // has no initial value
    const std::string use = " void f() { config c; k<<<g, c.t>>>(); }";
    EXPECT_EQ(block_of("struct config { int t = 64; config() : t(96) {} };" + use), std::nullopt);
    EXPECT_EQ(block_of("struct base { int t = 64; }; struct config : base {};" + use), std::nullopt);
}

TEST(launch_sizes, values_that_conditions_tell)
{
    EXPECT_EQ(in_function("dim3 b(n); switch (n) { case 64: k<<<g, b>>>(); }"), 64);
    EXPECT_EQ(in_function("switch (n) { case 32: break; case 64: { k<<<g, n>>>(); } }"), 64);
    EXPECT_EQ(in_function("switch (n) { case 32: { return; } case 64: k<<<g, n>>>(); }"), 64);
    EXPECT_EQ(in_function("if (n == 64) k<<<g, n>>>();"), 64);
    EXPECT_EQ(in_function("if (m && (64 == n)) { k<<<g, n>>>(); }"), 64);
    for (const char* open :
         {"switch (n) { case 32: case 64: k<<<g, n>>>(); }", "switch (n) { case 32: f(); case 64: k<<<g, n>>>(); }",
          "switch (n) { case 32: if (m) break; case 64: k<<<g, n>>>(); }",
          "switch (n) { case 32: if (m) { break; } case 64: k<<<g, n>>>(); }",
          "switch (n) { case 64: default: k<<<g, n>>>(); }", "if (n == 64) {} else k<<<g, n>>>();",
          "if (n == 64 || m) k<<<g, n>>>();", "if (m || m && n == 64) k<<<g, n>>>();", "if (n = 64) k<<<g, m>>>();",
          "if (n == 64) { n = m; k<<<g, n>>>(); }", "for (; n == 64; ++n) k<<<g, n>>>();"})
        EXPECT_EQ(in_function(open), std::nullopt) << open;
}

TEST(launch_sizes, sizes_of_types)
{
    const auto size = [](const std::string& text, const std::string& type) {
        return bytes_of(text + "\nvoid f() { k<<<1, 32, sizeof(" + type + ")>>>(); }");
    };
    EXPECT_EQ(size("struct alignas(16) s { float a[3]; };", "s"), 16);
    EXPECT_EQ(size("struct __attribute__((aligned(32))) s { char c; };", "s"), 32);
    EXPECT_EQ(size("struct s { alignas(64) float a[3]; float b; };", "s"), 64);
    EXPECT_EQ(size("union u { char c[5]; int i; };", "u"), 8);
    EXPECT_EQ(size("template <class T, int N> struct tile { T v[N][N + 1]; };", "tile<float, 32>"), 4224);
    EXPECT_EQ(size("template <class T> struct a { struct s { T v[4]; char c; }; };", "a<double>::s"), 40);
    EXPECT_EQ(size("struct s { int a; int get() const { return a; } s& operator=(const s&); double d; };", "s"), 16);
    EXPECT_EQ(size("struct s { static constexpr int n = 3; using t = int; t v[n]; enum e { x }; };", "s"), 12);
    EXPECT_EQ(size("const int v[] = {1, 2, 3};", "v"), 12);
    for (const char* open : {"struct s { virtual ~s(); int a; };", "struct b { int a; }; struct s : b { int c; };",
                             "struct s { int& r; };", "struct s { int a : 4; };", "struct s { float (*p)[4]; };",
                             "struct s { union { int a; double b; }; };", "template <class T> struct s { T v; };",
                             "struct s { other o; };"})
        EXPECT_EQ(size(open, "s"), std::nullopt) << open;
}

TEST(launch_sizes, nodes_of_graphs_and_other_forms)
{
    const std::string node = "cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);";
    EXPECT_EQ(in_function("cudaKernelNodeParams p = {0}; p.func = (void*)k; p.gridDim = dim3(8); "
                          "p.blockDim = dim3(64, 2); p.sharedMemBytes = 512; " +
                          node),
              128);
    EXPECT_EQ(
        in_function("cudaKernelNodeParams p{.func = (void*)k, .gridDim = {4, 1, 1}, .blockDim = {160, 1, 1}}; " + node),
        160);
    EXPECT_EQ(in_function("cudaKernelNodeParams p = {(void*)k, dim3(1), dim3(96), 0, args, nullptr}; " + node), 96);
    EXPECT_EQ(in_function("cudaGraphNodeParams p = {cudaGraphNodeTypeKernel}; p.kernel.func = (void*)k; "
                          "p.kernel.gridDim = dim3(1); p.kernel.blockDim = dim3(224); "
                          "cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p);"),
              224);
    EXPECT_EQ(in_function("cudaGraphNodeParams p = {cudaGraphNodeTypeMemset}; p.memset.value = 1; "
                          "cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p);"),
              std::nullopt);
    EXPECT_EQ(in_function("cuLaunchKernel(fn, 8, 1, 1, 256, 2, 1, 1024, s, args, nullptr);"), 512);
    EXPECT_EQ(bytes_of("void f() { cuLaunchKernel(fn, 8, 1, 1, 256, 2, 1, 1024, s, args, nullptr); }"), 1024);
    EXPECT_EQ(in_function("detail::triple_chevron(8, dim3(64, 2), 1024, s).doit(k, p);"), 128);
    EXPECT_EQ(in_function("k<<<g, '@'>>>();"), 64);
}

TEST(launch_sizes, other_spellings_of_brackets)
{
    EXPECT_EQ(block_of("void f() <% int t<:2:> = <%96, 128%>; k<<<g, t<:0:>>>>(); %>"), 96);
    EXPECT_EQ(block_of("template <class T> struct s { static constexpr int v = 32; }; struct z {};\n"
                       "void f() { k<<<g, s<::z>::v>>>(); }"),
              32);
    const launch_text compared("void f() { k<(4 > 3)><<<1, 64>>>(); }");
    EXPECT_EQ(read_source_launches(compared.source).at(0).kernel, "k");
}

TEST(launch_sizes, calls_around_a_launch)
{
    // The block size in each call of the function.
    const auto sizes = [](const std::string& text) {
        const launch_text read(text);
        const source_launch launch = read_source_launches(read.source).at(0);
        std::string all;
        for (const template_values& call : read.values.calls_around(launch.first)) {
            const auto size = volume_of(figures_of(launch, read.values, call).block);
            all += (all.empty() ? "" : " ") + (size ? std::to_string(*size) : std::string("?"));
        }
        return all;
    };
    const std::string run = "static void run(float* p, int t) { k<<<1, t>>>(p); }\n";
    EXPECT_EQ(sizes(run + "void f(float* p) { run(p, 64); run(p, 2 * 48); }"), "64 96");
    EXPECT_EQ(sizes("namespace { void run(const dim3& b, int y = 2) { k<<<1, dim3(b.x, y)>>>(); } }\n"
                    "void f() { run(dim3(32)); run(dim3(64), 1); }"),
              "64 64");
    EXPECT_EQ(sizes("void f() { auto run = [&](int t) { k<<<1, t>>>(); }; run(128); }"), "128");
    EXPECT_EQ(sizes("template <int T> static void run(int x) { k<<<1, T * x>>>(); } void f() { run<32>(3); }"), "96");
    EXPECT_EQ(sizes("static void run(int t) { auto go = [&](int u) { k<<<1, u * t>>>(); }; go(2); go(4); }\n"
                    "void f() { run(32); }"),
              "64 128");
    EXPECT_EQ(sizes(run + "void f(float* p, int n) { run(p, n); }"), "?");
    EXPECT_EQ(sizes("static void run(int t) { t = t > 64 ? 32 : t; k<<<1, t>>>(); } void f() { run(128); }"), "?");
    EXPECT_EQ(sizes("static void run(int& t) { k<<<1, t>>>(); } void f() { int t = 64; run(t); }"), "?");
    EXPECT_EQ(sizes("static void run(float t) { k<<<1, (int)t>>>(); } void f() { run(64); }"), "?");
    EXPECT_EQ(sizes(run + "void f(float* p) { run(p, 64); std::thread t(run, p, 128); }"), "");  // by its address
    EXPECT_EQ(sizes("void run(int t) { k<<<1, t>>>(); } void f() { run(64); }"), "");            // others may call it
    EXPECT_EQ(sizes("struct s { static void run(int t) { k<<<1, t>>>(); } }; void f() { s::run(64); }"), "");
}

// Generated sources repeat a line ten thousand times. What is looked at is limited; the answers are known or open,
// never other values.
TEST(launch_sizes, the_search_is_limited)
{
    const auto repeated = [](const std::string& line) {
        std::string all;
        for (int i = 0; i < 10000; ++i) all += line + "\n";
        return all;
    };
    const auto all_of = [](const std::string& text) {
        const launch_text read(text);
        std::vector<std::optional<std::int64_t>> found;
        for (const source_launch& launch : read_source_launches(read.source)) {
            auto size = volume_of(figures_of(launch, read.values).block);
            if (std::ranges::find(found, size) == found.end()) found.push_back(size);
        }
        return found;
    };
    using sizes = std::vector<std::optional<std::int64_t>>;
    EXPECT_EQ(all_of("void f() { int t = 64;\n" + repeated("t = 32; k<<<g, t>>>();") + "}"), sizes{32});
    EXPECT_EQ(all_of("void f() { int t = 32;\n" + repeated("k<<<g, t>>>(); t += 32; t -= 32;") + "}"),
              (sizes{32, std::nullopt}));
    EXPECT_EQ(all_of("void f() { int t[] = {32, 64};\n" + repeated("k<<<g, t[1]>>>(); t[0] = 3;") + "}").front(), 64);
    EXPECT_EQ(all_of("static void r(int t) { k<<<g, t>>>(); } void f() {" + repeated("r(64);") + "}"),
              sizes{std::nullopt});
    EXPECT_EQ(all_of("struct c {\n" + repeated("int m = 64;") + "}; void f() { c x; k<<<g, x.m>>>(); }"),
              sizes{std::nullopt});
    EXPECT_EQ(in_function("k<<<g, t" + std::string(10000, '[') + ">>>();"), std::nullopt);
    EXPECT_EQ(in_function("k<<<g, " + repeated("t +=") + "1>>>();"), std::nullopt);
}

}  // namespace
}  // namespace launchbox
