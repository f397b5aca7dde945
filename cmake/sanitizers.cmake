# Sanitizers concern the whole program, so they are set for every target below.
if(FEDRK_SANITIZE)
  add_compile_options(-fsanitize=${FEDRK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FEDRK_SANITIZE})
endif()
