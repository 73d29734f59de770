// Sorts tiles of keys, each by one thread block, with threads and items per thread from the tables of
// tunings/block_sort.hpp: one for keys of 4 bytes and one for 8. Keys of 16 bytes have none and get that of 8, scaled.
//
//     block_sort [--type int|int64|int128] [--n KEYS]        which row is used, and whether the result is right
//     block_sort --time --type int --n 16777216              and how long a pass takes
//
// One candidate is built without editing the table: nvcc ... -DBLOCK_SORT_4_ROW='{512\,15\,2}'; see docs/tunings.md.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunings/block_sort.hpp"

template <class Key>
struct block_sort {
    using tuning = launchbox::by_type<Key, void, launchbox::element_bytes<4, 0, block_sort_4>,
                                      launchbox::element_bytes<8, 0, block_sort_8>>;

    // A tile, the padding of one key in 32 by which CUB avoids bank conflicts, and the end of the last merge.
    __host__ __device__ static constexpr std::int64_t dynamic_shared_bytes(const block_sort_row& row)
    {
        const std::int64_t tile = std::int64_t{row.threads} * row.items;
        return (tile + tile / 32 + 1) * static_cast<std::int64_t>(sizeof(Key)) + 16;
    }

    template <block_sort_row r>
    static __device__ void run(const Key* input, Key* output, std::int64_t count)
    {
        using loading = cub::BlockLoad<Key, r.threads, r.items, cub::BLOCK_LOAD_TRANSPOSE>;
        using sorting = cub::BlockMergeSort<Key, r.threads, r.items>;
        using storing = cub::BlockStore<Key, r.threads, r.items, cub::BLOCK_STORE_TRANSPOSE>;
        union storage {
            typename loading::TempStorage load;
            typename sorting::TempStorage sort;
            typename storing::TempStorage store;
        };
        static_assert(sizeof(storage) <= dynamic_shared_bytes(r));
        extern __shared__ __align__(16) unsigned char memory[];
        storage& shared = *reinterpret_cast<storage*>(memory);

        constexpr int tile = r.threads * r.items;
        constexpr Key last = ~(Key{1} << (8 * sizeof(Key) - 1));  // fills up the last tile, and is sorted to its end
        const std::int64_t begin = std::int64_t{blockIdx.x} * tile;
        const int valid = static_cast<int>(count - begin < tile ? count - begin : tile);
        Key keys[r.items];
        if (valid == tile)
            loading(shared.load).Load(input + begin, keys);
        else
            loading(shared.load).Load(input + begin, keys, valid, last);
        __syncthreads();
        sorting(shared.sort).Sort(keys, [](const Key& a, const Key& b) { return a < b; });
        __syncthreads();
        if (valid == tile)
            storing(shared.store).Store(output + begin, keys);
        else
            storing(shared.store).Store(output + begin, keys, valid);
    }
};

static void check(cudaError_t code, const char* what)
{
    if (code != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

using wide = unsigned __int128;
// Is every tile sorted, and does it hold the keys that it held?
template <class Key>
static bool is_right(const std::vector<Key>& input, const std::vector<Key>& output, std::size_t tile)
{
    for (std::size_t begin = 0; begin < input.size(); begin += tile) {
        const std::size_t end = std::min(begin + tile, input.size());
        wide difference = 0;  // of the sums of squares
        for (std::size_t i = begin; i < end; ++i) difference += wide(input[i]) * input[i] - wide(output[i]) * output[i];
        if (difference != 0 || !std::is_sorted(&output[begin], &output[begin] + (end - begin))) return false;
    }
    return true;
}

template <class Key>
static bool sorts(const char* type, std::int64_t count, bool timed)
{
    std::vector<Key> input(static_cast<std::size_t>(count)), output(input.size());
    std::mt19937_64 random(1);
    for (Key& key : input) key = static_cast<Key>(wide(random()) * 0x1000000000000001);  // also the upper half
    const std::size_t bytes = input.size() * sizeof(Key);
    Key *from = nullptr, *to = nullptr;
    for (Key** keys : {&from, &to}) check(cudaMalloc(keys, bytes), "cudaMalloc");
    check(cudaMemcpy(from, input.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    std::fputs(launchbox::explain<block_sort<Key>>().c_str(), stdout);
    launchbox::launch<block_sort<Key>>(nullptr, count, from, to, count);
    check(cudaMemcpy(output.data(), to, bytes, cudaMemcpyDeviceToHost), "the kernel");
    const block_sort_row row = launchbox::row_for<block_sort<Key>>();
    const bool right = is_right(input, output, static_cast<std::size_t>(row.threads * row.items));
    std::printf("%s: %lld keys: %s\n", type, static_cast<long long>(count), right ? "every tile is sorted" : "WRONG");
    float milliseconds = 0;
    cudaEvent_t start = nullptr, stop = nullptr;
    for (cudaEvent_t* event : {&start, &stop}) check(cudaEventCreate(event), "cudaEventCreate");
    for (int pass = -3; timed && pass < 20; ++pass) {  // those below 0 warm up
        cudaEventRecord(start);
        launchbox::launch<block_sort<Key>>(nullptr, count, from, to, count);
        cudaEventRecord(stop);
        check(cudaEventSynchronize(stop), "the kernel");
        check(cudaEventElapsedTime(&milliseconds, start, stop), "timing");
        if (pass >= 0) std::printf("%s time: %.5f ms\n", type, milliseconds);
    }
    return cudaFree(from), cudaFree(to), right;
}

int main(int argument_count, char** arguments)
{
    const std::pair<std::string_view, bool (*)(const char*, std::int64_t, bool)> types[] = {
        {"int", sorts<int>}, {"int64", sorts<std::int64_t>}, {"int128", sorts<__int128>}};
    std::string_view type;
    std::int64_t count = (1 << 20) + 12345;  // the last tile is not full
    bool timed = false, right = true;
    for (int i = 1; i < argument_count; ++i) {
        const std::string_view option = arguments[i], value = i + 1 < argument_count ? arguments[i + 1] : "";
        if (option == "--time") {
            timed = true;
        } else if (++i; option == "--type" &&
                        std::ranges::any_of(types, [&](const auto& known) { return known.first == value; })) {
            type = value;
        } else if (option != "--n" || (count = std::atoll(value.data())) < 1) {
            std::fputs("usage: block_sort [--type int|int64|int128] [--n KEYS] [--time]\n", stderr);
            return 2;
        }
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return std::puts("no GPU here: nothing is sorted"), 77;
    try {
        for (const auto& [name, sorts_it] : types)
            if (type.empty() || type == name) right &= sorts_it(name.data(), count, timed);
    } catch (const std::exception& refused) {  // launch_error among them
        std::fprintf(stderr, "%s\n", refused.what());
        return 1;
    }
    return right ? 0 : 1;
}
