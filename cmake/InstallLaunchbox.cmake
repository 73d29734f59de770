# Install rules: the headers with a package for find_package(launchbox), and the tool where it is built.
include(CMakePackageConfigHelpers)

install(TARGETS launchbox EXPORT launchbox)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/launchbox DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT launchbox NAMESPACE launchbox:: FILE launchboxConfig.cmake
        DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/launchbox)
# Headers only: the same package serves every architecture.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/launchboxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/launchboxConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/launchbox)
