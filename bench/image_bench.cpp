// Reading all kernels of CUDA's libraries, against the same program only decompressing the same images with libzstd and
// liblz4. Goal: at most 1.3 times as long; the difference is the cost of reading.
//
//     image_bench [--rounds 9] [library or folder...]
//     perf record build/release/bench/image_bench --read LIBRARY     only reads, five times on one thread
//
// Without arguments it uses the libraries of the toolkits on this machine. It prints for each library:
// - one thread: the time of `read_binary` divided by that of the peer, medians of rounds that alternate in one process,
//   with the file in the page cache; and the time to find the images, which is part of it.
// - threads: the speedup over one thread, beside that of the peer.
// - memory: the peak without the file and the results, divided by (largest cubin x threads).
// Images that are not compressed cost the peer nothing. For a library with only such images, bytes per second are
// printed instead of a ratio; for a library with both kinds, the ratio covers everything and the share is printed
// beside it.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <ranges>

#include "../tests/image/cuda_libraries.hpp"
#include "image/binary.hpp"
#include "library_images.hpp"
#include "peak_memory.hpp"
#include "record.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox::bench {
namespace {

constexpr double goal = 1.3, memory_goal = 2;
constexpr std::uint64_t smallest_bytes = 2'000'000;

struct library_times {
    std::string name;
    std::uint64_t file_bytes = 0;
    std::size_t kernels = 0, problems = 0;
    library_images images;
    double read = 0, decompress = 0, find = 0;  // processor seconds on one thread, medians
    std::vector<double> ratios;                 // of each round
    struct at_threads {
        unsigned threads = 0;
        double read = 0, decompress = 0;  // seconds of wall time
        std::optional<peak_memory> memory;
    };
    std::vector<at_threads> scaling;

