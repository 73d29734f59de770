#include "report/core/own_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "report/charts/chart_svg.hpp"

namespace launchbox {
namespace {

own_file of(const std::string& text)
{
    return own_file_of(std::string_view(text).substr(0, own_file_beginning),
                       std::string_view(text).substr(text.size() - std::min(text.size(), own_file_end)));
}

TEST(own_files, are_recognised_by_their_marks)
{
    EXPECT_EQ(of("registers\n\n" + own_mark("inspect")).kind, own_kind::report);
    EXPECT_EQ(of("# registers\n\n" + own_markup_mark("bench-search")).kind, own_kind::report);
    EXPECT_EQ(of("<!DOCTYPE html>\n<html></html>\n" + own_markup_mark("report")).kind, own_kind::report);
    EXPECT_EQ(of(svg_of({.id = "a", .title = "A", .text = {}, .content = {}}, svg_use::file)).kind, own_kind::report);
    EXPECT_EQ(of("{\n  \"schema\": \"launchbox.kernels/2\",\n").kind, own_kind::report);
    EXPECT_EQ(of("{\"schema\":\"launchbox.kernels/2\"").kind, own_kind::report);
    EXPECT_EQ(of("{\"schema\": \"launchbox.results/1\"}"), (own_file{own_kind::record, "launchbox.results"}));
    EXPECT_EQ(of("launchbox.baseline/1\n# ...\n").kind, own_kind::baseline);
    EXPECT_EQ(of("file,number,run,parameters.threads,shared_spill_load_bytes\r\na.db,1,0,64,1024\r\n").kind,
              own_kind::report);
}

// Files that a user may have there, or may have added to.
TEST(own_files, files_of_others_are_not_recognised)
{
    for (const std::string& text :
         {std::string("# Notes\n"), std::string("{}"), std::string("{\"schema\": \"other.results/1\"}"),
          std::string("{\"x\": {\"schema\": \"launchbox.kernels/2\"}}"),
          std::string("<!DOCTYPE html>\n<html>launchbox"),
          std::string("<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- Written by somebody -->"),
          own_mark("inspect") + "and what I think of it\n", std::string("Written by launchbox and me\n"),
          std::string("#include \"Rows of x, kept by launchbox emit;\"\n"),
          std::string("[defaults]\nmax_spill_bytes = 0\n"),
          std::string("\x7f"
                      "ELF"),
          std::string("one\ntwo\n"), std::string("a,b\n1,2\n"), std::string("file,number,mine\r\n"),
          std::string("file,number,gap\n"), std::string("\n\n"), std::string("a;b;c\n"),
          std::string("if (x < 1, y, z)\n")})
        EXPECT_EQ(of(text).kind, own_kind::none) << text;
}

TEST(own_files, are_replaced_by_files_of_the_same_kind)
{
    const own_file report{own_kind::report}, results{own_kind::record, "launchbox.results"},
        launches{own_kind::record, "launchbox.launches"}, baseline{own_kind::baseline}, rows{own_kind::rows, "defines"},
        none;
    for (const own_file& same : {report, results, baseline, rows}) EXPECT_TRUE(may_replace(same, same));
    for (const auto& [old, made] : {std::pair(none, none),
                                    {none, report},
                                    {baseline, report},
                                    {report, baseline},
                                    {results, report},
                                    {results, launches},
                                    {rows, report},
                                    {report, rows}})
        EXPECT_FALSE(may_replace(old, made));
}

}  // namespace
}  // namespace launchbox
