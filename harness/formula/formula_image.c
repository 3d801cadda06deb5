#include "harness/formula/formula_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- poles, jumps and bends */

static int sign_of(double a)
{
    enum { NO_SIGN = 2 };
    return isnan(a) ? NO_SIGN : (a > 0) - (a < 0);
}

/* Returns the number of poles of the tangent below `a`, from that at -pi/2 on. Next to a pole, the sign of the tangent
 * decides, since `a` is rounded. */
static int branch_of_tangent(double a, double tangent)
{
    if (!(fabs(a) < 1e9))
        return 0;
    double nearest = round(a / M_PI), rest = a - nearest * M_PI;
    return (int)nearest + (rest > 1 && tangent < 0) - (rest < -1 && tangent > 0);
}

/* Returns a number that differs on the two sides of a pole, a jump or a bend of the node's function. `value` is the
 * node's. */
static int image_side(const struct formula_node *node, const double *values, double value)
{
    double a = values[node->a], b = values[node->b]; /* if the node has them */
    switch ((enum formula_op)node->op) {
    case FORMULA_ABS:
        return a < 0;
    case FORMULA_MIN:
        return a < b;
    case FORMULA_MAX:
        return a > b;
    case FORMULA_EQ:
    case FORMULA_NE:
        return isnan(a) || isnan(b) ? sign_of((double)NAN) : (a > b) - (a < b);
    case FORMULA_LOG:
        return sign_of(a);
    case FORMULA_DIV:
        return sign_of(b);
    case FORMULA_POW:
        return b < 0 ? sign_of(a) : 0;
    case FORMULA_ATAN2:
        return b < 0 ? sign_of(a) : 0;
    case FORMULA_LOG1P:
        return sign_of(a + 1);
    case FORMULA_ATANH:
        return (a >= 1) - (a <= -1);
    case FORMULA_TAN:
        return branch_of_tangent(a, value);
    case FORMULA_LT:
    case FORMULA_LE:
    case FORMULA_AND:
    case FORMULA_OR:
    case FORMULA_NOT:
    case FORMULA_IS_NAN:
    case FORMULA_IS_INF:
        return value != 0;
    default:
        return 0;
    }
}

/* The state of making an image. The nodes before the first WITHIN have the same values at all of its places. */
struct imaging {
    const struct formula *formula;
    struct formula_reals of; /* the operands at the place that was sampled last */
    double values[FORMULA_MAX_NODES];
    int fixed; /* number of nodes before the first WITHIN */
    int samples_left;
};

/* A change of sides takes some 60 samples. A formula whose curve changes more often than about 16 times, such as a
 * tangent of which WITHIN takes many periods, may have every value. */
enum { SAMPLES_MAX = 1000 };

/* A value of the formula at one place of WITHIN. `sides` is a hash of the sides of all nodes. */
struct sample {
    double shift, value;
    uint64_t sides;
};

static double value_at(struct imaging *imaging, double shift)
{
    const struct formula *formula = imaging->formula;
    imaging->of.shift = shift;
    formula_evaluate(formula, &imaging->of, imaging->fixed, formula->count, imaging->values);
    return imaging->values[formula->count - 1];
}

static struct sample sample_at(struct imaging *imaging, double shift)
{
    const struct formula *formula = imaging->formula;
    const double *values = imaging->values, value = value_at(imaging, shift);
    uint64_t sides = 1;
    imaging->samples_left--;
    for (int i = imaging->fixed; i < formula->count; i++)
        sides = sides * 0x9e3779b97f4a7c15u + (uint64_t)(image_side(&formula->nodes[i], values, values[i]) + 2);
    return (struct sample){.shift = shift, .value = value, .sides = sides + (isnan(value) != 0)};
}

/* ---- the limits at poles, and the values where two numbers are equal */

enum crossing { CROSSES_POLE, CROSSES_EQUALITY };

