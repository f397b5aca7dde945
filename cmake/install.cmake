# find_package(fedrk) gives fedrk::fedrk, the calls of <fedrk/fedrk.hpp>, with fedrk::io and fedrk::core. By
# COMPONENTS: core alone, which needs nothing but threads; io; fedrk; federation, for servers and clients; mpi.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fedrk)

function(fedrk_install_component name)
  install(TARGETS ${ARGN} EXPORT fedrk_${name}_targets FILE_SET HEADERS)
  install(EXPORT fedrk_${name}_targets NAMESPACE fedrk:: DESTINATION ${package_dir})
endfunction()

fedrk_install_component(core fedrk_core)
if(TARGET fedrk_io)
  fedrk_install_component(io fedrk_io)
  fedrk_install_component(fedrk fedrk_api)
endif()
if(TARGET fedrk_federation)
  fedrk_install_component(federation fedrk_federation fedrk_network fedrk_operation fedrk_security fedrk_store)
endif()
if(TARGET fedrk_mpi)
  fedrk_install_component(mpi fedrk_mpi)
endif()
if(FEDRK_BUILD_PROGRAM)
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
