"""Compare trained landmarks with unsupervised ones in the same classifier.

Ten stratified folds, the same as in `gskn evaluate`. A tenth of the training part is the
validation part, and `GSKN` is fitted to the rest. "fixed" trains a linear output on the
standardized embeddings of `GSKNLayer`; "trained" trains the landmarks, too, and starts from
the same network. Both take the epoch and the learning rate of the landmarks with the lowest
validation loss. Node labels are used, bond types are not. Printed are accuracies on test
parts in percent, and the paired difference with its standard error and p-value, which are
corrected for the overlap of the training parts.

    python benchmarks/accuracy/landmarks.py MUTAG PTC
"""

import argparse

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold, train_test_split

from gskn import GSKN, GraphBatch, datasets
from gskn.evaluation import corrected_t_test
from gskn.integrations.torch import GSKNLayer, LayerInputs

RATES = {"fixed": [0.0], "trained": [1e-3, 1e-2]}  # of landmarks
OUTPUT_RATE = 1e-2
DECAY = 1e-2  # of the weights of the output
N_FOLDS = 10


class Classifier(torch.nn.Module):
    """Embeddings, standardized as before training, and a linear output."""

    def __init__(self, model: GSKN, inputs: LayerInputs, n_classes: int) -> None:
        super().__init__()
        self.layer = GSKNLayer.from_model(model)
        with torch.no_grad():
            rows = self.layer(inputs)
        self.register_buffer("mean", rows.mean(dim=0))
        self.register_buffer("scale", rows.std(dim=0).clamp(min=1e-6))
        self.output = torch.nn.Linear(rows.shape[1], n_classes, dtype=torch.float64)
        for parameter in self.output.parameters():
            torch.nn.init.zeros_(parameter)

    def embed(self, inputs: LayerInputs) -> torch.Tensor:
        rows = (self.layer(inputs) - self.mean) / self.scale
        return rows / rows.shape[1] ** 0.5


def score_fold(graphs: GraphBatch, y: np.ndarray, parts: list, n_epochs: int) -> dict:
    """Return the test accuracy of both variants."""
    model = GSKN(n_landmarks=16, edge_features="none", random_state=0)
    model.fit(graphs[np.sort(parts[0])])
    prepare = GSKNLayer.from_model(model).prepare
    inputs = [prepare(graphs[part]) for part in parts]
    targets = [torch.from_numpy(y[part]) for part in parts]
    scores = {}
    for variant, rates in RATES.items():
        results = []
        for rate in rates:
            network = Classifier(model, inputs[0], int(y.max()) + 1)
            results.append(train(network, inputs, targets, rate, n_epochs))
        scores[variant] = min(results)[1]
    return scores


def train(
    network: Classifier, inputs: list, targets: list, rate: float, n_epochs: int
) -> tuple[float, float]:
    """Return the lowest validation loss, and the test accuracy of its epoch."""
    groups = [
        {"params": network.output.parameters(), "lr": OUTPUT_RATE, "weight_decay": DECAY},
        {"params": network.layer.parameters(), "lr": rate},
    ]
    network.layer.requires_grad_(rate > 0)
    optimizer = torch.optim.Adam(groups if rate else groups[:1])
    embed = network.embed
    if not rate:  # embeddings do not change, so compute them once
        inputs, embed = [network.embed(part) for part in inputs], lambda rows: rows
    best = (np.inf, 0.0)
    for _ in range(n_epochs):
        optimizer.zero_grad()
        outputs = network.output(embed(inputs[0]))
        loss = torch.nn.functional.cross_entropy(outputs, targets[0])
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            outputs = [network.output(embed(part)) for part in inputs[1:]]
        error = torch.nn.functional.cross_entropy(outputs[0], targets[1]).item()
        accuracy = (outputs[1].argmax(dim=1) == targets[2]).double().mean().item()
        best = min(best, (error, accuracy))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["MUTAG", "PTC"])
    parser.add_argument("--epochs", type=int, default=100)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in options.sets:
        data = datasets.load(name)
        y = np.unique(data.y, return_inverse=True)[1]
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
        folds = []
        for number, (rest, test) in enumerate(splitter.split(y, y)):
            fit, validation = train_test_split(
                rest, test_size=0.1, stratify=y[rest], random_state=number
            )
            folds.append(
                score_fold(data.graphs, y, [fit, validation, test], options.epochs)
            )
            print(name, number, folds[-1], flush=True)
        report(name, folds)


def report(name: str, folds: list[dict]) -> None:
    for variant in RATES:
        values = [100 * scores[variant] for scores in folds]
        print(f"{name}, {variant}: {np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}")
    fixed, trained = (np.array([scores[v] for scores in folds]) for v in RATES)
    gains = 100 * (trained - fixed)
    error = np.sqrt((1 / N_FOLDS + 1 / (N_FOLDS - 1)) * gains.var(ddof=1))
    p_value = corrected_t_test(trained, fixed, test_share=1 / N_FOLDS)
    print(
        f"{name}, trained - fixed: {gains.mean():+.1f}, standard error {error:.1f}, "
        f"p {p_value:.2f}"
    )


if __name__ == "__main__":
    main()
