// Launch bounds written into many forms of declarations: compared byte by byte, and as nvcc compiles them.
#include "advice/bounds/bound_edit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "image/ptx/ptx.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

// `@` stands for the kernel's name, `$` for the attribute that is written. Lines count from 1.
struct form {
    const char* name;
    const char* before;
    const char* after;
    int declared = 1;
    std::optional<int> attribute = std::nullopt;
};

// Each has a body that keeps the kernel, and is written as people write it.
const std::vector<form> forms{
    {"plain", "__global__ void @(int* p) { *p = 1; }\n", "__global__ void $ @(int* p) { *p = 1; }\n"},
    {"replaced", "__global__ void __launch_bounds__(512) @(int* p) { *p = 1; }\n",
     "__global__ void $ @(int* p) { *p = 1; }\n", 1, 1},
    {"two_arguments", "__global__ void __launch_bounds__(512, 1) @(int* p) { *p = 1; }\n",
     "__global__ void $ @(int* p) { *p = 1; }\n", 1, 1},
    {"three_arguments", "__global__ void __launch_bounds__(512, 1, 2) @(int* p) { *p = 1; }\n",
     "__global__ void $ @(int* p) { *p = 1; }\n", 1, 1},
    {"maxnreg", "__global__ void __maxnreg__(48) @(int* p) { *p = 1; }\n", "__global__ void $ @(int* p) { *p = 1; }\n",
     1, 1},
    {"attribute_first", "__launch_bounds__(512) __global__ void @(int* p) { *p = 1; }\n",
     "$ __global__ void @(int* p) { *p = 1; }\n", 1, 1},
    {"attribute_between", "__global__ __launch_bounds__(512) void @(int* p) { *p = 1; }\n",
     "__global__ $ void @(int* p) { *p = 1; }\n", 1, 1},
    {"arguments_over_lines", "__global__ void\n__launch_bounds__(\n    512,\n    (1 + 1))\n@(int* p) { *p = 1; }\n",
     "__global__ void\n$\n@(int* p) { *p = 1; }\n", 1, 2},
    {"constants",
     "constexpr int @_threads = 64 * 2;\n__global__ void __launch_bounds__(@_threads) @(int* p) { *p = 1; }\n",
     "constexpr int @_threads = 64 * 2;\n__global__ void $ @(int* p) { *p = 1; }\n", 2, 2},
    {"macro_as_argument", "#define @_T 128\n__global__ void __launch_bounds__(@_T, 2) @(int* p) { *p = 1; }\n",
     "#define @_T 128\n__global__ void $ @(int* p) { *p = 1; }\n", 2, 2},
    {"name_on_its_line", "__global__ void\n@(int* p)\n{\n    *p = 1;\n}\n",
     "__global__ void\n$ @(int* p)\n{\n    *p = 1;\n}\n"},
    {"tabs", "\t__global__\tvoid\t@\t(int* p)\t{ *p = 1; }\n", "\t__global__\tvoid\t$ @\t(int* p)\t{ *p = 1; }\n"},
    {"windows_lines", "__global__ void\r\n__launch_bounds__(512,\r\n 1)\r\n@(int* p) { *p = 1; }\r\n",
     "__global__ void\r\n$\r\n@(int* p) { *p = 1; }\r\n", 1, 2},
    {"extern_c", "extern \"C\" __global__ void @(int* p) { *p = 1; }\n",
     "extern \"C\" __global__ void $ @(int* p) { *p = 1; }\n"},
    {"extern_c_block", "extern \"C\" {\n__global__ void @(int* p) { *p = 1; }\n}\n",
     "extern \"C\" {\n__global__ void $ @(int* p) { *p = 1; }\n}\n", 2},
    {"void_first", "void __global__ @(int* p) { *p = 1; }\n", "void __global__ $ @(int* p) { *p = 1; }\n"},
    {"static_launched", "static __global__ void @(int* p) { *p = 1; }\nvoid @_go() { @<<<1, 1>>>(nullptr); }\n",
     "static __global__ void $ @(int* p) { *p = 1; }\nvoid @_go() { @<<<1, 1>>>(nullptr); }\n"},
    {"named_space", "namespace @_a { namespace b {\n__global__ void @(int* p) { *p = 1; }\n}}\n",
     "namespace @_a { namespace b {\n__global__ void $ @(int* p) { *p = 1; }\n}}\n", 2},
    {"qualified", "namespace @_a { __global__ void @(int* p); }\n__global__ void @_a::@(int* p) { *p = 1; }\n",
     "namespace @_a { __global__ void @(int* p); }\n__global__ void $ @_a::@(int* p) { *p = 1; }\n", 2},
    {"from_the_root", "__global__ void @(int* p);\n__global__ void ::@(int* p) { *p = 1; }\n",
     "__global__ void @(int* p);\n__global__ void $ ::@(int* p) { *p = 1; }\n", 2},
    {"trailing_return", "__global__ auto @(int* p) -> void { *p = 1; }\n",
     "__global__ auto $ @(int* p) -> void { *p = 1; }\n"},
    {"gnu_attribute", "__global__ __attribute__((used)) void @(int* p) { *p = 1; }\n",
     "__global__ __attribute__((used)) void $ @(int* p) { *p = 1; }\n"},
    {"standard_attribute", "[[maybe_unused]] __global__ void @(int* p) { *p = 1; }\n",
     "[[maybe_unused]] __global__ void $ @(int* p) { *p = 1; }\n"},
    {"comments_inside", "__global__ /* __launch_bounds__(1) @( */ void // @(\n@ /* ( */ (int* p) { *p = 1; }\n",
     "__global__ /* __launch_bounds__(1) @( */ void // @(\n$ @ /* ( */ (int* p) { *p = 1; }\n"},
    {"strings_around",
     "const char* @_s = R\"x(__global__ void @(int* p) { \" )x\";\nconst char @_q = '\"';\n"
     "__global__ void @(int* p) { *p = 1; }\n",
     "const char* @_s = R\"x(__global__ void @(int* p) { \" )x\";\nconst char @_q = '\"';\n"
     "__global__ void $ @(int* p) { *p = 1; }\n",
     3},
    {"own_declaration", "__global__ void __launch_bounds__(512) @(int* p);\n__global__ void @(int* p) { *p = 1; }\n",
     "__global__ void $ @(int* p);\n__global__ void @(int* p) { *p = 1; }\n", 2, 1},
    {"behind_parameters", "__global__ void @(int* p) __launch_bounds__(512);\n__global__ void @(int* p) { *p = 1; }\n",
     "__global__ void @(int* p) $;\n__global__ void @(int* p) { *p = 1; }\n", 2, 1},
    {"in_a_taken_branch",
     "#if 1\n__global__ void @(int* p) { *p = 1; }\n#else\n__global__ void @(int* p) { *p = 2; }\n#endif\n",
     "#if 1\n__global__ void $ @(int* p) { *p = 1; }\n#else\n__global__ void @(int* p) { *p = 2; }\n#endif\n", 2},
    {"two_heads_one_body",
     "#ifdef NEVER\n__global__ void @(char* p)\n#else\n__global__ void @(int* p)\n#endif\n{ *p = 1; }\n",
     "#ifdef NEVER\n__global__ void @(char* p)\n#else\n__global__ void $ @(int* p)\n#endif\n{ *p = 1; }\n", 4},
    {"continued_lines", "__global__ \\\nvoid \\\n@(int* p) { *p = 1; }\n",
     "__global__ \\\nvoid \\\n$ @(int* p) { *p = 1; }\n"},
    {"parameters_like_code", "__global__ void @(int (*f)(int), int* p, int n = (1 < 2)) { *p = n; }\n",
     "__global__ void $ @(int (*f)(int), int* p, int n = (1 < 2)) { *p = n; }\n"},
    {"after_a_template",
     "template <class T> __device__ T @_f(T x) { return x; }\n__global__ void @(int* p) { *p = @_f(1); }\n",
     "template <class T> __device__ T @_f(T x) { return x; }\n__global__ void $ @(int* p) { *p = @_f(1); }\n", 2},
    {"no_space_before_name", "__global__ void __launch_bounds__(512)@(int* p) { *p = 1; }\n",
     "__global__ void $@(int* p) { *p = 1; }\n", 1, 1},
    {"overloaded", "__global__ void @(float* p) { *p = 1; }\n__global__ void @(int* p) { *p = 1; }\n",
     "__global__ void @(float* p) { *p = 1; }\n__global__ void $ @(int* p) { *p = 1; }\n", 2},
};

