// SPDX-License-Identifier: Apache-2.0
#include "capture/folder/captured_launch.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "capture/record/launch_format.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/json_memory.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* capture_schema = "launchbox.capture/1";
constexpr std::size_t max_capture_bytes = std::size_t{64} << 20, max_pieces = 100'000;
constexpr std::uint64_t max_argument_bytes = 64 << 10;  // the driver takes 32,764
// The driver's virtual addresses have up to 57 bits; no GPU has more memory than this.
constexpr std::uint64_t end_of_addresses = std::uint64_t{1} << 57, max_memory_bytes = std::uint64_t{1} << 42;

const std::vector<std::string_view> kinds_of_variables{record::kind_variable},
    kinds_of_memory{record::kind_allocated, record::kind_pool, record::kind_mapped, record::kind_managed};

[[noreturn]] void refuse_capture(const std::string& file, const std::string& what)
{
    throw error(fmt::format("{}: {}", file, what), "capture the launch again: launchbox capture -k NAME -o FOLDER");
}

std::string hex_of_number(std::uint64_t number)
{
    return fmt::format("{:#x}", number);
}

std::string hex_of_bytes(std::string_view bytes)
{
    std::string text;
    for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

ordered_json json_of_memory(const captured_memory& memory)
{
    ordered_json to{{"address", hex_of_number(memory.address)},
                    {"bytes", memory.bytes},
                    {"kind", memory.kind},
                    {"before", memory.before},
                    {"before_hash", hex_of_number(memory.before_hash)},
                    {"changed_bytes", memory.changed_bytes}};
    if (!memory.name.empty()) {
        to["name"] = memory.name;
        to["referenced"] = memory.referenced;
    }
    if (!memory.after.empty()) {
        to["after"] = memory.after;
        to["after_hash"] = hex_of_number(memory.after_hash);
    }
    return to;
}

// Reads values in order; every error names the place of the value.
class capture_reader {
public:
    capture_reader(const json& from, std::string file, std::string where)
        : from_(from), file_(std::move(file)), where_(std::move(where))
    {
        if (!from.is_object()) fail("is not an object");
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        refuse_capture(file_, (where_.empty() ? "the capture" : where_) + " " + what);
    }

    [[nodiscard]] const json& at(const char* key) const
    {
        const auto found = from_.find(key);
        if (found == from_.end()) fail(fmt::format("has no {}", key));
        return *found;
    }
    [[nodiscard]] bool has(const char* key) const { return from_.contains(key); }

    [[nodiscard]] std::uint64_t number(const char* key, std::uint64_t min, std::uint64_t max) const
    {
        return checked(key, at(key), min, max);
    }
    [[nodiscard]] std::int64_t signed_number(const char* key, std::int64_t min, std::int64_t max) const
    {
        const json& value = at(key);
        if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
            fail(fmt::format("has a {} that is not a whole number", key));
        const auto number = value.get<std::int64_t>();
        if (number < min || number > max) fail(fmt::format("has the {} {}", key, number));
        return number;
    }
    [[nodiscard]] std::array<std::uint32_t, 3> three(const char* key, std::uint32_t max) const
    {
        const json& value = at(key);
        if (!value.is_array() || value.size() != 3) fail(fmt::format("has a {} that is not three numbers", key));
        std::array<std::uint32_t, 3> sizes{};
        for (std::size_t i = 0; i < 3; ++i) sizes[i] = static_cast<std::uint32_t>(checked(key, value[i], 1, max));
        return sizes;
    }
    [[nodiscard]] std::string text(const char* key) const
    {
        const json& value = at(key);
        if (!value.is_string()) fail(fmt::format("has a {} that is not a string", key));
        std::string text = value.get<std::string>();
        if (text.find('\0') != std::string::npos) fail(fmt::format("has a zero in its {}", key));
        return text;
    }
    [[nodiscard]] std::uint64_t hex(const char* key, std::uint64_t max = UINT64_MAX) const
    {
        const std::string digits = text(key);
        std::uint64_t number = 0;
        const auto [end, wrong] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), number, 16);
        if (!digits.starts_with("0x") || digits.size() < 3 || wrong != std::errc() ||
            end != digits.data() + digits.size() || number > max)
            fail(fmt::format("has the {} {}", key, escape_for_terminal(digits)));
        return number;
    }
    /// A file name below the folder: letters, digits, '.', '_' and '-', at most one subfolder deep.
    [[nodiscard]] std::string file_name(const char* key) const
    {
        std::string name = text(key);
        const bool right = !name.empty() && name.size() < 200 && name.front() != '.' && name.front() != '/' &&
                           name.back() != '/' && std::ranges::count(name, '/') <= 1 && name.find("/.") == name.npos &&
                           std::ranges::all_of(name, [](char letter) {
                               return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                                      (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' ||
                                      letter == '-' || letter == '/';
                           });
        if (!right) fail(fmt::format("names the file {}, which is not in the folder", escape_for_terminal(name)));
        return name;
    }

    template <class Read>
    void each(const char* key, Read read) const
    {
        const json& list = at(key);
        if (!list.is_array() || list.size() > max_pieces) fail(fmt::format("has {} that is not a list", key));
        for (std::size_t i = 0; i < list.size(); ++i) read(list[i], fmt::format("{}[{}]", key, i));
    }

private:
    [[nodiscard]] std::uint64_t checked(const char* key, const json& value, std::uint64_t min, std::uint64_t max) const
    {
        if (!value.is_number_unsigned()) fail(fmt::format("has a {} that is not a whole number", key));
        const auto number = value.get<std::uint64_t>();
        if (number < min || number > max) fail(fmt::format("has the {} {}", key, number));
        return number;
    }

    const json& from_;
    std::string file_, where_;
};

captured_memory memory_of(const capture_reader& from, bool is_variable)
{
    captured_memory memory;
    memory.address = from.hex("address", end_of_addresses);
    memory.bytes = from.number("bytes", 1, max_memory_bytes);
    memory.kind = from.text("kind");
    const auto& kinds = is_variable ? kinds_of_variables : kinds_of_memory;
    if (std::ranges::find(kinds, memory.kind) == kinds.end())
        from.fail("has the kind " + escape_for_terminal(memory.kind));
    memory.before = from.file_name("before");
    memory.before_hash = from.hex("before_hash");
    memory.changed_bytes = from.number("changed_bytes", 0, memory.bytes);
    if (memory.address < 4096 || memory.address + memory.bytes > end_of_addresses)
        from.fail("has an impossible address: " + hex_of_number(memory.address));
    if (from.has("after")) {
        memory.after = from.file_name("after");
        memory.after_hash = from.hex("after_hash");
    }
    if (memory.after.empty() != (memory.changed_bytes == 0))
        from.fail("has changed bytes without a file of the new content, or the other way round");
    if (!memory.after.empty() && memory.before_hash == memory.after_hash)
        from.fail(fmt::format("says that {} bytes changed, but its bytes are the same before and after",
                              memory.changed_bytes));
    if (!is_variable) return memory;
    memory.name = from.text("name");
    if (memory.name.empty()) from.fail("has no name");
    if (!from.at("referenced").is_boolean()) from.fail("has a `referenced` that is neither true nor false");
    memory.referenced = from.at("referenced").get<bool>();
    return memory;
}

std::string bytes_of_hex(const capture_reader& from, const char* key)
{
    const std::string digits = from.text(key);
    if (digits.size() % 2 != 0 || digits.size() > 2 * max_argument_bytes)
        from.fail("has arguments with an odd number of digits");
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned value = 0;
        const auto [end, wrong] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        if (wrong != std::errc() || end != digits.data() + i + 2)
            from.fail("has arguments that are not hexadecimal digits");
        bytes += static_cast<char>(value);
    }
    return bytes;
}

// They must follow each other, and the arguments must end with the last.
void check_parameters(const captured_launch& launch, const capture_reader& from)
{
    if (const auto at = first_overlap(launch.parameters))
        from.fail(fmt::format("has parameters[{}], which begins before the end of the one before it", *at));
    const std::uint64_t end =
        launch.parameters.empty() ? 0 : std::uint64_t{launch.parameters.back().offset} + launch.parameters.back().bytes;
    if (end != launch.arguments.size())
        from.fail(
            fmt::format("has {} bytes of arguments, and parameters that end at byte {}", launch.arguments.size(), end));
}

void check_memory(const captured_launch& launch, const capture_reader& from)
{
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::uint64_t total = 0;
    for (const captured_memory& memory : launch.memory) {
        ranges.emplace_back(memory.address, memory.address + memory.bytes);
        total += memory.bytes;
        if (total > max_memory_bytes) from.fail("has more memory than any GPU");
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i].first < ranges[i - 1].second)
            from.fail("has memory that overlaps at " + hex_of_number(ranges[i].first));
    std::set<std::string_view> names;
    for (const captured_memory& variable : launch.variables)
        if (!names.insert(variable.name).second)
            from.fail("has two variables of the name " + escape_for_terminal(variable.name));
}

}  // namespace

bool captured_memory::is_variable() const
{
    return kind == record::kind_variable;
}

std::uint64_t captured_launch::changed_bytes() const
{
    std::uint64_t sum = 0;
    for (const auto* list : {&memory, &variables})
        for (const captured_memory& piece : *list) sum += piece.changed_bytes;
    return sum;
}

std::uint64_t hash_of_bytes(std::string_view bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string capture_json(const captured_launch& launch)
{
    ordered_json to{{"schema", capture_schema},
                    {"kernel", launch.kernel},
                    {"module", launch.module},
                    {"module_hash", hex_of_number(launch.module_hash)},
                    {"architecture", launch.architecture},
                    {"grid", launch.grid},
                    {"block", launch.block},
                    {"cluster", launch.cluster},
                    {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                    {"max_threads", launch.max_threads},
                    {"cooperative", launch.cooperative},
                    {"carveout_percent", launch.carveout_percent},
                    {"arguments", hex_of_bytes(launch.arguments)},
                    {"parameters", json::array()},
                    {"memory", json::array()},
                    {"variables", json::array()},
                    {"command", launch.command},
                    {"number", launch.number},
                    {"warnings", launch.warnings}};
    if (!launch.ptx.empty()) to["ptx"] = launch.ptx;
    for (const parameter_place& parameter : launch.parameters)
        to["parameters"].push_back({{"offset", parameter.offset}, {"bytes", parameter.bytes}});
    for (const captured_memory& memory : launch.memory) to["memory"].push_back(json_of_memory(memory));
    for (const captured_memory& variable : launch.variables) to["variables"].push_back(json_of_memory(variable));
    return to.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

captured_launch parse_capture(std::string_view text, const std::string& file)
{
    refuse_large_json(text, text.size(), file);
    if (!json::accept(text)) refuse_capture(file, "this is not JSON");
    const json whole = json::parse(text, nullptr, false);
    const capture_reader from(whole, file, "");
    if (from.text("schema") != capture_schema)
        refuse_capture(file, fmt::format("its schema is not {}", capture_schema));
    captured_launch launch;
    launch.kernel = from.text("kernel");
    if (launch.kernel.empty()) from.fail("has a kernel without a name");
    launch.module = from.file_name("module");
    launch.module_hash = from.hex("module_hash");
    launch.architecture = from.text("architecture");
    if (from.has("ptx")) launch.ptx = from.file_name("ptx");
    launch.grid = from.three("grid", 0x7fffffff);
    launch.block = from.three("block", 1024);
    launch.cluster = from.three("cluster", 1024);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(from.number("dynamic_shared_bytes", 0, 1 << 28));
    launch.max_threads = static_cast<std::uint32_t>(from.number("max_threads", 1, 1024));
    if (!from.at("cooperative").is_boolean()) from.fail("has a `cooperative` that is neither true nor false");
    launch.cooperative = from.at("cooperative").get<bool>();
    launch.carveout_percent = static_cast<int>(from.signed_number("carveout_percent", -1, 100));
    launch.arguments = bytes_of_hex(from, "arguments");
    from.each("parameters", [&](const json& value, const std::string& where) {
        const capture_reader parameter(value, file, where);
        const auto offset = parameter.number("offset", 0, max_argument_bytes);
        const auto bytes = parameter.number("bytes", 1, max_argument_bytes);
        if (offset + bytes > launch.arguments.size()) parameter.fail("is beyond the end of the arguments");
        launch.parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
    });
    from.each("memory", [&](const json& value, const std::string& where) {
        launch.memory.push_back(memory_of(capture_reader(value, file, where), false));
    });
    from.each("variables", [&](const json& value, const std::string& where) {
        launch.variables.push_back(memory_of(capture_reader(value, file, where), true));
    });
    const auto texts = [&](const char* key, std::vector<std::string>& into) {
        from.each(key, [&](const json& value, const std::string& where) {
            if (!value.is_string()) from.fail(where + " is not a string");
            into.push_back(value.get<std::string>());
        });
    };
    texts("command", launch.command);
    texts("warnings", launch.warnings);
    launch.number = from.number("number", 1, INT64_MAX);
    check_parameters(launch, from);
    check_memory(launch, from);
    return launch;
}

captured_launch read_capture(const std::filesystem::path& file)
{
    return parse_capture(read_file(file, max_capture_bytes), file.string());
}

std::string read_captured_module(const captured_launch& launch, const std::filesystem::path& folder)
{
    const std::string file = (folder / launch.module).string();
    std::string bytes = read_file(file);
    if (hash_of_bytes(bytes) != launch.module_hash) refuse_capture(file, "it is not the module that was captured");
    return bytes;
}

}  // namespace launchbox
