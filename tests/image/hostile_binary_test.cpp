// Damaged and forged containers: whatever the input, complete parts are read, and others are reported with their place.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "containers.hpp"
#include "flat_binary.hpp"
#include "image/container/elf.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

const std::string small_source =
    "extern \"C\" __global__ void __launch_bounds__(64, 8) k(int* p) { __shared__ int s[64]; "
    "s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[63 - threadIdx.x]; }";

const std::string& small_cubin()
{
    static const std::string image = compile_cuda(small_source, "sm_90").image;
    return image;
}

const std::string& made_with(const std::string& kind)
{
    static std::map<std::string, std::string> images;
    std::string& image = images[kind];
    if (image.empty()) {
        std::vector<std::string> command{"nvcc",
                                         "-w",
                                         "--compress-mode=speed",
                                         "-gencode=arch=compute_75,code=[sm_75,compute_75]",
                                         "-gencode=arch=compute_90,code=sm_90",
                                         kind};
        if (kind == "-shared") command.insert(command.end(), {"-Xcompiler=-fPIC", "-cudart=none"});
        image = compile(std::move(command), small_source, ".cu").image;
    }
    return image;
}

made_entry cubin_entry(const std::string& image = small_cubin())
{
    return {.payload = image, .architecture = 90};
}

flat_contents read_bytes(std::string_view bytes)
{
    flat_contents contents =
        read_flat(bytes, "-", {.wanted = {}, .jobs = 1, .hash_code = true, .before_linking = true});
    EXPECT_LE(contents.diagnostics.size(), max_image_diagnostics + 1);
    for (const image_diagnostic& diagnostic : contents.diagnostics) EXPECT_FALSE(diagnostic.what.empty());
    EXPECT_LE(contents.images.size() * 64, bytes.size() + 64);
    return contents;
}

bool says(const flat_contents& contents, const std::string& words)
{
    return std::ranges::any_of(contents.diagnostics, [&](const image_diagnostic& diagnostic) {
        return diagnostic.what.find(words) != std::string::npos;
    });
}

std::string told(const flat_contents& contents)
{
    std::string all;
    for (const image_diagnostic& diagnostic : contents.diagnostics)
        all += std::to_string(diagnostic.offset) + ": " + diagnostic.what + "\n";
    return all;
}

TEST(bad_binary, offsets_and_sizes_never_overflow)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string good = make_fatbin({cubin_entry(), cubin_entry(), cubin_entry()});
    const std::size_t second = 16 + 64 + (small_cubin().size() + 7) / 8 * 8;
    ASSERT_EQ(read_bytes(good).kernels.size(), 3u);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
          ~std::uint64_t{0}, ~std::uint64_t{0} - 15, ~std::uint64_t{0} - 79, ~std::uint64_t{0} - second}) {
        std::string container = good, entry = good;
        put(container, 8, value);
        EXPECT_FALSE(read_bytes(container).diagnostics.empty()) << value;
        put(entry, second + 8, value);
        EXPECT_FALSE(read_bytes(entry).diagnostics.empty()) << value;
        EXPECT_GE(read_bytes(entry).kernels.size(), 1u) << value;
        for (const std::size_t field : {16u, 20u, 32u, 48u, 56u}) {  // sizes that a stored image does not use
            std::string other = good;
            put(other, second + field, value);
            EXPECT_EQ(read_bytes(other).kernels.size(), 3u) << field << ' ' << value;
        }
        std::string header = good;
        put(header, second + 4, static_cast<std::uint32_t>(value));
        EXPECT_FALSE(read_bytes(header).diagnostics.empty()) << value;
        EXPECT_GE(read_bytes(header).kernels.size(), 1u) << value;
    }
}

TEST(bad_binary, bombs_are_reported_and_the_rest_is_read)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const std::uint64_t flag : {flag_zstd, flag_lz4})
        for (const std::uint64_t claim :
             {std::uint64_t{1} << 30, (std::uint64_t{1} << 30) + 1, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
            const made_entry bomb{.payload = small_cubin(),
                                  .flags = flag,
                                  .compressed = static_cast<std::uint32_t>(small_cubin().size()),
                                  .decompressed = claim};
            const flat_contents contents = read_bytes(make_fatbin({cubin_entry(), bomb, cubin_entry()}));
            EXPECT_EQ(contents.kernels.size(), 2u);
            ASSERT_EQ(contents.diagnostics.size(), 1u);
            EXPECT_TRUE(says(contents, "fatbin at byte 0, entry 2: ")) << told(contents);
            EXPECT_TRUE(says(
                contents, claim > std::uint64_t{1} << 30 ? "1 GiB is the limit" : "a decompression bomb, or damage"));
        }
}

