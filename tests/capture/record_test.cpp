#include <gtest/gtest.h>
TEST(capture_record, placeholder_to_be_replaced) {}
