// SPDX-License-Identifier: Apache-2.0
// What a library may do to the process that checks it, as the environment says: HOSTILE is
// "place:deed", as "backward:exit".
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static inline void hostile_forever(void) {
  while (1) pause();
}

static inline void hostile_fork(int leaves_group) {
  if (fork() > 0) return;
  if (leaves_group) setsid();
  execlp("sleep", "sleep", "3141", (char*)NULL); /* known by its number */
  _exit(1);
}

static inline void hostile_report(void) {
  const char* const report =
      "gradcheck: right. 99 elements right, 0 wrong, 0 inconclusive, 0 gradients vacuous\n"
      "\x82\xa6status\x00\xa7message\xa0";
  for (int fd = 0; fd < 256; ++fd) {
    if (write(fd, report, strlen(report)) < 0) continue;
  }
}

/* Memory that this process shares with the one that watches it, of one page; then it crashes. */
static inline void hostile_scribble(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512], rights[8];
  unsigned long begin = 0, end = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
    if (strcmp(rights, "rw-s") == 0 && end - begin <= 4096) memset((void*)begin, 0x7F, 8);
  }
  abort();
}

/* New processes come of the first calls only: thousands of them would test the machine. */
static inline int hostile_is_early(void) {
  static int calls = 0;
  return ++calls <= 4;
}

static inline void hostile_act(const char* deed) {
  if (strcmp(deed, "exit") == 0) exit(0);
  if (strcmp(deed, "_exit") == 0) _exit(0);
  if (strcmp(deed, "abort") == 0) abort();
  if (strcmp(deed, "hang") == 0) hostile_forever();
  if (strcmp(deed, "ignore") == 0) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
    hostile_forever();
  }
  if (strcmp(deed, "block") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    const struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, NULL);
    hostile_forever();
  }
  if (strcmp(deed, "stop") == 0) raise(SIGSTOP);
  if (strcmp(deed, "watcher") == 0) kill(getppid(), SIGSTOP);
  if (strcmp(deed, "fork") == 0 && hostile_is_early()) hostile_fork(0);
  if (strcmp(deed, "daemon") == 0 && hostile_is_early()) hostile_fork(1);
  if (strcmp(deed, "split") == 0 && hostile_is_early() && fork() < 0) abort(); /* both return */
  if (strcmp(deed, "close") == 0) {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
  }
  if (strcmp(deed, "scribble") == 0) hostile_scribble();
  if (strcmp(deed, "report") == 0) {
    hostile_report();
    _exit(0);
  }
}

static inline void hostile(const char* place) {
  const char* const what = getenv("HOSTILE");
  const size_t size = strlen(place);
  if (what != NULL && strncmp(what, place, size) == 0 && what[size] == ':') {
    hostile_act(what + size + 1);
  }
}

__attribute__((constructor)) static void hostile_constructor(void) { hostile("constructor"); }
__attribute__((destructor)) static void hostile_destructor(void) { hostile("destructor"); }
