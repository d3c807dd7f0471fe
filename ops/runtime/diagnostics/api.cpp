// SPDX-License-Identifier: Apache-2.0
// The diagnostics' part of aclgrad_ext.h. Nothing here may throw into a C caller: a diagnostic that
// runs out of memory stays silent.
#include "aclgrad_ext.h"
#include "ops/runtime/diagnostics/call_log.h"
#include "ops/runtime/diagnostics/objects.h"
#include "ops/runtime/diagnostics/report.h"
#include "ops/runtime/diagnostics/site.h"

using namespace aclgrad::runtime::diagnostics;

uint32_t aclgradEnabledChecks() { return settings().checks; }

void aclgradObjectUsed(const void* handle) { object_used(handle); }

void aclgradObjectChanged(const void* handle) { object_changed(handle); }

uint64_t aclgradObjectVersion(const void* handle) { return version_of(handle); }

void aclgradCheckVersion(const char* name, const char* argument, const void* handle,
                         uint64_t version) {
  check_version(name, argument, handle, version);
}

const char* aclgradSetCallName(const char* name) { return Site::set_call(name); }

uint64_t aclgradNextCallNumber() { return next_call_number(); }

void aclgradLogLine(const char* line) { write_log(line); }

uint64_t aclgradFindingCount() { return report_count(); }

void aclgradObjectMade(const void* handle, const char* kind) { object_made(handle, kind); }

void aclgradObjectGone(const void* handle) { object_gone(handle); }

void aclgradObjectMissing(const void* handle, const char* kind) { report_missing(handle, kind); }
