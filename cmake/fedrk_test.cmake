# fedrk_test(cli/solve LINK fedrk::io LABELS cli)
# fedrk_test(unit/linalg SOURCES unit/linalg/kernels_test.cpp ... THREADS unit/linalg/spare_blocks_test.cpp LINK fedrk::core LABELS unit)
#
# Builds tests/cli/solve_test.cpp, or one program of several sources, and registers each of its cases with CTest. Where threads
# meet, the label `threads` says so, or THREADS lists the sources: the thread sanitizer's build has these and no others, as the
# others have nothing for it to see. No sanitizer's build has tests with the label `slow`.
find_package(GTest 1.12 CONFIG REQUIRED)
include(GoogleTest)

# What all tests include, compiled once: a third of the time of a small one.
file(CONFIGURE OUTPUT test_headers.cpp CONTENT "")
add_library(fedrk_test_headers STATIC ${PROJECT_BINARY_DIR}/test_headers.cpp)
target_link_libraries(fedrk_test_headers PRIVATE fedrk::core GTest::gtest_main fedrk_warnings)
target_precompile_headers(fedrk_test_headers PRIVATE <gtest/gtest.h> <algorithm> <filesystem> <functional> <map> <optional>
                                                     <string> <vector>)
target_compile_options(fedrk_test_headers PRIVATE -pthread)  # as those have it that link threads: all must be alike
fedrk_compile_quickly(fedrk_test_headers)

function(fedrk_test path)
  cmake_parse_arguments(arg "ALONE" "TIMEOUT" "SOURCES;THREADS;LINK;LABELS" ${ARGN})
  string(REPLACE "/" "_" target "test_${path}")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${path}_test.cpp)
  endif()
  if("threads" IN_LIST arg_LABELS)
    set(arg_THREADS ${arg_SOURCES})
  endif()
  if(FEDRK_SANITIZE STREQUAL "thread")
    set(arg_SOURCES ${arg_THREADS})
  endif()
  if(NOT arg_SOURCES OR (FEDRK_SANITIZE AND "slow" IN_LIST arg_LABELS))
    return()
  endif()
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE fedrk_test_support ${arg_LINK} GTest::gtest_main fedrk_warnings)
  target_precompile_headers(${target} REUSE_FROM fedrk_test_headers)
  target_compile_options(${target} PRIVATE -pthread)
  fedrk_compile_quickly(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  list(LENGTH arg_SOURCES count)
  if(count GREATER 1)
    fedrk_compile_together(${target})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  # CMake 3.25 loses lists on the way to a test; as `ctest -L` searches within labels, one joined label does as well.
  list(JOIN arg_LABELS "+" labels)
  # With ALONE no other test runs beside it under sanitizers: it has limits of time that must hold there too.
  set(alone)
  if(arg_ALONE AND FEDRK_SANITIZE)
    set(alone RUN_SERIAL ON)
  endif()
  # OpenSSL and others are not built with the sanitizer, which would take their own locking for none.
  set(environment)
  if(FEDRK_SANITIZE STREQUAL "thread")
    set(environment ENVIRONMENT
        "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${path}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} ${alone} ${environment})
endfunction()
