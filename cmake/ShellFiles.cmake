# Shell completions and manual pages of a program, which the program itself writes whenever it is linked, and which are
# installed with it as part of the given component: launchbox_shell_files(target program component). A program for
# another architecture does not run here; LAUNCHBOX_HOST_TOOL, the tool built for this one, writes the same files.
include(GNUInstallDirs)
set(LAUNCHBOX_HOST_TOOL "" CACHE FILEPATH "When cross-compiling: launchbox for this machine, to write completions and manual pages")
function(launchbox_shell_files target program component)
  set(writer $<TARGET_FILE:${target}>)
  if(CMAKE_CROSSCOMPILING)
    if(NOT LAUNCHBOX_HOST_TOOL OR NOT target STREQUAL "launchbox_tool")
      message(STATUS "${program} will have no completions and manual pages: LAUNCHBOX_HOST_TOOL is not a tool that runs here")
      return()
    endif()
    set(writer ${LAUNCHBOX_HOST_TOOL})
  endif()
  set(share ${CMAKE_CURRENT_BINARY_DIR}/share)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DTOOL=${writer} -DPROGRAM=${program} -DSHARE=${share}
            -P ${PROJECT_SOURCE_DIR}/cmake/WriteShellFiles.cmake
    COMMENT "Writing the completion and the manual pages of ${program}" VERBATIM)
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component} OPTIONAL)
  install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}
          COMPONENT ${component} OPTIONAL)
endfunction()
