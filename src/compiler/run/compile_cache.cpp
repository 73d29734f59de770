// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/compile_cache.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <system_error>
#include <utility>

#include "compiler/run/nvcc_arguments.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/typed_number.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// Increased when entries change: older ones then count as damaged, and are rewritten.
constexpr std::string_view format_name = "launchbox compile 5";
// Never changed: the hash of what stored results depend on uses it, too (tune/space/task_hash.cpp).
constexpr std::string_view key_seed = "launchbox compile 1";
constexpr std::size_t largest_entry = std::size_t{256} << 20;
constexpr std::chrono::hours kept_unused{30 * 24};

std::string digits_of(XXH128_hash_t hash)
{
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

std::string hash_of(std::string_view bytes)
{
    return digits_of(XXH3_128bits(bytes.data(), bytes.size()));
}

// Each part is preceded by its length, so that no two lists of parts give the same bytes.
class key_hash {
public:
    key_hash() { XXH3_128bits_reset(&state_); }
    void add(std::string_view part)
    {
        const std::uint64_t size = part.size();
        XXH3_128bits_update(&state_, &size, sizeof size);
        XXH3_128bits_update(&state_, part.data(), part.size());
    }
    [[nodiscard]] std::string digits() const { return digits_of(XXH3_128bits_digest(&state_)); }

private:
    XXH3_state_t state_{};
};

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Paths in line information start at the current folder, which no other part of the key contains.
bool has_line_information(const nvcc_job& job)
{
    for (const std::string& flag : job.flags)
        for (const char* form : {"-lineinfo", "--generate-line-info", "-G", "--device-debug"})
            if (flag == form) return true;
    return false;
}

// "launchbox compile 5 KEY CHECKSUM SIZES...
// ", then the texts; sizes in bytes.
std::string entry_text(const std::string& key, const std::vector<std::string>& texts)
{
    std::string content, sizes;
    for (const std::string& text : texts) {
        content += text;
        sizes += " " + std::to_string(text.size());
    }
    return std::string(format_name) + " " + key + " " + hash_of(content) + sizes + "\n" + content;
}

std::optional<std::size_t> size_in(std::string_view word)
{
    std::size_t size = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (failure != std::errc() || end != word.data() + word.size() || size > largest_entry) return std::nullopt;
    return size;
}

std::optional<std::vector<std::string>> read_entry(std::string_view text, const std::string& key)
{
    if (!text.starts_with(format_name)) return std::nullopt;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view header = text.substr(format_name.size(), end - format_name.size());
    std::string_view content = text.substr(end + 1);
    std::vector<std::string_view> words;
    while (header.starts_with(' ')) {
        header.remove_prefix(1);
        words.push_back(header.substr(0, header.find(' ')));
        header.remove_prefix(words.back().size());
    }
    if (words.size() < 2 || words[0] != key || words[1] != hash_of(content)) return std::nullopt;
    std::vector<std::string> texts;
    for (std::size_t i = 2; i < words.size(); ++i) {
        const auto size = size_in(words[i]);
        if (!size || *size > content.size()) return std::nullopt;
        texts.emplace_back(content.substr(0, *size));
        content.remove_prefix(*size);
    }
    if (!content.empty()) return std::nullopt;
    return texts;
}

struct kept_file {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size = 0;
};

// Newest first.
std::vector<kept_file> files_by_use(const fs::path& folder)
{
    std::vector<kept_file> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        std::error_code failure;
        if (!entry.is_regular_file(failure) || failure) continue;
        const auto used = entry.last_write_time(failure);
        if (failure) continue;
        const auto size = entry.file_size(failure);
        if (!failure) files.push_back({.path = entry.path(), .used = used, .size = size});
    }
    std::ranges::sort(files, std::ranges::greater{}, &kept_file::used);
    return files;
}

// Removes entries unused for a long time, leftovers of killed processes, and what exceeds the limit. One of the 256
// folders at a time is enough: keys are hashes, so each has about the same size.
void remove_old(const fs::path& folder, std::uintmax_t max_bytes)
{
    const auto oldest = fs::file_time_type::clock::now() - kept_unused;
    std::uintmax_t bytes = 0;
    bool newest = true;
    for (const kept_file& file : files_by_use(folder)) {
        bytes += file.size;
        std::error_code ignored;
        if (file.used < oldest || (bytes > max_bytes && !newest)) fs::remove(file.path, ignored);
        newest = false;
    }
}

}  // namespace

