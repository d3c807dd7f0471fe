/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What aclgrad adds to the vendor's interface. Nothing here is needed to run aclnn host code; a
 * program that wants to run on the vendor's libraries too must not depend on it (declare the
 * function weak and test its address, as aclgrad's own framework does).
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- For programs ---------------------------------------------------------------------------- */

/*
 * Number of CPU threads that operators may use, process-wide; results do not depend on it.
 * 0 restores the default (OMP_NUM_THREADS, else all cores). Library: ascendcl.
 * Returns 0, or 100000 when count is negative.
 */
ACL_FUNC_VISIBILITY aclError aclgradSetNumThreads(int32_t count);

/* The number of threads now in force, at least 1. Library: ascendcl. */
ACL_FUNC_VISIBILITY int32_t aclgradGetNumThreads(void);

/*
 * Non-zero where results must be those of every processor: ACL_OPT_DETERMINISTIC of the calling
 * thread's context, or else of the process, was set to something but 0. Products and convolutions
 * of BFLOAT16 then do without the instructions that some processors have for them; nothing else
 * depends on it. An operator asks in its phase one. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY int32_t aclgradIsDeterministic(void);

/*
 * Makes sure that the process has at least so many devices, at most 16. There is one, or as many as
 * the environment variable ACLGRAD_DEVICE_COUNT says; devices never become fewer. Library:
 * ascendcl. Returns 0, or 100000 for a count beyond 16.
 */
ACL_FUNC_VISIBILITY aclError aclgradEnsureDevices(int32_t count);

/*
 * Chooses the product whose dtype tables apply, by its full chip name ("Ascend910B1",
 * "Ascend310P3", ...) or its family ("Ascend910B", "Ascend310P", "Ascend910", "Ascend910_93",
 * "Ascend310B", "Ascend950"). NULL restores the default: the environment variable ACLGRAD_SOC, else
 * Ascend910B1.
 * Returns 0, or 100000 for a name of no known family. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY aclError aclgradSetSocName(const char* name);

/*
 * Lets the operators accept ACL_DOUBLE wherever they accept ACL_FLOAT (non-zero), or holds them to
 * the vendor's tables (0, the default); the same for the reductions of HCCL. For gradient checks
 * and for training. Library: nnopbase.
 */
ACL_FUNC_VISIBILITY void aclgradSetAcceptDouble(int32_t accept);

/* Non-zero while ACL_DOUBLE is accepted beyond the vendor's tables. Library: nnopbase. */
ACL_FUNC_VISIBILITY int32_t aclgradGetAcceptDouble(void);

/*
 * The number of the live allocation, of device or pinned host memory, that the address lies in; 0
 * when there is none. Numbers are never used twice, addresses are: so a program that keeps an
 * address can tell whether the memory is still its own, after aclrtResetDevice say. Library:
 * ascendcl.
 */
ACL_FUNC_VISIBILITY uint64_t aclgradAllocationId(const void* address);

/*
 * How many bytes of the live allocation, of device or pinned host memory, lie from the address on;
 * 0 when it lies in none. aclrtMalloc rounds sizes up, so it may be more than was asked for. Asking
 * again costs a few nanoseconds while the program makes and frees no memory. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY size_t aclgradAllocationBytes(const void* address);

/* ---- For authors of operator libraries ------------------------------------------------------- */

/*
 * Calls body(context, i) once for every i in [0, count): on the calling thread, and meanwhile on
 * as many others as aclgradSetNumThreads allows. Those belong to the process; while another thread
 * has them, inside a body, and for a while after other processes kept them from their cores, the
 * caller does all of it. The body must not throw, nor end its thread; the caller cannot be
 * cancelled meanwhile. Library: ascendcl. The floating-point environment is the default one inside
 * bodies, and tasks of streams.
 */
ACL_FUNC_VISIBILITY void aclgradParallelFor(int64_t count,
                                            void (*body)(void* context, int64_t index),
                                            void* context);

/*
 * Calls body(context, begin, end) for ranges that make up [0, units), at most one for each of the
 * threads of aclgradParallelFor: long ranges for threads that were fast lately, where cores differ
 * or are shared with others. One range may be all of it. For work that is costly to split; how it
 * is split must not change the results. The body must not throw. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY void aclgradParallelForRanges(
    int64_t units, void (*body)(void* context, int64_t begin, int64_t end), void* context);

/* Work for a stream. Returns 0, or the status that the next synchronisation shall report. */
typedef aclError (*aclgradTaskFunction)(void* argument);

/*
 * To be called by a task that is about to return such a status: words for the message that will
 * come with it. They are copied. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY void aclgradExplainFailure(const char* reason);

/*
 * Queues run(argument) on the stream (NULL: the current context's default stream), in order with
 * everything else there. release(argument), when given, is called exactly once, after the task ran
 * or was dropped, or before this function returns an error. `name` appears in messages and must
 * live as long as the program. Library: ascendcl.
 * Returns 0; 107002 without a context; 107003 for a stream of another context; 107017 for
 * something that is not a live stream; 100000 when run is NULL.
 */
ACL_FUNC_VISIBILITY aclError aclgradLaunchTask(aclrtStream stream, const char* name,
                                               aclgradTaskFunction run, void* argument,
                                               void (*release)(void* argument));

/*
 * Has the stream (NULL: the current context's default stream) begin at once with what it holds, as
 * other streams or processes wait for it: by itself it begins a few milliseconds late at worst.
 * Unlike aclrtStreamQuery it asks for nothing, so it may come in a capture, and no check takes it
 * for a synchronisation. Library: ascendcl.
 * Returns 0, or the same errors as aclgradLaunchTask.
 */
ACL_FUNC_VISIBILITY aclError aclgradWakeStream(aclrtStream stream);

/* The access footprint of a task in one operand. Unit u touches `length` bytes from address + u *
 * step on. */
typedef struct aclgradFootprint {
  const void* address;
  int64_t step; /* 0: every unit reads the same bytes */
  int64_t length;
  int32_t is_written;
} aclgradFootprint;

/*
 * A tile of a task: units [begin, end), and for i < rows those i * stride further. With a
 * `keep_cached` other than 0 the results are wanted in the caches.
 */
typedef struct aclgradTile {
  int64_t begin;
  int64_t end;
  int64_t rows;
  int64_t stride;
  int32_t keep_cached;
} aclgradTile;

/*
 * What a recorded model may do with a task besides running it.
 *
 * It may partition the task into units that are independent of each other; an operand that is
 * written may be exactly one that is read, and is listed twice then. `units` is at most 1 for a
 * task that cannot be partitioned, which still has operands: tasks of which none writes what the
 * other touches may be reordered and run at the same time. `operands` writes at most `capacity` of
 * them and returns how many there are. `run` does a tile on the calling thread and may be called on
 * several threads at once, for other tiles.
 *
 * Units may form row groups, like the segments of a matrix's rows: `row_groups` (NULL: they do not)
 * gives the number of units in each, of which every row of a tile is a part or all, and the
 * smallest number of row groups that a tile should have.
 *
 * And it may move the data of a tensor: `move` (may be NULL) adds `bytes` to every address that the
 * task has from `tensor`, and returns whether there was one.
 */
typedef struct aclgradTiling {
  int64_t (*units)(const void* argument);
  size_t (*operands)(const void* argument, aclgradFootprint* operands, size_t capacity);
  void (*row_groups)(const void* argument, int64_t* units, int64_t* min_row_groups);
  aclError (*run)(void* argument, const aclgradTile* tile);
  int32_t (*move)(void* argument, const void* tensor, intptr_t bytes);
} aclgradTiling;

/*
 * As aclgradLaunchTask, for a task that may also be run in tiles. A recorded model fuses several
 * such tasks that follow each other: each tile of memory then passes from one to the next while it
 * is in the caches. It may call the task's own run on another thread than the stream's, too,
 * which then must not end it.
 * `tiling` (may be NULL) must live as long as the program. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY aclError aclgradLaunchTiled(aclrtStream stream, const char* name,
                                                aclgradTaskFunction run, void* argument,
                                                void (*release)(void* argument),
                                                const aclgradTiling* tiling);

/*
 * Whether models recorded from now on may fuse tasks (non-zero, the default unless the
 * environment variable ACLGRAD_REPLAY_FUSION is 0), or run task after task. Results do not depend
 * on it. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY void aclgradSetReplayFusion(int32_t allow);
ACL_FUNC_VISIBILITY int32_t aclgradGetReplayFusion(void);

/*
 * The number of steps in which a recorded model runs its tasks: tasks that are fused
 * are one step, with those that are co-scheduled with them. 0 for anything that is not a recorded
 * model. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY size_t aclgradModelStepCount(aclmdlRI model);

/*
 * The number of tasks that the stream's capture has recorded so far; 0 when it is not captured. So
 * a program can tell which of its calls made the n-th task. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY size_t aclgradCapturedTaskCount(aclrtStream stream);

/*
 * The index of the task that failed in the model's latest run, which ended there; -1 when none did.
 * Library: ascendcl.
 */
ACL_FUNC_VISIBILITY int64_t aclgradFailedTask(aclmdlRI model);

/*
 * Lets the operators of a recorded model find the data of a tensor `bytes` further than until now,
 * from the model's next run on: so it can read what lies elsewhere without a copy. `tensor` (an
 * aclTensor) is one that phase one of their executors was given; others stay where they are, views
 * of the same memory too. The new place must not overlap what the model writes. Library: ascendcl.
 * Returns 0; the statuses of aclmdlRIExecute for the model; 107037 while it runs.
 */
ACL_FUNC_VISIBILITY aclError aclgradModelMoveTensor(aclmdlRI model, const void* tensor,
                                                    intptr_t bytes);

/*
 * Adds a message to what aclGetRecentErrMsg returns on this thread. `code` and `title` as in
 * "EZ1001" and "AclNN_Parameter_Error"; `cause` and `solution` may be NULL. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY void aclgradReportError(const char* code, const char* title,
                                            const char* message, const char* cause,
                                            const char* solution);

/* What a handle of the meta layer stands for. */
typedef enum aclgradHandleKind {
  ACLGRAD_HANDLE_TENSOR = 1,
  ACLGRAD_HANDLE_SCALAR = 2,
  ACLGRAD_HANDLE_INT_ARRAY = 3,
  ACLGRAD_HANDLE_FLOAT_ARRAY = 4,
  ACLGRAD_HANDLE_BOOL_ARRAY = 5,
  ACLGRAD_HANDLE_TENSOR_LIST = 6,
  ACLGRAD_HANDLE_SCALAR_LIST = 7,
  ACLGRAD_HANDLE_EXECUTOR = 8
} aclgradHandleKind;

/*
 * The table of live handles, by which a destroyed, foreign or invalid handle is known from a good
 * one without touching its memory. Add, for an object from operator new, returns 0, 200000 (out of
 * memory) or 100000 (an address that operator new does not return, or no kind); Remove returns
 * non-zero when the handle was live and of that kind (exactly one caller wins); Check returns
 * non-zero when it is. Library: nnopbase.
 */
ACL_FUNC_VISIBILITY aclError aclgradHandleAdd(const void* handle, aclgradHandleKind kind);
ACL_FUNC_VISIBILITY int32_t aclgradHandleRemove(const void* handle, aclgradHandleKind kind);
ACL_FUNC_VISIBILITY int32_t aclgradHandleCheck(const void* handle, aclgradHandleKind kind);

/*
 * Destroys a list and leaves its members alive, which aclDestroyTensorList and aclDestroyScalarList
 * do not: for tensors or scalars that several lists have, or that have another owner. NULL: 0;
 * 161002 for a handle that is not live. `list` is an aclTensorList or an aclScalarList. Library:
 * nnopbase.
 */
ACL_FUNC_VISIBILITY int32_t aclgradReleaseTensorList(const void* list);

/* ---- Diagnostics (docs/how-to/find-memory-errors.md) -------------------------------------------
 */

/* What ACLGRAD_CHECK and ACLGRAD_LOG switch on. */
typedef enum aclgradCheck {
  ACLGRAD_CHECK_HANDLES = 1,    /* what a dead handle was */
  ACLGRAD_CHECK_MEMORY = 2,     /* bounds, use after free, redzones */
  ACLGRAD_CHECK_UNINIT = 4,     /* reads of device memory that was never written */
  ACLGRAD_CHECK_LEAKS = 8,      /* what is left at aclFinalize */
  ACLGRAD_CHECK_PHASES = 16,    /* misuse between phase one and phase two */
  ACLGRAD_CHECK_STREAMS = 32,   /* accesses that nothing orders */
  ACLGRAD_CHECK_LOG = 64,       /* the call log */
  ACLGRAD_CHECK_LOG_JSON = 128, /* the same, in lines of JSON */
  ACLGRAD_CHECK_DEVICE = 256    /* what devices were seen to answer otherwise */
} aclgradCheck;

/* Those that are on, or-ed; fixed by the first call. Library: ascendcl. */
ACL_FUNC_VISIBILITY uint32_t aclgradEnabledChecks(void);

/* How many findings there were so far, repeated ones included. Library: ascendcl. */
ACL_FUNC_VISIBILITY uint64_t aclgradFindingCount(void);

/*
 * What the operator libraries tell to the diagnostics while one is on. A `kind` ("aclTensor"), an
 * operator's `name` and its `argument` must live as long as the program.
 */
typedef struct aclgradDiagnostics {
  /* The life of an object; missing reports a handle that is not a live object of the kind. */
  void (*object_made)(const void* handle, const char* kind);
  void (*object_gone)(const void* handle);
  void (*object_missing)(const void* handle, const char* kind);
  void (*object_changed)(const void* handle); /* a tensor became another one */
  void (*object_used)(const void* handle);    /* an executor has reached phase two */
  /* Tells the states of an object apart; 0 when it is not alive. */
  uint64_t (*object_version)(const void* handle);
  /* Reports a tensor, argument of the operator, that had this version in phase one, and has
   * another. */
  void (*check_version)(const char* name, const char* argument, const void* handle,
                        uint64_t version);
  /* Names the function of the C interface that the calling thread is in (NULL: none); returns the
   * one before. */
  const char* (*set_call_name)(const char* name);
  /* Numbers for the calls in the log, and a line for it. */
  uint64_t (*next_call_number)(void);
  void (*log_line)(const char* line);
  /* Reports what a device was seen to answer to a call that works here, a sentence; with the log
   * on, there too. */
  void (*device_answer)(const char* text);
} aclgradDiagnostics;

/* For the libraries themselves. Never NULL. Library: ascendcl. */
ACL_FUNC_VISIBILITY const aclgradDiagnostics* aclgradGetDiagnostics(void);

/* A view that a task touches; strides in elements, sizes of elements in bytes. */
typedef struct aclgradTaskOperand {
  const char* argument; /* of the operator; must live as long as the program */
  const void* address;  /* of its first element */
  const int64_t* shape;
  const int64_t* strides;
  size_t rank;
  size_t element_size;
  int32_t is_read;
  int32_t is_written;
  const void* tensor; /* by which aclgradTiling.move knows it; NULL for other memory */
} aclgradTaskOperand;

/*
 * As aclgradLaunchTiled, for a task whose memory shall be checked: before it runs, in every replay,
 * and against the tasks of other streams. The descriptions are copied. Library: ascendcl.
 */
ACL_FUNC_VISIBILITY aclError aclgradLaunchDescribed(aclrtStream stream, const char* name,
                                                    aclgradTaskFunction run, void* argument,
                                                    void (*release)(void* argument),
                                                    const aclgradTiling* tiling,
                                                    const aclgradTaskOperand* operands,
                                                    size_t count);

#ifdef __cplusplus
}
#endif
