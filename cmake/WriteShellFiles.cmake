# Writes the completions of each shell and the manual pages to their installed places: cmake -DTOOL -DPROGRAM -DSHARE
# -P.
function(write_completion shell file)
  execute_process(COMMAND ${TOOL} completion ${shell} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${SHARE}/${file} "${text}")
endfunction()
file(REMOVE_RECURSE ${SHARE})
write_completion(bash bash-completion/completions/${PROGRAM})
write_completion(zsh zsh/site-functions/_${PROGRAM})
write_completion(fish fish/vendor_completions.d/${PROGRAM}.fish)
file(MAKE_DIRECTORY ${SHARE}/man/man1)
execute_process(COMMAND ${TOOL} man --folder ${SHARE}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
