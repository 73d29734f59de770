# Where the CUDA compiler and its headers are: LAUNCHBOX_NVCC and LAUNCHBOX_CUDA_INCLUDE, from (in this order)
# -DLAUNCHBOX_NVCC=..., $CUDA_HOME, PATH, the folder .cuda of the checkout that ./setup fills.
file(GLOB wheel_nvcc ${PROJECT_SOURCE_DIR}/.cuda/lib/python*/site-packages/nvidia/cu13/bin/nvcc)
find_program(LAUNCHBOX_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin PATHS /usr/local/cuda/bin)
if(NOT LAUNCHBOX_NVCC AND wheel_nvcc)
  set(LAUNCHBOX_NVCC ${wheel_nvcc} CACHE FILEPATH "The CUDA compiler" FORCE)
endif()
if(LAUNCHBOX_NVCC)
  get_filename_component(cuda_bin ${LAUNCHBOX_NVCC} REALPATH)
  get_filename_component(cuda_bin ${cuda_bin} DIRECTORY)
  get_filename_component(cuda_root ${cuda_bin} DIRECTORY)
  find_path(LAUNCHBOX_CUDA_INCLUDE cuda_occupancy.h PATHS ${cuda_root}/include ${cuda_root}/targets/x86_64-linux/include
            NO_DEFAULT_PATH)
endif()
