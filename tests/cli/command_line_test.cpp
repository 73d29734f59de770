// An unusable command line is refused with what is wrong and what to do, in two lines, with exit status 2.
#include "tool.hpp"

namespace launchbox {
namespace {

TEST(command_line, help_of_every_verb_ends_with_two_examples)
{
    std::vector<std::string> verbs = all_verbs();
    verbs.emplace_back();  // launchbox itself
    for (const std::string& verb : verbs) {
        const call help = verb.empty() ? launchbox_run({"--help"}) : launchbox_run({verb, "--help"});
        EXPECT_EQ(help.status, 0);
        const std::vector<std::string> lines = lines_of(help.out);
        ASSERT_GT(lines.size(), 5u);
        EXPECT_EQ(lines[lines.size() - 3], "Examples:") << verb;
        for (std::size_t i = lines.size() - 2; i < lines.size(); ++i)
            EXPECT_NE(lines[i].find("launchbox " + verb), std::string::npos) << lines[i];
    }
}

TEST(command_line, version_names_the_tools_it_found)
{
    const call version = launchbox_run({"--version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_TRUE(version.out.starts_with("launchbox 0."));
    EXPECT_TRUE(version.shows("\nnvcc"));
    EXPECT_TRUE(version.shows("\ndriver"));
}

TEST(command_line, without_a_verb_the_help_is_shown_as_an_error)
{
    const call nothing = launchbox_run({});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_TRUE(nothing.shows("Usage: launchbox"));
}

TEST(command_line, a_misspelt_verb_suggests_the_nearest)
{
    expect_refused(launchbox_run({"ocupancy", "--threads", "256"}), "did you mean launchbox occupancy?");
    expect_refused(launchbox_run({"inspekt", "x.cu"}), "did you mean launchbox inspect?");
    expect_refused(launchbox_run({"device"}), "did you mean launchbox devices?");
    expect_refused(launchbox_run({"transmogrify"}), "unknown command 'transmogrify'");
    expect_refused(launchbox_run({"a\x1b[31mb"}), "unknown command 'a\\x1b[31mb'");
}

TEST(command_line, a_misspelt_option_suggests_the_nearest)
{
    expect_refused(launchbox_run({"occupancy", "--threds", "256"}), "did you mean --threads?");
    expect_refused(launchbox_run({"occupancy", "--thread=256"}), "did you mean --threads?");
    expect_refused(launchbox_run({"suggest", "--register", "40"}), "did you mean --registers?");
    expect_refused(launchbox_run({"devices", "--fromat", "csv"}), "did you mean --format?");
    expect_refused(launchbox_run({"devices", "--quux"}), "see launchbox devices --help");
    expect_refused(launchbox_run({"--versoin"}), "did you mean launchbox --version?");
}

// An option that does not exist cannot lack a value.
TEST(command_line, an_unknown_option_is_named_before_missing_values)
{
    ASSERT_GE(all_verbs().size(), 15u);
    for (const std::string& verb : all_verbs()) {
        expect_refused(launchbox_run({verb, "--foo"}), "unknown option '--foo'");
        expect_refused(launchbox_run({verb, "--foo=3"}), "unknown option '--foo'");
        expect_refused(launchbox_run({verb, "--format=yaml", "--foo", "--", "--bar"}), "unknown option '--fo");
        expect_refused(launchbox_run({verb, "-Q"}), "unknown option '-Q'");
    }
    expect_refused(launchbox_run({"inspect", "--tpo", "3"}), "did you mean --top?");
    // A value is not an option, whatever it begins with.
    expect_refused(launchbox_run({"occupancy", "--carveout", "-1", "--threads", "256", "--foo"}), "'--foo'");
    EXPECT_EQ(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--carveout", "-1"}).status, 0);
    // A known verb or option that is incomplete says what is missing.
    expect_refused(launchbox_run({"inspect"}), "FILE is missing");
    expect_refused(launchbox_run({"suggest", "--registers"}), "--registers");
    expect_refused(launchbox_run({"occupancy", "--threads", "256", "--cluster"}), "--cluster");
    expect_refused(launchbox_run({"capture", "--foo", "true"}), "unknown option '--foo'");
}

TEST(command_line, an_unknown_architecture_is_refused_with_the_known_ones)
{
    for (const char* name : {"sm_91", "sm_9O", "9", "10.9", "sm_109", "gfx90a", "sm_90,sm_91", "sm_90,", ",", "sm_90 "})
        expect_refused(launchbox_run({"occupancy", "--threads", "256", "--arch", name}), "sm_121");
    expect_refused(launchbox_run({"suggest", "--registers", "32", "--arch", "sm_91"}), "unknown architecture 'sm_91'");
    expect_refused(launchbox_run({"inspect", "examples/merge.cu", "--arch", "sm_91"}), "unknown architecture 'sm_91'");
    // Compiled code may be for a chip that is newer than launchbox.
    expect_refused(launchbox_run({"inspect", repository_file("tests/data/logs/basic_sm_90.log"), "--arch", "sm_91"}),
                   "it has no kernel for sm_91; launchbox does not know sm_91");
    expect_refused(launchbox_run({"occupancy", "--threads", "1", "--arch", "a\x1b]0;x\x07"}), "\\x1b");
}

TEST(command_line, invalid_negative_and_too_large_numbers_are_refused)
{
    for (const char* option : {"--threads", "--registers", "--barriers", "--max-threads", "--grid", "--sms",
                               "--cluster", "--gpcs", "--carveout"})
        for (const char* value : {"-5", "abc", "1.5", "99999999999999999999", "", "0x", "1e3", "12abc", "--"}) {
            std::vector<std::string> words{"occupancy", "--arch", "sm_90", std::string(option) + "=" + value};
            if (std::string(option) != "--threads") words.insert(words.end(), {"--threads", "256"});
            const call result = launchbox_run(words);
            EXPECT_EQ(result.status, 2) << option << '=' << value;
            EXPECT_EQ(result.out, "") << option << '=' << value;
            EXPECT_TRUE(result.says(option)) << option << '=' << value << ": " << result.err;
        }
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "0"}), "--threads");
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "-1"}), "--registers");
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--multiple", "0"}), "--multiple");
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--top", "9999"}), "--top");
    expect_refused(launchbox_run({"inspect", "x.log", "--threads", "1025"}), "--threads");
}

