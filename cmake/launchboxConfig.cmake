# find_package(launchbox): the target launchbox::launchbox and the function launchbox_check.
include(${CMAKE_CURRENT_LIST_DIR}/launchboxTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/LaunchboxStandard.cmake)
launchbox_ask_for_cuda_standard(launchbox::launchbox)
include(${CMAKE_CURRENT_LIST_DIR}/LaunchboxCheck.cmake)
