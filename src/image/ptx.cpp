// SPDX-License-Identifier: Apache-2.0
#include "image/ptx.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "image/elf.hpp"
#include "image/ptx_tokens.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_external_shared =
    16;  // each is looked for in all of the text; with more, all kernels use them
constexpr std::string_view call = "call";

class ptx_reader {
public:
    ptx_reader(std::string_view text, const std::string& file, bool entry_lines, kernel_memory* memory)
        : text_(text), tokens_(text), file_(file), entry_lines_(entry_lines), memory_(memory)
    {
    }

    ptx_contents read();

private:
    bool read_entry();
    void find_dynamic_shared();
    std::string_view skip_body(const char* what);
    [[nodiscard]] bool names_external_shared(std::string_view body) const;
    std::optional<std::int64_t> read_parameters();
    void read_launch_directive(std::string_view directive, kernel_info& kernel);
    std::optional<int> read_number(std::string_view directive);
    std::optional<std::array<int, 3>> read_extent(std::string_view directive);
    void complain(std::string what) { add_diagnostic(result_.diagnostics, tokens_.offset(), std::move(what)); }

    const std::string_view text_;
    ptx_tokens tokens_;
    const std::string& file_;
    const bool entry_lines_;
    kernel_memory* const memory_;
    ptx_contents result_;
    std::vector<std::string_view> external_shared_;  // names; PTX declares them before their use
    bool functions_name_it_ = false;                 // whether a function that kernels may call does
    std::vector<bool> calls_;                        // whether result_.kernels[i] does that
};

// One parameter, as far as it is read.
struct parameter {
    std::int64_t element_bytes = 0, count = 1;
    std::int64_t alignment = 0;  // 0: that of the element
    bool in_pointee = false;     // behind .ptr: what follows describes what is pointed to
};

std::string_view external_shared(ptx_tokens& tokens);
std::optional<std::int64_t> bytes_of_type(std::string_view type);
bool append(std::int64_t& layout, const parameter& parameter);

}  // namespace

bool is_ptx(std::string_view text)
{
    return ptx_tokens(text).next() == ".version";
}

ptx_contents read_ptx(std::string_view text, const std::string& file, bool entry_lines, kernel_memory* memory)
{
    return ptx_reader(text, file, entry_lines, memory).read();
}

std::string ptx_outline(std::string_view text)
{
    // Whether a kernel uses dynamic shared memory stands in the bodies alone: the names, and that there are calls,
    // stay.
    std::vector<std::string_view> kept{call};
    if (text.find(".extern") != std::string_view::npos) {
        ptx_tokens tokens(text);
        for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
            if (token == "{" && !tokens.skip_block()) break;
            if (token != ".extern") continue;
            const std::string_view name = external_shared(tokens);
            if (!name.empty() && kept.size() <= max_external_shared + 1) kept.push_back(name);
        }
    }
    std::string outline;
    ptx_tokens tokens(text);
    std::size_t from = 0;
    std::string_view token = tokens.next();
    while (!token.empty()) {
        const bool block = token == "{";
        const std::size_t behind = tokens.offset() + token.size();
        if (block) {
            outline.append(text, from, behind - from);
            const std::size_t body = tokens.position();
            if (!tokens.skip_block()) return outline;  // the text was cut, and so is the outline
            if (kept.size() > 1)
                for (const std::string_view word : kept)
                    if (text.substr(body, tokens.position() - body).find(word) != std::string_view::npos)
                        outline.append(" ").append(word);
            outline += "}\n";
        }
        token = tokens.next();
        if (block) from = tokens.offset();
    }
    return outline.append(text.substr(from));
}