std::string filled(std::string_view text, const std::string& name, const std::string& attribute = {})
{
    std::string result;
    for (char c : text) c == '@' ? result += name : c == '$' ? result += attribute : result += c;
    return result;
}

bound_edit_request asked(const form& each, const std::string& name, const std::string& attribute)
{
    return {.kernel = name, .declared_line = each.declared, .attribute_line = each.attribute, .attribute = attribute};
}

TEST(bound_edit, every_form_is_edited_exactly)
{
    for (const form& entry : forms) {
        const std::string before = filled(entry.before, "merge");
        for (const char* attribute : {"__launch_bounds__(256, 2)", "__maxnreg__(64)"}) {
            const bound_edit edit = edit_bound(before, asked(entry, "merge", attribute));
            EXPECT_EQ(edit.refusal, "") << entry.name;
            EXPECT_EQ(edit.text, filled(entry.after, "merge", attribute)) << entry.name;
            EXPECT_EQ(edit.old.empty(), !entry.attribute) << entry.name;
            // A byte order mark and a missing line feed at the end are kept.
            std::string cut = "\xef\xbb\xbf" + before;
            cut.pop_back();
            std::string cut_after = "\xef\xbb\xbf" + filled(entry.after, "merge", attribute);
            cut_after.pop_back();
            EXPECT_EQ(edit_bound(cut, asked(entry, "merge", attribute)).text, cut_after) << entry.name;
        }
    }
}

