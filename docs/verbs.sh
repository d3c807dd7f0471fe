# SPDX-License-Identifier: Apache-2.0
# The verb of ./dev that writes the documentation.

# The pages that are made from the library, its tests and its measurements.
reference() {
  build reference_pages
  "$build/bin/reference_pages" docs/reference
}

# The sizes of what a program needs beside it.
ship_sizes() {
  build xor train_digits
  bash docs/ship_sizes.sh "$build" docs/how-to/install.md
}

#: ./dev docs              write the generated pages of docs/reference anew (operators, functions, C++,
#:                         messages, products) and what the programs in the pages print, and build the
#:                         documentation as a site, out/site/index.html
verb_docs() {
  build documents
  reference
  ship_sizes
  install_packages doxygen python3
  rm -rf out/site
  mkdir -p out/site
  python3 docs/site/pages.py out/pages
  doxygen docs/site/Doxyfile || { echo "The site has the faults above." >&2; exit 1; }
  python3 docs/site/check_links.py out/site
  echo "out/site/index.html"
}
