/* bugs_recurrence.h: bugs of recurrent networks. A line each, as in bugs_numbers.h. */
#ifndef BUGS_RECURRENCE_H
#define BUGS_RECURRENCE_H

#define Q_ALL "RNN GRU"

/* clang-format off */
#define RECURRENCE_BUGS(FORMULA) \
    /* time */ \
    FORMULA(RECURRENCE_LENGTHS_IGNORED, "recurrence-lengths-ignored", "SequenceLengthsTensor is ignored", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, all),\n" \
            "choose(past(fact(0, b)), 0, value) => value") \
    FORMULA(RECURRENCE_BACK_FROM_END, "recurrence-back-from-end", "backward starts at the last step, not at the length", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(at.backward, all, length)),") \
    FORMULA(RECURRENCE_LENGTHS_BOTH_WAYS, "recurrence-lengths-both-ways", "lengths are ignored in both directions at once", "optional-ignored input-as-zero condition-wrong", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(eq(attribute \"Direction\", 2), all, length)),") \
    FORMULA(RECURRENCE_FIRST_LENGTH, "recurrence-first-length", "the length of the first sequence counts for all", "misplaced dimension-ignored zeros", Q_ALL, "", "", \
            "local length, all = fact(0, at.b) => local length, all = fact(0, at.b * 0)") \
    FORMULA(RECURRENCE_LENGTH_LESS, "recurrence-length-less", "a sequence ends one step before its length", "step-missing", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(lt(length, all), length - 1, length)),") \
    FORMULA(RECURRENCE_ORDER_OF_STEPS, "recurrence-order-of-steps", "results of BACKWARD are in the order of the steps", "misplaced reversed condition-wrong step-missing step-wrong constant-wrong", Q_ALL, "", "", \
            "results_of(sequence, last, t + 1, steps - t, => results_of(sequence, last, t + 1, t + 1,") \
    FORMULA(RECURRENCE_SINGLE_FIRST, "recurrence-single-first", "OutputSingleTensor of BACKWARD is the state at the last time", "misplaced", Q_ALL, "", "", \
            "results_of(single, last, after, after, never) => results_of(single, last, after, after - steps + 1, never)") \
    FORMULA(RECURRENCE_SINGLE_AT_END, "recurrence-single-at-end", "OutputSingleTensor is the last row of OutputSequenceTensor, also past the length", "zeros", Q_ALL, "", "", \
            "choose(past(fact(0, b)), 0, value) => choose(either(past(fact(0, b)), both(eq(coordinate(-4), 0), both(lt(fact(0, b), fact(1, b)), negated(is_backward)))), 0, value)") \
    FORMULA(RECURRENCE_AHEAD_ONLY, "recurrence-ahead-only", "BACKWARD reads the sequence from its begin", "attribute-misread attribute-ignored", Q_ALL, "", "", \
            "phase = coordinate(-4), backward = either(eq(attribute \"Direction\", 1), eq(coordinate(-3), 1)) } => phase = coordinate(-4), backward = eq(coordinate(-3), 1) }\n" \
            "local is_backward = either(eq(attribute \"Direction\", 1), eq(coordinate(-3), 1)) => local is_backward = eq(coordinate(-3), 1)") \
    FORMULA(RECURRENCE_AHEAD_TWICE, "recurrence-ahead-twice", "BIDIRECTIONAL reads the sequence from its begin twice", "", Q_ALL, "", "", \
            "phase = coordinate(-4), backward = either(eq(attribute \"Direction\", 1), eq(coordinate(-3), 1)) } => phase = coordinate(-4), backward = eq(attribute \"Direction\", 1) }\n" \
            "local is_backward = either(eq(attribute \"Direction\", 1), eq(coordinate(-3), 1)) => local is_backward = eq(attribute \"Direction\", 1)") \
    /* the state */ \
    FORMULA(RECURRENCE_NOT_RESET, "recurrence-not-reset", "every sequence of a batch starts with the state of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "given(H0, one(H0, concat(0, at.k, at.b, at.h))) => given(H0, one(H0, concat(0, at.k, at.b * 0, at.h)))") \
    FORMULA(RECURRENCE_INITIAL_LOST, "recurrence-initial-lost", "HiddenInitTensor is ignored", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "given(H0, one(H0, concat(0, at.k, at.b, at.h))) => 0") \
    FORMULA(RECURRENCE_INITIAL_AHEAD, "recurrence-initial-ahead", "both directions start with the state of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "given(H0, one(H0, concat(0, at.k, at.b, at.h))) => given(H0, one(H0, concat(0, at.k * 0, at.b, at.h)))") \
    FORMULA(RECURRENCE_NO_STATE, "recurrence-no-state", "the state does not take part in the next one", "input-as-zero step-missing", Q_ALL, "", "", \
            "element(R) * element \"state\") => 0 * element(R) * element \"state\")") \
    /* gates */ \
    FORMULA(RECURRENCE_FIRST_ACTIVATIONS, "recurrence-first-activations", "the backward direction takes the activations of the forward one", "", Q_ALL, "", "", \
            "coordinate(-3) * network.activations + slot => coordinate(-3) * 0 + slot") \
    FORMULA(RECURRENCE_WEIGHTS_AHEAD, "recurrence-weights-ahead", "both directions take the weights of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "[W] = concat(0, at.k, row, i) => [W] = concat(0, at.k * 0, row, i)") \
    FORMULA(RECURRENCE_STATE_WEIGHTS_AHEAD, "recurrence-state-weights-ahead", "both directions take the weights of the state of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "[R] = concat(0, at.k, row, j) => [R] = concat(0, at.k * 0, row, j)") \
    FORMULA(RECURRENCE_TRANSPOSED, "recurrence-transposed", "RecurrenceTensor is transposed", "misplaced transposed", "RNN", "", "", \
            "[R] = concat(0, at.k, row, j) => [R] = concat(0, at.k, j, row)") \
    FORMULA(RECURRENCE_BIAS_LOST, "recurrence-bias-lost", "BiasTensor is ignored", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "local function given(tensor, formula) => local function given(tensor, formula) if tensor == B then return 0 end") \
    FORMULA(RECURRENCE_STATE_BIAS_LOST, "recurrence-state-bias-lost", "only the first half of BiasTensor counts", "step-missing optional-ignored", "RNN", "", "", \
            "given(B, one(B, concat(0, 0, at.k, gates * hidden + row))) => given(B, 0 * one(B, concat(0, 0, at.k, gates * hidden + row)))") \
    FORMULA(RECURRENCE_BIAS_AHEAD, "recurrence-bias-ahead", "both directions take the bias of the first one", "misplaced dimension-ignored", "RNN", "", "", \
            "given(B, one(B, concat(0, 0, at.k, row))) => given(B, one(B, concat(0, 0, at.k * 0, row)))\n" \
            "given(B, one(B, concat(0, 0, at.k, gates * hidden + row))) => given(B, one(B, concat(0, 0, at.k * 0, gates * hidden + row)))") \
    FORMULA(RECURRENCE_LAST_INPUT, "recurrence-last-input", "the last input of several is left out", "fold-missed", Q_ALL, "", "", \
            "local dot = over { sizes = concat(inputs), => local dot = over { sizes = concat(greatest(inputs - 1, 1)),") \
    FORMULA(RECURRENCE_LAST_HIDDEN, "recurrence-last-hidden", "the last element of the state does not take part in the next one", "fold-missed dimension-ignored", Q_ALL, "", "", \
            "return over { sizes = concat(hidden), fold = \"sum\", formula, => return over { sizes = concat(greatest(hidden - 1, 1)), fold = \"sum\", formula,") \
    /* GRU */ \
    FORMULA(GRU_EXCHANGED, "gru-exchanged", "1 - z takes the place of z", "", "GRU", "", "", \
            "g.A.mixed(g.now(3), g.now(6), g.before(7)) => g.A.mixed(g.now(3), g.before(7), g.now(6))") \
    FORMULA(GRU_GATE_ORDER, "gru-gate-order", "the first gate is r, the second one z", "", "GRU", "", "", \
            "A.product(g.now(4), g.now(2)) => A.product(g.now(3), g.now(2))\n" \
            "g.A.product(g.now(4), g.before(7)) => g.A.product(g.now(3), g.before(7))\n" \
            "g.A.mixed(g.now(3), => g.A.mixed(g.now(4),") \
    FORMULA(GRU_LINEAR_IGNORED, "gru-linear-ignored", "LinearBeforeReset is ignored", "attribute-misread attribute-ignored", "GRU", "", "", \
            "A.choose(attribute \"LinearBeforeReset\", => A.choose(0 * attribute \"LinearBeforeReset\",") \
    FORMULA(GRU_ALWAYS_LINEAR, "gru-always-linear", "LinearBeforeReset counts as true", "attribute-misread attribute-ignored", "GRU", "", "", \
            "A.choose(attribute \"LinearBeforeReset\", => A.choose(1 + attribute \"LinearBeforeReset\",") \
    FORMULA(GRU_NO_RESET, "gru-no-reset", "r does not take part", "step-missing", "GRU", "", "", \
            "A.product(g.now(4), g.now(2)) => g.now(2)\n" \
            "g.A.product(g.now(4), g.before(7)) => g.before(7)") \
    FORMULA(GRU_BIAS_NOT_RESET, "gru-bias-not-reset", "with LinearBeforeReset, r does not multiply the bias", "attribute-misread", "GRU", "", "", \
            "choose(apart, own, added), => choose(apart, 0, added),\n" \
            "A.sum(g.of_input(2), A.product => A.sum(A.sum(g.of_input(2), g.input(B, 5)), A.product") \
    FORMULA(GRU_CANDIDATE_BY_F, "gru-candidate-by-f", "the candidate takes the activation of the gates", "step-missing condition-wrong", "GRU", "", "", \
            "{ slot = 1, gru_candidate } => { slot = 0, gru_candidate }") \
    FORMULA(GRU_RESET_KEPT, "gru-reset-kept", "z multiplies r times the state", "", "GRU", "", "", \
            "g.A.mixed(g.now(3), g.now(6), g.before(7)) => g.A.mixed(g.now(3), g.now(6), g.now(5))") \
    FORMULA(GRU_RESET_BIAS_LOST, "gru-reset-bias-lost", "without LinearBeforeReset, the candidate lacks the second half of the bias", "condition-wrong step-missing", "GRU", "", "", \
            "by_time(\"products\", gate) + own, => by_time(\"products\", gate),")

/* clang-format on */

#endif
