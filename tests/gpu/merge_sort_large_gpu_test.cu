// merge_sort on a GPU: 8-byte keys and values, and sizes above 2^31 and 2^32. How to compile it:
// merge_sort_gpu_test.cu.
#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;

constexpr std::int64_t one = 1;

TEST_F(merge_sort_on_gpu, powers_of_two_with_8_bytes)
{
    const int most = is_reduced() ? 14 : 26;
    checked_sorts<std::uint64_t, std::uint64_t> pairs((one << most) + 1);
    checked_sorts<std::uint16_t, std::uint64_t> short_keys((one << most) + 1);
    for (int log2 = 1; log2 <= most; ++log2)
        for (const int difference : {-1, 0, 1}) {
            pairs.sort((one << log2) + difference, kind::random);
            short_keys.sort((one << log2) + difference, kind::random);
        }
    pairs.expect_right("pairs of 8 + 8 bytes");
    short_keys.expect_right("pairs of 2 + 8 bytes");
}

TEST_F(merge_sort_on_gpu, inputs_descending)
{
    const std::int64_t most = is_reduced() ? 20001 : (one << 22) + 77;
    checked_sorts<std::int64_t, std::uint32_t, launchbox::greater> descending(most + 8);
    for (const kind input : sort_inputs::kinds)
        for (std::int64_t n = most; n > 1000; n = n / 7 + 3)
            for (const std::int64_t offset : {0, 1, 2, 3}) descending.sort(n, input, offset);
    descending.expect_right("descending, 8 + 4 bytes");
}

/// Free device memory in bytes; tests of large sizes are skipped if there is not enough.
std::size_t free_bytes()
{
    std::size_t free = 0, total = 0;
    ok(cudaMemGetInfo(&free, &total));
    return free;
}

void sort_bytes(std::int64_t n)
{
    const device_array<std::uint8_t> keys(static_cast<std::size_t>(n));
    const device_array<unsigned long long> counts(512);
    const device_array<findings> found(1);
    const findings none_wrong;
    ok(cudaMemset(counts.get(), 0, 512 * sizeof(unsigned long long)));
    ok(cudaMemcpy(found.get(), &none_wrong, sizeof none_wrong, cudaMemcpyHostToDevice));
    make_elements<std::uint8_t, std::uint8_t><<<4096, 256>>>(keys.get(), nullptr, n, kind::random, 5);
    count_bytes<<<2048, 256>>>(keys.get(), n, counts.get(), nullptr);
    launchbox::merge_sort(nullptr, keys.get(), n);
    count_bytes<<<2048, 256>>>(keys.get(), n, counts.get() + 256, found.get());
    ok(cudaDeviceSynchronize());
    std::vector<unsigned long long> seen(512);
    counts.copy_to(seen);
    std::vector<findings> result(1);
    found.copy_to(result);
    EXPECT_EQ(result[0].wrong, 0u) << "not in order, first at " << result[0].first;
    for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(seen[i], seen[256 + i]) << "how often there is " << i;
}

class large : public merge_sort_on_gpu {
protected:
    void SetUp() override
    {
        merge_sort_on_gpu::SetUp();
        if (!IsSkipped() && is_reduced()) GTEST_SKIP() << "LAUNCHBOX_REDUCED=1";
    }
    void needs(std::int64_t bytes)
    {
        if (static_cast<std::int64_t>(free_bytes()) < bytes)
            GTEST_SKIP() << "needs " << (bytes >> 30) << " GiB of free device memory";
    }
};

TEST_F(large, more_than_2_to_31_bytes)
{
    needs(std::int64_t{5} << 30);
    if (!IsSkipped()) sort_bytes((one << 31) + 3);
}

TEST_F(large, more_than_2_to_32_bytes)
{
    needs(std::int64_t{9} << 30);
    if (!IsSkipped()) sort_bytes((one << 32) + 5);
}

TEST_F(large, more_than_2_to_31_pairs)
{
    const std::int64_t n = (one << 31) + 12345;
    needs(n * 19);
    if (IsSkipped()) return;
    checked_sorts<std::uint8_t, std::uint64_t> pairs(n);
    pairs.sort(n, kind::random);
    pairs.expect_right("pairs of 1 + 8 bytes");
}

TEST_F(large, more_than_2_to_32_pairs)
{
    const std::int64_t n = (one << 32) + 5;
    needs(n * 19);
    if (IsSkipped()) return;
    checked_sorts<std::uint8_t, std::uint64_t> pairs(n);
    pairs.sort(n, kind::few);
    pairs.expect_right("pairs of 1 + 8 bytes");
}

}  // namespace
