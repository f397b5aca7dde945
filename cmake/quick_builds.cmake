# What makes a second build quick, where it is installed: ccache for the compiler, lld for linking under sanitizers.
# Neither changes what is built. Precompiled headers save time in a first build, but ccache can keep what was compiled
# with them only if it looks at no times, and then has given out stale ones: it is one or the other.
option(FEDRK_CCACHE "Compile by ccache where it is installed, without precompiled headers" ON)
find_program(FEDRK_CCACHE_PROGRAM ccache)
if(FEDRK_CCACHE AND FEDRK_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FEDRK_CCACHE_PROGRAM})
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
# Sources that are compiled together share the time for what they include, which is most of it. The preset dev compiles
# each alone, where a change costs no more than the source that was changed.
option(FEDRK_UNITY "Compile several sources of a library, program or test together" ON)
find_program(FEDRK_LLD ld.lld)
if(FEDRK_LLD AND FEDRK_SANITIZE)
  add_link_options(-fuse-ld=lld)
endif()
