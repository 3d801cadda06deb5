/* sanitized.h: the share of all operators or cases for which a test repeats something under sanitizers, which take ten
 * times as long and more. They look at our code, and most of it is the same for all of them. */
#ifndef TEST_SANITIZED_H
#define TEST_SANITIZED_H

#if defined(ASSAY_SANITIZED)
enum { EACH_NTH = 5 };
#else
enum { EACH_NTH = 1 };
#endif

#endif
