// launchbox occupancy --questions: many launches at once.
#include "support/files/files.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

using words = std::vector<std::string>;

call answers_of(const std::string& questions, words options = {"--arch", "sm_90"})
{
    words command{"occupancy", "--questions", "-"};
    command.insert(command.end(), options.begin(), options.end());
    return launchbox_run(command, questions);
}

nlohmann::json columns_of(const std::string& questions, words options = {"--arch", "sm_90"})
{
    options.insert(options.end(), {"--format", "json"});
    const call result = answers_of(questions, options);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json()["columns"];
}

TEST(occupancy_questions, are_answered_in_their_order)
{
    const nlohmann::json columns = columns_of("threads,registers,shared\n256,63,11264\n256,48,11264\n1025,,\n");
    EXPECT_EQ(columns["resident_blocks"], nlohmann::json::array({4, 5, 0}));
    EXPECT_EQ(columns["limit_registers"], nlohmann::json::array({4, 5, nullptr}));
    EXPECT_EQ(columns["limiters"], nlohmann::json::array({"registers", "registers", "warps"}));
    EXPECT_EQ(columns["obstacle"][2], "1,025 threads: a block has at most 1,024");
    EXPECT_TRUE(columns["obstacle"][0].is_null());
    const call csv = answers_of("threads,registers,shared\n256,63,11264\n", {"--arch", "sm_90", "--format", "csv"});
    EXPECT_EQ(csv.out,
              "architecture,resident_blocks,resident_warps,warp_slots,occupancy,limit_warps,limit_blocks,"
              "limit_registers,limit_shared,limit_barriers,limiters,obstacle\r\n"
              "sm_90,4,32,64,0.5,8,32,4,19,,registers,\r\n");
    EXPECT_TRUE(answers_of("threads\n256\n").shows("resident_blocks"));
}

TEST(occupancy_questions, options_apply_to_all_lines_and_columns_to_each)
{
    EXPECT_EQ(
        columns_of("threads\n256\n", {"--arch", "sm_90", "--registers", "63", "--shared", "11K"})["resident_blocks"],
        nlohmann::json::array({4}));
    const nlohmann::json columns = columns_of(
        "arch,dynamic_shared,mode\nH100,4*threads,\nsm_80,\"max(threads, 1) * 8\",driver\n", {"--threads", "512"});
    EXPECT_EQ(columns["architecture"], nlohmann::json::array({"sm_90", "sm_80"}));
    expect_refused(answers_of("threads,registers\n256,63\n", {"--arch", "sm_90", "--registers", "63"}),
                   "standard input:1: column 'registers' and --registers exclude each other");
    expect_refused(answers_of("arch,threads\nsm_90,256\n"), "column 'arch' and --arch exclude each other");
}

// As spreadsheets, editors and other programs write them.
TEST(occupancy_questions, are_read_in_every_form_of_csv)
{
    const nlohmann::json expected = columns_of("threads,registers\n256,63\n32,\n");
    for (const char* form :
         {"threads,registers\r\n256,63\r\n32,\r\n", "\xEF\xBB\xBFthreads,registers\n256,63\n32,",
          "threads,registers\n256,63\n32,\n\n\r\n", "threads,registers\r256,63\r32,\r",
          " threads , registers \n 256 ,\t63\n32, \n", "\"threads\",\"registers\"\n\"256\",\"63\"\n\"32\",\"\"\n"})
        EXPECT_EQ(columns_of(form), expected) << form;
    // UTF-16, as `>` writes it in PowerShell.
    std::string wide("\xFF\xFE");
    for (const char c : std::string("threads,registers\r\n256,63\r\n32,\r\n")) wide += {c, '\0'};
    EXPECT_EQ(columns_of(wide), expected);
    // In a table with one column, an empty line is a launch, too.
    EXPECT_EQ(columns_of("registers\n63\n\n", {"--arch", "sm_90", "--threads", "256"})["limit_registers"],
              nlohmann::json::array({4, nullptr}));
    EXPECT_EQ(columns_of("threads\n")["resident_blocks"], nlohmann::json::array());
}

TEST(occupancy_questions, the_first_mistake_is_named_with_line_and_column)
{
    const std::string head = "threads,registers\n256,63\n";
    for (const auto& [table, message] :
         {std::pair<std::string, const char*>{
              head + "256,63x\n", "standard input:3: column registers: '63x' is not a whole number from 0 to"},
          {head + "256,256\n", "standard input:3: column registers: "},
          {head + "0,63\n", "standard input:3: column threads: '0' is not a whole number from 1 to 1000000"},
          {head + "99999999999999999999,63\n", "standard input:3: column threads"},
          {head + "256.0,63\n", "standard input:3: column threads"},
          {head + ",63\n", "standard input:3: column threads: the cell is empty"},
          {head + "256\n", "standard input:3 has 1 cells, and the first line 2"},
          {head + "\n256,63\n", "standard input:3 has 1 cells"},
          {head + "256,\"63\n", "standard input:3: a quote that begins in this row is not closed"},
          {head + "256,6\"3\n", "standard input:3: '6\"3' has a quote in its middle"},
          {head + "256,\"6\"3\n", "standard input:3: text follows the closing quote of a cell"},
          {"threads,\"mode\"\n256,\"driver\"\n256,\"sheet\n\"\n", "standard input:3: column mode"},
          {"", "standard input is empty"},
          {"registers\n63\n", "there is no column threads"},
          {"threads,regsters\n", "column 'regsters' is not known: is registers meant?"},
          {"threads,threads\n", "column 'threads' is there twice"},
          {"threads,cache\n256,L2\n", "standard input:2: column cache: 'L2' is not none, shared, l1 or equal"},
          {"threads,shared\n256,-1\n", "standard input:2: column shared: "},
          {"threads,shared\n256,9999999999\n", "standard input:2: column shared: "},
          {"threads,dynamic_shared\n256,threads+\n", "standard input:2: column dynamic-shared: "},
          {"threads,dynamic_shared\n256,threads-512\n", "standard input:2: column dynamic-shared: "},
          {"threads,max_dynamic_shared\n256,all\n", "standard input:2: column max-dynamic-shared: "},
          {"threads,mode\n256,spreadsheet\n", "standard input:2: column mode: NVIDIA's spreadsheet has no row"},
          {"threads,carveout\n256,101\n", "standard input:2: column carveout: "}})
        expect_refused(answers_of(table), message);
    expect_refused(answers_of("arch,threads\nsm_89,64\nsm_999,64\n", {}), "standard input:3: column arch: ");
    expect_refused(answers_of("arch,threads\nall,64\n", {}), "standard input:2: column arch: ");
}

TEST(occupancy_questions, need_a_file_and_exclude_other_inputs)
{
    const temporary_directory folder;
    const std::string file = (folder.path() / "questions.csv").string();
    write_file_atomically(file, "threads,registers\n256,300\n");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--questions", file}),
                   "questions.csv:2: column registers");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--questions", file, "-o", file, "--overwrite"}),
                   "input");
    expect_refused(launchbox_run({"occupancy", log_90, "--questions", file}), "--questions");
    expect_refused(launchbox_run({"occupancy", "--questions", file, "--sms", "4"}), "--questions");
    expect_refused(answers_of("threads\n256\n", {"--arch", "sm_80,sm_90"}), "--questions takes one --arch");
    expect_refused(launchbox_run({"occupancy", "--questions", "/nowhere.csv", "--arch", "sm_90"}), "/nowhere.csv");
}

}  // namespace
}  // namespace launchbox