TEST(bad_binary, an_ambiguous_compression_is_reported)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto size = static_cast<std::uint32_t>(small_cubin().size());
    made_entry both = cubin_entry(), neither = cubin_entry();
    both.flags = flag_zstd | flag_lz4;
    both.compressed = neither.compressed = size;
    both.decompressed = neither.decompressed = size;
    const flat_contents of_both = read_bytes(make_fatbin({both, cubin_entry()}));
    EXPECT_TRUE(says(of_both, "both LZ4 and zstd")) << told(of_both);
    EXPECT_TRUE(says(of_both, "damaged zstd data"));
    EXPECT_EQ(of_both.kernels.size(), 1u);
    const flat_contents of_neither = read_bytes(make_fatbin({neither, cubin_entry()}));
    EXPECT_TRUE(says(of_neither, "compressed in an unknown way"));
    EXPECT_EQ(of_neither.kernels.size(), 2u);  // it was in fact stored uncompressed
}

TEST(bad_binary, elf_headers_with_wrong_values)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string& good = small_cubin();
    const auto with = [&](const std::string& cubin) {
        return read_bytes(make_fatbin({cubin_entry(cubin), cubin_entry()}));
    };
    const auto changed = [&](std::size_t offset, auto value) {
        std::string cubin = good;
        put(cubin, offset, value);
        return with(cubin);
    };
    EXPECT_TRUE(says(changed(58, std::uint16_t{40}), "entry 1: section headers of 40 bytes"));
    EXPECT_TRUE(says(changed(60, std::uint16_t{0xfffe}), "sections are announced"));
    EXPECT_TRUE(says(changed(60, std::uint16_t{0}), "no sections"));  // the number is in section 0, which has 0
    EXPECT_TRUE(says(changed(62, std::uint16_t{0xfff0}), "to hold the names"));
    EXPECT_TRUE(says(changed(62, std::uint16_t{0xffff}), "no section 0 to hold the names"));
    EXPECT_TRUE(says(changed(40, ~std::uint64_t{0}), "section headers start at"));
    EXPECT_TRUE(says(changed(40, std::uint64_t{0}), "no sections"));
    for (const std::size_t offset : {58u, 60u, 62u})
        EXPECT_GE(changed(offset, std::uint16_t{0xffff}).kernels.size(), 1u);

    // Sets each field of each section header to the extremes.
    const std::size_t headers = read_number<std::uint64_t>(good, 40), count = read_number<std::uint16_t>(good, 60);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::size_t field : {0u, 4u, 24u, 28u, 32u, 36u, 40u, 44u})
            for (const std::uint32_t value : {0u, 0x7fffffffu, ~0u}) {
                const flat_contents contents = changed(headers + i * 64 + field, value);
                EXPECT_GE(contents.kernels.size(), 1u) << i << ' ' << field;
                EXPECT_EQ(contents.images.size(), 2u);
            }
    // All sections have the same name.
    std::string same = good;
    for (std::size_t i = 1; i < count; ++i) put(same, headers + i * 64, read_number<std::uint32_t>(good, headers + 64));
    EXPECT_GE(with(same).kernels.size(), 1u);
}

