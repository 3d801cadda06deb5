/* made.h: makes mistakes of the harness's table (harness/trial/mistake.h): the same entries by which a run explains
 * wrong results. */
#ifndef MADE_H
#define MADE_H

#include "device/device.h"

#include "harness/trial/mistake.h"

struct maker;

/* Loads the specs. What has no formula, a device of `api` computes that is right. Null: they cannot be loaded, and
 * `message` says why. */
struct maker *maker_open(const assay_device_api *api, char *message, size_t size);
void maker_close(struct maker *maker);

/* The description for maker_make(), which the caller frees; null: the specs lack the operator. */
struct opdesc *maker_read(const struct maker *maker, const DML_OPERATOR_DESC *desc);

/* Computes an item with the mistake. False: nothing is written, since it cannot be made there. */
bool maker_make(const struct maker *maker, const struct opdesc *desc, const assay_dispatch_item *item,
                const struct mistake *mistake, int site);

#endif