TEST(command_line, a_refused_value_is_quoted_with_the_values_that_are_valid)
{
    const auto with = [&](const std::string& option, const std::string& value) {
        return launchbox_run({"occupancy", "--arch", "sm_90", option, value});
    };
    expect_refused(with("--threads", "1.5"), "--threads: '1.5' is not a whole number from 1 to 1,000,000\n");
    expect_refused(with("--threads", "3000000000"), "'3000000000' is not a whole number from 1 to 1,000,000");
    expect_refused(with("--cache", "l2"), "--cache: 'l2' is not one of none, shared, l1, equal\n");
    expect_refused(launchbox_run({"inspect", log_90, "--top", "few"}),
                   "--top: 'few' is not a whole number from 1 to 1,000,000,000, nor all\n");
    expect_refused(launchbox_run({"bench-search", example, "--seed", "-1"}), "--seed: '-1' is not a whole number");
    expect_refused(launchbox_run({"tune", "x.toml", "--gpu", "first"}), "--gpu: 'first' is not a whole number");
    expect_refused(launchbox_run({"tune", "x.toml", "--jobs", "-1"}), "--jobs: '-1' is not a whole number");
    expect_refused(launchbox_run({"emit", "x.db", "--root", "nowhere"}), "--root: 'nowhere' is not a folder\n");
    for (const char* size : {"f(threads)", "thread * 4", "threads / 7", "4 *"})
        expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--dynamic-shared", size}),
                       "launchbox: --dynamic-shared: ");
    // No ratio is above NaN: such a gate would always pass.
    for (const char* percent : {"nan", "inf", "-1", "5x"})
        expect_refused(launchbox_run({"results", example, example, "--compare", "--fail-slower", percent}),
                       "--fail-slower: '" + std::string(percent) + "' is not a number of 0 or more\n");
    for (const char* threads : {"1024", "01024", " 1024", "1,024"}) {
        const call read = launchbox_run({"occupancy", "--arch", "sm_90", "--threads", threads, "--format", "json"});
        EXPECT_EQ(read.json()["results"][0]["shape"]["threads"], 1024) << threads;
    }
}

