/* This file decides if two coordinates of a tensor share an element. They do if some difference of two coordinates has
 * the offset 0: the sum of d[i] * stride[i] is 0 for integers d[i] with |d[i]| < size[i], not all of them 0. The first
 * steps remove dimensions in which d[i] can only be 0; a search decides the rest. */
#include "harness/spec/opdesc.h"

enum { MAX_ROWS = 1 << 22 /* see opdesc_overlaps() */ };

static const int64_t max_reach = (int64_t)1 << 60; /* sums and differences of a few offsets fit into 64 bits */

/* The dimensions by ascending stride, without those of size 1. */
struct steps {
    int count;
    int64_t size[OPDESC_MAX_DIMENSIONS], stride[OPDESC_MAX_DIMENSIONS];
    int64_t reach[OPDESC_MAX_DIMENSIONS + 1]; /* highest offset of the first n dimensions, at most INT64_MAX */
    int64_t gcd[OPDESC_MAX_DIMENSIONS + 1];   /* greatest common divisor of the first n strides */
    int64_t inverse;                          /* inverse of stride[1] modulo stride[0], both divided by gcd[2] */
};

static int64_t gcd_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t modulo(int64_t a, int64_t b)
{
    return a - floor_divide(a, b) * b;
}

/* Returns the x in [0, b) with a * x = 1 modulo b, for a and b without a common divisor. */
static int64_t inverse_of(int64_t a, int64_t b)
{
    int64_t x = 1, next_x = 0, rest = a, next = b;
    while (next) {
        int64_t quotient = rest / next, swap = x - quotient * next_x;
        x = next_x;
        next_x = swap;
        swap = rest - quotient * next;
        rest = next;
        next = swap;
    }
    return modulo(x, b);
}

static void opdesc_overlap_sum_up(struct steps *s)
{
    s->reach[0] = s->gcd[0] = 0;
    for (int i = 0; i < s->count; i++) {
        int64_t span;
        if (__builtin_mul_overflow(s->size[i] - 1, s->stride[i], &span) ||
            __builtin_add_overflow(s->reach[i], span, &s->reach[i + 1]))
            s->reach[i + 1] = INT64_MAX;
        s->gcd[i + 1] = gcd_of(s->gcd[i], s->stride[i]);
    }
}

static void remove_step(struct steps *s, int at)
{
    s->count--;
    for (int i = at; i < s->count; i++) {
        s->size[i] = s->size[i + 1];
        s->stride[i] = s->stride[i + 1];
    }
}

/* Returns false if a size is 0: then there are no coordinates. */
static bool opdesc_overlap_collect(const struct opdesc_tensor *t, struct steps *s)
{
    s->count = 0;
    for (uint32_t i = 0; i < t->dims; i++) {
        int at = s->count;
        if (t->sizes[i] == 0)
            return false;
        if (t->sizes[i] == 1)
            continue;
        for (; at > 0 && s->stride[at - 1] > t->strides[i]; at--) {
            s->size[at] = s->size[at - 1];
            s->stride[at] = s->stride[at - 1];
        }
        s->size[at] = t->sizes[i];
        s->stride[at] = t->strides[i];
        s->count++;
    }
    return true;
}

/* Removes one dimension if the gcd of all other strides divides the offset of no difference in it but 0. */
static bool remove_apart(struct steps *s)
{
    for (int i = 0; i < s->count; i++) {
        int64_t others = 0;
        for (int j = 0; j < s->count; j++)
            others = j == i ? others : gcd_of(others, s->stride[j]);
        if (others / gcd_of(others, s->stride[i]) >= s->size[i]) {
            remove_step(s, i);
            return true;
        }
    }
    return false;
}

/* Returns true if x * stride[0] + y * stride[1] = target has a solution within the sizes; gcd[2] must divide the
 * target. */
static bool two_reach(const struct steps *s, int64_t target)
{
    int64_t g = s->gcd[2], a = s->stride[0] / g, b = s->stride[1] / g, most = s->size[1] - 1;
    int64_t x_reach = a * (s->size[0] - 1), low, high;
    target /= g;
    low = -floor_divide(x_reach - target, b);
    high = floor_divide(target + x_reach, b);
    low = low < -most ? -most : low;
    high = high > most ? most : high;
    int64_t y = (int64_t)((uint64_t)modulo(target, a) * (uint64_t)s->inverse % (uint64_t)a); /* modulo a */
    return low <= high && low + modulo(y - low, a) <= high;
}

/* Returns true if some differences in the first `count` dimensions, zeros allowed, have the offset `target`
 * together. */
static bool can_reach(const struct steps *s, int count, int64_t target)
{
    if (target == 0)
        return true;
    if (target > s->reach[count] || -target > s->reach[count] || target % s->gcd[count] != 0)
        return false;
    if (count == 1)
        return true;
    if (count == 2)
        return two_reach(s, target);
    int64_t stride = s->stride[count - 1], most = s->size[count - 1] - 1, reach = s->reach[count - 1];
    int64_t low = -floor_divide(reach - target, stride), high = floor_divide(target + reach, stride);
    low = low < -most ? -most : low;
    high = high > most ? most : high;
    for (int64_t d = low; d <= high; d++)
        if (can_reach(s, count - 1, target - d * stride))
            return true;
    return false;
}

/* Searches for a difference d with offset 0. A solution d has the solution -d, so that d > 0 suffices in the last
 * dimension in which d is not 0. */
static bool opdesc_overlap_search(const struct steps *s)
{
    for (int last = 1; last < s->count; last++)
        for (int64_t d = 1; d < s->size[last] && d * s->stride[last] <= s->reach[last]; d++)
            if (can_reach(s, last, -d * s->stride[last]))
                return true;
    return false;
}

bool opdesc_overlaps(const struct opdesc_tensor *t)
{
    struct steps s;
    if (!t->has_strides || !t->has_sizes || !opdesc_overlap_collect(t, &s) || s.count == 0)
        return false;
    if (s.stride[0] == 0)
        return true;
    opdesc_overlap_sum_up(&s);
    while (s.count > 0 && s.stride[s.count - 1] > s.reach[s.count - 1])
        s.count--; /* the stride exceeds all offsets of the smaller strides */
    if (s.count == 0)
        return false;
    int64_t elements = 1, largest = 1;
    for (int i = 0; i < s.count; i++) {
        largest = s.size[i] > largest ? s.size[i] : largest;
        if (__builtin_mul_overflow(elements, s.size[i], &elements))
            return true;
    }
    if (elements - 1 > s.reach[s.count] || elements / largest > MAX_ROWS || s.reach[s.count] > max_reach)
        return true;
    while (s.count > 1 && remove_apart(&s))
        ;
    if (s.count < 2)
        return false;
    opdesc_overlap_sum_up(&s);
    s.inverse = inverse_of(s.stride[1] / s.gcd[2], s.stride[0] / s.gcd[2]);
    return opdesc_overlap_search(&s);
}
