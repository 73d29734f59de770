// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/bound_injection.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "support/error.hpp"

namespace launchbox {

namespace {

// cuda_runtime.h comes first, since it defines the words that are redefined here. nvcc includes it in any case. A file
// that nvcc passes only to the host compiler must not be changed.
constexpr std::string_view begin_text =
    "#ifdef __CUDACC__\n"
    "#include <cuda_runtime.h>\n";
constexpr std::string_view end_text = "#endif\n";

constexpr std::string_view hash_text =
    "namespace launchbox_injection {\n"
    "constexpr int hash(const char* text)\n"
    "{\n"
    "    unsigned value = 2166136261u;\n"
    "    for (; *text; ++text) value = (value ^ static_cast<unsigned char>(*text)) * 16777619u;\n"
    "    return static_cast<int>(value & 0x3fffffff) + 1;\n"
    "}\n"
    "}\n";

// `first` to `third` are the arguments of the kernel's own attribute, 0 if it has fewer. The function without a body
// cannot be called in a constant expression, so the compiler prints its name.
constexpr std::string_view choice_text =
    "namespace launchbox_injection {\n"
    "constexpr bool is_file(const char* path, const char* name)\n"
    "{\n"
    "    unsigned long path_end = 0, name_end = 0;\n"
    "    while (path[path_end]) ++path_end;\n"
    "    while (name[name_end]) ++name_end;\n"
    "    if (path_end < name_end) return false;\n"
    "    path += path_end - name_end;\n"
    "    if (path_end > name_end && path[-1] != '/') return false;\n"
    "    while (*name && *path == *name) ++path, ++name;\n"
    "    return !*name;\n"
    "}\n"
    "template <class A, class... R> constexpr int first(A a, R...) { return static_cast<int>(a); }\n"
    "template <class A> constexpr int second(A) { return 0; }\n"
    "template <class A, class B, class... R> constexpr int second(A, B b, R...) { return static_cast<int>(b); }\n"
    "template <class... A> constexpr int third(A...) { return 0; }\n"
    "template <class A, class B, class C> constexpr int third(A, B, C c) { return static_cast<int>(c); }\n"
    "int another_file_has_a_launch_attribute_at_this_line();\n"
    "}\n"
    "#define LAUNCHBOX_IN(name) ::launchbox_injection::is_file(__FILE__, name)\n"
    "#define LAUNCHBOX_OTHER ::launchbox_injection::another_file_has_a_launch_attribute_at_this_line()\n";

// A line's macro expands to two words, `~, replacement`. Without a macro, pasting gives one word, and the second is the
// one that follows. So all other kernels stay the same, token by token.
constexpr std::string_view selection_text =
    "#define LAUNCHBOX_PASTE_(a, b) a##b\n"
    "#define LAUNCHBOX_PASTE(a, b) LAUNCHBOX_PASTE_(a, b)\n"
    "#define LAUNCHBOX_SECOND_(a, b, ...) b\n"
    "#define LAUNCHBOX_SECOND(...) LAUNCHBOX_SECOND_(__VA_ARGS__)\n"
    "#define LAUNCHBOX_APPLY_(f, arguments) f arguments\n"
    "#define LAUNCHBOX_APPLY(f, arguments) LAUNCHBOX_APPLY_(f, arguments)\n"
    "#define LAUNCHBOX_OWN_BOUNDS(...) __attribute__((launch_bounds(__VA_ARGS__)))\n"
    "#define LAUNCHBOX_OWN_REGISTERS(...) __attribute__((maxnreg(__VA_ARGS__)))\n"
    "#undef __global__\n"
    "#undef __launch_bounds__\n"
    "#undef __maxnreg__\n"
    "#define __global__ LAUNCHBOX_SECOND(LAUNCHBOX_PASTE(LAUNCHBOX_GLOBAL_, __LINE__), __attribute__((global)), )\n"
    "#define __launch_bounds__(...) \\\n"
    "    LAUNCHBOX_APPLY(LAUNCHBOX_SECOND(LAUNCHBOX_PASTE(LAUNCHBOX_BOUNDS_, __LINE__), LAUNCHBOX_OWN_BOUNDS, ), "
    "(__VA_ARGS__))\n"
    "#define __maxnreg__(...) \\\n"
    "    LAUNCHBOX_APPLY(LAUNCHBOX_SECOND(LAUNCHBOX_PASTE(LAUNCHBOX_REGISTERS_, __LINE__), LAUNCHBOX_OWN_REGISTERS, ), "
    "(__VA_ARGS__))\n";

struct line_bound {
    std::string file;  // without folders
    launch_attribute attribute;
};
using line_bounds = std::map<int, std::vector<line_bound>>;

std::string name_of(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string file_literal(std::string_view name)
{
    constexpr std::string_view plain = "+-._ ";
    std::string text = "\"";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter = (byte | 32) >= 'a' && (byte | 32) <= 'z', digit = byte >= '0' && byte <= '9';
        if (letter || digit || plain.find(c) != std::string_view::npos) {
            text += c;
            continue;
        }
        text += '\\';
        for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((byte >> shift) & 7));
    }
    return text + "\"";
}

void add(line_bounds& lines, const source_location& at, const launch_attribute& attribute)
{
    std::vector<line_bound>& line = lines[at.line];
    const std::string file = name_of(at.file);
    for (const line_bound& known : line) {
        if (known.file == file && known.attribute == attribute) return;
        const bool one_kind = (known.attribute.max_registers > 0) == (attribute.max_registers > 0);
        if (known.file == file || !one_kind)
            throw error("two kernels at line " + std::to_string(at.line) + " of " + known.file +
                            (known.file == file ? "" : " and " + file) + " cannot get different launch attributes",
                        "write them in different lines, or choose one of them with --kernel");
    }
    line.push_back({file, attribute});
}

// LAUNCHBOX_IN("a.cu") ? 256 : LAUNCHBOX_IN("b.cu") ? 128 : 0
std::string choice(const std::vector<line_bound>& line, int launch_attribute::*value, std::string_view otherwise)
{
    std::string text;
    for (const line_bound& bound : line)
        text += "LAUNCHBOX_IN(" + file_literal(bound.file) + ") ? " + std::to_string(bound.attribute.*value) + " : ";
    return text.append(otherwise);
}

// What kernels at the same line of other files get.
struct others {
    std::string_view threads, min_blocks, max_cluster_blocks, max_registers;
};

std::string attribute_text(const std::vector<line_bound>& line, const others& other)
{
    if (line.front().attribute.max_registers > 0)
        return "__attribute__((maxnreg(" + choice(line, &launch_attribute::max_registers, other.max_registers) + ")))";
    std::string text = "__attribute__((launch_bounds(" + choice(line, &launch_attribute::threads, other.threads) +
                       ", " + choice(line, &launch_attribute::min_blocks, other.min_blocks);
    // Before sm_90, even a 0 there is an error.
    if (std::ranges::any_of(line, [](const line_bound& bound) { return bound.attribute.max_cluster_blocks > 0; }))
        text += ", " + choice(line, &launch_attribute::max_cluster_blocks, other.max_cluster_blocks);
    return text + ")))";
}

// #define WORD_12 ~, WORD_AT_12
// #define WORD_AT_12(...) attribute
void define_with_arguments(std::string& text, const std::string& word, int number, const std::string& attribute)
{
    const std::string line = std::to_string(number);
    text += "#define " + word + line + " ~, " + word + "AT_" + line + "\n";
    text += "#define " + word + "AT_" + line + "(...) " + attribute + "\n";
}

}  // namespace