TEST(command_line, what_is_missing_or_too_much_is_named)
{
    expect_refused(launchbox_run({"devices", "here"}), "unexpected argument: here\n");
    expect_refused(launchbox_run({"inspect", "--sort"}), "--sort needs a value\n");
    expect_refused(launchbox_run({"inspect", log_90, "--arch", "sm_80", "--arch", "sm_90"}),
                   "--arch may be given only once\n");
    expect_refused(launchbox_run({"results", example, "--within", "2"}), "--within needs --portable\n");
    expect_refused(launchbox_run({"report", example}), "--output is missing\n");
    expect_refused(launchbox_run({"inspect", log_90, "--no-cache=maybe"}),
                   "--no-cache does not take the value 'maybe'");
    expect_refused(launchbox_run({"help", "inspekt"}), "did you mean launchbox inspect?");
    expect_refused(launchbox_run({"inspekt", "--help"}), "did you mean launchbox inspect?");
    expect_refused(launchbox_run({"-o"}), "see launchbox --help");
    for (const char* list : {"18,,16", ",18", "18,"})
        for (const bool joined : {false, true}) {
            std::vector<std::string> words{"occupancy", "--arch", "sm_90", "--threads", "256"};
            if (joined)
                words.push_back("--gpcs=" + std::string(list));
            else
                words.insert(words.end(), {"--gpcs", list});
            expect_refused(launchbox_run(words), "--gpcs: a value of '" + std::string(list) + "' is empty\n");
        }
    expect_refused(launchbox_run({"inspect", ""}), "the name of a file is empty");
    expect_refused(launchbox_run({"inspect", log_90, ""}), "the name of a file is empty");
}

// They would do nothing.
TEST(command_line, options_for_files_are_refused_without_a_file)
{
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"occupancy", "--threads", "256"}, {"suggest", "--registers", "40"}})
        for (const std::vector<std::string>& option : {std::vector<std::string>{"--kernel", "f"},
                                                       {"--build", "x"},
                                                       {"--nvcc", "x"},
                                                       {"--no-cache"},
                                                       {"--before-linking"}}) {
            std::vector<std::string> words = verb;
            words.insert(words.end(), {"--arch", "sm_90"});
            words.insert(words.end(), option.begin(), option.end());
            expect_refused(launchbox_run(words),
                           option[0] + " needs a file\n  name it: launchbox " + verb[0] + " FILE\n");
        }
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--", "-O3"}),
                   "flags for the compiler need a file");
    for (const char* option : {"--arch", "--kernel"})
        expect_refused(launchbox_run({"report", example, option, "sm_90", "-o", "-"}), "are about kernels");
}

// More than any thread can have is a mistake; more than some chips allow is part of their answer.
TEST(command_line, more_registers_than_a_thread_can_have_are_refused)
{
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"occupancy", "--threads", "256"},
                                                 {"suggest"},
                                                 {"occupancy", log_90, "--threads", "256"},
                                                 {"suggest", log_90}}) {
        const auto with = [&](const std::string& architectures, const std::string& registers) {
            std::vector<std::string> words = verb;
            words.insert(words.end(), {"--arch", architectures, "--registers", registers});
            return launchbox_run(words);
        };
        expect_refused(with("sm_90", "300"), "--registers 300: a thread has at most 255 registers on sm_90");
        expect_refused(with("sm_90", "256"), "at most 255");
        expect_refused(with("sm_20,sm_30", "64"), "at most 63 registers on sm_20, sm_30");
        expect_refused(with("all", "1000000"), "at most 255 registers on these architectures");
        expect_refused(with("sm_90", "2147483647"), "at most 255");
        EXPECT_EQ(with("sm_90", "255").status, 0);
        EXPECT_EQ(with("sm_90", "0").status, 0);
        EXPECT_EQ(with("sm_30,sm_90", "64").status, 0);
    }
    expect_refused(launchbox_run({"suggest", log_90, "--registers", "300"}), "a thread has at most 255 registers\n");
    expect_refused(launchbox_run({"suggest", "--arch", "GTX 680", "--registers", "64"}), "at most 63");
}

