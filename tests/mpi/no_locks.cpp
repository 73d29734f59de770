// Preloaded into a program to imitate a file system without locks: fcntl refuses to lock.
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>

namespace {

int answer(const char* name, int file, int what, void* argument)
{
    if (what == F_SETLK || what == F_SETLKW || what == F_GETLK) {
        errno = ENOLCK;
        return -1;
    }
    using function = int (*)(int, int, ...);
    return reinterpret_cast<function>(::dlsym(RTLD_NEXT, name))(file, what, argument);
}

}  // namespace

#define REFUSING(name)                              \
    extern "C" int name(int file, int what, ...)    \
    {                                               \
        va_list more;                               \
        va_start(more, what);                       \
        void* const argument = va_arg(more, void*); \
        va_end(more);                               \
        return answer(#name, file, what, argument); \
    }
REFUSING(fcntl)
REFUSING(fcntl64)
