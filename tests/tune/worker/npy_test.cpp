#include "tune/worker/npy.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

using kind = element_type::kind;

// The output of numpy.save for numpy.arange(3, dtype=numpy.int32): bytes from NumPy 1.26's description of its format.
std::string three_integers()
{
    std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
    std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
    header.append(117 - header.size(), ' ').push_back('\n');
    return file + header + std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12);
}

std::string refusal(const std::string& bytes)
{
    try {
        read_npy(bytes, "x.npy");
    } catch (const error& failure) {
        return failure.what();
    }
    return "";
}

std::string with_header(const std::string& header, const std::string& data = std::string(12, '\0'), char version = 1)
{
    std::string file = std::string("\x93NUMPY") + version + '\0' + static_cast<char>(header.size()) + '\0';
    if (version > 1) file += std::string(2, '\0');
    return file + header + data;
}

TEST(npy, files_of_numpy_are_read)
{
    const std::string file = three_integers();
    const npy_array array = read_npy(file, "x.npy");
    EXPECT_EQ(array.type, "i4");
    EXPECT_EQ(array.shape, std::vector<std::int64_t>{3});
    EXPECT_EQ(array.count, 3);
    EXPECT_EQ(array.element_bytes, 4);
    EXPECT_EQ(array.data, std::string_view("\0\0\0\0\1\0\0\0\2\0\0\0", 12));
}

TEST(npy, all_versions_and_shapes)
{
    EXPECT_EQ(read_npy(with_header("{'descr':'<f4','fortran_order':False,'shape':(3,1)}", std::string(12, '\0'), 2), "")
                  .count,
              3);
    EXPECT_EQ(read_npy(with_header("{\"shape\": (), \"descr\": \"|u1\", \"fortran_order\": False}", "x", 3), "").count,
              1);
    EXPECT_EQ(read_npy(with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }", ""), "").count, 0);
}

TEST(npy, written_files_are_read_back)
{
    for (const element_type type : {element_type{kind::signed_integer, 4}, element_type{kind::unsigned_integer, 1},
                                    element_type{kind::floating, 8}, element_type{kind::half, 2},
                                    element_type{kind::bfloat16, 2}, element_type{kind::opaque, 16}}) {
        const std::string header = npy_header(type, 5), data(static_cast<std::size_t>(5 * type.bytes), 'x');
        EXPECT_EQ(header.size() % 64, 0u);
        const std::string whole = header + data;
        const npy_array array = read_npy(whole, "");
        EXPECT_TRUE(holds(array, type));
        EXPECT_EQ(array.count, 5);
        EXPECT_EQ(array.data, data);
    }
    EXPECT_FALSE(holds(read_npy(three_integers(), ""), {kind::floating, 4}));
    EXPECT_FALSE(holds(read_npy(three_integers(), ""), {kind::signed_integer, 8}));
}

TEST(npy, other_files_are_refused)
{
    const std::string good = three_integers();
    for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(refusal(good.substr(0, size)), "") << size;
    EXPECT_NE(refusal(good + "x"), "");
    for (const char* header :
         {"", "{}", "{'descr': '<i4'}", "{'descr': '>i4', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<i4', 'fortran_order': True, 'shape': (3,1)}",
          "{'descr': '<O8', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (-3,)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}",
          "{'descr': '<i0', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)} x"})
        EXPECT_NE(refusal(with_header(header)), "") << header;
}

}  // namespace
}  // namespace launchbox
