// interval_expand against Thrust's expand (clear, scatter, max-scan, gather) and against cub::DeviceCopy::Batched of
// constant iterators; interval_move against cub::DeviceMemcpy::Batched, cub::DeviceCopy::Batched, and for some sizes a
// kernel that knows the size. There are 2^27 outputs of 32 bits and intervals of equal size; a move has sources in
// random order, and for ranges of 25 random targets too. All of them alternate in one process, each result is verified,
// and times are medians of launchbox::measure. Needs a GPU; without one it reports that and exits with 3.
//
//     interval_bench [outputs]        LAUNCHBOX_RECORD=FILE writes the figures to FILE
#include <launchbox/algorithms/interval_counts.cuh>
#include <launchbox/algorithms/interval_expand.cuh>
#include <launchbox/algorithms/interval_move.cuh>
#include <launchbox/measure.cuh>

#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_memcpy.cuh>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "record.hpp"

namespace launchbox::bench {
namespace {

using word = std::uint32_t;
using offset = std::int32_t;

void expect(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "interval_bench: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(3);
}

template <class Type>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count)
    {
        expect(cudaMalloc(&data_, count * sizeof(Type)), "memory of the GPU");
    }
    explicit device_array(const std::vector<Type>& host) : device_array(host.size())
    {
        expect(cudaMemcpy(data_, host.data(), count_ * sizeof(Type), cudaMemcpyHostToDevice), "copy to the GPU");
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }
    Type* data() const { return data_; }
    std::size_t bytes() const { return count_ * sizeof(Type); }

private:
    Type* data_ = nullptr;
    std::size_t count_;
};

/// Temporary memory for Thrust, kept between calls so that cudaMalloc is not timed.
class kept_memory {
public:
    using value_type = char;
    explicit kept_memory(std::size_t bytes) : memory_(bytes) {}
    char* allocate(std::ptrdiff_t bytes)
    {
        const std::size_t at = used_;
        used_ += (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
        if (used_ > memory_.bytes()) expect(cudaErrorMemoryAllocation, "memory for Thrust");
        return memory_.data() + at;
    }
    void deallocate(char*, std::size_t) {}
    void clear() { used_ = 0; }

private:
    device_array<char> memory_;
    std::size_t used_ = 0;
};

/// The minimum work for moving ranges of `Size` elements: the size is a constant, and each thread copies four parts of
/// its block's ranges. Shows what random sources allow.
template <int Size, class Part>
__global__ void move_of_known_size(const std::int32_t* gather, const std::int32_t* scatter, const word* in, word* out,
                                   std::int64_t n)
{
    constexpr int words = sizeof(Part) / sizeof(word), in_flight = 4;
    const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * in_flight + threadIdx.x;
    Part parts[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
        const std::int64_t at = (first + i * blockDim.x) * words;
        if (at < n) parts[i] = *reinterpret_cast<const Part*>(in + gather[at / Size] + at % Size);
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
        const std::int64_t at = (first + i * blockDim.x) * words;
        if (at < n) *reinterpret_cast<Part*>(out + scatter[at / Size] + at % Size) = parts[i];
    }
}

/// Start of each range of a batch: range i begins at `data[offsets[i]]`.
struct place_of_range {
    word* data;
    const offset* offsets;
    __host__ __device__ word* operator()(std::int64_t i) const { return data + offsets[i]; }
};

/// The value of range i, repeated endlessly.
struct value_of_range {
    const word* values;
    __host__ __device__ thrust::constant_iterator<word> operator()(std::int64_t i) const
    {
        return thrust::constant_iterator<word>(values[i]);
    }
};

/// `scatter`: the start of each interval in `out`, or null if they are adjacent.
__global__ void count_other_values(const word* out, const word* values, const offset* gather, const offset* scatter,
                                   std::int64_t n, std::int64_t size, unsigned long long* wrong)
{
    for (std::int64_t k = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; k < n;
         k += std::int64_t{gridDim.x} * blockDim.x) {
        const word expected = gather ? values[gather[k / size] + k % size] : values[k / size];
        if (out[scatter ? scatter[k / size] + k % size : k] != expected) atomicAdd(wrong, 1ull);
    }
}

class bench {
public:
    explicit bench(std::int64_t n) : n_(n), out_(static_cast<std::size_t>(n)), in_(numbers(n)), wrong_(1)
    {
        const double bytes = 2.0 * static_cast<double>(out_.bytes());
        copy_ = bytes / time([&](cudaStream_t s) {
                    cudaMemcpyAsync(out_.data(), in_.data(), out_.bytes(), cudaMemcpyDeviceToDevice, s);
                });
        std::printf("copy of %.0f MB: %.2f TB/s read and written\n", static_cast<double>(out_.bytes()) / 1e6,
                    copy_ / 1e3);
        std::printf("%-22s %5s %10s %10s %8s %10s %10s %8s\n", "", "size", "ms", "G/s", "of floor", "peer ms",
                    "peer G/s", "ratio");
    }

