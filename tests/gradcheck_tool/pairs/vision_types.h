/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISION_TYPES_H
#define VISION_TYPES_H
typedef enum { NONE, RECTIFIED } shape_activation;
#endif
