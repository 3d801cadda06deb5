#include "device/vulkan/specialise.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The header has this function only inline. */
extern void SpvHasResultAndType(SpvOp op, bool *has_result, bool *has_type);

enum { HEADER_WORDS = 5 };

/* The analysis of an id of the module. */
struct id {
    uint32_t value;   /* value of a constant */
    uint32_t target;  /* for a block: the only target that is left of its branch; 0: all targets are */
    size_t at;        /* for a function or a block: its offset in the code */
    bool is_simple;   /* a type of 32 bits, or bool */
    bool is_known;    /* a constant of such a type, with this value; a function that always returns this value */
    bool is_given;    /* a specialization constant, whose value was given */
    bool is_kept;     /* a function that is called, or a block that is reached */
    bool is_variable; /* a variable of a function, or of its caller that passes it as a parameter */
    bool is_stored;   /* a variable to which something is stored */
    bool is_varying;  /* a variable or a parameter that has different values */
    bool is_dropped;  /* a result of an instruction that is not kept */
};

struct module {
    const uint32_t *code, *end;
    struct id *ids;
    uint32_t bools, bound; /* bools: id of the type; bound: greater than any id */
    uint32_t entry;        /* id of the entry point's function */
    bool is_wrong;         /* a known value has turned out to be varying */
};

static SpvOp op_of(const uint32_t *at)
{
    return (SpvOp)(*at & SpvOpCodeMask);
}

static uint32_t length_of(const uint32_t *at)
{
    return *at >> SpvWordCountShift;
}

static uint32_t head(SpvOp op, uint32_t length)
{
    return length << SpvWordCountShift | (uint32_t)op;
}

/* ---- constants */

/* Computes an operation on constants of 32 bits or bools. Returns false for an operation that no shader uses to switch
 * off code. */
static bool compute_operation(SpvOp op, const uint32_t *v, uint32_t *value)
{
    switch ((unsigned)op) {
    case SpvOpIEqual:
        *value = v[0] == v[1];
        break;
    case SpvOpINotEqual:
        *value = v[0] != v[1];
        break;
    case SpvOpSGreaterThan:
        *value = (int32_t)v[0] > (int32_t)v[1];
        break;
    case SpvOpUGreaterThan:
        *value = v[0] > v[1];
        break;
    case SpvOpULessThan:
        *value = v[0] < v[1];
        break;
    case SpvOpLogicalOr:
        *value = v[0] | v[1];
        break;
    case SpvOpLogicalAnd:
        *value = v[0] & v[1];
        break;
    case SpvOpLogicalNot:
        *value = !v[0];
        break;
    case SpvOpSelect:
        *value = v[0] ? v[1] : v[2];
        break;
    case SpvOpIAdd:
        *value = v[0] + v[1];
        break;
    case SpvOpISub:
        *value = v[0] - v[1];
        break;
    case SpvOpIMul:
        *value = v[0] * v[1];
        break;
    default:
        return false;
    }
    return true;
}

static void know(struct id *id, uint32_t value)
{
    id->value = value;
    id->is_known = true;
}

/* Learns the result `id` of an operation, which is known if its operands are. */
static void learn(struct module *m, uint32_t type, uint32_t id, SpvOp op, const uint32_t *operands, uint32_t count)
{
    uint32_t values[3] = {0}, value;
    if (count > 3 || !m->ids[type].is_simple || !compute_operation(op, values, &value))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!m->ids[operands[i]].is_known)
            return;
        values[i] = m->ids[operands[i]].value;
    }
    if (compute_operation(op, values, &value))
        know(&m->ids[id], value);
}

/* Reads an instruction before the functions, if it is a type, a constant, or a decoration that numbers a constant. */
static void read_constant(struct module *m, const uint32_t *at, const uint32_t *values, uint32_t count)
{
    switch ((unsigned)op_of(at)) {
    case SpvOpDecorate:
        if (at[2] == SpvDecorationSpecId && at[3] < count) {
            m->ids[at[1]].value = values[at[3]];
            m->ids[at[1]].is_given = true;
        }
        break;
    case SpvOpTypeBool:
        m->bools = at[1];
        m->ids[at[1]].is_simple = true;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        m->ids[at[1]].is_simple = at[2] == 32;
        break;
    case SpvOpConstantTrue:
        know(&m->ids[at[2]], 1);
        break;
    case SpvOpConstantFalse:
        know(&m->ids[at[2]], 0);
        break;
    case SpvOpConstant:
        if (m->ids[at[1]].is_simple)
            know(&m->ids[at[2]], at[3]);
        break;
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        if (m->ids[at[2]].is_given)
            know(&m->ids[at[2]], m->ids[at[2]].value != 0);
        break;
    case SpvOpSpecConstant:
        m->ids[at[2]].is_given &= m->ids[at[1]].is_simple;
        if (m->ids[at[2]].is_given)
            know(&m->ids[at[2]], m->ids[at[2]].value);
        break;
    case SpvOpSpecConstantOp:
        learn(m, at[1], at[2], (SpvOp)at[3], at + 4, length_of(at) - 4);
        break;
    default:
        break;
    }
}