TEST(command_line, invalid_sizes_are_refused)
{
    for (const char* option : {"--shared", "--max-dynamic-shared"})
        for (const char* size :
             {"-1", "abc", "1.5K", "48Q", "", "99999999999999999999", "9223372036854775807K", "2048M"})
            expect_refused(
                launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", std::string(option) + "=" + size}),
                option);
    for (const char* size : {"48K", "48KB", "48KiB", "49152", "49152B"})
        EXPECT_EQ(
            launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--shared", size, "--format", "json"})
                .json()["results"][0]["kernel"]["static_shared_bytes"],
            49152)
            << size;
}

TEST(command_line, missing_requirements_are_named)
{
    expect_refused(launchbox_run({"occupancy"}), "--threads");
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90"}), "--registers");
    expect_refused(launchbox_run({"inspect"}), "FILE is missing");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--grid", "100"}), "--sms");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--cluster", "4"}), "--sms");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--mode", "spreadsheet"}),
                   "no row for compute capability 9.0");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--format", "yaml"}), "yaml");
}

// The commands are those that an attacker would try who controls the expression.
TEST(command_line, hostile_size_expressions_are_refused)
{
    const std::string endless = "(function() while true do end end)()";
    const std::string greedy = "(function() local s = 'x' for i = 1, 99 do s = s..s end return 1 end)()";
    for (const std::string& text :
         {endless, greedy, std::string("nil"), std::string("'abc'"), std::string("1//0"), std::string("threads/0"),
          std::string("blocks*4"), std::string("os.execute('true')"), std::string("-1"), std::string("threads - 257"),
          std::string("1.5"), std::string(""), std::string("threads*"), std::string("4*threads) or (1"),
          std::string(10'000, 'x'), std::string(10'000, '('), std::string("\x1b[2J"), std::string("2^62"),
          std::string("1\n2")}) {
        const call occupancy =
            launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--dynamic-shared=" + text});
        expect_refused(occupancy, "");
        EXPECT_LT(occupancy.err.size(), 400u);
        EXPECT_EQ(occupancy.err.find('\x1b'), std::string::npos);
        if (text == "2^62" || text == "threads - 257") continue;
        EXPECT_EQ(launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--dynamic-shared=" + text}).status,
                  2)
            << text.substr(0, 60);
    }
}

TEST(command_line, many_wrong_words_at_once_do_no_harm)
{
    std::vector<std::string> words{"occupancy"};
    for (int i = 0; i < 2000; ++i) words.push_back("--" + std::string(200, static_cast<char>('a' + i % 26)));
    EXPECT_EQ(launchbox_run(words).status, 2);
    EXPECT_EQ(launchbox_run({"occupancy", std::string(100'000, 'a')}).status, 2);
}

// `--gpu "$GPU"` with a variable that is not set must not mean every GPU.
TEST(command_line, an_empty_value_is_refused)
{
    for (const auto& [words, option] : std::initializer_list<std::pair<std::vector<std::string>, std::string>>{
             {{"results", example, "--gpu", ""}, "--gpu"},
             {{"results", example, "-o", ""}, "--output"},
             {{"results", example, "--svg", ""}, "--svg"},
             {{"emit", example, "--box", ""}, "--box"},
             {{"emit", example, "--spec", ""}, "--spec"},
             {{"check", log_90, "--budget", ""}, "--budget"},
             {{"check", log_90, "--baseline", "", "--write-baseline"}, "--baseline"},
             {{"inspect", log_90, "--diff", ""}, "--diff"},
             {{"inspect", log_90, "--kernel", ""}, "--kernel"},
             {{"tune", "examples/tune_cpu_sort/tune_cpu_sort.toml", "--store", ""}, "--store"}})
        expect_refused(launchbox_run(words), option + " is empty");
}

}  // namespace
}  // namespace launchbox
