// SPDX-License-Identifier: Apache-2.0
#include "advice/check/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::string_view format_name = "launchbox.baseline/", format_version = "1";
constexpr std::int64_t largest_figure = 1'000'000'000'000;  // sums and products of two are far from overflow
constexpr int largest_count = 1 << 20;

std::string escaped(std::string_view name);
std::string escaped_word(std::string_view text);
std::optional<std::string> unescaped(std::string_view text);
std::string line_text(const baseline_entry& entry);

// Reads line by line and collects errors.
class baseline_reader {
public:
    baseline_reader(std::string_view text, const std::string& file);

    baseline_reading reading;

private:
    void read_first_line(std::string_view line);
    void read_line(std::string_view line);
    bool is_conflict(std::string_view line);
    void sort();
    void complain(std::string what, std::string hint)
    {
        reading.errors.push_back({number_, 0, std::move(what), std::move(hint)});
    }

    int number_ = 0;
};

const std::string rewrite_hint = "write a new baseline with --write-baseline";

bool before(const baseline_entry& a, const baseline_entry& b)
{
    if (a.identity != b.identity) return a.identity < b.identity;
    return architecture_order(a.capability, a.architecture) < architecture_order(b.capability, b.architecture);
}

}  // namespace

baseline_reading parse_baseline(std::string_view text, const std::string& file)
{
    return std::move(baseline_reader(text, file).reading);
}

std::string baseline_text(std::vector<baseline_entry> entries)
{
    std::stable_sort(entries.begin(), entries.end(), before);
    std::string text;
    text.append(format_name).append(format_version) += '\n';
    text += "# Written by launchbox check --write-baseline. One line a kernel and architecture; ? is not known.\n";
    for (const baseline_entry& entry : entries) text += line_text(entry) + '\n';
    return text;
}

worst_figure worst_registers(const checked_kernel& kernel)
{
    return worst_of(kernel,
                    [](const kernel_info& info) -> std::optional<std::int64_t> { return info.figures.registers; });
}

worst_figure worst_spills(const checked_kernel& kernel)
{
    worst_figure worst = worst_of(kernel, [](const kernel_info& info) {
        const std::optional<spill_range> range = spill_range_of(info);
        return range ? std::optional(range->min_bytes()) : std::nullopt;
    });
    const worst_figure exactly = worst_of(kernel, spill_bytes);
    worst.of_all = exactly.of_all;
    worst.unknown_copy = exactly.unknown_copy;
    return worst;
}

worst_figure worst_shared_spills(const checked_kernel& kernel)
{
    return worst_of(kernel, shared_spill_bytes);
}

worst_figure worst_stack(const checked_kernel& kernel)
{
    return worst_of(kernel, deepest_stack);
}

worst_figure worst_static_shared(const checked_kernel& kernel)
{
    return worst_of(kernel, [](const kernel_info& info) { return info.figures.static_shared_bytes; });
}

worst_figure worst_residency(const checked_kernel& kernel)
{
    const auto threads = [](const kernel_info& info) -> std::optional<std::int64_t> {
        const std::optional<residency> resident = residency_of(info);
        return resident ? std::optional(std::int64_t{resident->blocks} * resident->threads) : std::nullopt;
    };
    return worst_of(kernel, threads, true);
}