/* The values of all nodes at three places: near a crossing, beyond it, and the larger absolute value of both ends. */
struct crossed {
    double near[FORMULA_MAX_NODES], beyond[FORMULA_MAX_NODES], size[FORMULA_MAX_NODES];
};

/* A number is as good as 0 if it is so small beside its size elsewhere. */
static const double TINY = 0x1p-20;

static bool vanishes(const struct crossed *at, int node)
{
    return fabs(at->near[node]) <= TINY * at->size[node];
}

/* Returns true if node `number` has a pole at the crossing. */
static bool has_pole(const struct formula_node *node, const struct crossed *at, int number)
{
    double a = at->near[node->a];
    switch ((enum formula_op)node->op) {
    case FORMULA_DIV:
        return vanishes(at, node->b) && !vanishes(at, node->a);
    case FORMULA_POW:
    case FORMULA_LOG:
        return vanishes(at, node->a);
    case FORMULA_LOG1P:
        return fabs(a + 1) <= TINY;
    case FORMULA_ATANH:
        return fabs(fabs(a) - 1) <= TINY;
    case FORMULA_TAN:
        return fabs(at->near[number]) >= 1 / TINY;
    default:
        return false;
    }
}

/* Returns the limit of a node at its pole. `values` has the values of its operands. */
static double limit_of(const struct formula_node *node, const struct crossed *at, const double *values, double value)
{
    if (node->op == FORMULA_DIV)
        return values[node->a] / copysign(0, at->near[node->b]);
    if (node->op == FORMULA_POW)
        return pow(copysign(0, at->near[node->a]), values[node->b]);
    if (isnan(value))
        return value;
    return node->op == FORMULA_LOG || node->op == FORMULA_LOG1P ? -INFINITY : copysign(INFINITY, value);
}

/* Returns the formula's value at a crossing that lies between two neighbouring places, approached from the first. */
static double image_cross(struct imaging *imaging, double from, double to, enum crossing crossing)
{
    const struct formula *formula = imaging->formula;
    struct crossed at;
    double values[FORMULA_MAX_NODES], other[FORMULA_MAX_NODES];
    const double shifts[] = {from, to, -1, 1};
    double *const places[] = {at.near, at.beyond, at.size, other};
    for (int place = 0; place < 4; place++) {
        memcpy(places[place], imaging->values, (size_t)imaging->fixed * sizeof *values);
        imaging->of.shift = shifts[place];
        formula_evaluate(formula, &imaging->of, imaging->fixed, formula->count, places[place]);
    }
    for (int i = 0; i < formula->count; i++)
        at.size[i] = fmax(fabs(at.size[i]), fabs(other[i]));
    memcpy(values, at.near, sizeof values);
    imaging->of.shift = from;
    for (int i = imaging->fixed; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        int side = image_side(node, at.near, at.near[i]), other_side = image_side(node, at.beyond, at.beyond[i]);
        bool equality = node->op == FORMULA_EQ || node->op == FORMULA_NE;
        formula_evaluate(formula, &imaging->of, i, i + 1, values);
        if (crossing == CROSSES_EQUALITY && equality && side * other_side == -1)
            values[i] = node->op == FORMULA_EQ;
        else if (crossing == CROSSES_POLE && side != other_side && has_pole(node, &at, i))
            values[i] = limit_of(node, &at, values, values[i]);
    }
    return values[formula->count - 1];
}

/* ---- the image */

