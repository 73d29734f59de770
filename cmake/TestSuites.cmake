# Runs after a test program is linked (tests/CMakeLists.txt). Writes OUTPUT, which registers each suite of PROGRAM, or
# with CASES each case, as a ctest test. Suites are the default, because 1,400 program starts take longer than the tests
# themselves. A case whose name ends in _exhaustive is a separate test, with the label long. REQUIRED: the tests'
# REQUIRED_FILES, separated by |; EMULATOR: the command that runs programs for another architecture, also separated by
# |.
string(REPLACE "|" ";" emulator "${EMULATOR}")
execute_process(COMMAND ${emulator} ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${failed}")
endif()
string(REPLACE "|" ";" required "${REQUIRED}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(content "")
function(add_one name filter labels)
  set(command "")
  foreach(word IN LISTS emulator PROGRAM)
    string(APPEND command " [=[${word}]=]")
  endforeach()
  string(APPEND content "add_test([=[${name}]=]${command} [=[--gtest_filter=${filter}]=])\n"
         "set_tests_properties([=[${name}]=] PROPERTIES TIMEOUT 900 LABELS ${labels} REQUIRED_FILES [=[${required}]=]\n"
         # None passed, some were skipped, and none failed (failures would be printed after that).
         "  SKIP_REGULAR_EXPRESSION [=[PASSED  \\] 0 tests\\.[^a-zA-Z]*SKIPPED([^F]|F[^A])*$]=])\n")
  set(content "${content}" PARENT_SCOPE)
endfunction()
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z_0-9/]+)\\.")
    set(suite ${CMAKE_MATCH_1})
    set(is_added ${CASES})
  elseif(line MATCHES "^  ([A-Za-z_0-9/]+)")
    set(name ${suite}.${CMAKE_MATCH_1})
    if(name MATCHES "_exhaustive$")
      add_one(${name} ${name} long)
    elseif(CASES)
      add_one(${name} ${name} ${LABELS})
    elseif(NOT is_added)
      add_one(${suite} ${suite}.*-*_exhaustive ${LABELS})
      set(is_added TRUE)
    endif()
  endif()
endforeach()
if(content STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE ${OUTPUT} "${content}")
