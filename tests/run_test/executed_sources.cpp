#include "executed_sources.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "executed_file.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

/// The file of one program, as executed_functions.cpp writes it.
struct program_marks {
    std::string program;
    std::uint64_t bytes = 0;
    std::int64_t written = 0;
    std::vector<std::uint64_t> addresses;  ///< behind the entries of the functions that ran, ascending
};

std::optional<program_marks> read_marks(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    executed_header header;
    std::error_code failed;
    if (!in.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.magic, executed_magic, sizeof header.magic) != 0 ||
        header.code_bytes + sizeof header != fs::file_size(file, failed))
        return std::nullopt;
    program_marks read;
    read.program.assign(header.program, ::strnlen(header.program, sizeof header.program));
    read.bytes = header.program_bytes;
    read.written = header.program_written;
    std::string marks(header.code_bytes, '\0');
    if (!in.read(marks.data(), static_cast<std::streamsize>(marks.size()))) return std::nullopt;
    for (std::size_t at = marks.find('\1'); at != std::string::npos; at = marks.find('\1', at + 1))
        read.addresses.push_back(header.first_address + at);
    return read;
}

/// The lines that a command prints; empty where it fails.
std::vector<std::string> lines_of(const std::string& command)
{
    std::FILE* out = ::popen(command.c_str(), "r");
    std::vector<std::string> lines;
    std::string line;
    for (int letter = 0; out != nullptr && (letter = std::fgetc(out)) != EOF;) {
        if (letter != '\n') {
            line += static_cast<char>(letter);
            continue;
        }
        lines.push_back(line);
        line.clear();
    }
    return out != nullptr && ::pclose(out) == 0 ? lines : std::vector<std::string>();
}

/// The source of each function of a program by its address; empty names where the compiler did not say.
using function_sources = std::map<std::uint64_t, std::string>;

function_sources ask_for_sources(const std::string& program, const fs::path& scratch)
{
    function_sources sources;
    if (program.find('\'') != std::string::npos) return sources;
    for (const std::string& symbol : lines_of("nm --defined-only '" + program + "'"))  // "0000000000012340 T name"
        if (symbol.size() > 19 && std::strchr("tTwWiuv", symbol[17]) != nullptr)
            sources[std::stoull(symbol.substr(0, 16), nullptr, 16)];
    std::ofstream addresses(scratch);
    for (const auto& [address, source] : sources) addresses << "0x" << std::hex << address << "\n";
    addresses.close();
    const auto answers = lines_of("addr2line -e '" + program + "' <'" + scratch.string() + "'");
    if (answers.size() != sources.size()) return {};
    auto answer = answers.begin();
    for (auto& [address, source] : sources) {
        // "/a/b/../c.cpp:17 (discriminator 2)", or "??:0"
        const std::string name = answer->substr(0, answer->rfind(':'));
        source = name.starts_with('?') ? "" : fs::path(name).lexically_normal().string();
        ++answer;
    }
    return sources;
}

/// What addr2line says of a build of a program is kept in `known`: asking takes a second.
function_sources sources_of(const std::string& program, const fs::path& known)
{
    std::error_code failed;
    const auto written = fs::last_write_time(program, failed).time_since_epoch().count();
    const std::string build =
        program + " " + std::to_string(fs::file_size(program, failed)) + " " + std::to_string(written);
    const fs::path file = known / std::to_string(std::hash<std::string>{}(program));
    function_sources sources;
    std::string line;
    if (std::ifstream in(file); std::getline(in, line) && line == build) {
        std::uint64_t address = 0;
        while (in >> std::hex >> address && in.get() == ' ' && std::getline(in, line)) sources[address] = line;
        return sources;
    }
    fs::create_directories(known, failed);
    const fs::path part = file.string() + "." + std::to_string(::getpid());
    sources = ask_for_sources(program, part);
    std::ofstream out(part);
    out << build << "\n" << std::hex;
    for (const auto& [address, source] : sources) out << address << " " << source << "\n";
    out.close();
    fs::rename(part, file, failed);
    return sources;
}

}  // namespace

std::optional<executed_sources> read_executed_sources(const fs::path& folder, const fs::path& known,
                                                      const std::vector<std::string>& programs)
{
    executed_sources all;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        auto marks = entry.path().filename() == executed_incomplete ? std::nullopt : read_marks(entry.path());
        if (!marks) return std::nullopt;
        for (const std::string& program : programs)
            if (struct stat known_one = {};
                ::stat(program.c_str(), &known_one) == 0 &&
                static_cast<std::uint64_t>(known_one.st_size) == marks->bytes &&
                known_one.st_mtim.tv_sec * 1'000'000'000 + known_one.st_mtim.tv_nsec == marks->written)
                marks->program = fs::canonical(program, failed);
        const function_sources sources = sources_of(marks->program, known);
        std::set<std::string>& ran = all[marks->program];
        for (const std::uint64_t address : marks->addresses) {
            const auto behind = sources.upper_bound(address);
            if (behind == sources.begin() || std::prev(behind)->second.empty()) return std::nullopt;
            if (const std::string& source = std::prev(behind)->second; source.ends_with(".cpp")) ran.insert(source);
        }
    }
    if (failed) return std::nullopt;
    return all;
}

}  // namespace launchbox
