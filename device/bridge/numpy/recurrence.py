"""Recurrent networks, a sequence at a time, in float64; arrays in, arrays out. An absent tensor is None."""
import numpy as np

from activations import activate


def wide(x):
    return None if x is None else x.astype("f8")


def rows(weights, bias, gates, half):
    """Splits the weights and a half of the bias of a direction into those of each gate."""
    hidden = weights.shape[0] // gates
    parts = np.zeros(2 * weights.shape[0]) if bias is None else bias
    parts = parts.reshape(2, gates, hidden)[half]
    return [(weights[q * hidden:(q + 1) * hidden], parts[q]) for q in range(gates)]


def run(x, w, r, b, initial, lengths, sequence, single, ActivationDescs, Direction, gates, make):
    """Runs a network. `make` returns a step for a direction, from the products of gates with an input and with a state,
    and the direction's number: a function of an input and the states before it, which returns the states after it, the
    hidden one first."""
    x, w, r, b = wide(x)[0], wide(w)[0], wide(r)[0], wide(b)
    count, directions = len(ActivationDescs), 2 if Direction == 2 else 1
    if sequence is not None:
        sequence[...] = 0
    for k in range(directions):
        of_input = rows(w[k], None if b is None else b[0, 0, k], gates, 0)
        of_state = rows(r[k], None if b is None else b[0, 0, k], gates, 1)
        each = count // directions
        functions = [lambda v, a=a: activate(v, a) for a in ActivationDescs[k * each:(k + 1) * each]]
        step = make(of_input, of_state, functions, k)
        for n in range(x.shape[1]):
            length = x.shape[0] if lengths is None else min(int(lengths[0, 0, 0, n]), x.shape[0])
            states = [np.zeros(r.shape[2]) if one is None else one[0, k, n].astype("f8") for one in initial]
            times = range(length)
            for t in reversed(times) if Direction == 1 or k == 1 else times:
                states = step(x[t, n], states)
                if sequence is not None:
                    sequence[t, k, n] = states[0].astype(sequence.dtype)
            for output, state in zip(single, states):
                if output is not None:
                    output[0, k, n] = state.astype(output.dtype)


def product(gate, x):
    return gate[0] @ x + gate[1]


def rnn(x, w, r, b, hidden, lengths, sequence, single, ActivationDescCount, ActivationDescs, Direction):
    def make(of_input, of_state, functions, k):
        return lambda v, states: [functions[0](product(of_input[0], v) + product(of_state[0], states[0]))]
    run(x, w, r, b, [hidden], lengths, sequence, [single], ActivationDescs, Direction, 1, make)


def gru(x, w, r, b, hidden, lengths, sequence, single, ActivationDescCount, ActivationDescs, Direction,
        LinearBeforeReset):
    def make(of_input, of_state, functions, k):
        def step(v, states):
            y, = states
            f, g = functions
            update, reset = (f(product(of_input[q], v) + product(of_state[q], y)) for q in (0, 1))
            if LinearBeforeReset:
                by_state = reset * product(of_state[2], y)
            else:
                by_state = product(of_state[2], reset * y)
            return [(1 - update) * g(product(of_input[2], v) + by_state) + update * y]
        return step
    run(x, w, r, b, [hidden], lengths, sequence, [single], ActivationDescs, Direction, 3, make)


def lstm(x, w, r, b, hidden, cell, lengths, peepholes, sequence, single, cell_single, ActivationDescCount,
         ActivationDescs, Direction, ClipThreshold, UseClipThreshold, CoupleInputForget):
    """The threshold limits what all three activations take, as in ONNX Runtime."""
    def clipped(v):
        return np.clip(v, -ClipThreshold, ClipThreshold) if UseClipThreshold else v

    def make(of_input, of_state, functions, k):
        f, g, h = (lambda v, one=one: one(clipped(v)) for one in functions)
        by_cell = None if peepholes is None else np.split(wide(peepholes)[0, 0, k], 3)

        def step(v, states):
            y, m = states
            ingoing, outgoing, forgetting, candidate = (
                product(of_input[q], v) + product(of_state[q], y) for q in range(4))

            def opened(total, row, c):
                return f(total if by_cell is None else total + by_cell[row] * c)
            i = opened(ingoing, 0, m)
            kept = 1 - i if CoupleInputForget else opened(forgetting, 2, m)
            m = kept * m + i * g(candidate)
            return [opened(outgoing, 1, m) * h(m), m]
        return step
    run(x, w, r, b, [hidden, cell], lengths, sequence, [single, cell_single], ActivationDescs, Direction, 4, make)


OPERATORS = {
    "RNN": rnn,
    "GRU": gru,
    "LSTM": lstm,
}
