# Of the library of check-a-library.md: a kernel that never ends.
s/^  mine->run();/  while (size == 0) mine->run();/