    void run(std::int64_t size)
    {
        const std::int64_t intervals = n_ / size, n = intervals * size;
        std::vector<offset> offsets(static_cast<std::size_t>(intervals));
        for (std::size_t i = 0; i < offsets.size(); ++i)
            offsets[i] = static_cast<offset>(static_cast<std::int64_t>(i) * size);
        const device_array<offset> starts(offsets);
        const device_array<offset> counts(std::vector<offset>(offsets.size(), static_cast<offset>(size)));
        run_expand(size, intervals, n, starts, counts);
        std::shuffle(offsets.begin(), offsets.end(), std::mt19937(7));
        run_move(size, intervals, n, starts, counts, device_array<offset>(offsets), offsets);
        if (size == 25) {
            const device_array<offset> gather(offsets);
            std::shuffle(offsets.begin(), offsets.end(), std::mt19937(8));
            run_move_to_random_places(size, intervals, n, starts, gather, device_array<offset>(offsets));
        }
    }

    void keep()
    {
        cudaDeviceProp properties{};
        cudaGetDeviceProperties(&properties, 0);
        record("bench/interval_bench", {{"device", properties.name},
                                        {"outputs", n_},
                                        {"copy_gigabytes_per_second", copy_},
                                        {"measurements", rows_}});
    }

private:
    using work = std::function<void(cudaStream_t)>;

