import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gskn.baselines._shared._jit_vectors import Documents, NegativeSampling, train_vectors
from tests.reference import vectors as reference


@pytest.mark.reference
@given(st.integers(0, 2**20), st.integers(0, 3))
def test_training_epoch_equals_definition(seed, window):
    generator = np.random.default_rng(seed)
    n_groups, group, size = generator.integers(0, 4, 3), 4, 3
    words = generator.integers(0, 6, (n_groups.sum(), group))
    ptr = np.concatenate([[0], np.cumsum(n_groups)])
    keys = generator.integers(0, 2**63, 3, dtype=np.uint64)
    probabilities = generator.dirichlet(np.ones(6))
    vectors, contexts = generator.normal(size=(3, size)), generator.normal(size=(6, size))
    outputs = generator.normal(size=(6, size * (2 if window else 1)))
    found = [array.astype(np.float32) for array in (vectors, contexts, outputs)]
    train_vectors(
        Documents(ptr * group, words.ravel(), group, window),
        np.arange(3),
        keys,
        NegativeSampling(np.cumsum(probabilities), 4, 0.3, False),
        *found,
    )
    documents = [
        (int(key), words[first:last].tolist())
        for key, first, last in zip(keys, ptr[:-1], ptr[1:], strict=True)
    ]
    reference.train(documents, window, probabilities, 4, 0.3, vectors, contexts, outputs)
    for array, expected in zip(found, (vectors, contexts, outputs), strict=True):
        np.testing.assert_allclose(array, expected, rtol=1e-4, atol=1e-4)
