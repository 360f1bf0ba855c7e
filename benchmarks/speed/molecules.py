"""Time from SMILES to graph embeddings, against RDKit alone.

Run ``python benchmarks/speed/molecules.py [--n-molecules N] [--set NAME]``. The SMILES of a
set of molecules are repeated up to N. Printed are CPU seconds per 100,000 molecules and
ratios to parsing by RDKit, all measured in one run on one thread: parsing, ECFP counts
with parsing, conversion to a batch, and embeddings by a fitted model, chunk by chunk.
Needs the extra ``rdkit``.
"""

import argparse
from collections.abc import Callable
from itertools import cycle, islice
from time import process_time

from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator

from gskn import GSKN, as_batch, datasets

CHUNK = 5_000  # molecules that are converted and embedded at once
LARGE = {"n_landmarks": 256, "walk_length": 5}


def parse(smiles: list[str]) -> None:
    for text in smiles:
        Chem.MolFromSmiles(text)


def fingerprints(smiles: list[str]) -> None:
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    for text in smiles:
        generator.GetCountFingerprintAsNumPy(Chem.MolFromSmiles(text))


def convert(smiles: list[str], **options) -> None:
    for first in range(0, len(smiles), CHUNK):
        as_batch(smiles[first : first + CHUNK], smiles=True, **options)


def embed(smiles: list[str], model: GSKN, **options) -> None:
    for first in range(0, len(smiles), CHUNK):
        batch = as_batch(smiles[first : first + CHUNK], smiles=True, **options)
        model.transform(batch)


def seconds(function: Callable, smiles: list[str], *arguments, **options) -> float:
    """Return the CPU seconds for 100,000 molecules, the minimum of three runs."""
    function(smiles[:50], *arguments, **options)  # compiles loops
    times = []
    for _ in range(3):
        start = process_time()
        function(smiles, *arguments, **options)
        times.append(process_time() - start)
    return min(times) * 1e5 / len(smiles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-molecules", type=int, default=10_000)
    parser.add_argument("--set", default="lipophilicity")
    arguments = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    names = datasets.load(arguments.set).graphs.graph_names
    smiles = list(islice(cycle(names.tolist()), arguments.n_molecules))
    atoms = {"atom_features": ("element", "charge", "aromatic", "hydrogens", "ring")}
    results = {
        "parsing by RDKit": seconds(parse, smiles),
        "ECFP counts": seconds(fingerprints, smiles),
        "batch of graphs, elements": seconds(convert, smiles),
        "batch of graphs, five atom features": seconds(convert, smiles, **atoms),
    }
    for name, parameters in (("default", {}), ("256 landmarks, 5 nodes", LARGE)):
        for kind, options in (("elements", {}), ("five atom features", atoms)):
            sample = as_batch(smiles[:CHUNK], smiles=True, **options)
            model = GSKN(random_state=0, **parameters).fit(sample)
            results[f"embeddings, {name}, {kind}"] = seconds(
                embed, smiles, model, **options
            )
    parsing = results["parsing by RDKit"]
    for name, value in results.items():
        print(f"{name:55} {value:8.1f} s  {value / parsing:6.2f} x parsing")
    ratio = results["embeddings, default, elements"] / parsing
    print(f"target: at most 3 x parsing, measured {ratio:.2f}")


if __name__ == "__main__":
    main()
