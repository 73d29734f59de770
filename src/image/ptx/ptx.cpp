// SPDX-License-Identifier: Apache-2.0
#include "image/ptx/ptx.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "image/container/elf.hpp"
#include "image/ptx/ptx_tokens.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_external_shared =
    16;  // each is searched for in the whole text; with more, all kernels count as using them
constexpr std::string_view call = "call", setmaxnreg = "setmaxnreg", block_size = "%ntid";
constexpr std::string_view other_function = ".extern .func";
constexpr std::size_t max_shared_variables = 64;  // per kernel, and per module

class ptx_reader {
public:
    ptx_reader(std::string_view text, const std::string& file, bool entry_lines, kernel_memory* memory)
        : text_(text), tokens_(text), file_(file), entry_lines_(entry_lines), memory_(memory)
    {
    }

    ptx_contents read();

private:
    bool read_entry();
    void add_what_functions_do();
    bool is_unknown_function();
    std::string_view skip_body(const char* what);
    [[nodiscard]] bool names_external_shared(std::string_view body) const;
    std::optional<std::int64_t> read_parameters();
    void read_launch_directive(std::string_view directive, kernel_info& kernel, ptx_directives& places);
    void add_shared_variables(std::string_view body, kernel_info& kernel) const;
    std::optional<int> read_number(std::string_view directive);
    std::optional<std::array<int, 3>> read_extent(std::string_view directive);
    void complain(std::string what) { add_diagnostic(result_.diagnostics, tokens_.offset(), std::move(what)); }

    const std::string_view text_;
    ptx_tokens tokens_;
    const std::string& file_;
    const bool entry_lines_;
    kernel_memory* const memory_;
    ptx_contents result_;
    std::vector<std::string_view> external_shared_;  // names; PTX declares before use
    std::vector<shared_variable> module_shared_;     // static ones outside functions, likewise
    bool sets_registers_ = false;                    // whether the module has setmaxnreg
    bool functions_name_it_ = false;                 // whether a function that kernels may call names one
    bool functions_read_size_ = false;               // whether one of them reads blockDim
    bool calls_others_ = false;                      // whether functions of other modules may be called
    std::vector<bool> calls_;                        // whether result_.kernels[i] does
};

// One parameter, as far as it is needed.
struct parameter {
    std::int64_t element_bytes = 0, count = 1;
    std::int64_t alignment = 0;  // 0: the element's
    bool in_pointee = false;     // after .ptr: what follows describes the target of the pointer
};

std::string_view external_shared(ptx_tokens& tokens);
std::optional<shared_variable> read_shared(ptx_tokens& tokens);
std::size_t find_shared(std::string_view text, std::size_t from);
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

namespace {

// Appends the declarations of a body's shared variables.
void append_shared(std::string_view body, std::string& outline)
{
    std::size_t kept = 0;
    for (std::size_t at = find_shared(body, 0); at < body.size() && kept < max_shared_variables;
         at = find_shared(body, at + 1), ++kept) {
        const std::size_t end = body.find_first_of(";{}", at);
        if (end == body.npos || body[end] != ';') return;
        outline.append("\n").append(body, at, end + 1 - at);
    }
}

}  // namespace

