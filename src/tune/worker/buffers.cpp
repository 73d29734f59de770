// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/buffers.hpp"

#include <algorithm>
#include <cstring>

#include "support/error.hpp"
#include "support/files/mapped_file.hpp"
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

struct argument_filler::impl {
    element_type type;
    std::optional<element_filling> filling;
    std::unique_ptr<mapped_file> file;
    std::string_view data;  // of the file

    void poison(std::int64_t first, std::int64_t count, char* to) const;
};

argument_filler::~argument_filler() = default;
argument_filler::argument_filler(argument_filler&&) noexcept = default;

argument_filler::argument_filler(const task_argument& argument)
    : impl_(new impl{element_type_of(argument.type), element_filling_of(argument), nullptr, {}})
{
    const std::size_t wanted = bytes_of(argument);
    if (argument.fill != fill_kind::file) return;
    impl_->file = std::make_unique<mapped_file>(argument.file);
    impl_->data = impl_->file->bytes();
    if (is_npy(impl_->data)) {
        const npy_array array = read_npy(impl_->data, argument.file);
        if (!holds(array, impl_->type))
            throw error(argument.file + " has elements of type " + array.type + ", and '" + argument.name + "' is " +
                        argument.type);
        impl_->data = array.data;
    }
    if (impl_->data.size() != wanted)
        throw error(argument.file + " has " + std::to_string(impl_->data.size()) + " bytes of data, and '" +
                    argument.name + "' takes " + std::to_string(wanted));
}

void argument_filler::fill(std::int64_t first, std::int64_t count, char* to) const
{
    const auto element = static_cast<std::size_t>(impl_->type.bytes);
    if (impl_->filling)
        fill_elements(*impl_->filling, first, count, to);
    else if (impl_->file)
        std::memcpy(to, impl_->data.data() + static_cast<std::size_t>(first) * element,
                    static_cast<std::size_t>(count) * element);
    else
        impl_->poison(first, count, to);
}

const std::optional<element_filling>& argument_filler::generated() const
{
    return impl_->filling;
}

void argument_filler::impl::poison(std::int64_t first, std::int64_t count, char* to) const
{
    std::array<char, 4> word{};
    std::memcpy(word.data(), &poison_word, 4);
    const std::size_t element = static_cast<std::size_t>(type.bytes);
    const std::size_t start = static_cast<std::size_t>(first) * element;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * element; ++i) to[i] = word[(start + i) % 4];
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
