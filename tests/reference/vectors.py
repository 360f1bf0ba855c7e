"""One training epoch of paragraph vectors, word by word."""

import numpy as np

MASK = 2**64 - 1


def mix(bits):
    """Return a hash of 64 bits."""
    bits ^= bits >> 30
    bits = bits * 0xBF58476D1CE4E5B9 & MASK
    bits ^= bits >> 27
    bits = bits * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def draw(probabilities, bits):
    """Return a random word and the next state of the stream."""
    bits = mix(bits + 0x9E3779B97F4A7C15 & MASK)
    target = (bits >> 11) / 2**53 * np.cumsum(probabilities)[-1]
    return int((np.cumsum(probabilities) <= target).sum()), bits


def train(documents, window, probabilities, n_negatives, rate, vectors, contexts, outputs):
    """Update all vectors; a document is a key and groups of words that share a context."""
    for (key, groups), vector in zip(documents, vectors, strict=True):
        bits = mix(key)
        for group in groups:
            for position, word in enumerate(group):
                context = [group[(position + 1 + n) % len(group)] for n in range(window)]
                mean = contexts[context].mean(axis=0) if context else np.empty(0)
                hidden = np.concatenate([vector, mean])
                gradient = np.zeros_like(hidden)
                answers = [(word, 1.0)]
                for _ in range(n_negatives):
                    other, bits = draw(probabilities, bits)
                    answers += [(other, 0.0)] * (other != word)
                for answer, target in answers:
                    error = target - 1 / (1 + np.exp(-outputs[answer] @ hidden))
                    gradient += rate * error * outputs[answer]
                    outputs[answer] += rate * error * hidden
                vector[:] += gradient[: len(vector)]
                for other in context:
                    contexts[other] += gradient[len(vector) :] / window