/* Reads all instructions before the functions. Returns the first function. */
static const uint32_t *read_constants(struct module *m, const uint32_t *values, uint32_t count)
{
    const uint32_t *at = m->code + HEADER_WORDS;
    for (; at < m->end && op_of(at) != SpvOpFunction; at += length_of(at)) {
        read_constant(m, at, values, count);
        if (op_of(at) == SpvOpEntryPoint)
            m->entry = at[2];
    }
    return at;
}

static void find_functions(struct module *m, const uint32_t *functions)
{
    for (const uint32_t *at = functions; at < m->end; at += length_of(at)) {
        if (op_of(at) == SpvOpFunction)
            m->ids[at[2]].at = (size_t)(at - m->code);
        else if (op_of(at) == SpvOpLabel)
            m->ids[at[1]].at = (size_t)(at - m->code);
    }
}

/* ---- functions and blocks */

static bool keep_id(struct module *m, uint32_t id)
{
    bool is_new = !m->ids[id].is_kept;
    m->ids[id].is_kept = true;
    return is_new;
}

/* Returns the target of an OpSwitch for a value. */
static uint32_t target_of(const uint32_t *at, uint32_t value)
{
    for (uint32_t i = 3; i + 1 < length_of(at); i += 2)
        if (at[i] == value)
            return at[i + 1];
    return at[2];
}

/* Tells whether a constant decides about an OpBranchConditional between two ways that meet again. Branches that end a
 * loop are never decided: a loop needs its blocks, even if it never takes them. */
static bool is_decided(const struct module *m, const uint32_t *branch, const uint32_t *before)
{
    return op_of(branch) == SpvOpBranchConditional && op_of(before) == SpvOpSelectionMerge &&
           m->ids[branch[1]].is_known;
}

/* Keeps the blocks to which the last instruction of a kept block goes. */
static bool keep_targets(struct module *m, struct id *block, const uint32_t *at, const uint32_t *before)
{
    bool is_new = false;
    switch ((unsigned)op_of(at)) {
    case SpvOpBranch:
        return keep_id(m, at[1]);
    case SpvOpBranchConditional:
        if (is_decided(m, at, before)) {
            block->target = m->ids[at[1]].value ? at[2] : at[3];
            return keep_id(m, block->target);
        }
        is_new = keep_id(m, at[2]);
        return keep_id(m, at[3]) || is_new;
    case SpvOpSwitch:
        if (m->ids[at[1]].is_known) {
            block->target = target_of(at, m->ids[at[1]].value);
            return keep_id(m, block->target);
        }
        is_new = keep_id(m, at[2]);
        for (uint32_t i = 4; i < length_of(at); i += 2)
            is_new = keep_id(m, at[i]) || is_new;
        return is_new;
    default:
        return false;
    }
}

/* Tells whether control may still go from one block to another. */
static bool goes_to(const struct id *from, uint32_t block)
{
    return from->is_kept && (!from->target || from->target == block);
}

/* Learns the result of an OpPhi: it is known if the value is the same from every predecessor, and no loop comes
 * back. */
static void learn_phi(struct module *m, const uint32_t *at, uint32_t block)
{
    const struct id *value = NULL;
    for (uint32_t i = 3; i + 1 < length_of(at); i += 2) {
        const struct id *id = &m->ids[at[i]], *from = &m->ids[at[i + 1]];
        if (from->at == 0 || from->at >= m->ids[block].at)
            return;
        if (!goes_to(from, block))
            continue;
        if (!id->is_known || (value && value->value != id->value))
            return;
        value = id;
    }
    if (value && m->ids[at[1]].is_simple)
        know(&m->ids[at[2]], value->value);
}

/* Gives a parameter or a variable a value; null: an unknown value. If a second, different value comes later, it is
 * varying, and all conclusions from the first value are wrong. */
static void give_value(struct module *m, struct id *id, const struct id *value, bool is_first)
{
    bool is_known = value && value->is_known;
    if (id->is_varying || (id->is_known && is_known && id->value == value->value))
        return;
    if (is_first && is_known && !id->is_known) {
        know(id, value->value);
        return;
    }
    m->is_wrong |= id->is_known;
    id->is_known = false;
    id->is_varying = true;
}

static void store_variable(struct module *m, uint32_t variable, const struct id *value)
{
    struct id *id = &m->ids[variable];
    if (id->is_variable)
        give_value(m, id, value, !id->is_stored);
    id->is_stored = true;
}

/* Reads a variable. A variable that is read before it has a value is varying, so that later values do not make earlier
 * conclusions wrong. */
