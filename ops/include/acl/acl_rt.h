/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime: initialisation, devices, contexts, streams, events, memory, callbacks, capture.
 *
 * All functions may be called from any thread. What holds for all, unless said otherwise:
 *   100000  a required pointer is NULL
 *   107002  the call needs a context and the calling thread has none (call aclrtSetDevice)
 *   107003  the stream belongs to another context than the calling thread's
 *   107017  the handle was destroyed, or never was a handle of that kind
 *   107001  no such device
 * A NULL stream is the default stream of the thread's context wherever a task is submitted and in
 * the synchronising calls. Timeouts are in milliseconds, -1 waits for ever. After a failure
 * aclGetRecentErrMsg says what was wrong.
 */
#pragma once

#include "acl/acl_base.h"
#include "acl/acl_rt_types.h"
#include "acl/acl_rt_unsupported.h"
#include "acl/acl_rt_virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Initialisation -------------------------------------------------------------------------- */

/*
 * Initialises the process. configPath: a JSON file, or NULL or "" for the defaults. The one key
 * with an effect is "err_msg_mode": "0" keeps messages per thread, "1" per process.
 * A repeated call counts and returns 100002, which callers may ignore, or 100000 when its
 * configuration differs from the first one. A bad file: 100003 unreadable, 100005 empty or above
 * 10 MiB, 100006 not JSON, 100009 and 100010 for a "dump" or "profiler" section of the wrong shape.
 * Other runtime calls do not insist on this one.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/* Releases all devices, contexts, streams and events. 100037 when already finalized. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/*
 * Takes back one aclInit; the last one finalizes. refCount (may be NULL) receives how many are
 * left. 100037 when none was left.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

/* ---- Errors and versions --------------------------------------------------------------------- */

/*
 * The messages since the last call, then cleared; NULL when there are none. The text stays valid
 * until the next call on the same thread.
 */
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

/* The calling thread's last error; Get clears it, Peek does not. 100000 for another level. */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/* Version of the runtime's interface. */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                             int32_t* patchVersion);

/* 1 when the feature is there, else 0. 100000 for an attribute that is none. */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

/* ---- Device ---------------------------------------------------------------------------------- */

/*
 * Makes the device's default context current on this thread, and counts one use of the device.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/*
 * Takes back one aclrtSetDevice. With the last one the device waits for its work and releases
 * everything that was made on it. 507007 when the device is not set.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/* As if every use was taken back at once. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/* The device of this thread's context. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

/* How many devices there are (1, or what ACLGRAD_DEVICE_COUNT says, up to 16). */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

/* ACL_HOST: the program runs on a host beside the device. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

/* Waits for all streams of the current device; reports a failed task's status. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/* 107000 for a timeout of 0 or below -1; 507046 when it runs out. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Core counts, memory and cache in bytes, architecture. 100000 for an unknown attribute. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
                                                int64_t* value);
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
                                                    int64_t* value);

/* Cores that work of this thread may use. */
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

/*
 * What a device does with a result beyond the largest number: here it is infinite
 * (ACL_RT_OVERFLOW_MODE_INFNAN), and stays so with ACL_RT_OVERFLOW_MODE_SATURATION. 100000 for
 * another value.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/*
 * Queues a write of the overflow status, 64 bytes of device memory: zeros here, as infinite results
 * tell by themselves what has overflowed. 100000 for a NULL address and for a smaller outputSize.
 * aclrtResetOverflowStatus would clear the status.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize,
                                                    aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/* Places of a device's memory that have failed: none, so *retSize is 0 and nothing else is written.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                                                size_t arraySize, size_t* retSize);

/* Smaller numbers are more urgent. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,
                                                               int32_t* greatestPriority);

ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                                    aclrtDeviceStatus* deviceStatus);

/* Devices share one memory here: every other device can be accessed, always. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,
                                                      int32_t peerDeviceId);
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* ---- Context --------------------------------------------------------------------------------- */

/* A context of its own with a default stream of its own; becomes current on this thread. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

/* Only for contexts of aclrtCreateContext; 107000 for any other handle. Waits for their work. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/* 107000 for something that is not a live context. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

/* What a NULL stream stands for. This stream must not be destroyed. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

/* active: 1 while the device's default context exists. flags: always 0. */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags,
                                                     int32_t* active);

