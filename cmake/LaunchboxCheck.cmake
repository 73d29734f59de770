# Checks the kernels of a target whenever it is rebuilt; the build fails if the check does:
#
#   launchbox_check(target
#                   [BUDGET file] [BASELINE file]     # else launchbox.budget.toml, launchbox.baseline beside CMakeLists.txt
#                   [ARCHITECTURES sm_80 sm_90 ...]   # else all that are in it
#                   [INPUTS file...]                  # checked instead of the target's own file: cubins, logs, sources
#                   [FORMAT table|json|csv|markdown|sarif|junit|github] [OUTPUT file]
#                   [ALLOW_EMPTY]                     # do not fail if there is nothing to check
#                   [OPTIONAL]                        # without the program launchbox: a warning, and no check
#                   [EXCLUDE_FROM_ALL])               # only when <target>_launchbox_check is built
#
# This adds two targets: <target>_launchbox_check, which fails if a check does, and <target>_launchbox_baseline, which
# writes the baseline. The program is LAUNCHBOX_EXECUTABLE, or the one built in the same project (-DLAUNCHBOX_TOOL=ON),
# or the one installed with this file, or the first one in PATH. docs/ci.md has examples.

function(launchbox_check target)
  cmake_parse_arguments(PARSE_ARGV 1 check "OPTIONAL;EXCLUDE_FROM_ALL;ALLOW_EMPTY" "BUDGET;BASELINE;FORMAT;OUTPUT"
                        "ARCHITECTURES;INPUTS")
  set(where "launchbox_check(${target})")
  if(check_UNPARSED_ARGUMENTS OR check_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${where}: these words are not understood, or lack a value: "
                        "${check_UNPARSED_ARGUMENTS} ${check_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${where}: there is no target ${target}; call this after add_executable or add_library")
  endif()
  get_target_property(type ${target} TYPE)
  if(check_INPUTS)
    list(TRANSFORM check_INPUTS REPLACE "^([^/$].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
    set(inputs ${check_INPUTS})
  elseif(type STREQUAL "OBJECT_LIBRARY")
    set(inputs $<TARGET_OBJECTS:${target}>)
  elseif(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY)$")
    set(inputs $<TARGET_FILE:${target}>)
  else()
    message(FATAL_ERROR "${where}: a target of type ${type} has no file with kernels; name files with INPUTS")
  endif()

  launchbox_find_program(${where} "${check_OPTIONAL}")
  if(NOT program)
    return()
  endif()

  # Files that the program reads by default are dependencies, too, so that a new limit takes effect. A file that appears
  # later, such as the first baseline, triggers a new configuration.
  set(options "")
  set(files "")
  foreach(kind BUDGET:launchbox.budget.toml BASELINE:launchbox.baseline)
    string(REPLACE ":" ";" kind ${kind})
    list(GET kind 0 keyword)
    list(GET kind 1 file)
    string(TOLOWER ${keyword} option)
    set(options_${option} "")
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(check_${keyword})
      cmake_path(ABSOLUTE_PATH check_${keyword} BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE file)
      set(options_${option} --${option} ${file})
    endif()
    file(GLOB found CONFIGURE_DEPENDS ${file})
    if(found)
      list(APPEND options ${options_${option}})
      list(APPEND files ${file})
    elseif(check_${keyword})
      message(WARNING "${where}: there is no ${file}, so that nothing is checked against it. The target "
                      "${target}_launchbox_baseline writes a baseline")
    endif()
  endforeach()
  set(all ALL)
  if(check_EXCLUDE_FROM_ALL)
    set(all "")
  endif()
  # The build that writes the first baseline cannot require one.
  if(NOT files)
    set(all "")
    message(WARNING "${where}: there is nothing to check against, so that nothing is checked. Write a first baseline with "
                    "the target ${target}_launchbox_baseline, or launchbox.budget.toml beside ${CMAKE_CURRENT_LIST_FILE}, "
                    "with [defaults] and, below it, max_spill_bytes = 0")
  endif()
  set(architectures "")
  if(check_ARCHITECTURES)
    list(JOIN check_ARCHITECTURES "," architectures)
    set(architectures --arch ${architectures})
  endif()
  if(check_ALLOW_EMPTY)
    list(APPEND options --allow-empty)
  endif()
  if(check_FORMAT)
    list(APPEND options --format ${check_FORMAT})
  endif()
  if(check_OUTPUT)
    cmake_path(ABSOLUTE_PATH check_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
    list(APPEND options --output ${check_OUTPUT})
  endif()

  # A stamp instead of a POST_BUILD step: after a failed check the program still exists for inspection, and the check is
  # repeated until it passes and whenever the budget changes.
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}_launchbox_check.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${program} check ${inputs} ${architectures} ${options}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${target} ${inputs} ${files} ${program_target}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Checking the kernels of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target}_launchbox_check ${all} DEPENDS ${stamp})
  add_custom_target(${target}_launchbox_baseline
    COMMAND ${program} check ${inputs} ${architectures} ${options_baseline} --write-baseline
    DEPENDS ${target} ${inputs} ${program_target}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Writing the baseline of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Sets program, and program_target if it is built in the same project; program is empty if there is none and that is
# allowed.
function(launchbox_find_program where optional)
  set(program_target "" PARENT_SCOPE)
  if(NOT LAUNCHBOX_EXECUTABLE AND TARGET launchbox_tool)
    set(program $<TARGET_FILE:launchbox_tool> PARENT_SCOPE)
    set(program_target launchbox_tool PARENT_SCOPE)
    return()
  endif()
  find_program(LAUNCHBOX_EXECUTABLE launchbox HINTS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin
               DOC "The program launchbox, for launchbox_check")
  if(NOT LAUNCHBOX_EXECUTABLE OR NOT EXISTS ${LAUNCHBOX_EXECUTABLE})
    set(kind FATAL_ERROR)
    if(optional)
      set(kind WARNING)
    endif()
    message(${kind} "${where}: the program launchbox is not found. Install it with this package or into PATH, name it "
                    "with -DLAUNCHBOX_EXECUTABLE=/path/to/launchbox, or build it here with -DLAUNCHBOX_TOOL=ON")
    set(program "" PARENT_SCOPE)
    return()
  endif()
  set(program ${LAUNCHBOX_EXECUTABLE} PARENT_SCOPE)
endfunction()
