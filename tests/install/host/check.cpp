/* SPDX-License-Identifier: Apache-2.0 */
/* Gradcheck's C interface; the program is one in C and in C++. */
#include <aclgrad/gradcheck/c.h>
#include <stdio.h>

int main(void) {
  aclgradGradcheck* check = NULL;
  int status = aclgradGradcheckOpen("libopapi.so", &check);
  if (status == ACLGRAD_GRADCHECK_RIGHT) status = aclgradGradcheckSet(check, "shape", "4");
  if (status == ACLGRAD_GRADCHECK_RIGHT) status = aclgradGradcheckRun(check, "selu");
  puts(status == ACLGRAD_GRADCHECK_RIGHT ? "right" : aclgradGradcheckMessage());
  aclgradGradcheckClose(check);
  return status;
}
