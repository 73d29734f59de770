// Preloaded into a program to imitate a machine without Open MPI: its library is not found.
#include <dlfcn.h>

#include <cstring>

extern "C" void* dlopen(const char* file, int how)
{
    if (file != nullptr && std::strstr(file, "libmpi") != nullptr) return nullptr;
    using function = void* (*)(const char*, int);
    return reinterpret_cast<function>(::dlsym(RTLD_NEXT, "dlopen"))(file, how);
}