namespace {

ptx_contents ptx_reader::read()
{
    bool in_function = false;
    for (std::string_view token = tokens_.next(); !token.empty(); token = tokens_.next()) {
        if (token == ".func") {
            in_function = true;
        } else if (token == ";") {
            in_function = false;  // a prototype
        } else if (token == ".version") {
            result_.version = tokens_.next();
        } else if (token == ".target") {
            result_.target = tokens_.next();
        } else if (token == "{") {
            if (in_function) ++result_.functions;
            in_function = false;
            functions_name_it_ |= names_external_shared(skip_body("a block is not closed"));
        } else if (token == ".extern") {
            const std::string_view name = external_shared(tokens_);
            if (!name.empty() && external_shared_.size() <= max_external_shared) external_shared_.push_back(name);
        } else if (token == ".entry") {
            if (!read_entry()) break;
        }
    }
    find_dynamic_shared();
    if (result_.version.empty()) add_diagnostic(result_.diagnostics, 0, "not PTX: there is no .version");
    return std::move(result_);
}

// NAME [(parameters)] directives { body }, or a `;` instead of the body, which makes it a prototype. False where there
// is no memory for it.
bool ptx_reader::read_entry()
{
    kernel_info kernel;
    kernel.name = tokens_.next();
    set_architecture(kernel, result_.target);
    kernel.source = {.file = file_, .container = "ptx", .entry = {}};
    if (entry_lines_) kernel.source.entry = "line " + std::to_string(tokens_.line());
    kernel.parameter_bytes = 0;
    if (tokens_.peek() == "(") {
        tokens_.next();
        kernel.parameter_bytes = read_parameters();
    }
    for (;;) {
        const std::string_view token = tokens_.next();
        if (token == ";") return true;
        if (token.empty() || token == ".entry" || token == ".func") {
            complain("an entry without a body");
            return true;
        }
        if (token == "{") {
            if (memory_ != nullptr && !memory_->take(kernel)) return false;
            const std::string_view body = skip_body("the body of an entry is not closed");
            kernel.uses_dynamic_shared = names_external_shared(body);
            calls_.push_back(!external_shared_.empty() && body.find(call) != std::string_view::npos);
            result_.kernels.push_back(std::move(kernel));
            return true;
        }
        read_launch_directive(token, kernel);
    }
}

// The text of a block whose `{` was just read.
std::string_view ptx_reader::skip_body(const char* what)
{
    const std::size_t from = tokens_.position();
    if (!tokens_.skip_block()) complain(what);
    return text_.substr(from, tokens_.position() - from);
}

// NAME of ".extern .shared .align 16 .b8 NAME[];", whose `.extern` was just read; empty for anything else.
std::string_view external_shared(ptx_tokens& tokens)
{
    if (tokens.peek() != ".shared") return {};
    std::string_view name;
    for (std::string_view next = tokens.peek(); !next.empty() && next != ";" && next != "[" && next != "{";
         next = tokens.peek())
        name = tokens.next();
    return name;
}

bool ptx_reader::names_external_shared(std::string_view body) const
{
    return external_shared_.size() > max_external_shared ||
           std::ranges::any_of(external_shared_,
                               [&](std::string_view name) { return body.find(name) != std::string_view::npos; });
}

// A kernel uses dynamic shared memory where its body names it, or calls what may.
void ptx_reader::find_dynamic_shared()
{
    if (!functions_name_it_) return;
    for (std::size_t i = 0; i < calls_.size(); ++i)
        if (calls_[i]) result_.kernels[i].uses_dynamic_shared = true;
}

// The parameters up to `)`, laid out as a C struct. `nullopt` when PTX does not tell how.
std::optional<std::int64_t> ptx_reader::read_parameters()
{
    std::int64_t layout = 0;
    bool known = true;
    parameter current;
    bool any = false;
    for (;;) {
        const std::string_view token = tokens_.next();
        if (token.empty() || token == "{" || token == ";") {
            complain("a parameter list is not closed");
            return std::nullopt;
        }
        if (token == ")" || token == ",") {
            if (any) known &= append(layout, current);
            if (token == ")") return known ? std::optional(layout) : std::nullopt;
            current = {};
            any = false;
            continue;
        }
        any = true;
        if (token == ".ptr") {
            current.in_pointee = true;
        } else if (token == ".align") {
            const auto alignment = read_number(token);
            if (!current.in_pointee) current.alignment = alignment.value_or(0);
        } else if (token == "[") {
            const std::string_view size = tokens_.next();
            if (size == "]") continue;
            current.count *= parse_ptx_integer(size).value_or(0);
            known &= current.count > 0 && current.count <= std::numeric_limits<int>::max();
            if (!known) current.count = 0;
        } else if (const auto bytes = bytes_of_type(token); bytes && current.element_bytes == 0) {
            current.element_bytes = *bytes;
        }
    }
}

void ptx_reader::read_launch_directive(std::string_view directive, kernel_info& kernel)
{
    if (directive == ".maxntid")
        kernel.max_threads = read_extent(directive);
    else if (directive == ".reqntid")
        kernel.required_threads = read_extent(directive);
    else if (directive == ".minnctapersm")
        kernel.min_blocks = read_number(directive);
    else if (directive == ".maxnreg")
        kernel.requested_max_registers = read_number(directive);
    else if (directive == ".reqnctapercluster")
        kernel.cluster = read_extent(directive);
    else if (directive == ".maxclusterrank")
        kernel.max_cluster_blocks = read_number(directive);
    else if (directive == ".pragma")  // ends in a `;` of its own
        for (std::string_view token = tokens_.next(); !token.empty() && token != ";"; token = tokens_.next()) {
        }
    // .explicitcluster and .blocksareclusters say how a launch may use the sizes, and change none.
}

std::optional<int> ptx_reader::read_number(std::string_view directive)
{
    const auto number = parse_ptx_integer(tokens_.peek());
    if (number)
        tokens_.next();
    else
        complain(std::string(directive) + " without a number");
    return number;
}

// One to three numbers; those that are not given are 1.
std::optional<std::array<int, 3>> ptx_reader::read_extent(std::string_view directive)
{
    std::array<int, 3> extent{1, 1, 1};
    for (std::size_t i = 0; i < extent.size(); ++i) {
        const auto number = read_number(directive);
        if (!number) return std::nullopt;
        extent[i] = *number;
        if (tokens_.peek() != ",") break;
        tokens_.next();
    }
    return extent;
}

std::optional<std::int64_t> bytes_of_type(std::string_view type)
{
    if (type.size() < 3 || type[0] != '.') return std::nullopt;
    constexpr std::array<std::pair<std::string_view, int>, 6> widths{
        {{"8", 1}, {"16", 2}, {"16x2", 4}, {"32", 4}, {"64", 8}, {"128", 16}}};
    type.remove_prefix(type.starts_with(".bf") ? 3 : 2);
    const auto found = std::find_if(widths.begin(), widths.end(), [&](const auto& w) { return w.first == type; });
    return found == widths.end() ? std::nullopt : std::optional<std::int64_t>(found->second);
}

// ptxas aligns the address of a parameter, not its offset, and parameters start at 0x160 up to sm_89, at 0x210 on sm_90
// and at 0x380 from sm_100 on: beyond 16 bytes of alignment the layout depends on what the PTX is compiled for.
constexpr std::int64_t common_alignment = 16;

bool append(std::int64_t& layout, const parameter& parameter)
{
    constexpr std::int64_t cap = std::int64_t{1} << 31;  // real parameters have up to 32,764 bytes
    const std::int64_t unit = parameter.element_bytes;
    const std::int64_t alignment = parameter.alignment > 0 ? parameter.alignment : unit;
    if (unit == 0 || alignment > common_alignment) return false;
    layout = (layout + alignment - 1) / alignment * alignment + unit * parameter.count;
    if (layout <= cap) return true;
    layout = 0;
    return false;
}

}  // namespace

}  // namespace launchbox