baseline_entry entry_of(const checked_kernel& kernel)
{
    baseline_entry entry;
    entry.identity = kernel.identity;
    entry.architecture = architecture_where_run(kernel.info);
    entry.capability = kernel.info.runs_on ? kernel.info.runs_on : kernel.info.capability;
    entry.debug_build = has_debug_build(kernel);
    const auto copy_of = [&](const worst_figure& worst) {
        return worst.of_all ? &kernel.copy(worst.copy).info : nullptr;
    };
    if (const kernel_info* info = copy_of(worst_registers(kernel))) entry.registers = info->figures.registers;
    if (const kernel_info* info = copy_of(worst_static_shared(kernel)))
        entry.static_shared_bytes = info->figures.static_shared_bytes;
    if (const std::optional<heeded_bounds> bounds = heeded_bounds_of(kernel); bounds && bounds->any())
        entry.bounds = bounds;
    if (const kernel_info* info = copy_of(worst_residency(kernel))) entry.resident = residency_of(*info);
    if (const kernel_info* info = copy_of(worst_spills(kernel))) {
        entry.spill_store_bytes = info->figures.spill_store_bytes;
        entry.spill_load_bytes = info->figures.spill_load_bytes;
    }
    if (const kernel_info* info = copy_of(worst_shared_spills(kernel)); info && shared_spill_bytes(*info) != 0) {
        entry.shared_spill_store_bytes = info->figures.shared_spill_store_bytes;
        entry.shared_spill_load_bytes = info->figures.shared_spill_load_bytes;
    }
    if (const kernel_info* info = copy_of(worst_stack(kernel))) {
        entry.stack_frame_bytes = info->figures.stack_frame_bytes;
        entry.cumulative_stack_bytes = info->figures.cumulative_stack_bytes;
    }
    return entry;
}

namespace {

std::string figure_text(const std::optional<std::int64_t>& value)
{
    return value ? std::to_string(*value) : "?";
}

// "256", "256/64" with the registers allowed per thread; "-/64" without a bound of threads.
std::string bounds_text(const heeded_bounds& bounds)
{
    return (bounds.threads ? std::to_string(*bounds.threads) : "-") +
           (bounds.registers ? "/" + std::to_string(*bounds.registers) : "");
}

std::string line_text(const baseline_entry& entry)
{
    return fmt::format(
        "{}{} regs={} spills={}/{}{} stack={}{} shared={}{} resident={} {}",
        entry.architecture.empty() ? "?" : escaped_word(entry.architecture), entry.debug_build ? " build=debug" : "",
        figure_text(entry.registers), figure_text(entry.spill_store_bytes), figure_text(entry.spill_load_bytes),
        entry.shared_spill_store_bytes ? fmt::format(" shared_spills={}/{}", *entry.shared_spill_store_bytes,
                                                     figure_text(entry.shared_spill_load_bytes))
                                       : "",
        figure_text(entry.stack_frame_bytes),
        entry.cumulative_stack_bytes > entry.stack_frame_bytes ? "/" + figure_text(entry.cumulative_stack_bytes) : "",
        figure_text(entry.static_shared_bytes), entry.bounds ? " bounds=" + bounds_text(*entry.bounds) : "",
        entry.resident ? fmt::format("{}x{}", entry.resident->blocks, entry.resident->threads) : "?",
        escaped(entry.identity));
}

// Whatever bytes a name has, it becomes one line of printable UTF-8 that is not empty and neither begins nor ends with
// a space.
std::string escaped(std::string_view name)
{
    if (name.empty()) return "\\e";
    std::string doubled;
    for (char c : name) doubled.append(c == '\\' ? "\\\\" : std::string(1, c));
    std::string safe = escape_for_terminal(doubled), text;
    for (std::size_t i = 0; i < safe.size(); ++i) {
        const std::string_view rest = std::string_view(safe).substr(i);
        if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {  // line breaks to some programs
            text += rest[2] == '\xa8' ? "\\xe2\\x80\\xa8" : "\\xe2\\x80\\xa9";
            i += 2;
        } else if (rest.front() == ' ' && (i == 0 || i + 1 == safe.size())) {
            text += "\\x20";
        } else {
            text += rest.front();
        }
    }
    return text;
}

// The architecture as one word, even if its name in the input has several.
std::string escaped_word(std::string_view text)
{
    std::string word;
    for (char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        word += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return word;
}

std::optional<std::string> unescaped(std::string_view text)
{
    if (text == "\\e") return std::string();
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            name += text[i];
            continue;
        }
        const std::string_view rest = text.substr(i + 1);
        if (rest.starts_with('\\')) {
            name += '\\';
            i += 1;
            continue;
        }
        unsigned byte = 0;
        if (!rest.starts_with('x') || rest.size() < 3) return std::nullopt;
        const auto [end, failure] = std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16);
        if (failure != std::errc() || end != rest.data() + 3) return std::nullopt;
        name += static_cast<char>(byte);
        i += 3;
    }
    return name;
}

