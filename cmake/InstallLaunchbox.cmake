# Install rules. The headers, with a package for find_package(launchbox), are the component `headers`; the rules of the
# components `tool` and `mpi` stand where these are built. `cmake --install` without --component installs everything
# that was built. A project that includes launchbox with add_subdirectory or FetchContent installs none of it, unless it
# sets LAUNCHBOX_INSTALL.
option(LAUNCHBOX_INSTALL "Install the headers and the CMake package" ${PROJECT_IS_TOP_LEVEL})
if(NOT LAUNCHBOX_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/launchbox)
install(TARGETS launchbox EXPORT launchbox COMPONENT headers)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/launchbox DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT headers FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(EXPORT launchbox NAMESPACE launchbox:: FILE launchboxTargets.cmake DESTINATION ${package_dir}
        COMPONENT headers)
# Headers only: the same package serves every architecture.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/launchboxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/launchboxConfig.cmake ${PROJECT_SOURCE_DIR}/cmake/LaunchboxStandard.cmake
              ${PROJECT_SOURCE_DIR}/cmake/LaunchboxCheck.cmake ${PROJECT_BINARY_DIR}/launchboxConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT headers)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT headers)
