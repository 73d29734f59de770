# Applies Debian's policy to the tree that CPack is about to pack: compressed manual pages, a changelog, the licences of
# everything in it, and zsh's completions where Debian's zsh looks for them. The environment variable LAUNCHBOX_LICENCES
# names their folder (./package collects them).
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/ALL_COMPONENTS_IN_ONE/usr)
set(doc ${usr}/share/doc/launchbox)
file(MAKE_DIRECTORY ${doc} ${usr}/share/lintian/overrides)

file(REMOVE ${doc}/LICENSE)
file(GLOB licences $ENV{LAUNCHBOX_LICENCES}/*.copyright)
string(CONCAT copyright "launchbox: Copyright The launchbox contributors\n"
       "License: Apache-2.0, see /usr/share/common-licenses/Apache-2.0\n\n"
       "The program contains what these packages of Debian hold, under their licences:\n")
foreach(licence IN LISTS licences)
  cmake_path(GET licence STEM LAST_ONLY package)
  file(READ ${licence} text)
  string(APPEND copyright "\n==== ${package} ====\n\n${text}")
endforeach()
file(WRITE ${doc}/copyright "${copyright}")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian
     "launchbox (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * As CHANGELOG.md of the sources says.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(WRITE ${usr}/share/lintian/overrides/launchbox
     "# One file that runs where nothing can be installed: its libraries are linked statically, and their versions are\n"
     "# those of the Debian release that it was built on.\nlaunchbox: embedded-library *\n")
file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
file(GLOB pages ${usr}/share/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
