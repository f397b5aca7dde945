# What makes a fault in memory harder to use against the program: every object and library of this build is compiled so, and
# tests/cli/hardening_test.cpp looks at the programs. No flag here concerns arithmetic, so results keep their bits.
# Not _GLIBCXX_ASSERTIONS, which would check each index of the kernels. Not under sanitizers, which see more, and of which some
# do without the checks of the C library.
option(FEDRK_HARDENED "Compile and link with what hinders the use of faults in memory" ${PROJECT_IS_TOP_LEVEL})
if(NOT FEDRK_HARDENED OR FEDRK_SANITIZE)
  set(FEDRK_HARDENED_BUILD OFF)
  return()
endif()
set(FEDRK_HARDENED_BUILD ON)

include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
# The stack: a canary before each return, and pages touched one by one. Jumps: to marked places only.
set(flags -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND flags -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND flags -mbranch-protection=standard)
endif()
foreach(flag IN LISTS flags)
  string(MAKE_C_IDENTIFIER "FEDRK_KNOWS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
# Lengths of copies, where the optimiser knows them; some compilers define it already.
add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
# Programs at an address that nobody knows. Position-independent code for libraries costs more, and they are linked into
# programs; whoever wants it says so by CMAKE_POSITION_INDEPENDENT_CODE.
if(NOT CMAKE_POSITION_INDEPENDENT_CODE)
  add_compile_options(-fPIE)
endif()
check_linker_flag(CXX -pie FEDRK_LINKS_PIE)
if(FEDRK_LINKS_PIE)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
endif()
# All addresses of libraries found at the start, in pages that are then read-only; and no program on the stack.
check_linker_flag(CXX LINKER:-z,relro,-z,now,-z,noexecstack FEDRK_LINKS_READ_ONLY)
if(FEDRK_LINKS_READ_ONLY)
  add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
endif()
