# fedrk_mpi_test(mpi/engine RANKS 1 2 3 5 LINK fedrk::mpi)
#
# Builds tests/mpi/engine_test.cpp, which has its own main, and runs all of it under the launcher, once for each number
# of ranks. As root, and on fewer cores than ranks, Open MPI starts only where the environment says so; and a rank that
# waits keeps its core unless it is told to yield, which other tests would feel.
set(FEDRK_MPI_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1)
if(FEDRK_SANITIZE MATCHES "address")
  list(APPEND FEDRK_MPI_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)  # of the MPI library's own
endif()

function(fedrk_mpi_test path)
  cmake_parse_arguments(arg "" "" "RANKS;LINK" ${ARGN})
  string(REPLACE "/" "_" target "test_${path}")
  add_executable(${target} ${path}_test.cpp)
  target_link_libraries(${target} PRIVATE fedrk_test_support ${arg_LINK} GTest::gtest fedrk_warnings)
  fedrk_compile_quickly(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME "${path}: ${ranks} ranks"
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}> --gtest_brief=1)
    set_tests_properties("${path}: ${ranks} ranks" PROPERTIES
                         LABELS mpi TIMEOUT 120 PROCESSORS 2 ENVIRONMENT "${FEDRK_MPI_ENVIRONMENT}")
  endforeach()
endfunction()
