#include "support/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "support/error.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int number, const std::string& hint)
{
    throw error(what + " " + path + ": " + std::strerror(number), hint);
}

class file_descriptor {
public:
    explicit file_descriptor(int number, bool owned = true) : number_(number), owned_(owned) {}
    ~file_descriptor()
    {
        if (owned_ && number_ >= 0) ::close(number_);
    }
    file_descriptor(const file_descriptor&) = delete;
    file_descriptor& operator=(const file_descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool close()
    {
        owned_ = false;
        return ::close(number_) == 0;
    }

private:
    int number_;
    bool owned_;
};

// The number of the error; 0 when all is written.
int write_all(int file, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t wrote = ::write(file, content.data(), content.size());
        if (wrote >= 0)
            content.remove_prefix(static_cast<std::size_t>(wrote));
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

}  // namespace

std::string read_input(const std::string& path, std::size_t cap)
{
    const bool standard_input = path == "-";
    const std::string name = standard_input ? "standard input" : path;
    const file_descriptor file(standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                               !standard_input);
    if (file.number() < 0) fail("cannot open", name, errno, "check the path");

    struct stat status {};
    if (::fstat(file.number(), &status) == 0) {
        if (S_ISDIR(status.st_mode)) throw error(name + " is a directory", "name a file in it");
        if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > cap)
            throw error(name + " is larger than " + std::to_string(cap) + " bytes", "split the input");
    }

    std::string content;
    constexpr std::size_t block = 1 << 16;
    for (;;) {
        const std::size_t old = content.size();
        content.resize(old + block);
        const ssize_t got = ::read(file.number(), content.data() + old, block);
        if (got < 0 && errno == EINTR) {
            content.resize(old);
            continue;
        }
        if (got < 0) fail("cannot read", name, errno, "check the file");
        content.resize(old + static_cast<std::size_t>(got));
        if (got == 0) return content;
        if (content.size() > cap)
            throw error(name + " is larger than " + std::to_string(cap) + " bytes", "split the input");
    }
}

void write_file_atomically(const fs::path& wanted, std::string_view content)
{
    // A link stays a link: what it names is replaced. /dev/stdout and pipes cannot be replaced, only written to.
    std::error_code ignored;
    const fs::path path = fs::is_symlink(wanted, ignored) ? fs::weakly_canonical(wanted, ignored) : wanted;
    if (const fs::file_status status = fs::status(wanted, ignored);
        fs::is_character_file(status) || fs::is_fifo(status) || fs::is_socket(status)) {
        file_descriptor device(::open(wanted.c_str(), O_WRONLY | O_CLOEXEC));
        const int failure = device.number() < 0 ? errno : write_all(device.number(), content);
        if (failure != 0) fail("cannot write", wanted.string(), failure, "name a file, or leave out -o");
        return;
    }

    std::string temporary = path.string() + ".XXXXXX";
    file_descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.number() < 0) fail("cannot write", path.string(), errno, "choose a folder that exists and is writable");

    int failure = write_all(file.number(), content);
    // mkostemp makes the file private; give it what a plain open would have given.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (failure == 0 && ::fchmod(file.number(), 0666 & ~mask) != 0) failure = errno;
    if (failure == 0 && ::fsync(file.number()) != 0) failure = errno;
    if (!file.close() && failure == 0) failure = errno;
    if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
    if (failure != 0) {
        ::unlink(temporary.c_str());
        fail("cannot write", path.string(), failure, "nothing was changed");
    }
}

temporary_directory::temporary_directory()
{
    std::error_code failure;
    fs::path base = fs::temp_directory_path(failure);
    if (failure) base = "/tmp";
    std::string name = (base / "launchbox-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        fail("cannot make a folder in", base.string(), errno, "set TMPDIR to a folder that is writable");
    path_ = name;
}

temporary_directory::~temporary_directory()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace launchbox