/* Adds a range of values to the image; to its last piece if `join`, if it touches that, or if the image is full. */
static void add_range(struct formula_image *out, double a, double b, bool join)
{
    double low = a <= b || isnan(b) ? a : b, high = a <= b || isnan(b) ? b : a;
    if (isnan(a) != isnan(b)) { /* a NaN is a piece of its own */
        add_range(out, a, a, join);
        add_range(out, b, b, false);
        return;
    }
    int last = out->count - 1;
    if (isnan(low) && last >= 0 && isnan(out->pieces[last].low))
        return;
    bool numbers = last >= 0 && !isnan(low) && !isnan(out->pieces[last].low);
    bool touches = numbers && low <= out->pieces[last].high && high >= out->pieces[last].low;
    if (numbers && (join || touches || out->count == FORMULA_MAX_PIECES)) {
        out->pieces[last].low = fmin(out->pieces[last].low, low);
        out->pieces[last].high = fmax(out->pieces[last].high, high);
    } else if (out->count < FORMULA_MAX_PIECES) {
        out->pieces[out->count].low = low;
        out->pieces[out->count++].high = high;
    }
}

enum { HALVINGS = 60 }; /* more halvings than a double has bits */

/* Steps of at most this share of the image are no jumps. */
static const double NO_JUMP = 1e-9;

/* Adds the values at a change of sides between two neighbouring places. The values on both sides of a jump belong to
 * the image, the values between do not. `span` is the distance of the least and the greatest value seen so far. */
static void image_add_change(struct imaging *imaging, struct formula_image *out, struct sample from, struct sample to,
                             double span)
{
    double before = image_cross(imaging, from.shift, to.shift, CROSSES_POLE);
    double after = image_cross(imaging, to.shift, from.shift, CROSSES_POLE);
    double equal = image_cross(imaging, from.shift, to.shift, CROSSES_EQUALITY);
    bool pole = (!isnan(before) && before != from.value) || (!isnan(after) && after != to.value);
    bool jumps = pole || !(fabs(from.value - to.value) <= NO_JUMP * span);
    add_range(out, from.value, isnan(before) ? from.value : before, true);
    if (!isnan(equal) != !isnan(from.value) ||
        (fabs(equal - from.value) > NO_JUMP * span && fabs(equal - to.value) > NO_JUMP * span)) {
        add_range(out, equal, equal, false);
        jumps = true;
    }
    add_range(out, to.value, isnan(after) ? to.value : after, !jumps);
}

/* Adds the values from one sample to another. Where the sides of a node change between them, the function halves the
 * interval until the change lies between two neighbouring numbers. */
static void add_between(struct imaging *imaging, struct formula_image *out, struct sample from, struct sample to,
                        double span, int depth)
{
    double middle = from.shift / 2 + to.shift / 2;
    if (imaging->samples_left <= 0) {
        add_range(out, -INFINITY, INFINITY, true);
        return;
    }
    if (from.sides == to.sides) {
        add_range(out, from.value, to.value, true);
        return;
    }
    if (depth == 0 || middle <= from.shift || middle >= to.shift) {
        image_add_change(imaging, out, from, to, span);
        return;
    }
    struct sample at = sample_at(imaging, middle);
    add_between(imaging, out, from, at, span, depth - 1);
    add_between(imaging, out, at, to, span, depth - 1);
}

/* ---- the places of samples */

/* The places that are known from the functions, and those with two turns between each pair of neighbours. */
enum { SHIFTS_KNOWN = 8, SHIFTS_MAX = SHIFTS_KNOWN + 2 * (SHIFTS_KNOWN - 1) };

/* Adds the place at which WITHIN, with operand a and width b, has the value `turn`. */
static void add_turn(double shifts[SHIFTS_MAX], int *count, double a, double b, double turn)
{
    double shift = (turn - a) / b;
    if (shift > -1 && shift < 1 && *count < SHIFTS_KNOWN)
        shifts[(*count)++] = shift;
}

/* Returns true if the formula's curve may turn where no function turns: if it adds or multiplies two numbers that both
 * depend on the place, as GELU does. */