static void load_variable(struct module *m, uint32_t variable, struct id *result)
{
    struct id *id = &m->ids[variable];
    if (!id->is_variable)
        return;
    if (id->is_known)
        know(result, id->value);
    else
        give_value(m, id, NULL, false);
}

static void walk(struct module *m, uint32_t function);

/* Handles a call: it keeps a function and passes values, or variables with their values, to its parameters. */
static void call(struct module *m, const uint32_t *at)
{
    struct id *function = &m->ids[at[3]];
    const uint32_t *first = m->code + function->at, *parameter = first;
    for (uint32_t i = 4; i < length_of(at); i++) {
        parameter += length_of(parameter);
        give_value(m, &m->ids[parameter[2]], &m->ids[at[i]], !function->is_kept);
        m->ids[parameter[2]].is_variable = m->ids[at[i]].is_variable;
    }
    if (keep_id(m, at[3]))
        walk(m, at[3]);
    parameter = first;
    for (uint32_t i = 4; i < length_of(at); i++) {
        parameter += length_of(parameter);
        if (m->ids[parameter[2]].is_stored)
            store_variable(m, at[i], NULL);
    }
    if (function->is_known)
        know(&m->ids[at[2]], function->value);
}

/* Handles an instruction of a kept block: it may need other blocks and functions, or have a known result. */
static bool keep_needs(struct module *m, uint32_t block, const uint32_t *at, const uint32_t *before)
{
    bool is_new = false;
    switch ((unsigned)op_of(at)) {
    case SpvOpFunctionCall:
        call(m, at);
        return false;
    case SpvOpSelectionMerge:
        return !is_decided(m, at + length_of(at), at) && keep_id(m, at[1]);
    case SpvOpLoopMerge:
        is_new = keep_id(m, at[1]);
        return keep_id(m, at[2]) || is_new;
    case SpvOpPhi:
        learn_phi(m, at, block);
        return false;
    case SpvOpVariable:
        m->ids[at[2]].is_variable = length_of(at) == 4;
        return false;
    case SpvOpStore:
        store_variable(m, at[1], &m->ids[at[2]]);
        return false;
    case SpvOpLoad:
        load_variable(m, at[3], &m->ids[at[2]]);
        return false;
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return keep_targets(m, &m->ids[block], at, before);
    default:
        if (length_of(at) > 3)
            learn(m, at[1], at[2], op_of(at), at + 3, length_of(at) - 3);
        for (uint32_t i = 3; i < length_of(at); i++) /* the instruction may store to its operands, except literals */
            if (at[i] < m->bound)
                store_variable(m, at[i], NULL);
        return false;
    }
}

/* Learns the result of a function: it is known if all of its kept returns have the same known value. */
static void learn_result(struct module *m, uint32_t function)
{
    const struct id *result = NULL;
    uint32_t block = 0;
    for (const uint32_t *at = m->code + m->ids[function].at; op_of(at) != SpvOpFunctionEnd; at += length_of(at)) {
        if (op_of(at) == SpvOpLabel)
            block = at[1];
        if (op_of(at) != SpvOpReturnValue || !m->ids[block].is_kept)
            continue;
        const struct id *id = &m->ids[at[1]];
        if (!id->is_known || (result && result->value != id->value))
            return;
        result = id;
    }
    if (result)
        know(&m->ids[function], result->value);
}

/* Goes through a function, and through those that it calls, until it keeps nothing more. */
static void walk(struct module *m, uint32_t function)
{
    for (bool is_new = true; is_new;) {
        const uint32_t *before = NULL;
        uint32_t block = 0;
        is_new = false;
        for (const uint32_t *at = m->code + m->ids[function].at; op_of(at) != SpvOpFunctionEnd;
             before = at, at += length_of(at)) {
            if (op_of(at) == SpvOpLabel && !block) /* the first block of the function */
                is_new |= keep_id(m, at[1]);
            if (op_of(at) == SpvOpLabel)
                block = at[1];
            else if (block && m->ids[block].is_kept)
                is_new |= keep_needs(m, block, at, before);
        }
    }
    learn_result(m, function);
}

/* Forgets everything, except which parameters and variables are varying. */
static void forget(struct module *m)
{
    for (uint32_t i = 0; i < m->bound; i++)
        m->ids[i] = (struct id){.is_varying = m->ids[i].is_varying};
    m->is_wrong = false;
}

/* ---- output */

/* The function and the block of an instruction. They are kept or left out. */
struct place {
    uint32_t function, block; /* 0: between functions; before the first block */
    bool is_kept;
};

