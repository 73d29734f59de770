// SPDX-License-Identifier: Apache-2.0
#include "capture/folder/raw_launch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <sstream>

#include "capture/folder/kernel_ptx.hpp"
#include "capture/folder/packed_memory.hpp"
#include "capture/folder/replay_spec.hpp"
#include "capture/record/launch_format.hpp"
#include "capture/record/module_file_name.hpp"
#include "image/cubin.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void not_the_observers()
{
    throw error("the observer's record of the launch cannot be read: the program changed it, or the disk is full");
}

// The words of a line of the observer, in order.
class raw_line {
public:
    explicit raw_line(std::string_view line) : rest_(line) {}

    std::string_view word()
    {
        const std::size_t space = rest_.find(' ');
        const std::string_view word = rest_.substr(0, space);
        rest_ = space == rest_.npos ? std::string_view{} : rest_.substr(space + 1);
        return word;
    }
    template <class Number>
    Number number()
    {
        std::string_view digits = word();
        const int base = digits.starts_with("0x") ? 16 : 10;
        if (base == 16) digits.remove_prefix(2);
        Number value{};
        const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (wrong != std::errc() || end != digits.data() + digits.size()) not_the_observers();
        return value;
    }
    std::array<std::uint32_t, 3> three()
    {
        const auto x = number<std::uint32_t>(), y = number<std::uint32_t>(), z = number<std::uint32_t>();
        return {x, y, z};
    }
    [[nodiscard]] std::string rest() const { return std::string(rest_); }

private:
    std::string_view rest_;
};

std::string raw_bytes(std::string_view digits)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned value = 0;
        if (std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16).ec != std::errc()) not_the_observers();
        bytes += static_cast<char>(value);
    }
    return bytes;
}

void read_raw_line(const std::string& text, raw_launch& to)
{
    raw_line line(text);
    captured_launch& launch = to.launch;
    const std::string_view key = line.word();
    if (key == "number") launch.number = line.number<std::uint64_t>();
    if (key == "grid") launch.grid = line.three();
    if (key == "block") launch.block = line.three();
    if (key == "cluster") launch.cluster = line.three();
    if (key == "dynamic_shared") launch.dynamic_shared_bytes = line.number<std::uint32_t>();
    if (key == "cooperative") launch.cooperative = line.number<int>() != 0;
    if (key == "registers") to.registers = line.number<int>();
    if (key == "static_shared") to.static_shared_bytes = line.number<std::int64_t>();
    if (key == "carveout") launch.carveout_percent = std::clamp(line.number<int>(), -1, 100);
    if (key == "max_threads") launch.max_threads = static_cast<std::uint32_t>(std::clamp(line.number<int>(), 1, 1024));
    if (key == "early") to.early = line.number<int>() != 0;
    if (key == "other_attributes")
        launch.warnings.push_back("the launch had attributes that a replay omits: " + line.rest());
    if (key == "pinned_pointers")
        launch.warnings.push_back(
            fmt::format("captured memory has {} words that look like pointers to pinned host memory, which is not "
                        "captured: a kernel "
                        "that follows them fails in a replay",
                        line.number<std::uint64_t>()));
    if (key == "texture")
        launch.warnings.push_back(fmt::format(
            "parameter {} looks like the handle of a texture or surface object, which is not captured: a kernel that "
            "uses it fails in a replay",
            line.number<std::uint64_t>()));
    if (key == "parameter") {
        const auto offset = line.number<std::uint32_t>(), bytes = line.number<std::uint32_t>();
        launch.parameters.push_back({offset, bytes});
    }
    if (key == "arguments") launch.arguments = raw_bytes(line.word());
    if (key == "module") {
        const auto hash = line.number<std::uint64_t>(), bytes = line.number<std::uint64_t>();
        to.modules.emplace_back(hash, bytes);
    }
    if (key == "memory" || key == "variable") {
        const bool is_variable = key == "variable";
        captured_memory memory;
        const auto number = line.number<std::size_t>();
        memory.address = line.number<std::uint64_t>();
        memory.bytes = line.number<std::uint64_t>();
        memory.before = record::memory_file_name(is_variable ? "variable" : "memory", number, false);
        if (line.number<int>() != 0)
            memory.after = record::memory_file_name(is_variable ? "variable" : "memory", number, true);
        if (is_variable) {
            memory.referenced = line.number<int>() != 0;
            memory.name = line.rest();
            memory.kind = record::kind_variable;
            launch.variables.push_back(std::move(memory));
        } else {
            memory.kind = line.word();
            launch.memory.push_back(std::move(memory));
        }
    }
    if (key == "image") to.images.push_back(line.rest());
    if (key == "linked") to.linked_files.push_back(line.rest());
    if (key == "file") to.program_files.push_back(line.rest());
    if (key == "name") launch.kernel = line.rest();
}