std::string ptx_outline(std::string_view text)
{
    // Only the bodies tell which shared memory a kernel uses, so the outline keeps the names, whether there are calls,
    // and whether a kernel sets its registers.
    std::vector<std::string> kept{std::string(call)};
    const bool sets_registers = text.find(setmaxnreg) != std::string_view::npos;
    if (text.find(".shared") != std::string_view::npos) {
        std::size_t dynamic = 0;
        ptx_tokens tokens(text);
        for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
            if (token == "{" && !tokens.skip_block()) break;
            if (token == ".extern") {
                const std::string_view name = external_shared(tokens);
                if (!name.empty() && ++dynamic <= max_external_shared + 1) kept.emplace_back(name);
            } else if (token == ".shared") {
                const auto variable = read_shared(tokens);
                if (variable && kept.size() - dynamic <= max_shared_variables) kept.push_back(variable->name);
            }
        }
    }
    if (sets_registers) kept.emplace_back(setmaxnreg);
    if (text.find(block_size) != std::string_view::npos) kept.emplace_back(block_size);
    const bool keeps_calls = kept.size() > 1 || text.find(other_function) != std::string_view::npos;
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
            if (keeps_calls)
                for (const std::string& word : kept)
                    if (text.substr(body, tokens.position() - body).find(word) != std::string_view::npos)
                        outline.append(" ").append(word);
            append_shared(text.substr(body, tokens.position() - body), outline);
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
    sets_registers_ = text_.find(setmaxnreg) != std::string_view::npos;
    for (std::string_view token = tokens_.next(); !token.empty(); token = tokens_.next()) {
        if (token == ".func") {
            in_function = true;
        } else if (token == ";") {
            in_function = false;  // a prototype
        } else if (token == ".version") {
            result_.version = tokens_.next();
        } else if (token == ".target") {
            result_.target = tokens_.next();
            while (tokens_.peek() == ",") {
                tokens_.next();
                result_.debug |= tokens_.next() == "debug";
            }
        } else if (token == "{") {
            if (in_function) ++result_.functions;
            in_function = false;
            const std::string_view body = skip_body("a block is not closed");
            functions_name_it_ |= names_external_shared(body);
            functions_read_size_ |= body.find(block_size) != std::string_view::npos;
        } else if (token == ".extern") {
            calls_others_ |= is_unknown_function();
            const std::string_view name = external_shared(tokens_);
            if (!name.empty() && external_shared_.size() <= max_external_shared) external_shared_.push_back(name);
        } else if (token == ".shared") {
            if (auto variable = read_shared(tokens_); variable && module_shared_.size() < max_shared_variables)
                module_shared_.push_back(*std::move(variable));
        } else if (token == ".entry") {
            if (!read_entry()) break;
        }
    }
    add_what_functions_do();
    if (result_.version.empty()) add_diagnostic(result_.diagnostics, 0, "not PTX: there is no .version");
    return std::move(result_);
}

// NAME [(parameters)] directives { body }, or `;` instead of the body for a prototype. False if no memory is left for
// it.
bool ptx_reader::read_entry()
{
    kernel_info kernel;
    kernel.name = tokens_.next();
    set_architecture(kernel, result_.target);
    if (result_.debug) kernel.optimisation = code_optimisation::debug;
    kernel.source = {.file = file_, .container = "ptx", .entry = {}};
    if (entry_lines_) kernel.source.entry = "line " + std::to_string(tokens_.line());
    kernel.figures.parameter_bytes = 0;
    if (tokens_.peek() == "(") {
        tokens_.next();
        kernel.figures.parameter_bytes = read_parameters();
    }
    ptx_directives places{.begin = tokens_.position(), .register_limits = {}, .block_limits = {}};
    for (;;) {
        const std::string_view token = tokens_.next();
        if (token == ";") return true;
        if (token.empty() || token == ".entry" || token == ".func") {
            complain("an entry without a body");
            return true;
        }
        if (token == "{") {
            const std::string_view body = skip_body("the body of an entry is not closed");
            add_shared_variables(body, kernel);
            if (memory_ != nullptr && !memory_->take(kernel)) return false;
            kernel.launches.uses_dynamic_shared = names_external_shared(body);
            kernel.analysis.asks_for_registers = sets_registers_ && body.find(setmaxnreg) != std::string_view::npos;
            kernel.launches.reads_block_size = body.find(block_size) != std::string_view::npos;
            calls_.push_back(body.find(call) != std::string_view::npos);
            result_.kernels.push_back(std::move(kernel));
            result_.directives.push_back(std::move(places));
            return true;
        }
        read_launch_directive(token, kernel, places);
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

// Adds the variables that the body declares, usually all, and those of the module that it names.
void ptx_reader::add_shared_variables(std::string_view body, kernel_info& kernel) const
{
    std::vector<shared_variable>& variables = kernel.figures.shared_variables;
    for (std::size_t at = find_shared(body, 0); at < body.size() && variables.size() < max_shared_variables;
         at = find_shared(body, at + 1)) {
        ptx_tokens tokens(body.substr(at));
        tokens.next();
        if (auto variable = read_shared(tokens)) variables.push_back(*std::move(variable));
    }
    for (const shared_variable& variable : module_shared_)
        if (body.find(variable.name) != std::string_view::npos) variables.push_back(variable);
    std::ranges::stable_sort(variables, std::ranges::greater(), &shared_variable::bytes);
}

// Where the next declaration of a shared variable begins; in instructions the word follows a dot (ld.shared). The size
// of the text if there is none.
std::size_t find_shared(std::string_view text, std::size_t from)
{
    constexpr std::string_view word = ".shared";
    for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
        const char before = at == 0 ? '\n' : text[at - 1];
        if (before != '\n' && before != '\t' && before != ' ' && before != ';' && before != '{') continue;
        const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        if (text.substr(line, at - line).find("//") == std::string_view::npos) return at;
    }
    return text.size();
}

// ".align 4 .b8 NAME[1024];", whose `.shared` was just read; nothing if it has no size, and so is dynamic.
std::optional<shared_variable> read_shared(ptx_tokens& tokens)
{
    constexpr std::size_t max_name = 4096, max_tokens = 32;
    shared_variable variable;
    std::int64_t unit = 0, count = 1;
    std::string_view last;
    for (std::size_t i = 0; i < max_tokens; ++i) {
        const std::string_view token = tokens.next();
        if (token == ";") {
            if (variable.name.empty()) variable.name = last;
            variable.bytes = unit * count;
            if (unit == 0 || variable.bytes <= 0 || variable.name.empty()) return std::nullopt;
            return variable;
        }
        if (token.empty() || token == "{" || token == "}" || token == "=" || token == ",") return std::nullopt;
        if (token == ".align") {
            tokens.next();
        } else if (token == "[") {
            if (variable.name.empty()) variable.name = last.substr(0, max_name);
            const auto size = parse_ptx_integer(tokens.next());
            if (!size || *size < 1 || count > std::numeric_limits<int>::max()) return std::nullopt;
            count *= *size;
        } else if (const auto bytes = bytes_of_type(token); bytes && unit == 0) {
            unit = *bytes;
        }
        last = token;
    }
    return std::nullopt;
}

// ".extern .func (.param .b32 result) NAME (...);", whose `.extern` was just read. A kernel uses dynamic shared memory
// if its body names it, or calls a function that may.
bool ptx_reader::is_unknown_function()
{
    if (tokens_.peek() != ".func") return false;
    tokens_.next();
    if (tokens_.peek() == "(")
        for (std::string_view token = tokens_.next(); !token.empty() && token != ")"; token = tokens_.next()) {
        }
    const std::string_view name = tokens_.peek();
    return name != "vprintf" && name != "malloc" && name != "free" && name != "__assertfail";
}

void ptx_reader::add_what_functions_do()
{
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (!calls_[i]) continue;
        kernel_launches& launches = result_.kernels[i].launches;
        if (functions_name_it_) launches.uses_dynamic_shared = true;
        if (functions_read_size_) launches.reads_block_size = true;
        if (calls_others_ && launches.reads_block_size == false) launches.reads_block_size.reset();
    }
}

