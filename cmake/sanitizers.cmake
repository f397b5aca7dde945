# Sanitizers concern the whole program, so they are set for every target below.
# Code that is compiled once and run once is not worth optimising much: most of the time of the tests goes into compilers.
function(fedrk_compile_quickly target)
  if(FEDRK_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()
# With FEDRK_UNITY several sources at a time, which share the time for what they include. Not libraries and programs
# under sanitizers, whose reports name the source.
function(fedrk_compile_together target)
  if(FEDRK_UNITY AND NOT (FEDRK_SANITIZE AND NOT target MATCHES "^test_"))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()
# Where a sanitizer looks, the compiler's time counts more than the program's; all but the core, whose loops would take too
# long.
function(fedrk_optimise_for_users target)
  if(FEDRK_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
# What most sources of a library include, compiled once. With clang only, which builds what sanitizers see: GCC 12
# then warns of <string> itself where it is used with fmt.
function(fedrk_precompile target)
  if(FEDRK_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <span>
                                                <string> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()
if(FEDRK_SANITIZE)
  add_compile_options(-fsanitize=${FEDRK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FEDRK_SANITIZE})
endif()