// Instructions of sm_60 have another size: none are counted.
TEST(bad_binary, spills_of_old_architectures_are_not_decoded)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto as_sm_60 = [](std::string cubin) {
        cubin[8] = 7;
        put(cubin, 20, std::uint32_t{130});
        put(cubin, 48, std::uint32_t{0x3c053c});
        return read_bytes(cubin);
    };
    const std::string framed =
        "__global__ void k(int* p, int i) { int a[64]; for (int j = 0; j < 64; ++j) a[p[j] & 63] = j; p[i] = a[i & "
        "63]; }";
    const flat_contents contents = as_sm_60(compile_cuda(framed, "sm_90").image), frameless = as_sm_60(small_cubin());
    ASSERT_EQ(contents.kernels.size(), 1u);
    EXPECT_EQ(contents.kernels[0].architecture, "sm_60");
    EXPECT_GT(contents.kernels[0].figures.stack_frame_bytes, 0);
    EXPECT_EQ(contents.kernels[0].figures.spill_store_bytes, std::nullopt);
    ASSERT_EQ(frameless.kernels.size(), 1u);
    EXPECT_EQ(frameless.kernels[0].figures.spill_store_bytes, 0);  // without a frame there can be no spills
}

TEST(bad_binary, other_classes_and_byte_orders_are_unsupported)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const std::size_t field : {4u, 5u}) {
        std::string cubin = small_cubin();
        cubin[field] = static_cast<char>(3 - cubin[field]);
        const flat_contents contents = read_bytes(make_fatbin({cubin_entry(cubin), cubin_entry()}));
        EXPECT_TRUE(says(contents, "entry 1: not a 64-bit little-endian ELF image")) << told(contents);
        EXPECT_EQ(contents.kernels.size(), 1u);
    }
}

TEST(bad_binary, one_bad_entry_hides_no_other)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::vector<made_entry> bad{
        {.payload = "not a cubin", .architecture = 90},
        {.kind = 1, .payload = "not PTX", .architecture = 90},
        {.payload = "abc", .architecture = 90, .flags = flag_zstd, .compressed = 3, .decompressed = 100},
        {.payload = "abc", .architecture = 90, .flags = flag_lz4, .compressed = 3, .decompressed = 100},
        {.payload = small_cubin().substr(0, 100), .architecture = 90},
        {.payload = small_cubin(), .architecture = 80},  // the cubin itself says sm_90
        {.payload = "", .architecture = 90}};
    std::vector<made_entry> entries;
    for (const made_entry& entry : bad) entries.insert(entries.end(), {cubin_entry(), entry});
    entries.push_back(cubin_entry());
    const flat_contents contents = read_bytes(std::string(8, 'x') + make_fatbin(entries));
    EXPECT_EQ(contents.images.size(), entries.size());
    EXPECT_EQ(contents.kernels.size(), bad.size() + 1 + 1);
    for (std::size_t i = 0; i < bad.size(); ++i)
        EXPECT_TRUE(says(contents, "fatbin at byte 8, entry " + std::to_string(2 * i + 2) + ": "))
            << i << told(contents);
}

TEST(bad_binary, images_inside_images_are_not_read_twice)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string inner = make_fatbin({cubin_entry()});
    const std::string text = ".version 9.0\n.target sm_90\n// " + inner + small_cubin();
    const flat_contents contents = read_bytes(make_fatbin({{.kind = 1, .payload = text}, cubin_entry()}));
    EXPECT_EQ(contents.images.size(), 2u);
    EXPECT_EQ(contents.kernels.size(), 1u);
}

TEST(bad_binary, unknown_values_are_reported_and_not_guessed)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string abi = small_cubin();
    abi[8] = 9;
    const flat_contents contents = read_bytes(
        make_fatbin({{.kind = 64, .payload = "12345678", .architecture = 90}, cubin_entry(abi), cubin_entry()}));
    ASSERT_EQ(contents.images.size(), 3u);
    EXPECT_EQ(contents.images[0].kind, "kind 64");
    EXPECT_EQ(contents.images[0].kernels, 0u);
    EXPECT_TRUE(says(contents, "entry 2: a cubin of the unknown ABI version 9")) << told(contents);
    ASSERT_EQ(contents.kernels.size(), 2u);
    EXPECT_EQ(contents.kernels[0].figures.static_shared_bytes, std::nullopt);
    EXPECT_EQ(contents.kernels[1].figures.static_shared_bytes, 256);
}

TEST(bad_binary, the_same_kernel_in_several_places_is_several_kernels)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string one = make_fatbin({cubin_entry(), cubin_entry()});
    const flat_contents contents = read_bytes(one + one + small_cubin());
    ASSERT_EQ(contents.kernels.size(), 5u);
    std::vector<std::string> places;
    for (const kernel_info& kernel : contents.kernels) places.push_back(kernel.source.container + kernel.source.entry);
    std::ranges::sort(places);
    EXPECT_EQ(std::ranges::adjacent_find(places), places.end());
}