    [[nodiscard]] bool has_compressed() const { return images.compressed > 0; }
    [[nodiscard]] double ratio() const { return read / decompress; }
};

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

template <class Work>
double seconds_of(const Work& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time, since on one thread load from other processes does not count then.
template <class Work>
double processor_seconds_of(const Work& work)
{
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    };
    const double start = now();
    work();
    return now() - start;
}

double megabytes(std::uint64_t bytes)
{
    return static_cast<double>(bytes) / 1e6;
}

std::vector<unsigned> thread_counts()
{
    const unsigned all = std::max(1u, std::thread::hardware_concurrency());
    std::vector<unsigned> counts;
    for (unsigned threads = 1; threads < all; threads *= 2) counts.push_back(threads);
    counts.push_back(all);
    return counts;
}

std::optional<peak_memory> peak_of(const std::string& file, unsigned threads)
{
    const subprocess_result child = run({"/proc/self/exe", "--memory", file, std::to_string(threads)});
    long long peak = 0, results = 0;
    if (child.exit_code != 0 || std::sscanf(child.output.c_str(), "%lld %lld", &peak, &results) != 2)
        return std::nullopt;
    return peak_memory{peak, results};
}

int print_peak(const std::string& file, unsigned threads)
{
    const auto found = measure_peak_memory(
        file, [&](std::string_view bytes) { return read_binary(bytes, "library", {.wanted = {}, .jobs = threads}); });
    if (!found) return 1;
    std::printf("%lld %lld\n", static_cast<long long>(found->peak_bytes), static_cast<long long>(found->results_bytes));
    return 0;
}

int read_for_profile(const std::string& path)
{
    const mapped_file file(path);
    for (int i = 0; i < 5; ++i) (void)read_binary(file.bytes(), path, {.wanted = {}, .jobs = 1});
    return 0;
}

// Returns nothing if the file has no images, or so few that the result would be noise.
std::optional<library_times> measure(const std::string& path, int rounds)
{
    const mapped_file file(path);
    library_times result;
    result.name = std::filesystem::path(path).filename().string();
    result.file_bytes = file.bytes().size();
    result.images = images_of(file.bytes());
    if (result.images.decompressed_bytes + result.images.stored_bytes < smallest_bytes) return std::nullopt;
    const auto read = [&](unsigned threads) {
        const binary_contents contents = read_binary(file.bytes(), result.name, {.wanted = {}, .jobs = threads});
        result.kernels = static_cast<std::size_t>(std::ranges::distance(contents.kernels | std::views::join));
        result.problems = contents.diagnostics.size();
    };
    plain_decompressor unpack(std::max<std::uint64_t>(result.images.largest, 1));
    const auto decompress = [&] {
        for (const fatbin_entry& each : result.images.images) unpack.decompress(each);
    };

    read(1);  // the file into the page cache, both buffers into memory
    decompress();
    std::vector<double> reads, decompressions, finds;
    for (int round = 0; round < rounds; ++round) {
        const bool ours_first = round % 2 == 0;
        if (ours_first) reads.push_back(processor_seconds_of([&] { read(1); }));
        decompressions.push_back(processor_seconds_of(decompress));
        if (!ours_first) reads.push_back(processor_seconds_of([&] { read(1); }));
        finds.push_back(processor_seconds_of([&] { (void)scan_for_images(file.bytes()); }));
        result.ratios.push_back(reads.back() / decompressions.back());
    }
    result.read = median(reads);
    result.decompress = median(decompressions);
    result.find = median(finds);

    for (const unsigned threads : thread_counts()) {
        std::vector<double> here, peer;
        for (int round = 0; round < std::min(rounds, 3); ++round) {
            here.push_back(seconds_of([&] { read(threads); }));
            peer.push_back(seconds_of([&] { decompress_all(result.images, threads); }));
        }
        result.scaling.push_back({threads, median(here), median(peer), peak_of(path, threads)});
    }
    return result;
}

void print_header()
{
    fmt::print("{:<40}{:>8}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>7}\n", "one thread", "kernels", "images", "unpacked",
               "stored", "read s", "peer s", "find s", "ratio", "GB/s");
}

void print_one_thread(const library_times& each)
{
    // If nothing is compressed, the speed in bytes of the images is what matters.
    const std::uint64_t bytes = each.images.decompressed_bytes + each.images.stored_bytes;
    fmt::print("{:<40}{:>8}{:>8}{:>6.0f} MB{:>6.0f} MB{:>9.4f}{:>9.4f}{:>9.4f}{:>8}{:>7.2f}{}{}\n", each.name,
               each.kernels, each.images.images.size(), megabytes(each.images.decompressed_bytes),
               megabytes(each.images.stored_bytes), each.read, each.decompress, each.find,
               each.has_compressed() ? fmt::format("{:.2f}", each.ratio()) : "stored",
               megabytes(bytes) / 1e3 / each.read, each.has_compressed() && each.ratio() > goal ? "  missed" : "",
               each.problems > 0 ? fmt::format("  {} problems", each.problems) : "");
    std::fflush(stdout);
}

void print_threads(const std::vector<library_times>& all)
{
    fmt::print("\n{:<40}{:>9}", "speed-up over one thread (peer's)", "at most");
    for (const auto& at : all.front().scaling) fmt::print("{:>15}", at.threads);
    fmt::print("\n");
    for (const library_times& each : all) {
        // Threads share work by whole images, so the largest image limits the speedup.
        const double bytes = static_cast<double>(each.images.decompressed_bytes + each.images.stored_bytes);
        fmt::print("{:<40}{:>9.1f}", each.name, bytes / static_cast<double>(each.images.largest_of_all));
        for (const auto& at : each.scaling)
            fmt::print("{:>15}",
                       fmt::format("{:.2f} ({})", each.scaling.front().read / at.read,
                                   each.has_compressed()
                                       ? fmt::format("{:.2f}", each.scaling.front().decompress / at.decompress)
                                       : "-"));
        fmt::print("\n");
    }
}

void print_memory(const std::vector<library_times>& all)
{
    fmt::print("\n{:<40}{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}{:>9}\n", "peak memory", "threads", "peak", "results",
               "the rest", "largest", "rest/l/t", "goal");
    for (const library_times& each : all)
        for (const auto& at : each.scaling) {
            if (!at.memory) {
                fmt::print("{:<40}{:>9}  cannot be measured here\n", each.name, at.threads);
                continue;
            }
            const std::int64_t rest = at.memory->peak_bytes - at.memory->results_bytes;
            const double times =
                static_cast<double>(rest) / static_cast<double>(each.images.largest_of_all) / at.threads;
            fmt::print("{:<40}{:>9}{:>6.1f} MB{:>6.1f} MB{:>7.1f} MB{:>6.1f} MB{:>9.2f}{:>9.0f}{}\n", each.name,
                       at.threads, static_cast<double>(at.memory->peak_bytes) / 1e6,
                       static_cast<double>(at.memory->results_bytes) / 1e6, static_cast<double>(rest) / 1e6,
                       megabytes(each.images.largest_of_all), times, memory_goal,
                       times > memory_goal ? "  missed" : "");
        }
}

nlohmann::ordered_json figures_of(const std::vector<library_times>& all)
{
    nlohmann::ordered_json json;
    json["unit"] =
        "medians, seconds: of the processor on one thread, on the clock under scaling; ratio: read_binary over libzstd "
        "and liblz4 alone on the same images, one thread";
    json["threads"] = std::thread::hardware_concurrency();
    json["goal"] = goal;
    for (const library_times& each : all) {
        nlohmann::ordered_json library{{"library", each.name},
                                       {"file_bytes", each.file_bytes},
                                       {"kernels", each.kernels},
                                       {"problems", each.problems},
                                       {"cubins", each.images.cubins},
                                       {"images", each.images.images.size()},
                                       {"compressed_images", each.images.compressed},
                                       {"compressed_bytes", each.images.compressed_bytes},
                                       {"decompressed_bytes", each.images.decompressed_bytes},
                                       {"stored_bytes", each.images.stored_bytes},
                                       {"largest_image_bytes", each.images.largest_of_all},
                                       {"read_seconds", each.read},
                                       {"decompress_seconds", each.decompress},
                                       {"find_seconds", each.find},
                                       {"ratio", nullptr},
                                       {"ratios_of_rounds", nullptr}};
        if (each.has_compressed()) {
            library["ratio"] = each.ratio();
            library["ratios_of_rounds"] = each.ratios;
        }
        for (const auto& at : each.scaling) {
            nlohmann::ordered_json entry{{"threads", at.threads},
                                         {"read_seconds", at.read},
                                         {"decompress_seconds", at.decompress},
                                         {"times_as_fast_as_one", each.scaling.front().read / at.read},
                                         {"peak_bytes", nullptr},
                                         {"peak_bytes_without_results", nullptr}};
            if (at.memory) {
                entry["peak_bytes"] = at.memory->peak_bytes;
                entry["peak_bytes_without_results"] = at.memory->peak_bytes - at.memory->results_bytes;
            }
            library["scaling"].push_back(std::move(entry));
        }
        json["libraries"].push_back(std::move(library));
    }
    return json;
}

std::vector<std::string> libraries_of(const std::vector<std::string>& arguments)
{
    if (arguments.empty()) return shared_libraries_in(cuda_library_folders());
    std::vector<std::string> files;
    std::vector<std::filesystem::path> folders;
    for (const std::string& each : arguments) {
        if (std::filesystem::is_directory(each))
            folders.emplace_back(each);
        else
            files.push_back(each);
    }
    for (std::string& each : shared_libraries_in(folders)) files.push_back(std::move(each));
    return files;
}

int measure_all(const std::vector<std::string>& arguments, int rounds)
{
    std::vector<library_times> all;
    print_header();
    for (const std::string& path : libraries_of(arguments))
        if (auto measured = measure(path, rounds)) {
            print_one_thread(*measured);
            all.push_back(std::move(*measured));
            record("bench/image_bench", figures_of(all));  // after each one, so that a stopped run keeps its results
        }
    if (all.empty()) {
        fmt::print(stderr, "no library with CUDA code here; name files or folders\n");
        return 3;
    }
    double read = 0, decompress = 0;
    for (const library_times& each : all)
        if (each.has_compressed()) {
            read += each.read;
            decompress += each.decompress;
        }
    fmt::print("{:<40}{:>43.3f}{:>9.3f}{:>17.2f}\n", "all that have something compressed", read, decompress,
               read / decompress);
    print_threads(all);
    print_memory(all);
    return 0;
}

}  // namespace
}  // namespace launchbox::bench

int main(int count, char** arguments)
{
    std::vector<std::string> given(arguments + 1, arguments + count);
    if (given.size() == 3 && given[0] == "--memory")
        return launchbox::bench::print_peak(given[1], static_cast<unsigned>(std::stoul(given[2])));
    if (given.size() == 2 && given[0] == "--read") return launchbox::bench::read_for_profile(given[1]);
    int rounds = 9;
    if (given.size() >= 2 && given[0] == "--rounds") {
        rounds = std::max(1, std::atoi(given[1].c_str()));
        given.erase(given.begin(), given.begin() + 2);
    }
    return launchbox::bench::measure_all(given, rounds);
}
