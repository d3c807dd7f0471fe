# SPDX-License-Identifier: Apache-2.0
# Public headers that lay elsewhere in version 0.1: the old paths stay for one release, as files of the build folder
# that include the new ones and say so.
set(old_headers
  accept_double=runtime/accept_double bisect=session/bisect cached_model=nn/cached_model
  checkpoint=io/checkpoint checkpointed=graph/checkpointed declaration=graph/declaration dot=graph/dot
  fetch=session/fetch file=io/file float16=tensor/float16 generate=nn/generate
  gradcheck_c=gradcheck/c gradcheck_derivative=gradcheck/derivative gradcheck_dual=gradcheck/dual
  gradcheck_functions=gradcheck/functions gradcheck_graph=gradcheck/graph gradcheck_memory=gradcheck/memory
  gradcheck_model=gradcheck/model gradcheck_numbers=gradcheck/numbers gradcheck_operator=gradcheck/operator
  gradcheck_report=gradcheck/report gradcheck_two_phase=gradcheck/two_phase handles=runtime/handles
  images=data/images init=nn/init loss_function=train/loss_function loss_scaler=optim/loss_scaler
  memory_report=session/memory_report module=nn/module named_tensors=tensor/named_tensors
  nn_attention=nn/attention nn_convolution=nn/convolution nn_images=nn/images nn_recurrent=nn/recurrent
  nn_sequences=nn/sequences npy=io/npy number_text=tensor/number_text op=graph/op per_axis=graph/per_axis
  plain_text=tensor/plain_text predict=train/predict profile=session/profile pth=io/pth ranks=train/ranks
  record=graph/record safetensors=io/safetensors schedule=optim/schedule session_cache=session/cache
  table=data/table tensor_math=tensor/math time_series=data/time_series to_float=tensor/to_float
  weight_average=optim/weight_average)
set(ACLGRAD_OLD_HEADERS ${PROJECT_BINARY_DIR}/old_headers)
foreach(pair ${old_headers})
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 old)
  list(GET pair 1 new)
  file(CONFIGURE OUTPUT ${ACLGRAD_OLD_HEADERS}/aclgrad/${old}.h CONTENT
"#pragma message(\"aclgrad/@old@.h is aclgrad/@new@.h now; this path goes with the next release\")
#include \"aclgrad/@new@.h\"
" @ONLY)
endforeach()
