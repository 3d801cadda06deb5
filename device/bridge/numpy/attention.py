"""Attention with several heads, in float64; arrays in, arrays out. An absent tensor is None."""
import numpy as np

from assay_peer import last

NONE, LENGTH, END_START, STARTS, BOOLEAN = range(5)


def plain(x, rank):
    """Drops the leading sizes of 1 that exceed the rank."""
    return last(x.astype("f8"), rank)


def split(x, heads):
    """Turns {batch, rows, heads * width} into {batch, rows, heads, width}."""
    x = plain(x, 3)
    return x.reshape(*x.shape[:2], heads, -1)


def rows_of(q, k, v, qk, kv, qkv, heads, key_heads, width):
    """Returns queries, keys and values, {batch, rows, heads, width} each."""
    if qkv is not None:
        return np.moveaxis(plain(qkv, 5), 3, 0)
    if qk is not None:
        q, k = np.moveaxis(plain(qk, 5), 3, 0)
    else:
        q = split(q, heads)
    if kv is not None:
        k, v = np.moveaxis(plain(kv, 5), 3, 0)
        return q, k, v
    k = k if qk is not None else split(k, key_heads)
    return q, k, plain(v, 3).reshape(*k.shape[:2], key_heads, width)


def allowed(mask, kind, scores, past):
    """Tells which scores {batch, head, query, key} the mask leaves as they are; it says nothing of the past."""
    batch, count = scores.shape[0], scores.shape[3] - past
    keep = np.ones(scores.shape, bool)
    if mask is None or kind == NONE:
        return keep
    key = np.arange(count)
    if kind == BOOLEAN:
        new = mask.reshape(mask.shape[-4:]) != 0
    elif kind == END_START:
        ends, starts = mask.reshape(2, batch)
        new = ((key >= starts[:, None]) & (key < ends[:, None]))[:, None, None]
    else:
        new = (key < mask.reshape(-1)[:batch, None])[:, None, None]
    keep[..., past:] = new
    return keep


def softmax(scores):
    powers = np.exp(scores - np.fmax.reduce(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def store(output, value):
    if output is not None:
        output[...] = value.reshape(output.shape).astype(output.dtype)


def attend(inputs, outputs, heads, key_heads, Scale, MaskFilterValue, MaskType):
    q, k, v, qk, kv, qkv, bias, mask, relative, past_key, past_value = inputs
    output, present_key, present_value = outputs
    width = output.shape[-1] // heads
    q, k, v = rows_of(q, k, v, qk, kv, qkv, heads, key_heads, width)
    if bias is not None:
        columns = np.cumsum([q.shape[2] * q.shape[3], k.shape[2] * k.shape[3]])
        parts = np.split(bias.reshape(-1).astype("f8"), columns)
        q, k, v = (x + part.reshape(x.shape[2:]) for x, part in zip((q, k, v), parts))
    q, k, v = (np.moveaxis(x, 2, 1) for x in (q, k, v))  # {batch, head, row, width}
    past = 0
    if past_key is not None:
        past = past_key.shape[-2]
        k = np.concatenate((plain(past_key, 4), k), axis=2)
        v = np.concatenate((plain(past_value, 4), v), axis=2)
    store(present_key, k)
    store(present_value, v)
    k, v = (np.repeat(x, heads // key_heads, axis=1) for x in (k, v))
    scores = np.float64(Scale) * np.einsum("bnie,bnje->bnij", q, k)
    if relative is not None:
        scores = scores + plain(relative, 4)
    scores = np.where(allowed(mask, MaskType, scores, past), scores, MaskFilterValue)
    store(output, np.moveaxis(np.einsum("bnij,bnjd->bnid", softmax(scores), v), 1, 2))


def attention(*tensors, HeadCount, **attributes):
    attend(tensors[:11], tensors[11:], HeadCount, HeadCount, **attributes)


def attention1(*tensors, QueryHeadCount, KeyValueHeadCount, **attributes):
    attend(tensors[:11], tensors[12:], QueryHeadCount, KeyValueHeadCount, **attributes)


OPERATORS = {
    "MULTIHEAD_ATTENTION": attention,
    "MULTIHEAD_ATTENTION1": attention1,
}