fs::path default_cache_folder()
{
    if (fs::path named = variable("LAUNCHBOX_CACHE"); !named.empty()) return named;
    if (fs::path user = variable("XDG_CACHE_HOME"); user.is_absolute()) return user / "launchbox";
    if (fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "launchbox";
    return {};
}

std::uintmax_t cache_max_bytes()
{
    const std::string text = variable("LAUNCHBOX_CACHE_MAX_SIZE");
    if (text.empty()) return std::uintmax_t{10} << 30;
    const auto bytes = read_bytes(text);
    if (!bytes) throw error("LAUNCHBOX_CACHE_MAX_SIZE is '" + text + "', not a size", "write 20G, or 0 for no limit");
    return *bytes == 0 ? std::numeric_limits<std::uintmax_t>::max() : static_cast<std::uintmax_t>(*bytes);
}

std::string unit_key(const toolchain& tools, const std::string& ptxas_version, const nvcc_job& job,
                     const unit_text& unit, const std::string& contents)
{
    key_hash hash;
    hash.add(format_name);
    hash.add(tools.version);
    hash.add(ptxas_version);
    hash.add(architecture_name(job.architecture).view());
    hash.add(job.source);  // the log and the names of static kernels contain it
    hash.add(unit.text);
    hash.add(unit.commands);
    hash.add(contents);
    for (const std::string& flag : job.flags) hash.add(flag);
    for (const std::string& value : environment_that_nvcc_reads()) hash.add(value);
    std::error_code ignored;
    if (has_line_information(job)) hash.add(fs::current_path(ignored).string());
    return hash.digits();
}

std::string compile_key(const std::string& unit, const nvcc_job& job)
{
    key_hash hash;
    hash.add(unit);
    hash.add(job.forced_include);
    hash.add(job.only_ptx ? "ptx" : job.keep_ptx ? "cubin and ptx" : "cubin");
    return hash.digits();
}

std::string key_of(const std::vector<std::string_view>& parts)
{
    key_hash hash;
    hash.add(key_seed);
    for (const std::string_view part : parts) hash.add(part);
    return hash.digits();
}

compile_cache::compile_cache(const fs::path& folder)
    : folder_(folder.empty() ? folder : folder / "compiles"),
      max_bytes_of_part_(folder.empty() ? 0 : cache_max_bytes() / 256)
{
}

fs::path compile_cache::file_of(const std::string& key) const
{
    return folder_ / key.substr(0, 2) / key.substr(2);
}

std::optional<nvcc_output> compile_cache::find(const std::string& key) const
{
    auto texts = find_texts(key);
    if (!texts || texts->size() < 3 || texts->size() > 4) return std::nullopt;
    if (texts->size() == 4 && texts->back().empty()) return std::nullopt;
    texts->resize(4);
    return nvcc_output{.made = true,
                       .log = std::move(texts->at(0)),
                       .cubin = std::move(texts->at(1)),
                       .ptx_outline = std::move(texts->at(2)),
                       .ptx = std::move(texts->at(3))};
}

void compile_cache::store(const std::string& key, const nvcc_output& output) const
{
    if (!output.succeeded()) return;
    std::vector<std::string> texts{output.log, output.cubin, output.ptx_outline};
    if (!output.ptx.empty()) texts.push_back(output.ptx);
    store_texts(key, texts);
}

std::optional<std::vector<std::string>> compile_cache::find_texts(const std::string& key) const
{
    const fs::path file = file_of(key);
    std::error_code failure;
    if (!enabled() || !fs::is_regular_file(file, failure)) return std::nullopt;
    std::optional<std::vector<std::string>> found;
    try {
        found = read_entry(read_file(file, largest_entry), key);
    } catch (const error&) {
        return std::nullopt;  // just removed by another process, or not readable
    }
    if (found) fs::last_write_time(file, fs::file_time_type::clock::now(), failure);  // mark it as used
    return found;
}

void compile_cache::store_texts(const std::string& key, const std::vector<std::string>& texts) const
{
    if (!enabled()) return;
    const fs::path file = file_of(key);
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    if (failure) return;
    try {
        write_file_atomically(file, entry_text(key, texts));
    } catch (const error&) {
        return;  // a full or read-only disk only costs time on the next run
    }
    remove_old(file.parent_path(), max_bytes_of_part_);
}

}  // namespace launchbox