static bool may_turn(const struct formula *formula, int fixed)
{
    bool depends[FORMULA_MAX_NODES] = {false}, turns = false;
    for (int i = fixed; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int operands = formula_ops[node->op].operands;
        bool a = operands > 0 && depends[node->a], b = operands > 1 && depends[node->b];
        depends[i] = node->op == FORMULA_WITHIN || a || b || (operands > 2 && depends[node->c]);
        turns |= a && b && node->op >= FORMULA_ADD && node->op <= FORMULA_DIV;
    }
    return turns;
}

/* Returns true if the curve between two places is nearly a line, which rises or falls. */
static bool is_straight(struct imaging *imaging, double from, double to)
{
    static const double NEARLY = 0x1p-10;
    double first = value_at(imaging, from), last = value_at(imaging, to);
    double bend = value_at(imaging, from / 2 + to / 2) - (first / 2 + last / 2);
    return first != last && fabs(bend) <= NEARLY * fabs(last - first);
}

/* Returns the place between `low` and `high` at which `sign` times the formula's value is least; it has one such
 * place. */
static double turn_between(struct imaging *imaging, double low, double high, double sign)
{
    enum { THIRDS = 30 };
    for (int i = 0; i < THIRDS; i++) {
        double third = (high - low) / 3, a = low + third, b = high - third;
        bool first = sign * value_at(imaging, a) < sign * value_at(imaging, b);
        low = first ? low : a;
        high = first ? b : high;
    }
    return low;
}

/* Adds the places between two others where the formula has its least and its greatest value, unless an end has it. The
 * distances of the first places from the ends grow 16-fold, since a wide interval may turn next to its end. */
static void add_turns_between(struct imaging *imaging, double shifts[SHIFTS_MAX], int *count, double from, double to)
{
    enum { DISTANCES = 6, PLACES = 2 * DISTANCES + 2 };
    double places[PLACES], values[PLACES];
    for (int i = 0; i <= DISTANCES; i++) {
        double distance = i ? ldexp(to - from, 4 * (i - DISTANCES) - 2) : 0;
        places[i] = from + distance;
        places[PLACES - 1 - i] = to - distance;
    }
    for (int i = 0; i < PLACES; i++)
        values[i] = value_at(imaging, places[i]);
    for (int sign = -1; sign <= 1; sign += 2) {
        int best = -1;
        for (int i = 0; i < PLACES; i++)
            if (isfinite(values[i]) && (best < 0 || sign * values[i] < sign * values[best]))
                best = i;
        if (best > 0 && best < PLACES - 1)
            shifts[(*count)++] = turn_between(imaging, places[best - 1], places[best + 1], sign);
    }
}

static int image_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chooses the places of samples, in order: the ends, the middle, and the turns of functions, which samples at the ends
 * would miss. Even functions turn at 0, sine and cosine at multiples of a right angle; four of these suffice. */
static int choose_shifts(struct imaging *imaging, double a, double b, double shifts[SHIFTS_MAX])
{
    const struct formula *formula = imaging->formula;
    bool is_wave = false;
    int count = 0;
    for (int i = 0; i < formula->count; i++)
        is_wave |= formula->nodes[i].op == FORMULA_SIN || formula->nodes[i].op == FORMULA_COS;
    shifts[count++] = -1;
    shifts[count++] = 0;
    shifts[count++] = 1;
    add_turn(shifts, &count, a, b, 0);
    for (int i = 0; is_wave && i < 4; i++)
        add_turn(shifts, &count, a, b, (ceil((a - b) / M_PI_2) + i) * M_PI_2);
    qsort(shifts, (size_t)count, sizeof *shifts, image_by_size);
    if (!may_turn(formula, imaging->fixed))
        return count;
    for (int i = 0, known = count; i + 1 < known; i++)
        if (!is_straight(imaging, shifts[i], shifts[i + 1]))
            add_turns_between(imaging, shifts, &count, shifts[i], shifts[i + 1]);
    qsort(shifts, (size_t)count, sizeof *shifts, image_by_size);
    return count;
}

