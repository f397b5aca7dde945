# fedrk_warnings: link it PRIVATE, and only in the build tree, so that users do not inherit our taste.
add_library(fedrk_warnings INTERFACE)
target_compile_options(fedrk_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                                -Wold-style-cast -Woverloaded-virtual)
if(FEDRK_WARNINGS_AS_ERRORS)
  target_compile_options(fedrk_warnings INTERFACE -Werror)
endif()