baseline_reader::baseline_reader(std::string_view text, const std::string& file)
{
    reading.value.file = file;
    while (number_ == 0 || !text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);  // a checkout on Windows
        ++number_;
        if (number_ == 1) {
            read_first_line(line);
            if (!reading.errors.empty() && !is_conflict(line)) return;
        } else {
            read_line(line);
        }
        if (reading.errors.size() == max_baseline_errors) return;
    }
    sort();
}

void baseline_reader::read_first_line(std::string_view line)
{
    if (is_conflict(line)) {
        read_line(line);
        return;
    }
    if (!line.starts_with(format_name)) {
        complain(fmt::format("this is not a baseline: its first line is not {}{}", format_name, format_version),
                 "--write-baseline writes one");
        return;
    }
    line.remove_prefix(format_name.size());
    if (line != format_version)
        complain(
            fmt::format("version \"{}\" of baselines is not known, only {} is", line.substr(0, 40), format_version),
            "use the version of launchbox that wrote it, or " + rewrite_hint);
}

bool baseline_reader::is_conflict(std::string_view line)
{
    for (const char* marker : {"<<<<<<<", "|||||||", "=======", ">>>>>>>"})
        if (line.starts_with(marker)) return true;
    return false;
}

// Removes "name=" and the text up to the next space from the front, and returns that text.
std::optional<std::string_view> take_field(std::string_view& line, std::string_view name)
{
    if (!line.starts_with(name)) return std::nullopt;
    line.remove_prefix(name.size());
    const std::size_t end = line.find(' ');
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const std::string_view value = line.substr(0, end);
    line.remove_prefix(end + 1);
    return value;
}

// A number from 0 to `most`, or "?".
bool read_figure(std::string_view text, std::optional<std::int64_t>& value, std::int64_t most = largest_figure)
{
    value.reset();
    if (text == "?") return true;
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || number < 0 || number > most) return false;
    if (text.front() == '-') return false;
    value = number;
    return true;
}

bool read_pair(std::string_view text, char between, std::optional<std::int64_t>& first,
               std::optional<std::int64_t>& second, std::int64_t most = largest_figure)
{
    const std::size_t at = text.find(between);
    return at != std::string_view::npos && read_figure(text.substr(0, at), first, most) &&
           read_figure(text.substr(at + 1), second, most);
}

bool read_bounds(std::string_view text, std::optional<heeded_bounds>& bounds)
{
    const std::size_t at = text.find('/');
    const std::string_view threads = text.substr(0, at);
    std::optional<std::int64_t> of_block, of_thread;
    if (threads != "-" && (!read_figure(threads, of_block, largest_count) || !of_block)) return false;
    if (at != std::string_view::npos && (!read_figure(text.substr(at + 1), of_thread, largest_count) || !of_thread))
        return false;
    bounds.emplace();
    if (of_block) bounds->threads = static_cast<int>(*of_block);
    if (of_thread) bounds->registers = static_cast<int>(*of_thread);
    return bounds->any();
}