    static std::vector<word> numbers(std::int64_t n)
    {
        std::vector<word> all(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<word>(i * 2654435761u);
        return all;
    }

    static double time(const work& call)
    {
        const measurement_result m = measure(call, {});
        if (!m.measured()) {
            std::fprintf(stderr, "interval_bench: %s\n", m.reason.c_str());
            std::exit(1);
        }
        return m.median_ns;
    }

    double verified(const char* name, const work& call, std::int64_t n, std::int64_t size, const offset* gather,
                    const offset* scatter = nullptr)
    {
        expect(cudaMemset(out_.data(), 0xff, out_.bytes()), "memset");
        expect(cudaMemset(wrong_.data(), 0, wrong_.bytes()), "memset");
        cudaStream_t stream = nullptr;
        call(stream);
        count_other_values<<<1024, 256>>>(out_.data(), in_.data(), gather, scatter, n, size, wrong_.data());
        unsigned long long wrong = 0;
        expect(cudaMemcpy(&wrong, wrong_.data(), sizeof wrong, cudaMemcpyDeviceToHost), name);
        if (wrong != 0) {
            std::fprintf(stderr, "interval_bench: %s, size %lld: %llu outputs are wrong\n", name,
                         static_cast<long long>(size), wrong);
            std::exit(1);
        }
        return time(call);
    }

    struct timed_peer {
        const char* name;
        double ns;
    };

    void print(const char* name, std::int64_t size, std::int64_t n, double floor_bytes, double ns,
               const timed_peer& peer)
    {
        const double peer_ns = peer.ns;
        const double floor_ns = floor_bytes / copy_, outputs = static_cast<double>(n);
        std::printf("%-22s %5lld %10.4f %10.1f %7.1f%% %10.4f %10.1f %8.2f  %s\n", name, static_cast<long long>(size),
                    ns / 1e6, outputs / ns, floor_ns / ns * 100, peer_ns / 1e6, outputs / peer_ns, peer_ns / ns,
                    peer.name);
        rows_.push_back({{"what", name},
                         {"size", size},
                         {"outputs", n},
                         {"ms", ns / 1e6},
                         {"giga_outputs_per_second", outputs / ns},
                         {"floor_bytes", floor_bytes},
                         {"fraction_of_floor", floor_ns / ns},
                         {"peer", peer.name},
                         {"peer_ms", peer_ns / 1e6},
                         {"peer_giga_outputs_per_second", outputs / peer_ns},
                         {"ratio", peer_ns / ns}});
    }

    void run_expand(std::int64_t size, std::int64_t intervals, std::int64_t n, const device_array<offset>& offsets,
                    const device_array<offset>& counts)
    {
        kept_memory memory(std::size_t{64} << 20);
        const device_array<offset> indices(static_cast<std::size_t>(n));
        const work thrust_expand = [&](cudaStream_t s) {
            memory.clear();
            const auto policy = thrust::cuda::par_nosync(memory).on(s);
            thrust::fill(policy, indices.data(), indices.data() + n, 0);
            thrust::scatter_if(policy, thrust::counting_iterator<offset>(0),
                               thrust::counting_iterator<offset>(static_cast<offset>(intervals)), offsets.data(),
                               counts.data(), indices.data());
            thrust::inclusive_scan(policy, indices.data(), indices.data() + n, indices.data(),
                                   thrust::maximum<offset>{});
            thrust::gather(policy, indices.data(), indices.data() + n, in_.data(), out_.data());
        };
        const timed_peer peer{"Thrust's expand", verified("Thrust's expand", thrust_expand, n, size, nullptr)};
        const numbers_of numbers(0);
        const thrust::transform_iterator<value_of_range, numbers_of> values(numbers, {in_.data()});
        const thrust::transform_iterator<place_of_range, numbers_of> places(numbers, {out_.data(), offsets.data()});
        const timed_peer batched =
            copy_batched("DeviceCopy of constants", values, places, intervals, n, size, nullptr, nullptr);
        const double bytes = 4.0 * static_cast<double>(n) + 8.0 * static_cast<double>(intervals);
        const double ns = verified(
            "interval_expand",
            [&](cudaStream_t s) {
                interval_expand(s, static_cast<const word*>(in_.data()), static_cast<const offset*>(offsets.data()),
                                intervals, out_.data(), n);
            },
            n, size, nullptr);
        print("expand", size, n, bytes, ns, peer);
        print("expand", size, n, bytes, ns, batched);
        const device_array<char> space(needed([&](workspace w) { expand_counts(nullptr, counts, intervals, n, w); }));
        const double of_counts = verified(
            "interval_expand of counts",
            [&](cudaStream_t s) {
                expand_counts(s, counts, intervals, n, {space.data(), space.bytes()});
            },
            n, size, nullptr);
        print("expand of counts", size, n, bytes, of_counts, peer);
    }

    using numbers_of = thrust::counting_iterator<std::int64_t>;

    /// cub::DeviceCopy::Batched of ranges that all have the same size.
    template <class From, class To>
    timed_peer copy_batched(const char* name, From from, To to, std::int64_t intervals, std::int64_t n,
                            std::int64_t size, const offset* gather, const offset* scatter)
    {
        const thrust::constant_iterator<offset> sizes(static_cast<offset>(size));
        std::size_t bytes = 0;
        const auto copy = [&](void* memory, cudaStream_t s) {
            expect(cub::DeviceCopy::Batched(memory, bytes, from, to, sizes, intervals, s), name);
        };
        copy(nullptr, nullptr);
        const device_array<char> memory(bytes);
        return {name, verified(
                          name, [&](cudaStream_t s) { copy(memory.data(), s); }, n, size, gather, scatter)};
    }

    template <class Call>
    static std::size_t needed(const Call& call)
    {
        std::size_t bytes = 0;
        call(workspace::query(bytes));
        return bytes;
    }

    void expand_counts(cudaStream_t s, const device_array<offset>& counts, std::int64_t intervals, std::int64_t n,
                       workspace space)
    {
        interval_expand(s, static_cast<const word*>(in_.data()),
                        interval_counts{static_cast<const offset*>(counts.data())}, intervals, out_.data(), n, space);
    }

    void run_move(std::int64_t size, std::int64_t intervals, std::int64_t n, const device_array<offset>& offsets,
                  const device_array<offset>& counts, const device_array<offset>& gather,
                  const std::vector<offset>& gathers)
    {
        std::vector<const void*> sources(gathers.size());
        std::vector<void*> targets(gathers.size());
        for (std::size_t i = 0; i < gathers.size(); ++i) {
            sources[i] = in_.data() + gathers[i];
            targets[i] = out_.data() + static_cast<std::int64_t>(i) * size;
        }
        const device_array<const void*> from(sources);
        const device_array<void*> to(targets);
        const device_array<unsigned> bytes_of(std::vector<unsigned>(gathers.size(), static_cast<unsigned>(size * 4)));
        std::size_t batch_bytes = 0;
        const auto batched = [&](void* memory, cudaStream_t s) {
            cub::DeviceMemcpy::Batched(memory, batch_bytes, const_cast<const void**>(from.data()), to.data(),
                                       bytes_of.data(), intervals, s);
        };
        batched(nullptr, nullptr);
        const device_array<char> batch_memory(batch_bytes);
        const char* const name = "cub::DeviceMemcpy::Batched";
        const timed_peer peer{
            name, verified(
                      name, [&](cudaStream_t s) { batched(batch_memory.data(), s); }, n, size, gather.data())};
        const numbers_of numbers(0);
        const thrust::transform_iterator<place_of_range, numbers_of> origins(numbers, {in_.data(), gather.data()}),
            places(numbers, {out_.data(), offsets.data()});
        const timed_peer copied =
            copy_batched("cub::DeviceCopy::Batched", origins, places, intervals, n, size, gather.data(), nullptr);

        const auto* const gather_of = static_cast<const offset*>(gather.data());
        const auto* const offset_of = static_cast<const offset*>(offsets.data());
        const auto* const count_of = static_cast<const offset*>(counts.data());
        const auto* const in = static_cast<const word*>(in_.data());
        const double bytes = 8.0 * static_cast<double>(n);
        const double moving = verified(
            "interval_move",
            [&](cudaStream_t s) {
                interval_move(s, gather_of, offset_of, interval_offsets{offset_of, n}, intervals, in, out_.data());
            },
            n, size, gather_of);
        print("move", size, n, bytes + 12.0 * static_cast<double>(intervals), moving, peer);
        print("move", size, n, bytes + 12.0 * static_cast<double>(intervals), moving, copied);
        if (size == 4) run_known_size<4, uint4>(intervals, n, offset_of, gather_of, peer);
        if (size == 8) run_known_size<8, uint4>(intervals, n, offset_of, gather_of, peer);
        if (size == 25) run_known_size<25, word>(intervals, n, offset_of, gather_of, peer);
        const double gathering = verified(
            "interval_gather",
            [&](cudaStream_t s) {
                interval_gather(s, gather_of, interval_offsets{offset_of, n}, intervals, in, out_.data());
            },
            n, size, gather_of);
        print("gather", size, n, bytes + 8.0 * static_cast<double>(intervals), gathering, peer);
        const auto by_counts = [&](cudaStream_t s, workspace space) {
            interval_move(s, gather_of, offset_of, interval_counts{count_of, n}, intervals, in, out_.data(), space);
        };
        const device_array<char> space(needed([&](workspace w) { by_counts(nullptr, w); }));
        const double of_counts = verified(
            "interval_move of counts",
            [&](cudaStream_t s) {
                by_counts(s, {space.data(), space.bytes()});
            },
            n, size, gather_of);
        print("move of counts", size, n, bytes + 12.0 * static_cast<double>(intervals), of_counts, peer);
    }

    /// Targets that are not adjacent, as when records are rearranged.
    void run_move_to_random_places(std::int64_t size, std::int64_t intervals, std::int64_t n,
                                   const device_array<offset>& offsets, const device_array<offset>& gather,
                                   const device_array<offset>& scatter)
    {
        const numbers_of numbers(0);
        const thrust::transform_iterator<place_of_range, numbers_of> origins(numbers, {in_.data(), gather.data()}),
            places(numbers, {out_.data(), scatter.data()});
        const timed_peer copied = copy_batched("cub::DeviceCopy::Batched", origins, places, intervals, n, size,
                                               gather.data(), scatter.data());
        const thrust::constant_iterator<unsigned> sizes(static_cast<unsigned>(size * 4));
        std::size_t batch_bytes = 0;
        const auto batched = [&](void* memory, cudaStream_t s) {
            expect(cub::DeviceMemcpy::Batched(memory, batch_bytes, origins, places, sizes, intervals, s), "Batched");
        };
        batched(nullptr, nullptr);
        const device_array<char> batch_memory(batch_bytes);
        const char* const name = "cub::DeviceMemcpy::Batched";
        const timed_peer peer{name, verified(
                                        name, [&](cudaStream_t s) { batched(batch_memory.data(), s); }, n, size,
                                        gather.data(), scatter.data())};
        const auto* const gather_of = static_cast<const offset*>(gather.data());
        const auto* const scatter_of = static_cast<const offset*>(scatter.data());
        const double moving = verified(
            "interval_move",
            [&](cudaStream_t s) {
                interval_move(s, gather_of, scatter_of, interval_offsets{static_cast<const offset*>(offsets.data()), n},
                              intervals, static_cast<const word*>(in_.data()), out_.data());
            },
            n, size, gather_of, scatter_of);
        const double bytes = 8.0 * static_cast<double>(n) + 12.0 * static_cast<double>(intervals);
        print("move to random places", size, n, bytes, moving, peer);
        print("move to random places", size, n, bytes, moving, copied);
        run_known_size<25, word>(intervals, n, scatter_of, gather_of, peer, scatter_of);
    }

    /// Word by word, and in units of `Wide`, to which all ranges here are aligned.
    template <int Size, class Wide>
    void run_known_size(std::int64_t intervals, std::int64_t n, const offset* offsets, const offset* gather,
                        const timed_peer& peer, const offset* scatter = nullptr)
    {
        const auto run = [&]<class Part>(const char* name, Part) {
            constexpr int threads = 256;
            const std::int64_t of_block = threads * 4 * static_cast<std::int64_t>(sizeof(Part) / sizeof(word));
            const double ns = verified(
                name,
                [&](cudaStream_t s) {
                    move_of_known_size<Size, Part>
                        <<<static_cast<unsigned>((n + of_block - 1) / of_block), threads, 0, s>>>(
                            gather, offsets, in_.data(), out_.data(), n);
                },
                n, Size, gather, scatter);
            print(name, Size, n, 8.0 * static_cast<double>(n) + 8.0 * static_cast<double>(intervals), ns, peer);
        };
        run(scatter ? "size known, random" : "size known, words", word{});
        if constexpr (sizeof(Wide) > sizeof(word)) run("size known, 16 bytes", Wide{});
    }

    std::int64_t n_;
    device_array<word> out_, in_;
    device_array<unsigned long long> wrong_;
    double copy_ = 0;
    nlohmann::ordered_json rows_;
};

}  // namespace
}  // namespace launchbox::bench

int main(int count, char** arguments)
{
    const long long n = count > 1 ? std::atoll(arguments[1]) : 1 << 27;
    if (count > 2 || n < 1000 || n > 2'000'000'000) {
        std::fprintf(stderr, "interval_bench [outputs]: outputs are 1,000 to 2,000,000,000\n");
        return 2;
    }
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fprintf(stderr, "interval_bench needs a GPU, and there is none here\n");
        return 3;
    }
    launchbox::bench::bench all(n);
    for (const int size : {4, 8, 25, 100, 1000}) all.run(size);
    all.keep();
    return 0;
}
