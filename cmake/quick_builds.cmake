# What makes a second build quick, where it is installed: ccache for the compiler, lld for linking. Neither changes what is
# built.
find_program(FEDRK_CCACHE ccache)
if(FEDRK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With precompiled headers ccache must not look at times; clang then must not store them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${FEDRK_CCACHE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  else()
    add_compile_options(-fpch-preprocess)
  endif()
endif()
find_program(FEDRK_LLD ld.lld)
if(FEDRK_LLD AND FEDRK_SANITIZE)
  add_link_options(-fuse-ld=lld)
endif()
