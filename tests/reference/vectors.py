"""One pass of paragraph vectors, word by word, as `gskn.baselines._shared._jit_vectors` does it."""

import numpy as np

MASK = 2**64 - 1


def mix(bits):
    """Scramble 64 bits."""
    bits ^= bits >> 30
    bits = bits * 0xBF58476D1CE4E5B9 & MASK
    bits ^= bits >> 27
    bits = bits * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def draw(chances, bits):
    """Return a word by its chance, and the next state of the stream."""
    bits = mix(bits + 0x9E3779B97F4A7C15 & MASK)
    wanted = (bits >> 11) / 2**53 * np.cumsum(chances)[-1]
    return int((np.cumsum(chances) <= wanted).sum()), bits


def train(documents, window, chances, n_negatives, rate, vectors, contexts, outputs):
    """Move all vectors; a document is a key and groups of words that stand together."""
    for (key, groups), vector in zip(documents, vectors, strict=True):
        bits = mix(key)
        for group in groups:
            for place, word in enumerate(group):
                around = [group[(place + 1 + n) % len(group)] for n in range(window)]
                mean = contexts[around].mean(axis=0) if around else np.empty(0)
                hidden = np.concatenate([vector, mean])
                slope = np.zeros_like(hidden)
                answers = [(word, 1.0)]
                for _ in range(n_negatives):
                    other, bits = draw(chances, bits)
                    answers += [(other, 0.0)] * (other != word)
                for answer, truth in answers:
                    error = truth - 1 / (1 + np.exp(-outputs[answer] @ hidden))
                    slope += rate * error * outputs[answer]
                    outputs[answer] += rate * error * hidden
                vector[:] += slope[: len(vector)]
                for other in around:
                    contexts[other] += slope[len(vector) :] / window
