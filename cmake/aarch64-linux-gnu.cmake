# Cross-compiling for aarch64 on Debian 12: Debian's cross compiler, and Debian's libraries for that architecture,
# unpacked into a separate folder by `./setup --aarch64`. If they were installed through multiarch, some would replace
# this machine's: llvm-14-dev cannot be installed twice.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET libraries NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../.aarch64)
set(CMAKE_FIND_ROOT_PATH ${libraries} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Files that are the same on both architectures, CUDA's headers and Chart.js, come from this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/usr/lib/aarch64-linux-gnu/pkgconfig:${libraries}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${libraries})

# Tests run under qemu's user-mode emulation.
set(library_folders ${libraries}/usr/lib/aarch64-linux-gnu:${libraries}/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${library_folders})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${library_folders})
