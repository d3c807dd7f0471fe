# Of the library of check-a-library.md: float, and no care of null pointers.
s/using Real = double/using Real = float/
s/return kNullPointer/(void)0/