/*
 * Settings of the process and of the current context; the context's wins. Reading one that was
 * never set: 107021. 100000 for an unknown setting.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/* ---- Stream ---------------------------------------------------------------------------------- */

/* A new in-order queue of the current context. 207008 when the device has too many. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

/*
 * priority: 0 (most urgent) to 7. flag: ACL_STREAM_* or-ed. 107000 for others. A PERSISTENT,
 * DEVICE_USE_ONLY or CPU_SCHEDULE stream executes nothing itself: submitting work to it answers
 * 207000 and synchronising it returns at once.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                         uint32_t flag);

/* Waits for the stream's work, then destroys it. 107000 for a default stream. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/* Drops the work that has not started. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/*
 * Waits for what was submitted before. Returns the status of the first task that failed since the
 * last synchronisation.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/* 107000 for a timeout of 0 or below -1; 507046 when it runs out (the work goes on). */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* Whether everything submitted is done. Does not wait. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

/*
 * Later work of the stream waits for the event's latest record; no wait when never recorded.
 * 207000 for an event whose flags lack ACL_EVENT_SYNC.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* timeout: 0 waits for ever, above 0 the stream fails with 107019 after it; below 0: 107000. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                             int32_t timeout);

ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);

/* How many streams can still be created on the current device. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

/*
 * ACL_CONTINUE_ON_FAILURE (the default) or ACL_STOP_ON_FAILURE: after a failed task all later ones
 * are dropped. 107000 for another mode.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* ---- Event ----------------------------------------------------------------------------------- */

/* For synchronisation and timing. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

/* flag: ACL_EVENT_* or-ed; 107000 for none or for unknown bits. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

/*
 * An event that may be recorded again without a reset. ACL_EVENT_EXTERNAL and ACL_EVENT_IPC go with
 * no other flag (107000).
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);

/* Never waits; work that still uses the event goes on. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/* The event completes when everything submitted to the stream before is done. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/*
 * Makes the event as if never recorded, for everything submitted from now on. Only for events made
 * by aclrtCreateEventWithFlag with ACL_EVENT_SYNC, else 207000.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* COMPLETE also when never recorded. 207000 for events of aclrtCreateEventExWithFlag. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

/* Never recorded: COMPLETE for events of aclrtCreateEventExWithFlag, NOT_READY for others. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
                                                   aclrtEventRecordedStatus* status);

/* Whether all waits submitted so far are over. 207000 as for aclrtQueryEvent. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                                       aclrtEventWaitStatus* status);

/* Waits for the latest record; returns at once when there was none. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/* 107000 for a timeout below -1; 507047 when it runs out. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/*
 * Milliseconds from one record to another. 107006 for an event without ACL_EVENT_TIME_LINE, 507000
 * for one never recorded, 507006 while a record is not reached yet.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

/* Time of the record in microseconds of a steady clock. Errors as aclrtEventElapsedTime. */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);

/* How many events can still be created. */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t* eventCount);

/* Seconds that a stream waits for an event before it fails with 107019; 0 (the default): for ever.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/* ---- Memory ---------------------------------------------------------------------------------- */

/*
 * Device memory of at least `size` bytes, aligned to 512, not initialised. 100000 for size 0 or one
 * so large that its padding overflows; 207001 when out of memory. Of the policy counts only whether
 * it is one of NORMAL_ONLY: otherwise huge pages are asked for from 4 MiB on.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void** devPtr, size_t size,
                                               aclrtMemMallocPolicy policy);
/* cfg may be NULL; its wishes are without meaning here. */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size,
                                                aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);

/*
 * Frees at once, without waiting for work that uses the memory; needs no context. NULL is an error
 * (100000). 107017 for an address that is not the start of a live allocation.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

/* Waits for the current device first. */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);

