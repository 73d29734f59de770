# Only LLVM's demangler, a static library of 0.2 MB without further dependencies: target LLVMDemangle::LLVMDemangle.
# Takes the newest LLVM from Debian or Ubuntu; -DLLVM_DEMANGLE_ROOT=/usr/lib/llvm-14 selects one. Version 14 is the
# oldest whose demangler reads all kernel names that nvcc writes.
set(llvm_roots ${LLVM_DEMANGLE_ROOT})
set(llvm_system "")
if(CMAKE_CROSSCOMPILING)
  list(GET CMAKE_FIND_ROOT_PATH 0 llvm_system)
endif()
foreach(version RANGE 22 14 -1)
  list(APPEND llvm_roots ${llvm_system}/usr/lib/llvm-${version})
endforeach()

# Library and header must have the same version, since the signatures differ.
foreach(root IN LISTS llvm_roots)
  if(EXISTS ${root}/lib/libLLVMDemangle.a AND EXISTS ${root}/include/llvm/Demangle/Demangle.h)
    set(LLVMDemangle_LIBRARY ${root}/lib/libLLVMDemangle.a)
    set(LLVMDemangle_INCLUDE_DIR ${root}/include)
    break()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LLVMDemangle
  REQUIRED_VARS LLVMDemangle_LIBRARY LLVMDemangle_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install it with: apt-get install llvm-14-dev (any version from 14 to 22)")

if(LLVMDemangle_FOUND AND NOT TARGET LLVMDemangle::LLVMDemangle)
  add_library(LLVMDemangle::LLVMDemangle STATIC IMPORTED)
  set_target_properties(LLVMDemangle::LLVMDemangle PROPERTIES
    IMPORTED_LOCATION ${LLVMDemangle_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LLVMDemangle_INCLUDE_DIR})
endif()
