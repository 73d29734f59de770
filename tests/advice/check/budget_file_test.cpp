// Budget files, right and with every mistake that users can make.
#include "advice/check/budget_file.hpp"

#include <gtest/gtest.h>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

std::string budget_errors(const std::string& text)
{
    std::string told;
    for (const file_error& error : parse_budget(text, "b.toml").errors)
        told += std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.what + "; " + error.hint +
                "\n";
    return told;
}

void expect_budget_error(const std::string& text, const std::string& place, const std::string& words)
{
    const std::string told = budget_errors(text);
    EXPECT_TRUE(told.starts_with(place + " ")) << told;
    EXPECT_NE(told.find(words), std::string::npos) << told;
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
}

TEST(budget_file, the_example_in_the_repository_is_valid)
{
    const std::string file = std::string(LAUNCHBOX_SOURCE_DIR) + "/examples/launchbox.budget.toml";
    EXPECT_EQ(budget_errors(read_input(file)), "");
    EXPECT_TRUE(parse_budget(read_input(file), file).value.has_limits());
}

TEST(budget_file, reads_every_key)
{
    const budget_reading reading = parse_budget(
        "unknown = 'allow'\nunused = 'fail'\n"
        "[[rule]]\nkernel = ['a', 'b']\narch = ['sm_90', '8.0']\nexempt = true\nthreads = 1_024\ndynamic_shared = "
        "0x100\n"
        "max_registers = 1\nmax_spill_bytes = 2\nmax_shared_spill_bytes = 3\nmax_stack_bytes = 4\n"
        "max_static_shared = 5\nmax_code_bytes = 6\nmin_blocks_per_sm = 7\nmin_occupancy = 0.75\nrequire_launch_bounds "
        "= true\n"
        "[defaults]\nmin_occupancy = 1\nmax_registers = 'any'\nrequire_launch_bounds = false\n",
        "b.toml");
    ASSERT_TRUE(reading.errors.empty()) << reading.errors[0].what;
    const budget& value = reading.value;
    EXPECT_FALSE(value.unknown_fails);
    EXPECT_EQ(value.unused, unused_policy::fail);
    ASSERT_EQ(value.rules.size(), 2u);
    EXPECT_TRUE(value.rules[0].is_defaults);
    EXPECT_EQ(value.rules[0].limits[7]->value, 1.0);
    EXPECT_TRUE(value.rules[0].limits[0]);
    EXPECT_FALSE(value.rules[0].limits[0]->value);
    EXPECT_FALSE(value.rules[0].limits[8]->value);
    const budget_rule& rule = value.rules[1];
    EXPECT_EQ(rule.line, 3);
    EXPECT_EQ(rule.patterns, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(rule.architectures, (std::vector<compute_capability>{{9, 0}, {8, 0}}));
    EXPECT_TRUE(rule.exempt);
    EXPECT_EQ(rule.threads->value, 1024);
    EXPECT_EQ(rule.dynamic_shared->value, 256);
    for (std::size_t l = 0; l < 7; ++l) {
        EXPECT_EQ(rule.limits[l]->value, static_cast<double>(l + 1)) << budget_limit_names[l];
        EXPECT_EQ(rule.limits[l]->line, static_cast<int>(l) + 9) << budget_limit_names[l];
    }
    EXPECT_EQ(rule.limits[7]->value, 0.75);
    EXPECT_EQ(rule.limits[8]->value, 1.0);
}

TEST(budget_file, unknown_keys_suggest_the_nearest)
{
    expect_budget_error("[defaults]\nmax_register = 3", "2:1", "did you mean max_registers?");
    expect_budget_error("[[rule]]\nkernal = 'x'\nmax_registers = 3", "2:1", "did you mean kernel?");
    expect_budget_error("[[rules]]\nmax_registers = 3", "1:3", "did you mean rule?");
    expect_budget_error("[default]\nmax_registers = 3", "1:2", "did you mean defaults?");
    expect_budget_error("unknow = 'fail'", "1:1", "did you mean unknown?");
    expect_budget_error("quux = 3", "1:1", "there are: unknown, unused, defaults, rule");
    expect_budget_error("max_registers = 3", "1:1", "below [defaults] or [[rule]]");
    expect_budget_error("kernel = 'x'", "1:1", "below [[rule]]");
    expect_budget_error("[defaults]\nexempt = true", "2:1", "below [[rule]]");
    expect_budget_error("[[rule]]\nmax_registers = 1\nunused = 'fail'", "3:1", "at the top of the file");
    expect_budget_error("\"a\\u001bb\" = 1", "1:1", "unknown key");
}

TEST(budget_file, wrong_types_and_values_say_what_to_write)
{
    for (const char* limit : {"max_registers", "max_spill_bytes", "max_stack_bytes", "max_static_shared",
                              "max_code_bytes", "min_blocks_per_sm"}) {
        const std::string key = std::string("[defaults]\n") + limit + " = ";
        const std::string place = "2:" + std::to_string(std::string(limit).size() + 4);
        for (const char* value : {"'x'", "1.5", "true", "[1]", "1979-05-27", "inf", "nan"})
            expect_budget_error(key + value, place, "must be a whole number");
        expect_budget_error(key + "-1", place, "is -1");
        expect_budget_error(key + "9223372036854775807", place, "it can be from 0 to 1,000,000,000,000");
    }
    for (const char* value : {"'x'", "true", "[0.5]"})
        expect_budget_error(std::string("[defaults]\nmin_occupancy = ") + value, "2:17", "must be a number");
    for (const char* value : {"-0.1", "1.01", "nan", "inf", "-1", "200"})
        expect_budget_error(std::string("[defaults]\nmin_occupancy = ") + value, "2:17", "must be from 0 to 1");
    expect_budget_error("[defaults]\nmin_occupancy = 75", "2:17", "write 0.75 for 75 %");
    expect_budget_error("[defaults]\nrequire_launch_bounds = 1", "2:25", "must be true or false");
    expect_budget_error("[defaults]\nthreads = 0", "2:11", "from 1 to 1,024");
    expect_budget_error("[defaults]\nthreads = 1025", "2:11", "from 1 to 1,024");
    expect_budget_error("[defaults]\nthreads = 'any'", "2:11", "must be a whole number");
    expect_budget_error("[defaults]\ndynamic_shared = -1", "2:18", "is -1");
    expect_budget_error("[defaults]\ndynamic_shared = 1073741825", "2:18", "from 0 to 1,073,741,824");
    expect_budget_error("[[rule]]\nexempt = 'yes'", "2:10", "must be true or false");
    expect_budget_error("[[rule]]\nkernel = 3\nmax_registers = 1", "2:10", "must be a string or a list of strings");
    expect_budget_error("[[rule]]\nkernel = []\nmax_registers = 1", "2:10", "an empty list");
    expect_budget_error("[[rule]]\nkernel = ['a', 3]\nmax_registers = 1", "2:16", "must be a string");
    expect_budget_error("[[rule]]\nkernel = ''\nmax_registers = 1", "2:10", "kernel is empty");
    expect_budget_error("unknown = 'fial'", "1:11", "did you mean \"fail\"?");
    expect_budget_error("unknown = 'warn'", "1:11", "write \"fail\" or \"allow\"");
    expect_budget_error("unused = true", "1:10", "must be a string");
    expect_budget_error("defaults = 3", "1:12", "[defaults]");
    expect_budget_error("[rule]\nmax_registers = 1", "1:1", "[[rule]], with two brackets");
    expect_budget_error("rule = [1]", "1:8", "[[rule]], with two brackets");
    expect_budget_error("[[rule]]\nkernel = 'x'", "1:1", "this rule sets nothing");
}

TEST(budget_file, unknown_architectures_are_reported)
{
    for (const char* name : {"sm_91", "sm_9O", "gfx90a", "", "all", "sm_90 ", "10.9"})
        expect_budget_error(std::string("[[rule]]\nmax_registers = 1\narch = '") + name + "'", "3:8",
                            "unknown architecture");
    expect_budget_error("[[rule]]\nmax_registers = 1\narch = 'compute_90'", "3:8", "write sm_90");
    expect_budget_error("[[rule]]\nmax_registers = 1\narch = ['sm_80', 'sm_91']", "3:18", "sm_121");
    expect_budget_error("[[rule]]\nmax_registers = 1\narch = 90", "3:8", "must be a string");
}

TEST(budget_file, all_mistakes_are_reported_in_the_order_of_the_file)
{
    const std::string told =
        budget_errors("zzz = 1\n[defaults]\nmax_registers = -1\nthreads = 'x'\n[[rule]]\narch = 'q'\n");
    std::vector<std::string> places;
    for (std::size_t start = 0; start < told.size(); start = told.find('\n', start) + 1)
        places.push_back(told.substr(start, told.find(' ', start) - start));
    EXPECT_EQ(places, (std::vector<std::string>{"1:1", "3:17", "4:11", "6:8"})) << told;
}

TEST(budget_file, invalid_toml_is_refused_with_its_place)
{
    expect_budget_error("[defaults\n", "1:10", "TOML");
    expect_budget_error("[defaults]\nmax_registers = \n", "2:17", "TOML");
    expect_budget_error("[defaults]\nmax_registers = 1\nmax_registers = 2\n", "3:17", "TOML");
    EXPECT_NE(budget_errors("\xff\xfe"), "");
    expect_budget_error("[defaults]\n\u0495 = 1\n", "2:1", "not ASCII, outside of quotes");
    expect_budget_error("x = 1 # fine: \u0495\ny = 'fine: \u0495' \u0495", "2:15", "not ASCII, outside of quotes");
    expect_budget_error("x = \"\\\"\u0495\" \u0495", "1:11", "not ASCII, outside of quotes");
    expect_budget_error("x = 1'7\u0495'", "1:6", "a quote in the middle of a word");
    for (const char* header :
         {"[", "[[", "[\n", "[{rule]", "[[[rule", "[ [rule]]", "[ \r[rule]", "[[=]]", "[.a]", "[#a]"})
        expect_budget_error(std::string("x = [\n['a'], [1]]\n ") + header, "3:2", "a bracket without a table's name");
    expect_budget_error("[]\n", "1:2", "TOML");
    for (const char* array : {"[}]", "[ # ]\n }", "[1,\n\n}", "[['a'], }", "{ a = 1, }"})
        EXPECT_NE(budget_errors(std::string("x = ") + array).find("a brace where a value should be"), std::string::npos)
            << array;
    expect_budget_error("x = \"\"\"a\"\"\"", "1:5", "a multi-line string");
    expect_budget_error("x = '''a'''", "1:5", "a multi-line string");
    EXPECT_EQ(budget_errors("# f\u00fcr\n[[rule]]\nkernel = 'k\u00e9*'\nmax_registers = 1 # \u0495"), "");
    EXPECT_NE(budget_errors(std::string("a\0b", 3)), "");
    EXPECT_EQ(budget_errors(""), "");
    EXPECT_FALSE(parse_budget("", "b.toml").value.has_limits());
}

// Inputs that would exhaust the stack or the time of the TOML library.
TEST(budget_file, names_and_places_are_right_with_any_characters)
{
    const budget_reading reading =
        parse_budget("[[rule]]\nkernel = ['m\u00e9rge<*>', '~7e', \"\\u00e9~\"]\nmax_registers = 1\n", "b.toml");
    EXPECT_TRUE(reading.errors.empty());
    ASSERT_EQ(reading.value.rules.size(), 1u);
    EXPECT_EQ(reading.value.rules[0].patterns, (std::vector<std::string>{"m\u00e9rge<*>", "~7e", "\u00e9~"}));
    expect_budget_error("unused = '\u00e9\u00e9' # \u00e9", "1:10", "unused is \"\u00e9\u00e9\"");
    expect_budget_error("unknown = [ '\u00e9\u00e9~', 2 ]", "1:11", "a list");
    expect_budget_error("x = +[[['[\uff3c", "1:6",
                        "");  // the library does not take this quote as the start of a string; found by a fuzzer
}

TEST(budget_file, hostile_text_is_refused_in_time)
{
    EXPECT_NE(budget_errors("x = " + std::string(100'000, '[')), "");
    EXPECT_NE(budget_errors("x = " + std::string(5'000, '{')), "");
    std::string dotted = "a";
    for (int i = 0; i < 50'000; ++i) dotted += ".a";
    EXPECT_NE(budget_errors(dotted + " = 1").find("dots"), std::string::npos);
    EXPECT_NE(budget_errors("[" + dotted + "]").find("dots"), std::string::npos);
    EXPECT_NE(budget_errors(std::string(max_budget_bytes + 1, '\n')).find("larger than 262,144 bytes"),
              std::string::npos);
    std::string deep = "x = ";
    for (int i = 0; i < 1000; ++i) deep += "[\n{a.a.a.a.a.a.a.a.a.a = ";
    EXPECT_NE(budget_errors(deep).find("nested"), std::string::npos);
    std::string tables;
    for (int i = 0; i < 15'000; ++i) tables += "[a" + std::to_string(i) + ".b]\n";
    EXPECT_NE(budget_errors(tables), "");
    std::string unknown = "[defaults]\n";
    for (int i = 10'000; i < 35'000; ++i) unknown += "k" + std::to_string(i) + "=1\n";
    EXPECT_EQ(parse_budget(unknown, "b.toml").errors.size(), 25'000u);
}

}  // namespace
}  // namespace launchbox
