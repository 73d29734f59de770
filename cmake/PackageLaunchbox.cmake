# `./package deb`: the tool and the headers as one Debian package, made by CPack. Without launchbox-mpi.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME launchbox)
set(CPACK_PACKAGE_VENDOR "The launchbox contributors")
set(CPACK_PACKAGE_CONTACT "The launchbox contributors <launchbox@localhost>")  # no public address yet
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "launch configurations for CUDA kernels, calculated and measured")
set(CPACK_COMPONENTS_ALL tool headers)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Shows what the CUDA compiler produced for a kernel, calculates its
occupancy on every GPU, advises launch bounds and block sizes, tunes by
measuring variants on GPUs, and captures what a program launches. With the
C++ headers of the model. No GPU and no CUDA toolkit are needed to inspect
binaries.")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
