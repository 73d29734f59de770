// A header may come from anybody: whatever is read can be written and then reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "tune/emit/tuning_header.hpp"

using namespace launchbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        for (const header_table& table : parse_tuning_header(text, "fuzz")) {
            const std::string again = with_rows(text, table);
            if (with_rows(again, table) != again) std::abort();
            if (parse_tuning_header(table_text(table), "again").at(0).rows.size() != table.rows.size()) std::abort();
        }
    } catch (const error&) {
    }
    return 0;
}
