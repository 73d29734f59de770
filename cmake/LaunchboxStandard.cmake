# Requests C++20 for CUDA sources that link the target; cxx_std_20, which is included, only affects C++. The CMake that
# builds them decides, not the one that installed launchbox: CMake up to 3.25.1 does not know that nvcc supports C++20
# ("The compiler feature "cuda_std_20" is not known to CUDA compiler"), and compiles with nvcc's default, C++17.
function(launchbox_ask_for_cuda_standard target)
  if(CMAKE_VERSION VERSION_LESS 3.25.2)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>)
  else()
    target_compile_features(${target} INTERFACE $<BUILD_INTERFACE:cuda_std_20>)
  endif()
endfunction()
