# fedrk_test(unit/kaczmarz/projection LINK fedrk::core LABELS unit)
#
# Builds tests/unit/kaczmarz/projection_test.cpp and registers each of its cases with CTest. Where threads meet it has the
# label `threads`: the thread sanitizer's build has these tests and no others, as the others have nothing for it to see. No
# sanitizer's build has those with the label `slow`.
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
  cmake_parse_arguments(arg "" "TIMEOUT" "LINK;LABELS" ${ARGN})
  string(REPLACE "/" "_" target "test_${path}")
  if((FEDRK_SANITIZE STREQUAL "thread" AND NOT "threads" IN_LIST arg_LABELS) OR (FEDRK_SANITIZE AND "slow" IN_LIST arg_LABELS))
    return()
  endif()
  add_executable(${target} ${path}_test.cpp)
  target_link_libraries(${target} PRIVATE fedrk_test_support ${arg_LINK} GTest::gtest_main fedrk_warnings)
  target_precompile_headers(${target} REUSE_FROM fedrk_test_headers)
  target_compile_options(${target} PRIVATE -pthread)
  fedrk_compile_quickly(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  # CMake 3.25 loses lists on the way to a test; as `ctest -L` searches within labels, one joined label does as well.
  list(JOIN arg_LABELS "+" labels)
  # OpenSSL and others are not built with the sanitizer, which would take their own locking for none.
  set(environment)
  if(FEDRK_SANITIZE STREQUAL "thread")
    set(environment ENVIRONMENT
        "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${path}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} ${environment})
endfunction()
