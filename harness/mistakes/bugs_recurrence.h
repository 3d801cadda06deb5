/* bugs_recurrence.h: bugs of recurrent networks. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_RECURRENCE_H
#define MISTAKES_BUGS_RECURRENCE_H

#define Q_ALL "RNN GRU LSTM"

/* clang-format off */
#define RECURRENCE_BUGS(FORMULA) \
    /* time */ \
    FORMULA(RECURRENCE_LENGTHS_IGNORED, "recurrence-lengths-ignored", "SequenceLengthsTensor is ignored", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, all),\n" \
            "choose(past(fact(0, b)), 0, value) => value") \
    FORMULA(RECURRENCE_BACK_FROM_END, "recurrence-back-from-end", "backward starts at the last step, not at the length", "optional-ignored input-as-zero condition-wrong", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(at.backward, all, length)),") \
    FORMULA(RECURRENCE_LENGTHS_BOTH_WAYS, "recurrence-lengths-both-ways", "lengths are ignored in both directions at once", "optional-ignored input-as-zero condition-wrong", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(eq(attribute \"Direction\", 2), all, length)),") \
    FORMULA(RECURRENCE_FIRST_LENGTH, "recurrence-first-length", "the length of the first sequence counts for all", "misplaced dimension-ignored zeros", Q_ALL, "", "", \
            "local length, all = fact(0, at.b) => local length, all = fact(0, at.b * 0)") \
    FORMULA(RECURRENCE_LENGTH_LESS, "recurrence-length-less", "a sequence ends one step before its length", "step-missing", Q_ALL, "", "", \
            "choose(ge(time, length), => choose(ge(time, choose(lt(length, all), length - 1, length)),") \
    FORMULA(RECURRENCE_ORDER_OF_STEPS, "recurrence-order-of-steps", "results of BACKWARD are in the order of the steps", "misplaced reversed condition-wrong step-missing step-wrong constant-wrong", Q_ALL, "", "", \
            "results_of(network, sequence, last, t + 1, steps - t, => results_of(network, sequence, last, t + 1, t + 1,") \
    FORMULA(RECURRENCE_SINGLE_FIRST, "recurrence-single-first", "OutputSingleTensor of BACKWARD is the state at the last time", "misplaced", Q_ALL, "", "", \
            "results_of(network, single, last, after, after, never) => results_of(network, single, last, after, after - steps + 1, never)") \
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
            "element(R) * element(stage_of \"v\")) => 0 * element(R) * element(stage_of \"v\"))") \
    /* gates */ \
    FORMULA(RECURRENCE_FIRST_ACTIVATIONS, "recurrence-first-activations", "the backward direction takes the activations of the forward one", "", Q_ALL, "", "", \
            "coordinate(-3) * network.activations + slot => coordinate(-3) * 0 + slot") \
    FORMULA(RECURRENCE_WEIGHTS_AHEAD, "recurrence-weights-ahead", "both directions take the weights of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "[W] = concat(0, at.k, row, i) => [W] = concat(0, at.k * 0, row, i)") \
    FORMULA(RECURRENCE_STATE_WEIGHTS_AHEAD, "recurrence-state-weights-ahead", "both directions take the weights of the state of the first one", "misplaced dimension-ignored", Q_ALL, "", "", \
            "[R] = concat(0, at.k, row, j) => [R] = concat(0, at.k * 0, row, j)") \
    FORMULA(RECURRENCE_TRANSPOSED, "recurrence-transposed", "RecurrenceTensor is transposed", "misplaced transposed", "RNN", "", "", \
            "[R] = concat(0, at.k, row, j) => [R] = concat(0, at.k, j, row)") \
    FORMULA(RECURRENCE_TRANSPOSED_GATES, "recurrence-transposed-gates", "the rows of each gate in RecurrenceTensor are transposed", "misplaced transposed", "GRU LSTM", "", "", \
            "[R] = concat(0, at.k, row, j) => [R] = concat(0, at.k, row - at.h + j, at.h)") \
    FORMULA(RECURRENCE_BIAS_LOST, "recurrence-bias-lost", "BiasTensor is ignored", "optional-ignored input-as-zero", Q_ALL, "", "", \
            "local function given(tensor, formula) => local function given(tensor, formula) if tensor == B then return 0 end") \
    FORMULA(RECURRENCE_STATE_BIAS_LOST, "recurrence-state-bias-lost", "only the first half of BiasTensor counts", "step-missing optional-ignored", "RNN LSTM", "", "", \
            "given(B, one(B, concat(0, 0, at.k, gates * hidden + row))) => given(B, 0 * one(B, concat(0, 0, at.k, gates * hidden + row)))") \
    FORMULA(RECURRENCE_BIAS_AHEAD, "recurrence-bias-ahead", "both directions take the bias of the first one", "misplaced dimension-ignored", "RNN LSTM", "", "", \
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
            "by_time(\"products\", gate) + own, => by_time(\"products\", gate),") \
    /* LSTM: gates */ \
    FORMULA(LSTM_GATE_ORDER, "lstm-gate-order", "the gates are in the order of PyTorch: i, f, c, o", "", "LSTM", "", "", \
            "with_peephole(g, 2, 2, => with_peephole(g, 1, 2,\n" \
            "clipped(g, g.now(3)) => clipped(g, g.now(2))\n" \
            "with_peephole(g, 1, 1, => with_peephole(g, 3, 1,") \
    FORMULA(LSTM_FORGET_EXCHANGED, "lstm-forget-exchanged", "i multiplies the cell, f the candidate", "", "LSTM", "", "", \
            "g.A.product(g.now(5), g.before(7)), g.A.product(g.now(4), g.now(6)) => g.A.product(g.now(4), g.before(7)), g.A.product(g.now(5), g.now(6))") \
    FORMULA(LSTM_COUPLE_IGNORED, "lstm-couple-ignored", "CoupleInputForget is ignored", "attribute-misread attribute-ignored", "LSTM", "", "", \
            "unless = couples => unless = 0 * couples") \
    FORMULA(LSTM_ALWAYS_COUPLED, "lstm-always-coupled", "CoupleInputForget counts as true", "attribute-misread attribute-ignored", "LSTM", "", "", \
            "unless = couples => unless = 1 + couples") \
    FORMULA(LSTM_CANDIDATE_BY_F, "lstm-candidate-by-f", "the candidate takes the activation of the gates", "condition-wrong step-missing", "LSTM", "", "", \
            "{ slot = 1, function(g) return clipped => { slot = 0, function(g) return clipped") \
    FORMULA(LSTM_CELL_BY_G, "lstm-cell-by-g", "the cell takes the activation of the candidate", "condition-wrong constant-wrong", "LSTM", "", "", \
            "{ slot = 2, function(g) return g.other => { slot = 1, function(g) return g.other") \
    FORMULA(LSTM_CELL_PLAIN, "lstm-cell-plain", "the state is o times the cell", "condition-wrong", "LSTM", "", "", \
            "g.A.product(g.now(8), g.now(9)) => g.A.product(g.now(8), g.now(7))") \
    /* LSTM: the cell */ \
    FORMULA(LSTM_OLD_CELL, "lstm-old-cell", "the state is made of the cell before the step", "", "LSTM", "", "", \
            "g.other and clipped(g, g.now(7)) or g.now(7) => g.before(7)") \
    FORMULA(LSTM_CELL_LOST, "lstm-cell-lost", "CellMemInitTensor is ignored", "optional-ignored input-as-zero", "LSTM", "", "", \
            "given(C0, one(C0, concat(0, at.k, at.b, at.h))) => 0") \
    FORMULA(LSTM_CELL_NOT_RESET, "lstm-cell-not-reset", "every sequence of a batch starts with the cell of the first one", "misplaced dimension-ignored", "LSTM", "", "", \
            "given(C0, one(C0, concat(0, at.k, at.b, at.h))) => given(C0, one(C0, concat(0, at.k, at.b * 0, at.h)))") \
    FORMULA(LSTM_CELL_AHEAD, "lstm-cell-ahead", "both directions start with the cell of the first one", "misplaced dimension-ignored", "LSTM", "", "", \
            "given(C0, one(C0, concat(0, at.k, at.b, at.h))) => given(C0, one(C0, concat(0, at.k * 0, at.b, at.h)))") \
    FORMULA(LSTM_CELL_AS_STATE, "lstm-cell-as-state", "OutputCellSingleTensor is the state", "", "LSTM", "", "", \
            "results_of(network, cell_single, network.cell, => results_of(network, cell_single, last,") \
    FORMULA(LSTM_CELL_FIRST, "lstm-cell-first", "OutputCellSingleTensor of BACKWARD is the cell at the last time", "misplaced", "LSTM", "", "", \
            "results_of(network, cell_single, network.cell, after, after, never) => results_of(network, cell_single, network.cell, after, after - steps + 1, never)") \
    /* LSTM: peepholes */ \
    FORMULA(LSTM_PEEPHOLE_IGNORED, "lstm-peephole-ignored", "PeepholeTensor is ignored", "optional-ignored input-as-zero", "LSTM", "", "", \
            "A.choose(present(P), A.sum => A.choose(0, A.sum") \
    FORMULA(LSTM_PEEPHOLE_OLD_CELL, "lstm-peephole-old-cell", "the peephole of o sees the cell before the step", "", "LSTM", "", "", \
            "with_peephole(g, 1, 1, g.now(7)) => with_peephole(g, 1, 1, g.before(7))") \
    FORMULA(LSTM_PEEPHOLE_ORDER, "lstm-peephole-order", "the peepholes are in the order i, f, o", "", "LSTM", "", "", \
            "with_peephole(g, 2, 2, => with_peephole(g, 2, 1,\n" \
            "with_peephole(g, 1, 1, => with_peephole(g, 1, 2,") \
    FORMULA(LSTM_PEEPHOLE_AHEAD, "lstm-peephole-ahead", "both directions take the peepholes of the first one", "misplaced dimension-ignored", "LSTM", "", "", \
            "one(tensor, concat(0, 0, at.k, row * hidden + at.h)) => one(tensor, concat(0, 0, at.k * 0, row * hidden + at.h))") \
    /* LSTM: the threshold */ \
    FORMULA(LSTM_CLIP_IGNORED, "lstm-clip-ignored", "ClipThreshold is ignored", "attribute-misread attribute-ignored", "LSTM", "", "", \
            "attribute \"ClipThreshold\", clips) => attribute \"ClipThreshold\", 0 * clips)") \
    FORMULA(LSTM_CLIP_ALWAYS, "lstm-clip-always", "ClipThreshold counts although UseClipThreshold is false", "attribute-misread attribute-ignored zeros", "LSTM", "", "", \
            "attribute \"ClipThreshold\", clips) => attribute \"ClipThreshold\", 1 + clips)") \
    FORMULA(LSTM_CLIP_ABOVE, "lstm-clip-above", "ClipThreshold is no limit below", "step-missing", "LSTM", "", "", \
            "max(-limit, min(limit, a.v)) => min(limit, a.v)") \
    FORMULA(LSTM_CLIP_CANDIDATE, "lstm-clip-candidate", "ClipThreshold is no limit for the candidate", "", "LSTM", "", "", \
            "clipped(g, g.now(3)) => g.now(3)") \
    FORMULA(LSTM_CLIP_BEFORE_PEEPHOLE, "lstm-clip-before-peephole", "sums are clipped before the peepholes are added", "", "LSTM", "", "", \
            "return clipped(g, A.choose(present(P), A.sum(sum, A.product(g.input(P, row), cell)), sum)) => sum = clipped(g, sum) return A.choose(present(P), A.sum(sum, A.product(g.input(P, row), cell)), sum)") \
    FORMULA(LSTM_CLIP_AFTER, "lstm-clip-after", "the values of the activations are clipped, not what they take", "", "LSTM", "", "", \
            "return clipped(g, A.choose(present(P), A.sum(sum, A.product(g.input(P, row), cell)), sum)) => return A.choose(present(P), A.sum(sum, A.product(g.input(P, row), cell)), sum)\n" \
            "clipped(g, g.now(3)) => g.now(3)\n" \
            "A.activated(coordinate(-3) * network.activations + slot, argument), result) => (network.cell and function(a) return A.clipped(a, attribute \"ClipThreshold\", attribute \"UseClipThreshold\") end or function(a) return a end)(A.activated(coordinate(-3) * network.activations + slot, argument)), result)") \
    FORMULA(LSTM_CLIP_CELL, "lstm-clip-cell", "ClipThreshold limits the cell that is kept", "", "LSTM", "", "", \
            "{ function(g) return g.A.sum(g.A.product(g.now(5), g.before(7)), g.A.product(g.now(4), g.now(6))) end } => { function(g) return clipped(g, g.A.sum(g.A.product(g.now(5), g.before(7)), g.A.product(g.now(4), g.now(6)))) end }")

/* clang-format on */

#endif