// The pages before are never written: they all map to the zero page and take no memory.
TEST(bad_binary, offsets_beyond_4_gib_exhaustive)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string fatbin = make_fatbin({cubin_entry()});
    const std::size_t at = (std::size_t{1} << 32) + 8, size = at + fatbin.size();
    void* const pages =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    std::memcpy(static_cast<char*>(pages) + at, fatbin.data(), fatbin.size());
    const flat_contents contents = read_flat({static_cast<const char*>(pages), size}, "-", {.wanted = {}, .jobs = 1});
    ::munmap(pages, size);
    ASSERT_EQ(contents.kernels.size(), 1u);
    EXPECT_EQ(contents.kernels[0].source.container, "fatbin at byte 4294967304");
    EXPECT_EQ(contents.images.at(0).offset, at + 80);
}

// Complete parts before the cut are read, and the cut is reported.
void expect_whole_parts_at_every_length(const std::string& bytes, std::size_t step)
{
    const flat_contents whole = read_bytes(bytes);
    ASSERT_TRUE(whole.diagnostics.empty()) << told(whole);
    ASSERT_GT(whole.kernels.size(), 1u);
    std::uint64_t end_of_images = 0;
    for (const binary_image& image : whole.images)
        end_of_images = std::max(end_of_images, image.offset + image.stored_bytes);
    for (std::size_t length = 0; length < bytes.size(); length += step) {
        const std::vector<char> exact(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
        const flat_contents cut = read_bytes({exact.data(), exact.size()});
        std::size_t expected = 0;
        for (const binary_image& image : whole.images)
            if (image.kind == "cubin" && image.offset + (image.stored_bytes + 7) / 8 * 8 <= length)
                expected += image.kernels;
        const auto compiled = std::ranges::count_if(
            cut.kernels, [](const kernel_info& kernel) { return kernel.architecture.starts_with("sm_"); });
        ASSERT_GE(static_cast<std::size_t>(compiled), expected) << length << told(cut);
        if (length >= 64 && length < end_of_images) {
            ASSERT_FALSE(cut.diagnostics.empty()) << length;
        }
    }
}

TEST(bad_binary, every_truncation_of_a_fat_binary)
{
    SKIP_WITHOUT_TOOLKIT();
    expect_whole_parts_at_every_length(made_with("-fatbin"), 1);
    const flat_contents cut = read_bytes(std::string_view(made_with("-fatbin")).substr(0, 3000));
    EXPECT_TRUE(says(cut, "fatbin at byte 0: a fat binary of ")) << told(cut);
}

TEST(bad_binary, every_truncation_of_an_archive)
{
    SKIP_WITHOUT_TOOLKIT();
    expect_whole_parts_at_every_length(made_with("--lib"), 3);
}

TEST(bad_binary, truncations_of_a_shared_library)
{
    SKIP_WITHOUT_TOOLKIT();
    expect_whole_parts_at_every_length(made_with("-shared"), 13);
}

TEST(bad_binary, random_damage)
{
    SKIP_WITHOUT_TOOLKIT();
    std::mt19937 random(random_seed());
    const auto pick = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    for (const char* kind : {"-fatbin", "--lib", "-shared"}) {
        const std::string& good = made_with(kind);
        const std::size_t container = good.find("\x50\xed\x55\xba");
        ASSERT_NE(container, std::string::npos);
        for (int round = 0; round < 4000; ++round) {
            std::vector<char> damaged(good.begin(), good.end());
            for (std::size_t i = 1 + pick(6); i > 0; --i) {
                constexpr unsigned char values[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
                const std::size_t at = pick(2) == 0
                                           ? pick(good.size())
                                           : container + pick(std::min<std::size_t>(160, good.size() - container));
                damaged[at] = static_cast<char>(pick(2) == 0 ? values[pick(6)] : pick(256));
            }
            if (pick(4) == 0) damaged.resize(pick(damaged.size()));
            damaged.shrink_to_fit();
            read_bytes({damaged.data(), damaged.size()});
        }
    }
}

}  // namespace
}  // namespace launchbox
