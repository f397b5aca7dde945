# find_package(fedrk) gives fedrk::core; find_package(fedrk COMPONENTS io) gives fedrk::io besides.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fedrk)

install(TARGETS fedrk_core EXPORT fedrk_core_targets FILE_SET HEADERS)
install(EXPORT fedrk_core_targets NAMESPACE fedrk:: DESTINATION ${package_dir})
if(FEDRK_BUILD_PROGRAM)
  install(TARGETS fedrk_io EXPORT fedrk_io_targets FILE_SET HEADERS)
  install(EXPORT fedrk_io_targets NAMESPACE fedrk:: DESTINATION ${package_dir})
  install(TARGETS fedrk_program)
  if(FEDRK_HAS_MPI)
    install(TARGETS fedrk_mpi_program)
  endif()
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fedrk-config.cmake.in ${PROJECT_BINARY_DIR}/fedrk-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fedrk-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fedrk-config.cmake ${PROJECT_BINARY_DIR}/fedrk-config-version.cmake
        DESTINATION ${package_dir})
