#include "capture/folder/packed_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "capture/folder/captured_launch.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

std::string random_bytes(std::size_t count)
{
    std::mt19937_64 random(7);
    std::string bytes(count, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    return bytes;
}

// Reads the whole file, in pieces that match neither those of the file nor its size.
std::string read_all(const std::filesystem::path& file, std::size_t bytes, std::uint64_t hash)
{
    packed_reader reader(file, bytes, hash);
    std::string all(bytes, '\0');
    for (std::size_t at = 0; at < bytes; at += 999'983)
        reader.read(all.data() + at, std::min<std::size_t>(999'983, bytes - at));
    return all;
}

class packed_memory_test : public ::testing::Test {
protected:
    [[nodiscard]] std::string refusal(const std::filesystem::path& file, std::size_t bytes, std::uint64_t hash) const
    {
        try {
            static_cast<void>(read_all(file, bytes, hash));
        } catch (const error& failure) {
            return failure.what();
        }
        return "";
    }

    temporary_directory folder;
    const std::filesystem::path packed = folder.path() / "x.zst", plain = folder.path() / "x";
};

TEST_F(packed_memory_test, any_size_is_read_back)
{
    constexpr std::size_t piece = std::size_t{4} << 20;
    for (const std::size_t bytes : {std::size_t{1}, piece - 1, piece, piece + 1, 9 * piece + 5}) {
        const std::string memory = random_bytes(bytes);
        const std::uint64_t hash = write_packed(packed, memory);
        EXPECT_EQ(hash, hash_of_bytes(memory));
        EXPECT_TRUE(read_all(packed, bytes, hash) == memory) << bytes;
        write_file_atomically(plain, memory);
        EXPECT_TRUE(read_all(plain, bytes, hash) == memory) << bytes;
    }
}

TEST_F(packed_memory_test, another_size_or_content_is_refused)
{
    const std::string memory = random_bytes((std::size_t{9} << 20) + 5);
    const std::uint64_t hash = write_packed(packed, memory);
    write_file_atomically(plain, memory);
    for (const std::filesystem::path& file : {packed, plain}) {
        EXPECT_EQ(refusal(file, memory.size(), hash), "");
        EXPECT_NE(refusal(file, memory.size() - 1, hash).find("longer"), std::string::npos) << file;
        EXPECT_NE(refusal(file, memory.size() + 1, hash).find("shorter"), std::string::npos) << file;
        EXPECT_NE(refusal(file, memory.size(), hash + 1).find("hash"), std::string::npos) << file;
        const std::string whole = read_input(file);
        write_file_atomically(file, whole.substr(0, whole.size() / 2));
        EXPECT_NE(refusal(file, memory.size(), hash).find("shorter"), std::string::npos) << file;
        write_file_atomically(file, whole + "x");
        EXPECT_NE(refusal(file, memory.size(), hash), "") << file;
        std::filesystem::remove(file);
    }
}

TEST_F(packed_memory_test, incompressible_memory_is_recognised_by_samples)
{
    constexpr std::size_t bytes = std::size_t{32} << 20;
    EXPECT_FALSE(packs_well(random_bytes(bytes)));
    EXPECT_TRUE(packs_well(std::string(bytes, 'x')));
    EXPECT_TRUE(packs_well(random_bytes(1000)));  // too small to matter
    EXPECT_TRUE(packs_well(random_bytes(bytes / 2) + std::string(bytes / 2, '\0')));
}

}  // namespace
}  // namespace launchbox
