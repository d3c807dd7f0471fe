# Of the library of check-a-library.md: what hostile.h has, in phase one, in phase two, and in a function of the runtime.
1i #include "hostile.h"
s/^  int64_t count = 0;/  hostile("phase_one");\n&/
s/^  mine->run();/  hostile("phase_two");\n&/
s/^aclnnStatus aclDestroyAclOpExecutor.*/&\n  hostile("runtime");/