void baseline_reader::read_line(std::string_view line)
{
    if (line.empty() || line.starts_with('#')) return;
    if (is_conflict(line)) {
        complain(fmt::format("unresolved merge conflict: {}", line.substr(0, 40)), "resolve it, or " + rewrite_hint);
        return;
    }
    baseline_entry entry;
    entry.line = number_;
    const auto wrong = [&](std::string_view what, std::string_view found) {
        complain(fmt::format("{} is \"{}\"", what, found.substr(0, 40)), rewrite_hint);
    };
    const auto missing = [&](std::string_view what) {
        if (what.ends_with('=')) what.remove_suffix(1);
        complain(fmt::format("{} is missing before \"{}\"", what, line.substr(0, 40)),
                 "a line is: sm_90 regs=32 spills=0/0 stack=0 shared=0 resident=8x256 NAME");
    };
    const std::optional<std::string_view> architecture = take_field(line, "");
    if (!architecture) return missing("the architecture");
    if (*architecture != "?") {
        const std::optional<std::string> plain = unescaped(*architecture);
        if (!plain || plain->empty()) return wrong("the architecture", *architecture);
        entry.architecture = *plain;
        entry.capability = parse_compute_capability(*plain);
    }
    if (const std::optional<std::string_view> build = take_field(line, "build=")) {
        if (*build != "debug") return wrong("build", *build);
        entry.debug_build = true;
    }
    const std::pair<std::string_view, std::optional<std::int64_t>*> figures[] = {
        {"regs=", &entry.registers}, {"stack=", &entry.stack_frame_bytes}, {"shared=", &entry.static_shared_bytes}};
    for (const auto& [name, value] : figures) {
        const std::optional<std::string_view> text = take_field(line, name);
        if (!text) return missing(name);
        if (name == "stack=" && text->find('/') != std::string_view::npos) {
            if (!read_pair(*text, '/', *value, entry.cumulative_stack_bytes)) return wrong("stack", *text);
            continue;
        }
        if (!read_figure(*text, *value)) return wrong(name.substr(0, name.size() - 1), *text);
        if (name != "regs=") continue;
        const std::optional<std::string_view> spills = take_field(line, "spills=");
        if (!spills) return missing("spills=");
        if (!read_pair(*spills, '/', entry.spill_store_bytes, entry.spill_load_bytes)) return wrong("spills", *spills);
        const std::optional<std::string_view> shared = take_field(line, "shared_spills=");
        if (shared && !read_pair(*shared, '/', entry.shared_spill_store_bytes, entry.shared_spill_load_bytes))
            return wrong("shared_spills", *shared);
    }
    if (const std::optional<std::string_view> bounds = take_field(line, "bounds="))
        if (!read_bounds(*bounds, entry.bounds)) return wrong("bounds", *bounds);
    const std::optional<std::string_view> resident = take_field(line, "resident=");
    if (!resident) return missing("resident=");
    if (*resident != "?") {
        std::optional<std::int64_t> blocks, threads;
        if (!read_pair(*resident, 'x', blocks, threads, largest_count) || !blocks || !threads)
            return wrong("resident", *resident);
        entry.resident = {static_cast<int>(*blocks), static_cast<int>(*threads)};
    }
    if (line.empty()) return missing("the kernel's name");
    const std::optional<std::string> name = unescaped(line);
    if (!name) return wrong("the kernel's name has an invalid escape; it", line);
    entry.identity = *name;
    reading.value.entries.push_back(std::move(entry));
}

void baseline_reader::sort()
{
    std::vector<baseline_entry>& entries = reading.value.entries;
    std::stable_sort(entries.begin(), entries.end(), before);
    if (!reading.errors.empty()) return;  // in a merge conflict, both sides have the same kernels
    for (std::size_t i = 1; i < entries.size() && reading.errors.size() < max_baseline_errors; ++i) {
        if (entries[i].identity != entries[i - 1].identity || entries[i].architecture != entries[i - 1].architecture)
            continue;
        number_ = entries[i].line;
        complain(fmt::format("the same kernel and architecture as in line {}", entries[i - 1].line),
                 "remove one of the lines, or " + rewrite_hint);
    }
    std::stable_sort(reading.errors.begin(), reading.errors.end(),
                     [](const file_error& a, const file_error& b) { return a.line < b.line; });
}

}  // namespace

}  // namespace launchbox