TEST(bound_edit, a_written_bound_can_be_replaced_and_removed)
{
    for (const form& entry : forms) {
        const std::string first =
            edit_bound(filled(entry.before, "merge"), asked(entry, "merge", "__maxnreg__(64)")).text;
        form again = entry;
        const std::size_t at = filled(entry.after, "merge", "__maxnreg__(64)").find("__maxnreg__(64)");
        again.attribute = 1 + static_cast<int>(std::count(first.begin(), first.begin() + static_cast<long>(at), '\n'));
        EXPECT_EQ(edit_bound(first, asked(again, "merge", "__launch_bounds__(32)")).text,
                  filled(entry.after, "merge", "__launch_bounds__(32)"))
            << entry.name;
        const std::string removed = edit_bound(first, asked(again, "merge", "")).text;
        EXPECT_EQ(removed.find("__maxnreg__"), std::string::npos) << entry.name;
        if (!entry.attribute) {
            EXPECT_EQ(removed, filled(entry.before, "merge")) << entry.name;
        }
    }
}

// The bounds of each kernel in the PTX, by its mangled name.
std::map<std::string, std::string> bounds_by_nvcc(const std::string& source)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "kernels.cu", source);
    const subprocess_result made =
        run({"nvcc", "-ptx", "-arch=sm_90", "-Wno-deprecated-gpu-targets", "-o", "kernels.ptx", "kernels.cu"},
            {.directory = folder.path(), .environment = {}});
    EXPECT_EQ(made.exit_code, 0) << made.output;
    std::map<std::string, std::string> bounds;
    if (made.exit_code != 0) return bounds;
    for (const kernel_info& kernel : read_ptx(read_input((folder.path() / "kernels.ptx").string()), "-").kernels)
        bounds[kernel.name] =
            fmt::format("{},{},{}", kernel.bounds.max_threads ? (*kernel.bounds.max_threads)[0] : 0,
                        kernel.bounds.min_blocks.value_or(0), kernel.bounds.requested_max_registers.value_or(0));
    return bounds;
}

#define NEEDS_NVCC() \
    if (find_in_path("nvcc").empty()) GTEST_SKIP() << "needs nvcc in PATH"