std::string injection_header(const std::vector<injected_bound>& bounds)
{
    line_bounds without_own, with_own;
    for (const injected_bound& bound : bounds) {
        if (bound.attribute_at)
            add(with_own, *bound.attribute_at, bound.attribute);
        else if (!bound.attribute.empty())
            add(without_own, bound.declared_at, bound.attribute);
    }
    std::string text(begin_text);
    text.append(choice_text).append(selection_text);
    // 0 means no bound, and every kernel may have 255 registers.
    for (const auto& [number, line] : without_own)
        text += "#define LAUNCHBOX_GLOBAL_" + std::to_string(number) + " ~, __attribute__((global)) " +
                attribute_text(line, {"0", "0", "0", "255"}) + "\n";
    constexpr std::string_view first = "::launchbox_injection::first(__VA_ARGS__)",
                               second = "::launchbox_injection::second(__VA_ARGS__)",
                               third = "::launchbox_injection::third(__VA_ARGS__)", refuse = "LAUNCHBOX_OTHER";
    for (const auto& [number, line] : with_own) {
        define_with_arguments(text, "LAUNCHBOX_BOUNDS_", number, attribute_text(line, {first, second, third, refuse}));
        define_with_arguments(text, "LAUNCHBOX_REGISTERS_", number, attribute_text(line, {refuse, "0", "0", first}));
    }
    return text.append(end_text);
}

std::string census_header(census_of kind)
{
    const std::string place = "__attribute__((launch_bounds(__LINE__, ::launchbox_injection::hash(__FILE__))))\n";
    const bool declarations = kind == census_of::declarations;
    std::string text(begin_text);
    text.append(hash_text);
    if (declarations) text += "#undef __global__\n#define __global__ __attribute__((global)) " + place;
    for (const char* word : {"__launch_bounds__", "__maxnreg__"})
        text += std::string("#undef ") + word + "\n#define " + word + "(...) " + (declarations ? "\n" : place);
    text += "#undef __block_size__\n#define __block_size__(...)\n";  // cannot be combined with a launch bound
    return text.append(end_text);
}

int census_hash(std::string_view file)
{
    std::uint32_t value = 2166136261u;
    for (const char c : file) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
    return static_cast<int>(value & 0x3fffffff) + 1;
}

}  // namespace launchbox