/* Moves a place on to the next instruction. */
static void move_place(const struct module *m, struct place *place, const uint32_t *at)
{
    if (op_of(at) == SpvOpFunction)
        *place = (struct place){at[2], 0, m->ids[at[2]].is_kept};
    else if (op_of(at) == SpvOpLabel)
        *place = (struct place){place->function, at[1], m->ids[at[1]].is_kept};
    else if (op_of(at) == SpvOpFunctionEnd)
        *place = (struct place){place->function, 0, m->ids[place->function].is_kept};
}

static uint32_t *copy_instruction(uint32_t *out, const uint32_t *at)
{
    memcpy(out, at, length_of(at) * sizeof *at);
    return out + length_of(at);
}

/* Copies an OpPhi without the values of predecessors that no longer reach it. */
static uint32_t *copy_phi(const struct module *m, uint32_t *out, const uint32_t *at, uint32_t block)
{
    uint32_t count = 3;
    memcpy(out, at, count * sizeof *at);
    for (uint32_t i = 3; i + 1 < length_of(at); i += 2) {
        if (goes_to(&m->ids[at[i + 1]], block)) {
            out[count++] = at[i];
            out[count++] = at[i + 1];
        }
    }
    out[0] = head(SpvOpPhi, count);
    return out + count;
}

/* Writes an instruction of a kept block. */
static uint32_t *write_code(const struct module *m, uint32_t *out, const uint32_t *at, uint32_t block)
{
    const uint32_t target = m->ids[block].target;
    switch ((unsigned)op_of(at)) {
    case SpvOpPhi:
        return copy_phi(m, out, at, block);
    case SpvOpSelectionMerge:
        return is_decided(m, at + length_of(at), at) ? out : copy_instruction(out, at);
    case SpvOpBranchConditional:
        if (!target)
            return copy_instruction(out, at);
        *out++ = head(SpvOpBranch, 2);
        *out++ = target;
        return out;
    case SpvOpSwitch: /* remains a switch: a branch that leaves it need not be at the end of a case */
        if (!target)
            return copy_instruction(out, at);
        *out++ = head(SpvOpSwitch, 3);
        *out++ = at[1];
        *out++ = target;
        return out;
    default:
        return copy_instruction(out, at);
    }
}

/* Writes an instruction before the functions. */
static uint32_t *write_constant(const struct module *m, uint32_t *out, const uint32_t *at)
{
    switch ((unsigned)op_of(at)) {
    case SpvOpName:
    case SpvOpMemberName:
        return out;
    case SpvOpDecorate:
        return m->ids[at[1]].is_dropped || (at[2] == SpvDecorationSpecId && m->ids[at[1]].is_given)
                   ? out
                   : copy_instruction(out, at);
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp: {
        const struct id *id = &m->ids[at[2]];
        if (!id->is_known)
            return copy_instruction(out, at);
        bool is_bool = at[1] == m->bools;
        SpvOp of_bool = id->value ? SpvOpConstantTrue : SpvOpConstantFalse;
        *out++ = is_bool ? head(of_bool, 3) : head(SpvOpConstant, 4);
        *out++ = at[1];
        *out++ = at[2];
        if (!is_bool)
            *out++ = id->value;
        return out;
    }
    default:
        return copy_instruction(out, at);
    }
}

static void drop_results(struct module *m, const uint32_t *functions)
{
    struct place place = {0};
    for (const uint32_t *at = functions; at < m->end; at += length_of(at)) {
        bool has_result, has_type;
        move_place(m, &place, at);
        SpvHasResultAndType(op_of(at), &has_result, &has_type);
        if (has_result && !place.is_kept)
            m->ids[at[has_type ? 2 : 1]].is_dropped = true;
    }
}

static size_t write_module(const struct module *m, const uint32_t *functions, uint32_t *out)
{
    const uint32_t *begin = out;
    struct place place = {0};
    memcpy(out, m->code, HEADER_WORDS * sizeof *out);
    out += HEADER_WORDS;
    for (const uint32_t *at = m->code + HEADER_WORDS; at < functions; at += length_of(at))
        out = write_constant(m, out, at);
    for (const uint32_t *at = functions; at < m->end; at += length_of(at)) {
        move_place(m, &place, at);
        if (place.is_kept)
            out = write_code(m, out, at, place.block);
    }
    return (size_t)(out - begin);
}

size_t specialise(const uint32_t *code, size_t words, const uint32_t *values, uint32_t count, uint32_t *out)
{
    enum { BOUND = 3 };
    struct module m = {.code = code, .end = code + words, .bound = code[BOUND]};
    const uint32_t *functions;
    m.ids = calloc(m.bound, sizeof *m.ids);
    if (!m.ids)
        return 0;
    do {
        forget(&m);
        functions = read_constants(&m, values, count);
        find_functions(&m, functions);
        keep_id(&m, m.entry);
        walk(&m, m.entry);
    } while (m.is_wrong);
    drop_results(&m, functions);
    words = write_module(&m, functions, out);
    free(m.ids);
    return words;
}