// All forms in one file, each edited with a different bound; nvcc then says which kernel has which.
TEST(bound_edit, nvcc_gives_the_edited_kernel_the_bound_and_every_other_its_own)
{
    NEEDS_NVCC();
    std::string before = "// merged\n";
    struct place {
        std::string name;
        int first_line = 0;
    };
    std::vector<place> places;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        places.push_back(
            {fmt::format("kernel_{}_x", i), static_cast<int>(std::count(before.begin(), before.end(), '\n'))});
        before += filled(forms[i].before, places.back().name);
    }
    const std::map<std::string, std::string> old_bounds = bounds_by_nvcc(before);
    ASSERT_GE(old_bounds.size(), forms.size());

    // Edit every second form first, so that the file has kernels with and without an edit.
    std::string text = before;
    for (std::size_t start : {0u, 1u}) {
        for (std::size_t i = start; i < forms.size(); i += 2) {
            bound_edit_request request =
                asked(forms[i], places[i].name,
                      i % 3 == 0 ? fmt::format("__maxnreg__({})", 32 + 8 * (i % 20))
                                 : fmt::format("__launch_bounds__({}, {})", 32 * (1 + i % 8), 1 + i % 4));
            request.declared_line += places[i].first_line;
            if (request.attribute_line) *request.attribute_line += places[i].first_line;
            const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
            const bound_edit edit = edit_bound(text, request);
            ASSERT_EQ(edit.refusal, "") << forms[i].name;
            text = edit.text;
            const int added = static_cast<int>(std::count(text.begin(), text.end(), '\n')) - lines;
            for (std::size_t later = i + 1; later < forms.size(); ++later) places[later].first_line += added;
        }
        const std::map<std::string, std::string> new_bounds = bounds_by_nvcc(text);
        ASSERT_EQ(new_bounds.size(), old_bounds.size());
        for (const auto& [name, bound] : new_bounds) {
            const std::size_t at = name.find("kernel_");
            ASSERT_NE(at, std::string::npos) << name;
            const std::size_t i = std::stoul(name.substr(at + 7));
            const bool edited = (start == 1 || i % 2 == 0) && !name.ends_with("Pf");  // the other overload
            const std::string wanted = !edited      ? old_bounds.at(name)
                                       : i % 3 == 0 ? fmt::format("0,0,{}", 32 + 8 * (i % 20))
                                                    : fmt::format("{},{},0", 32 * (1 + i % 8), 1 + i % 4);
            EXPECT_EQ(bound, wanted) << name << ' ' << forms[i].name;
        }
    }
}

struct refusal {
    const char* why;
    const char* text;
    int declared = 1;
    std::optional<int> attribute = std::nullopt;
};

TEST(bound_edit, refuses_declarations_that_it_may_misunderstand)
{
    const std::vector<refusal> refusals{
        {"merge is a template (line 1)", "template <class T> __global__ void merge(T* p) {}\n"},
        {"is a template", "template <class T>\nrequires requires(T t) { t + 1; }\n__global__ void merge(T* p) {}\n", 3},
        {"is a template", "template <class T, int N = sizeof(T{})>\n__global__ void merge(T* p) {}\n", 2},
        {"is a template", "template <> __global__ void merge(int* p) {}\n"},
        {"specialization of a template", "MACRO __global__ void merge<int>(int* p) {}\n"},
        {"declared in a template", "template <class T> struct s {\n friend __global__ void merge(T*);\n};\n", 2},
        {"declared by the macro MAKE (line 1)", "#define MAKE __global__ \\\n void merge(int* p) {}\nMAKE\n", 1},
        {"declared by the macro MAKE (line 1)", "#define MAKE \\\n __global__ void merge(int* p) {}\nMAKE\n", 2},
        {"a macro stands for it (MAKE)", "#define MAKE __global__ void merge(int* p) {}\nMAKE\n", 2},
        {"a macro stands for it (CUB_DETAIL_KERNEL_ATTRIBUTES)",
         "CUB_DETAIL_KERNEL_ATTRIBUTES void merge(int* p) {}\n"},
        {"argument of a macro", "WRAP(__global__ void merge(int* p) {})\n"},
        {"line 1 declares no function merge", "__global__ void NAME(merge)(int* p) {}\n"},
        {"line 1 declares no function merge", "__global__ void scan(int* p) {}\n"},
        {"line 1 declares no function merge", "__global__ void scan(int* p) { merge(1); }\n"},
        {"line 1 declares no function merge", "__global__ void (merge)(int* p) {}\n"},
        {"two __global__ on line 1", "__global__ void scan(int*) {} __global__ void merge(int*) {}\n"},
        {"two __global__", "__global__ void\n__global__ merge(int*) {}\n"},
        {"line 2 has no __global__: the file changed", "__global__ void merge(int*) {}\n\n", 2},
        {"line 99 has no __global__", "__global__ void merge(int*) {}\n", 99},
        {"line 0 has no __global__", "__global__ void merge(int*) {}\n", 0},
        {"line 1 is a directive", "#include <x>\n__global__ void merge(int*) {}\n", 1},
        {"the compiler saw no bound", "__global__ void __launch_bounds__(1) merge(int*) {}\n"},
        {"saw the bound on line 3", "__global__ void __launch_bounds__(1) merge(int*) {}\n", 1, 3},
        {"line 1 has no __launch_bounds__", "__global__ void BOUNDS merge(int*) {}\n", 1, 1},
        {"line 1 has no __launch_bounds__",
         "__global__ void scan(int*) __launch_bounds__(2), merge();\n__global__ void "
         "merge(int*) {}\n",
         2, 1},
        {"uses the macro BOUNDS (line 1), which holds __launch_bounds__",
         "#define BOUNDS(n) __launch_bounds__(n)\n__global__ void BOUNDS(64) merge(int*) {}\n", 2},
        {"uses the macro HEAD (line 1), which holds template",
         "#define HEAD template <class T>\nHEAD __global__ void merge(T*) {}\n", 2},
        {"come from a macro", "#define ARGS (64)\n__global__ void __launch_bounds__ ARGS merge(int*) {}\n", 2, 2},
        {"has two bounds", "__global__ void __launch_bounds__(1) __launch_bounds__(2) merge(int*) {}\n", 1, 1},
        {"has __block_size__", "__global__ void __block_size__((64)) merge(int*) {}\n"},
        {"an #if of its own inside", "__global__ void\n#if X\n__launch_bounds__(64)\n#endif\nmerge(int*) {}\n", 1, 3},
        {"an #if of its own inside", "__global__ void\n#ifdef X\nmerge(int*)\n#endif\n{}\n"},
        {"directive of the preprocessor in the bound",
         "__global__ void __launch_bounds__(64\n#if X\n, 2\n#endif\n) merge(int*) {}\n", 1, 1},
        {"has an unexpected '<' on line 1", "X<int> __global__ void merge(int*) {}\n"},
        {"is not closed", "__global__ void merge(int*\n"},
    };
    for (const refusal& entry : refusals) {
        const bound_edit edit = edit_bound(entry.text, {.kernel = "merge",
                                                        .declared_line = entry.declared,
                                                        .attribute_line = entry.attribute,
                                                        .attribute = "__launch_bounds__(256)"});
        EXPECT_NE(edit.refusal.find(entry.why), std::string::npos) << entry.text << edit.refusal << '|' << edit.text;
        EXPECT_EQ(edit.text, "") << entry.text;
        EXPECT_EQ(edit.refusal.find('\n'), std::string::npos);
    }
    EXPECT_NE(edit_bound("__global__ void merge(int*) {}\n", {.kernel = "merge", .declared_line = 1}).refusal, "");
}

const std::vector<std::string> by_architecture{"#if __CUDA_ARCH__ >= 900",
                                               "#define MERGE_BOUNDS __launch_bounds__(256, 4)", "#else",
                                               "#define MERGE_BOUNDS __launch_bounds__(256, 2)", "#endif"};

bound_edit with_preamble(const std::string& text, int declared, std::optional<int> attribute = std::nullopt)
{
    return edit_bound(text, {.kernel = "merge",
                             .declared_line = declared,
                             .attribute_line = attribute,
                             .attribute = "MERGE_BOUNDS",
                             .preamble = by_architecture});
}

const std::string block =
    "// Launch bounds of merge by architecture, written by launchbox bounds --apply\n#if __CUDA_ARCH__ >= 900\n"
    "#define MERGE_BOUNDS __launch_bounds__(256, 4)\n#else\n#define MERGE_BOUNDS __launch_bounds__(256, 2)\n#endif\n";

TEST(bound_edit, a_preamble_goes_above_the_declaration_and_its_comments)
{
    struct placed {
        const char *above, *declaration;  // the block goes between them
        int declared;
    };
    for (const placed& entry : std::vector<placed>{
             {"", "__global__ void merge(int*) {}\n", 1},
             {"int x;\n", "extern \"C\"\nstatic\n__global__ void merge(int*) {}\n", 4},
             {"int x;\n\n", "// One.\n// Two.\n__global__ void merge(int*) {}\n", 5},
             {"// apart\n\n", "/* One.\n   Two. */\n__global__ void merge(int*) {}\n", 5},
             {"int x; // of x\n", "__global__ void merge(int*) {}\n", 2},
             {"#define A \\\n 1\n", "__global__ void merge(int*) {}\n", 3},
             {"", "/* a\n*/ __global__ void merge(int*) {}\n", 2},
             {"", "const char* s = R\"(\n)\"; __global__ void merge(int*) {}\n", 2},
             {"", "int y; \\\n__global__ void merge(int*) {}\n", 2},
             {"namespace a {\n", "[[maybe_unused]] __global__ void merge(int*) {} }\n", 2},
             {"#ifdef A\n", "__global__ void merge(int*) {}\n#endif\n", 2},
             {"int x;\n", "// of it\n#ifdef A\nextern \"C\"\n#endif\n__global__ void merge(int*) {}\n", 6},
             {"int x;\n", "#ifdef A\n#ifdef B\nextern \"C\"\n#endif\n#endif\n__global__ void merge(int*) {}\n", 7},
             {"#if A\nint x;\n", "#ifdef B\nextern \"C\"\n#endif\n__global__ void merge(int*) {}\n#endif\n", 6}}) {
        const std::string text = std::string(entry.above) + entry.declaration;
        std::string edited = entry.declaration;
        edited.insert(edited.find("merge(int*)"), "MERGE_BOUNDS ");
        EXPECT_EQ(with_preamble(text, entry.declared).text, entry.above + block + edited)
            << text << with_preamble(text, entry.declared).refusal;
    }
    // Windows lines, and a byte order mark.
    std::string windows;
    for (char c : block) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(with_preamble("\xef\xbb\xbf__global__ void merge(int*) {}\r\n", 1).text,
              "\xef\xbb\xbf" + windows + "__global__ void MERGE_BOUNDS merge(int*) {}\r\n");
}

