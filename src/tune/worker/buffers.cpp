// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "support/error.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace {

// 256 TiB: more than any GPU has, and far from overflow.
constexpr std::int64_t max_bytes = std::int64_t{1} << 48;

}  // namespace

std::size_t bytes_of(const task_argument& argument)
{
    const element_type type = element_type_of(argument.type);
    if (argument.count < 0 || argument.count > max_bytes / type.bytes)
        throw error("'" + argument.name + "': " + std::to_string(argument.count) +
                    " elements are not a valid buffer size");
    return static_cast<std::size_t>(argument.count) * static_cast<std::size_t>(type.bytes);
}

std::array<char, 16> scalar_bytes(const task_argument& argument)
{
    std::array<char, 16> bytes{};
    const std::uint64_t bits = number_bits(argument, element_type_of(argument.type));
    std::memcpy(bytes.data(), &bits, sizeof bits);
    return bytes;
}

bool is_poison(const char* from, std::size_t bytes, std::size_t position)
{
    for (std::size_t i = 0; i < bytes; ++i)
        if (static_cast<unsigned char>(from[i]) != static_cast<unsigned char>(poison_word >> 8 * ((position + i) % 4)))
            return false;
    return true;
}

argument_filler::argument_filler(const task_argument& argument)
    : type_(element_type_of(argument.type)), filling_(element_filling_of(argument))
{
    const std::size_t wanted = bytes_of(argument);
    if (argument.fill != fill_kind::file) return;
    file_ = std::make_unique<mapped_file>(argument.file);
    data_ = file_->bytes();
    if (is_npy(data_)) {
        const npy_array array = read_npy(data_, argument.file);
        if (!holds(array, type_))
            throw error(argument.file + " has elements of type " + array.type + ", and '" + argument.name + "' is " +
                        argument.type);
        data_ = array.data;
    }
    if (data_.size() != wanted)
        throw error(argument.file + " has " + std::to_string(data_.size()) + " bytes of data, and '" + argument.name +
                    "' takes " + std::to_string(wanted));
}

void argument_filler::fill(std::int64_t first, std::int64_t count, char* to) const
{
    const auto element = static_cast<std::size_t>(type_.bytes);
    if (filling_)
        fill_elements(*filling_, first, count, to);
    else if (file_)
        std::memcpy(to, data_.data() + static_cast<std::size_t>(first) * element,
                    static_cast<std::size_t>(count) * element);
    else
        for (std::size_t i = 0; i < static_cast<std::size_t>(count) * element; ++i)
            to[i] = static_cast<char>(poison_word >> 8 * ((static_cast<std::size_t>(first) * element + i) % 4));
}

std::uint64_t checksum(std::string_view bytes, std::uint64_t first_word)
{
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        word += (first_word + at / 8 + 1) * 0x9e3779b97f4a7c15;
        word ^= word >> 32;
        word *= 0xbf58476d1ce4e5b9;
        word ^= word >> 29;
        sum += word;
    }
    return sum;
}

std::string checksum_text(std::uint64_t sum)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; sum >>= 4) text[i] = digits[sum & 15];
    return text;
}

}  // namespace launchbox
