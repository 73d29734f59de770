# Builds a user's project with launchbox_check, breaks its budget, and fixes it: see CMakeLists.txt here for the variables.
foreach(name CMAKE_PREFIX_PATH launchbox_DIR launchbox_ROOT DESTDIR LAUNCHBOX_EXECUTABLE)
  unset(ENV{${name}})
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(project ${SCRATCH}/build)

function(run expected words)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    set(outcome passes)
  else()
    set(outcome fails)
  endif()
  string(REGEX REPLACE "[ \n]+" " " output_in_a_line "${output}")  # CMake wraps long lines
  string(FIND "${output_in_a_line}" "${words}" at)
  if(NOT outcome STREQUAL expected OR at EQUAL -1)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${outcome}, expected: ${expected} with '${words}'\n${output}")
  endif()
endfunction()

# File times advance in steps of some milliseconds. A file written in the same step in which a build ended is not newer
# than the build's output, so the next build would do nothing: wait for the step to pass.
function(pass_the_step)
  file(TOUCH ${SCRATCH}/probe)
  file(TIMESTAMP ${SCRATCH}/probe before "%s%f")
  set(now ${before})
  while(now STREQUAL before)
    file(TOUCH ${SCRATCH}/probe)
    file(TIMESTAMP ${SCRATCH}/probe now "%s%f")
  endwhile()
endfunction()

# Writes a kernel with or without spills, as the log or as the source that the project compiles.
function(write_kernel spills)
  pass_the_step()
  file(WRITE ${project}/ptxas.log "ptxas info    : Compiling entry function 'planted' for 'sm_90'
ptxas info    : Function properties for planted
    ${spills} bytes stack frame, ${spills} bytes spill stores, ${spills} bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 352 bytes cmem[0]\n")
  set(bounds "256")
  if(spills)
    set(bounds "1024, 2")
  endif()
  file(WRITE ${project}/kernel.cu "extern \"C\" __global__ void __launch_bounds__(${bounds}) planted(float* p)
{
    float x[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i] = p[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; ++i) p[i * 1024 + threadIdx.x] = x[63 - i] * x[(i * 7) % 64];
}\n")
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -B ${project} -S ${SOURCE}/tests/package/check -DWAY=${WAY}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCHECKED=${CHECKED} -DNVCC=${NVCC})
if(WAY STREQUAL "installed")
  run(passes "" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
  file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
  list(APPEND configure -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
else()
  list(APPEND configure -DLAUNCHBOX_SOURCE=${SOURCE})
  # Without the program: a clear error, or a warning if requested.
  write_kernel(0)
  file(WRITE ${project}/budget.toml "[defaults]\nmax_spill_bytes = 0\n")
  set(nowhere ${CMAKE_COMMAND} -E env PATH=${SCRATCH}:/usr/bin:/bin)
  run(fails "the program launchbox is not found" ${nowhere} ${configure})
  run(passes "the program launchbox is not found" ${nowhere} ${configure} -DMORE=OPTIONAL)
  list(APPEND configure -DLAUNCHBOX_EXECUTABLE=${TOOL} -DMORE=)
endif()
set(build ${CMAKE_COMMAND} --build ${project})

write_kernel(0)
file(WRITE ${project}/budget.toml "[defaults]\nmax_spill_bytes = 0\n")
run(passes "" ${configure})
run(passes "all checks passed" ${build})
write_kernel(8)
run(fails "max_spill_bytes" ${build})
run(fails "planted" ${build})  # again, until it is fixed
pass_the_step()
file(WRITE ${project}/budget.toml "[defaults]\nmax_spill_bytes = 1_000_000\n")
run(passes "all checks passed" ${build})  # a new budget alone makes the check run

# Before the first baseline: a warning, and a check against the budget only; without that either, a build that passes
# and a check target that fails. Once the target has written the baseline, the next build configures again and checks.
run(passes "app_launchbox_baseline" ${configure} -DBASELINE=${project}/first.baseline)
run(passes "all checks passed" ${build})
file(REMOVE ${project}/budget.toml)
run(passes "app_launchbox_baseline" ${build})
run(fails "launchbox check" ${build} --target app_launchbox_check)
run(passes "first.baseline: 1 kernel" ${build} --target app_launchbox_baseline)
run(passes "all checks passed" ${build})
file(REMOVE ${project}/first.baseline)
file(WRITE ${project}/budget.toml "[defaults]\nmax_spill_bytes = 1_000_000\n")

# The baseline: written by its target, and compared with from the next configuration on.
run(passes "" ${configure} -DBASELINE=${project}/kept.baseline -DMORE=EXCLUDE_FROM_ALL)
run(passes "kept.baseline: 1 kernel" ${build} --target app_launchbox_baseline)
write_kernel(0)
run(passes "" ${build})
set(outcome passes)
if(NOT CHECKED STREQUAL "log")
  set(outcome fails)  # without spills the compiled kernel needs more registers
endif()
run(${outcome} "spilled" ${build} --target app_launchbox_check)

# A file with nothing to check, such as PTX, is a failure unless that is allowed.
if(CHECKED STREQUAL "log")
  file(WRITE ${project}/budget.toml "[defaults]\nmax_spill_bytes = 0\n")
  pass_the_step()
  file(WRITE ${project}/ptxas.log ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry planted()\n{\n ret;\n}\n")
  run(passes "" ${configure} -DBASELINE= -DANY_ARCHITECTURE=ON -DMORE=)
  run(fails "no kernel was checked" ${build})
  run(passes "" ${configure} -DBASELINE= -DANY_ARCHITECTURE=ON -DMORE=ALLOW_EMPTY)
  run(passes "no kernel was checked" ${build})
endif()

# Wrong arguments are reported at once.
run(fails "are not understood" ${configure} -DANY_ARCHITECTURE= -DBASELINE=${project}/kept.baseline -DMORE=BUGDET)