/* Pinned host memory, which asynchronous copies do not have to wait for. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void* hostPtr);

/*
 * Copies `count` bytes; the copy is complete on return and not ordered against streams: synchronise
 * first. Where a side is memory of the device, or pinned, streams that the thread has queued on do
 * first finish what they hold, up to what waits for the program, an event or another rank, but a
 * device may not.
 * Checked in this order: count 0 succeeds; NULL or a kind outside 0..5: 100000; destMax below
 * count: 107000; no context: 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                         aclrtMemcpyKind kind);

/*
 * As aclrtMemcpy, in the stream's order. With host memory that is not pinned it is complete on
 * return. 207000 for ACL_MEMCPY_HOST_TO_HOST.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src,
                                              size_t count, aclrtMemcpyKind kind,
                                              aclrtStream stream);

/* Fills `count` bytes with the low byte of value, in aclrtMemcpy's order. 107000 for count above
 * maxCount. */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value,
                                         size_t count);
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value,
                                              size_t count, aclrtStream stream);

/*
 * Copies `height` rows of `width` bytes whose starts lie `dpitch` and `spitch` bytes apart. Width
 * or height 0 succeeds; 100000 for NULL, a width above a pitch, or a kind outside 1..4.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch,
                                           size_t width, size_t height, aclrtMemcpyKind kind);
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src,
                                                size_t spitch, size_t width, size_t height,
                                                aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Free and total memory in bytes: multiples of the granularity (aclrtMemGetAllocationGranularity),
 * so that aclrtReserveMemAddress takes them as they are. 107000 for an attribute that is none.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

/* Where an address lies: on a device, in pinned host memory, or neither (UNREGISTERED). */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void* ptr,
                                                       aclrtPtrAttributes* attributes);

/* ---- Callbacks ------------------------------------------------------------------------------- */
/*
 * Two ways to run host code in a stream's order; one stream must not mix them (107011). A callback
 * must not allocate, free, synchronise or submit work.
 */

/* Runs fn(args) on a thread of the runtime; later work waits for it. 107000 for a NULL fn. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

/*
 * Says that the thread with this pthread id will run the stream's callbacks, in
 * aclrtProcessReport. 107011 when the stream has such a thread already.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/* 107015 when the stream has no thread, 107012 when it is another one. */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * Queues fn(userData) for the stream's thread. With ACL_CALLBACK_BLOCK later work of the stream
 * waits for it. In this order: 100000 for another blockType, 107000 for a NULL fn, 107015 for a
 * stream without a thread.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                                                 aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/*
 * Waits for one callback and runs it on the calling thread. 100000 for a timeout of 0 or below -1,
 * 107012 on a thread that is not subscribed, 507012 when nothing came.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/* ---- Capture and replay ---------------------------------------------------------------------- */
/*
 * Recording what is submitted to a stream, to replay it: phase two of operators, memory fills and
 * asynchronous copies, host functions. Phase one runs as ever. Addresses are frozen: tensors and
 * workspaces must stay where they are for as long as the recording is used.
 *
 * Another stream joins by waiting for an event of aclrtCreateEventExWithFlag that was recorded on a
 * captured stream, and is joined back the same way before the end. Synchronising or querying a
 * captured stream (107027), its event (107028) or the device makes the capture void.
 */

/*
 * Records from now on. A mode of GLOBAL forbids synchronous copies and fills (107030), and
 * asynchronous ones of pageable memory (107041), to all threads, THREAD_LOCAL to this one, RELAXED
 * to none. 100000 NULL stream; 207000 default stream; 107000 unknown mode; 107027 captured already.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/* *modelRI is the model to be. Either output may be NULL, not both (100000). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                    aclmdlRICaptureStatus* status,
                                                    aclmdlRI* modelRI);

/*
 * Ends the recording. 107000 NULL model; 107029 for a stream that is not captured; 107036 when the
 * capture began on another stream, 107038 on another thread (unless RELAXED). Without a model, and
 * with the capture over: 107025 when a stream was not joined back, 507903 when an illegal call made
 * the capture void.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);

/* Swaps the calling thread's mode (at first GLOBAL) with *mode. 107000 for an unknown mode. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);

/*
 * 100000 for NULL and 107000 for anything else that is not a recorded model; 107026 before its
 * capture has ended; 107037 while it runs from an earlier call.
 *
 * ExecuteAsync queues one run; the first task that fails ends it, and the next synchronisation says
 * which. Execute runs on the default stream and waits; timeout in milliseconds, -1 for ever.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif
