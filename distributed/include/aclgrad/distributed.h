// SPDX-License-Identifier: Apache-2.0
// Training on several ranks. Link aclgrad::distributed beside aclgrad::aclgrad.
#pragma once

#include "aclgrad/distributed/collectives.h"
#include "aclgrad/distributed/communicator.h"
#include "aclgrad/distributed/data_parallel.h"
#include "aclgrad/distributed/sharded_batches.h"
#include "aclgrad/distributed/sharded_update.h"
#include "aclgrad/distributed/sync_batch_norm.h"