// Finds the module of the launch among those with a kernel of its name.
std::string module_of(const raw_launch& raw, const fs::path& observed, std::string& architecture,
                      std::optional<bool>& waits)
{
    std::string found;
    std::optional<std::uint64_t> code;
    for (const auto& [hash, bytes] : raw.modules) {
        std::string image = read_file(observed / record::module_file_name({.hash = hash, .bytes = bytes}));
        const cubin_contents contents = read_cubin(image, "module", {.grid_dependency = true, .hash_code = true});
        const auto kernel = std::ranges::find(contents.kernels, raw.launch.kernel, &kernel_info::name);
        if (kernel == contents.kernels.end()) continue;
        if (kernel->figures.registers && raw.registers > 0 && *kernel->figures.registers != raw.registers &&
            std::max(*kernel->figures.registers, 16) != raw.registers)
            continue;
        const auto variables = variables_of(image);
        if (!std::ranges::all_of(raw.launch.variables,
                                 [&](const captured_memory& variable) { return variables.contains(variable.name); }))
            continue;
        if (kernel->figures.static_shared_bytes && *kernel->figures.static_shared_bytes != raw.static_shared_bytes &&
            *kernel->figures.static_shared_bytes + kernel->figures.reserved_shared_bytes.value_or(0) !=
                raw.static_shared_bytes)
            continue;
        if (!found.empty() && (!code || code != kernel->figures.code_hash))
            throw error(
                "the launch was not captured: the program has loaded several modules with a kernel of this name, and "
                "its code cannot be identified",
                "wait for another kernel, or give the kernels names of their own");
        if (!found.empty()) continue;
        code = kernel->figures.code_hash;
        waits = kernel->launches.waits_for_grid;
        architecture = contents.architecture;
        found = std::move(image);
    }
    if (found.empty())
        throw error("the launch was not captured: loading of the kernel's module was not observed",
                    "programs whose modules are loaded before CUPTI listens cannot be captured");
    return found;
}

// On all cores: for gigabytes, this takes longer than copying them.
std::uint64_t count_differences(std::string_view one, std::string_view other)
{
    constexpr std::size_t at_once = std::size_t{4} << 20;
    std::atomic<std::uint64_t> all = 0;
    run_parallel_ranges(one.size(), at_once, [&](std::size_t begin, std::size_t end) {
        const std::string_view left = one.substr(begin, end - begin), right = other.substr(begin, end - begin);
        if (left == right) return;
        std::uint64_t differences = 0;
        for (std::size_t i = 0; i < left.size(); ++i) differences += left[i] != right[i] ? 1 : 0;
        all += differences;
    });
    return all;
}

// Moves a file of the observer into the folder. A file that hardly compresses is kept as it is: rewriting gigabytes
// would take longer than everything else. `name`: the old name, replaced by the new one. Returns the hash of the bytes.
std::uint64_t keep_file(std::string& name, const fs::path& observed, const fs::path& folder, std::string_view bytes)
{
    const fs::path raw = observed / name;
    name = "memory/" + name;
    std::error_code failure;
    if (!packs_well(bytes)) {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        ::chmod(raw.c_str(), 0666 & ~mask);
        fs::rename(raw, folder / name, failure);
        if (!failure) return hash_of_bytes(bytes);
    }
    name += ".zst";
    return write_packed(folder / name, bytes);
}

// Unchanged memory has no second file.
void pack(captured_memory& memory, const fs::path& observed, const fs::path& folder)
{
    std::vector<fs::path> raw{observed / memory.before};
    const mapped_file before(raw.front().string());
    if (before.bytes().size() != memory.bytes) not_the_observers();
    if (!memory.after.empty()) {
        const mapped_file after(raw.emplace_back(observed / memory.after).string());
        if (after.bytes().size() != memory.bytes) not_the_observers();
        memory.changed_bytes = count_differences(before.bytes(), after.bytes());
        memory.after_hash = keep_file(memory.after, observed, folder, after.bytes());
    }
    memory.before_hash = keep_file(memory.before, observed, folder, before.bytes());
    std::error_code ignored;  // makes room for the next; the whole folder is removed at the end
    for (const fs::path& file : raw) fs::remove(file, ignored);
}

}  // namespace

std::optional<raw_launch> read_raw_launch(const fs::path& observed)
{
    std::error_code failure;
    if (!fs::is_regular_file(observed / record::launch_file, failure)) return std::nullopt;
    std::istringstream text(read_file(observed / record::launch_file));
    std::string line;
    if (!std::getline(text, line) || line != record::launch_magic) not_the_observers();
    raw_launch raw;
    while (std::getline(text, line)) read_raw_line(line, raw);
    if (raw.launch.kernel.empty()) not_the_observers();
    for (const parameter_place& parameter : raw.launch.parameters)
        if (std::uint64_t{parameter.offset} + parameter.bytes > raw.launch.arguments.size()) not_the_observers();
    return raw;
}

captured_launch write_capture_folder(raw_launch raw, const fs::path& observed, const fs::path& folder,
                                     const std::string& name)
{
    captured_launch& launch = raw.launch;
    std::optional<bool> waits;
    const std::string module = module_of(raw, observed, launch.architecture, waits);
    if (raw.early)
        launch.warnings.push_back(fmt::format(
            "the program lets it begin before the preceding kernel has ended (programmatic dependent launch), and {}",
            waits.value_or(true)
                ? "a replay does not"
                : "it never waits for that (griddepcontrol.wait), so it may read data that is not written yet"));
    launch.module = "kernel.cubin";
    launch.module_hash = hash_of_bytes(module);
    write_file_atomically(folder / launch.module, module);
    if (const std::string ptx = ptx_of(raw, observed); !ptx.empty()) {
        launch.ptx = "kernel.ptx";
        write_file_atomically(folder / launch.ptx, ptx);
    }
    fs::create_directory(folder / "memory");
    for (auto* list : {&launch.memory, &launch.variables})
        for (captured_memory& memory : *list) pack(memory, observed, folder);
    const std::string text = capture_json(launch);
    parse_capture(text, capture_file);  // checks that it can be read back
    write_file_atomically(folder / capture_file, text);
    write_file_atomically(folder / (name + ".toml"), replay_spec(launch, name));
    if (!launch.ptx.empty())
        write_file_atomically(folder / (name + "_registers.toml"),
                              replay_spec(launch, name + "_registers", raw.registers));
    return std::move(launch);
}

}  // namespace launchbox
