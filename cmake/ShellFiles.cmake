# What shells and man need of a program, made by the program itself whenever it is linked, and installed with it.
include(GNUInstallDirs)
function(launchbox_shell_files target program)
  if(CMAKE_CROSSCOMPILING)
    return()  # the program does not run here
  endif()
  set(share ${CMAKE_CURRENT_BINARY_DIR}/share)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:${target}> -DPROGRAM=${program} -DSHARE=${share}
            -P ${PROJECT_SOURCE_DIR}/cmake/WriteShellFiles.cmake
    COMMENT "Writing the completion and the manual pages of ${program}" VERBATIM)
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${share}/bash-completion ${share}/zsh ${share}/fish DESTINATION ${CMAKE_INSTALL_DATADIR})
endfunction()
