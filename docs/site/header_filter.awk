# SPDX-License-Identifier: Apache-2.0
# Makes the comments of the public headers known to Doxygen: the first comment of a file describes the
# file, comments of C headers describe what follows them. Their text is shown as it stands, as it is
# laid out by hand.
/SPDX-License-Identifier/ { print ""; next }

# C++: the block of // lines at the top.
!seen && /^\/\/ / { if (!open) { print "/** @file"; print "@verbatim"; open = 1 } print substr($0, 4); next }
!seen && open && /^\/\/$/ { print ""; next }
!seen && open { print "@endverbatim */"; open = 0; seen = 1 }

# C: /* ... */ at the beginning of a line, but for rules that part a file.
/^\/\* ---- / { print; next }
/^\/\*.*\*\/$/ {
  text = $0
  sub(/^\/\* */, "", text)
  sub(/ *\*\/$/, "", text)
  print "/** " (seen ? "" : "@file ") "@verbatim " text " @endverbatim */"
  seen = 1
  next
}
/^\/\*/ {
  text = $0
  sub(/^\/\* ?/, "", text)
  print "/** " (seen ? "" : "@file")
  print "@verbatim"
  if (text != "") print text
  inside = 1
  seen = 1
  next
}
inside && /\*\/$/ {
  text = $0
  sub(/ *\*\/$/, "", text)
  sub(/^ \* ?/, "", text)
  if (text != "") print text
  print "@endverbatim */"
  inside = 0
  next
}
inside { text = $0; sub(/^ \* ?/, "", text); print text; next }

# Specialisations for libfmt are no part of the interface.
/^template <>$/ { skipping = 1 }
skipping { if (/{};$/) skipping = 0; next }

/^#ifndef/ { seen = 1 }
{ print }
