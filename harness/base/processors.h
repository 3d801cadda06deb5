/* processors.h: the number of processors that this process may use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

/* Returns the number of processors on which this process may run, or whose whole time its control group may use, if
 * these are fewer: at least 1. */
int processors(void);

#endif