// The size of the parameters up to `)`, laid out as a C struct. `nullopt` if the layout is unknown.
std::optional<std::int64_t> ptx_reader::read_parameters()
{
    std::int64_t layout = 0;
    bool known = true;
    parameter current;
    bool any = false;
    for (;;) {
        const std::string_view token = tokens_.next();
        if (token.empty() || token == "{" || token == ";" || token == ".entry") {
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

void ptx_reader::read_launch_directive(std::string_view directive, kernel_info& kernel, ptx_directives& places)
{
    const std::size_t from = tokens_.offset();
    if (directive == ".maxntid")
        kernel.bounds.max_threads = read_extent(directive);
    else if (directive == ".reqntid")
        kernel.bounds.required_threads = read_extent(directive);
    else if (directive == ".minnctapersm")
        kernel.bounds.min_blocks = read_number(directive);
    else if (directive == ".maxnreg")
        kernel.bounds.requested_max_registers = read_number(directive);
    else if (directive == ".reqnctapercluster")
        kernel.bounds.cluster = read_extent(directive);
    else if (directive == ".maxclusterrank")
        kernel.bounds.max_cluster_blocks = read_number(directive);
    else if (directive == ".pragma")
        tokens_.skip_pragma();
    // .explicitcluster and .blocksareclusters restrict how a launch uses the sizes, and do not change them.
    if (directive == ".maxnreg" || directive == ".minnctapersm")
        places.register_limits.push_back({from, tokens_.position()});
    if (directive == ".maxntid" || directive == ".maxclusterrank")
        places.block_limits.push_back({from, tokens_.position()});
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

// One to three numbers; missing ones are 1.
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
// and at 0x380 from sm_100 on: beyond 16 bytes of alignment, the layout depends on the target of compilation.
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