void formula_image(const struct formula *formula, const struct formula_reals *of, struct formula_image *out)
{
    struct imaging imaging;
    struct sample samples[SHIFTS_MAX];
    double shifts[SHIFTS_MAX], least = INFINITY, most = -INFINITY;
    int fixed = 0;
    while (fixed < formula->count && formula->nodes[fixed].op != FORMULA_WITHIN)
        fixed++;
    if (fixed == formula->count) {
        out->count = 1;
        out->pieces[0].low = out->pieces[0].high = formula_real(formula, of);
        return;
    }
    imaging.formula = formula;
    imaging.of = *of;
    imaging.fixed = fixed;
    imaging.samples_left = SAMPLES_MAX;
    formula_evaluate(formula, of, 0, fixed, imaging.values);
    const struct formula_node *within = &formula->nodes[fixed];
    int count = choose_shifts(&imaging, imaging.values[within->a], imaging.values[within->b], shifts);
    for (int i = 0; i < count; i++) {
        samples[i] = sample_at(&imaging, shifts[i]);
        least = fmin(least, samples[i].value);
        most = fmax(most, samples[i].value);
    }
    out->count = 0;
    add_range(out, samples[0].value, samples[0].value, false);
    for (int i = 0; i + 1 < count; i++)
        add_between(&imaging, out, samples[i], samples[i + 1], most - least, HALVINGS);
}

bool formula_may_hold(const struct formula *condition, const struct formula_reals *of)
{
    struct formula_image image;
    bool holds = false;
    formula_image(condition, of, &image);
    for (int i = 0; i < image.count; i++)
        holds |= image.pieces[i].low != 0 || image.pieces[i].high != 0;
    return holds;
}

/* ---- overflows */

/* Returns true if the node is infinite because a number is too large. Its operands, if it has any, are finite. */
static bool node_overflows(const struct formula_node *node, const struct formula_reals *of, const double *values)
{
    const struct formula_fold *folds = node->op == FORMULA_ELSEWHERE ? of->others : of->folds;
    switch ((enum formula_op)node->op) {
    case FORMULA_FOLD:
    case FORMULA_ELSEWHERE:
        return folds[node->field].parts[FOLD_INFINITIES] == 0;
    case FORMULA_CAST:
        return isfinite(of->attributes[node->field]);
    case FORMULA_ELEMENT:
    case FORMULA_OUTPUT:
    case FORMULA_LEAST_OF:
    case FORMULA_GREATEST_OF:
    case FORMULA_MEMBER:
    case FORMULA_ATTRIBUTE:
    case FORMULA_BIAS:
    case FORMULA_ENTRY:
    case FORMULA_NESTED:
        return of->half; /* the operand may have been rounded */
    case FORMULA_DIV:
        return values[node->b] != 0;
    case FORMULA_POW:
        return values[node->a] != 0;
    case FORMULA_LOG:
    case FORMULA_LOG1P:
    case FORMULA_ATANH:
        return false;
    default: /* a constant stands for an overflow that a condition has found */
        return true;
    }
}

bool formula_overflows(const struct formula *formula, const struct formula_reals *of)
{
    double values[FORMULA_MAX_NODES];
    bool overflows[FORMULA_MAX_NODES];
    formula_evaluate(formula, of, 0, formula->count, values);
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int operands[] = {node->a, node->b, node->c};
        int count = formula_ops[node->op].operands, infinite = 0, large = 0;
        bool chooses = node->op == FORMULA_IF;
        for (int k = chooses; k < count; k++) {
            bool takes_part = !chooses || (values[node->a] != 0) == (k == 1);
            infinite += takes_part && isinf(values[operands[k]]);
            large += takes_part && isinf(values[operands[k]]) && overflows[operands[k]];
        }
        overflows[i] = infinite > 0 ? large == infinite : node_overflows(node, of, values);
    }
    return formula->count > 0 && isinf(values[formula->count - 1]) && overflows[formula->count - 1];
}
