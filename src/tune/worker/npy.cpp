// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/npy.hpp"

#include <charconv>
#include <optional>

#include "support/error.hpp"

namespace launchbox {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

// The header is a Python dictionary with three keys, which NumPy writes in only one form.
class header_reader {
public:
    header_reader(std::string_view text, const std::string& name) : left_(text), name_(name) {}

    void read()
    {
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted();
            expect(':');
            if (key == "descr" && !type_)
                type_ = quoted();
            else if (key == "fortran_order" && !fortran_)
                fortran_ = truth();
            else if (key == "shape" && !shape_)
                shape_ = tuple();
            else
                fail("has an unknown or repeated key in its header");
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!left_.empty()) fail("has something after its header");
        if (!type_ || !fortran_ || !shape_) fail("has a header without descr, fortran_order or shape");
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        throw error(name_ + " " + what, "write it with numpy.save(file, numpy.ascontiguousarray(array))");
    }

    [[nodiscard]] std::string_view type() const { return *type_; }
    [[nodiscard]] bool fortran() const { return *fortran_; }
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return *shape_; }

private:
    void skip_space()
    {
        while (!left_.empty() && (left_.front() == ' ' || left_.front() == '\n')) left_.remove_prefix(1);
    }
    bool accept(char wanted)
    {
        skip_space();
        if (left_.empty() || left_.front() != wanted) return false;
        left_.remove_prefix(1);
        return true;
    }
    void expect(char wanted)
    {
        if (!accept(wanted))
            fail(std::string("has a header that cannot be read: no '") + wanted + "' where one is expected");
    }
    std::string_view quoted()
    {
        skip_space();
        const char quote = left_.empty() ? '\0' : left_.front();
        if (quote != '\'' && quote != '"') fail("has a header that cannot be read: its type must be a plain one");
        left_.remove_prefix(1);
        const std::size_t end = left_.find(quote);
        if (end == std::string_view::npos) fail("has a header that cannot be read: a text without an end");
        const std::string_view text = left_.substr(0, end);
        left_.remove_prefix(end + 1);
        return text;
    }
    bool truth()
    {
        skip_space();
        for (const std::string_view word : {"True", "False"}) {
            if (!left_.starts_with(word)) continue;
            left_.remove_prefix(word.size());
            return word == "True";
        }
        fail("has a header that cannot be read: fortran_order is neither True nor False");
    }
    std::vector<std::int64_t> tuple()
    {
        std::vector<std::int64_t> numbers;
        expect('(');
        while (!accept(')')) {
            skip_space();
            std::int64_t number = 0;
            const auto [end, failure] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
            if (failure != std::errc() || number < 0) fail("has an invalid shape");
            left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
            if (numbers.size() == 64) fail("has more dimensions than NumPy knows");
            numbers.push_back(number);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return numbers;
    }

    std::string_view left_;
    const std::string& name_;
    std::optional<std::string_view> type_;
    std::optional<bool> fortran_;
    std::optional<std::vector<std::int64_t>> shape_;
};

std::size_t little_endian(std::string_view bytes)
{
    std::size_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace

bool is_npy(std::string_view bytes)
{
    return bytes.starts_with(magic);
}

npy_array read_npy(std::string_view bytes, const std::string& name)
{
    const header_reader nothing("", name);
    if (!is_npy(bytes) || bytes.size() < 10) nothing.fail("is not an .npy file");
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3) nothing.fail("is an .npy file of an unknown version");
    const std::size_t length_bytes = version == 1 ? 2 : 4, before = 8 + length_bytes;
    if (bytes.size() < before) nothing.fail("ends within its header");
    const std::size_t length = little_endian(bytes.substr(8, length_bytes));
    if (length > bytes.size() - before) nothing.fail("ends within its header");

    header_reader header(bytes.substr(before, length), name);
    header.read();
    npy_array array;
    const std::string_view type = header.type();
    if (type.size() < 3 || type.size() > 10 || (type[0] != '<' && type[0] != '|' && type[0] != '>'))
        header.fail("has elements of type '" + std::string(type.substr(0, 40)) + "', which cannot be read");
    array.type = type.substr(1);
    const auto [end, failure] = std::from_chars(type.data() + 2, type.data() + type.size(), array.element_bytes);
    if (failure != std::errc() || end != type.data() + type.size() || array.element_bytes < 1 ||
        std::string_view("biufV").find(type[1]) == std::string_view::npos)
        header.fail("has elements of type '" + std::string(type) + "', which cannot be read");
    if (type[0] == '>' && array.element_bytes > 1) header.fail("is big endian, which cannot be read");
    if (header.fortran() && header.shape().size() > 1) header.fail("is in Fortran order, which cannot be read");

    array.shape = header.shape();
    const std::size_t there = bytes.size() - before - length;
    bool fits = true, empty = false;
    for (const std::int64_t extent : array.shape) empty |= extent == 0;
    for (const std::int64_t extent : array.shape) {
        if (empty) break;
        fits = fits && extent <= static_cast<std::int64_t>(there) / array.count;
        if (fits) array.count *= extent;
    }
    if (empty) array.count = 0;
    if (!fits || static_cast<std::size_t>(array.count) > there / static_cast<std::size_t>(array.element_bytes) ||
        static_cast<std::size_t>(array.count) * static_cast<std::size_t>(array.element_bytes) != there)
        header.fail("has " + std::to_string(there) + " bytes of data, which does not match its shape and type");
    array.data = bytes.substr(before + length);
    return array;
}

std::string npy_header(const element_type& type, std::int64_t count)
{
    const char kind = [&] {
        switch (type.what) {
            case element_type::kind::signed_integer:
                return 'i';
            case element_type::kind::unsigned_integer:
                return 'u';
            case element_type::kind::floating:
            case element_type::kind::half:
                return 'f';
            default:
                return 'V';
        }
    }();
    std::string text = std::string("{'descr': '") + (kind == 'V' || type.bytes == 1 ? '|' : '<') + kind +
                       std::to_string(type.bytes) + "', 'fortran_order': False, 'shape': (" + std::to_string(count) +
                       ",), }";
    // Padded like NumPy's, so that the data starts at a multiple of 64.
    text.append(63 - (10 + text.size()) % 64, ' ').push_back('\n');
    std::string header(magic);
    header += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
    return header + text;
}

bool holds(const npy_array& array, const element_type& type)
{
    if (array.element_bytes != type.bytes) return false;
    switch (array.type.front()) {
        case 'i':
            return type.what == element_type::kind::signed_integer;
        case 'u':
            return type.what == element_type::kind::unsigned_integer || type.what == element_type::kind::bfloat16;
        case 'b':
            return type.bytes == 1;
        case 'f':
            return type.what == element_type::kind::floating || type.what == element_type::kind::half;
        default:
            return true;
    }
}

}  // namespace launchbox