TEST(bound_edit, a_preamble_replaces_its_predecessor)
{
    const std::string text = "int x;\n// Merges.\n__global__ void merge(int*) {}\n";
    const std::string once = with_preamble(text, 3).text;
    ASSERT_EQ(once, "int x;\n" + block + "// Merges.\n__global__ void MERGE_BOUNDS merge(int*) {}\n");
    // The front end may name the line of the macro's use or of its definition.
    for (std::optional<int> line : {std::optional<int>(), std::optional(9), std::optional(4)})
        EXPECT_EQ(with_preamble(once, 9, line).text, once);
    EXPECT_EQ(
        edit_bound(once, {.kernel = "merge", .declared_line = 9, .attribute_line = 9, .attribute = "__maxnreg__(40)"})
            .text,
        "int x;\n// Merges.\n__global__ void __maxnreg__(40) merge(int*) {}\n");
    EXPECT_EQ(edit_bound(once, {.kernel = "merge", .declared_line = 9, .attribute_line = 9}).text, text);
    // Replaces a bound that the user wrote.
    EXPECT_EQ(with_preamble("__launch_bounds__(64)\n__global__ void merge(int*) {}\n", 2, 1).text,
              block + "MERGE_BOUNDS\n__global__ void merge(int*) {}\n");
    // Another declaration has the bound.
    const std::string apart = block + "__global__ void MERGE_BOUNDS merge(int*);\n__global__ void merge(int*) {}\n";
    EXPECT_EQ(
        with_preamble("__global__ void __launch_bounds__(64) merge(int*);\n__global__ void merge(int*) {}\n", 2, 1)
            .text,
        apart);
    for (int line : {4, 7}) EXPECT_EQ(with_preamble(apart, 8, line).text, apart) << line;
}

TEST(bound_edit, a_preamble_that_could_not_be_found_again_is_refused)
{
    for (const std::vector<std::string>& lines : {std::vector<std::string>{"#define MERGE_BOUNDS"},
                                                  {"#if 1", "int x;", "#endif"},
                                                  {"#if 1"},
                                                  {"#if 1", "#endif", "#if 2", "#endif"},
                                                  {"// x", "#if 1", "#endif"}}) {
        const bound_edit edit =
            edit_bound("__global__ void merge(int*) {}\n",
                       {.kernel = "merge", .declared_line = 1, .attribute = "MERGE_BOUNDS", .preamble = lines});
        EXPECT_NE(edit.refusal.find("not one #if block"), std::string::npos) << lines.front();
        EXPECT_EQ(edit.text, "");
    }
    EXPECT_EQ(with_preamble("#define MERGE_BOUNDS 1\n__global__ void merge(int*) {}\n", 2).refusal,
              "line 1 defines MERGE_BOUNDS already");
}

TEST(bound_edit, nvcc_takes_the_block_of_its_architecture)
{
    NEEDS_NVCC();
    const std::string text = with_preamble("__global__ void merge(int* p) { *p = 1; }\n", 1).text;
    EXPECT_EQ(bounds_by_nvcc(text), (std::map<std::string, std::string>{{"_Z5mergePi", "256,4,0"}}));
}

}  // namespace
}  // namespace launchbox
