# fedrk_warnings: link it PRIVATE, and only in the build tree, so that users do not inherit our taste.
add_library(fedrk_warnings INTERFACE)
target_compile_options(fedrk_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                                -Wold-style-cast -Woverloaded-virtual)
# GCC 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(fedrk_warnings INTERFACE -Wno-restrict)
endif()
if(FEDRK_WARNINGS_AS_ERRORS)
  target_compile_options(fedrk_warnings INTERFACE -Werror)
endif()
