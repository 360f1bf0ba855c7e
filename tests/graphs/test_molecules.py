import gzip

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdkit import Chem

from gskn import as_batch, read_graphs
from gskn.exceptions import (
    FileFormatError,
    GsknWarning,
    InputError,
    MissingFileError,
)
from gskn.graphs._options import ATOM_FEATURES, BOND_FEATURES
from tests.reference.graphs import check_same, edge_labels_of, labels_of


def smiles_of(graph):
    """Return the SMILES of carbon atoms whose bonds are all ring closures."""
    bonds = {node: [] for node in graph}
    for number, edge in enumerate(graph.edges, start=1):
        for node in edge:
            bonds[node].append(f"%({number})")
    return ".".join("C" + "".join(bonds[node]) for node in graph)


def write_v3000(path, n_atoms, bonds):
    atoms = [f"M  V30 {n} C 0 0 0 0" for n in range(1, n_atoms + 1)]
    lines = [f"M  V30 {n} 1 {a} {b}" for n, (a, b) in enumerate(bonds, start=1)]
    path.write_text(
        "\n  x\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
        f"M  V30 COUNTS {n_atoms} {len(bonds)} 0 0 0\nM  V30 BEGIN ATOM\n"
        + "\n".join(atoms)
        + "\nM  V30 END ATOM\nM  V30 BEGIN BOND\n"
        + "\n".join(lines)
        + "\nM  V30 END BOND\nM  V30 END CTAB\nM  END\n$$$$\n"
    )


def test_chain_at_the_limit_is_read(tmp_path):
    (tmp_path / "m.smi").write_text("C" * 10_000 + " chain\n")
    batch = read_graphs(tmp_path / "m.smi")
    assert (batch.n_nodes, batch.n_edges) == (10_000, 9_999)


@pytest.mark.parametrize(
    ("smiles", "message"),
    [
        ("C1" + "C" * 100_000 + "1", "100001 atoms and 1 rings are too many"),
        ("C=C" * 50_000, "100000 atoms and 0 rings are too many"),
        ("[13CH2]" * 20_000, "20000 atoms and 0 rings are too many"),
        ("ClBr" * 6_000, "12000 atoms and 0 rings are too many"),
        ("c1ccccc1" * 20_000, "120000 atoms and 20000 rings are too many"),
        (smiles_of(nx.random_regular_graph(4, 1200, seed=0)), "1200 atoms and 2400 rings"),
        ("C12C%10C%(100)" * 400 + ".C12C%10C%(100)" * 400, "2400 atoms and 1600 rings"),
    ],
)
def test_excessive_smiles_raise(tmp_path, smiles, message):
    (tmp_path / "m.smi").write_text(f"CC\n{smiles} x\n")
    with pytest.raises(FileFormatError, match=f"line 2.*{message}") as caught:
        read_graphs(tmp_path / "m.smi")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("n_atoms", "bonds", "message"),
    [
        (20_000, [(n, n % 20_000 + 1) for n in range(1, 20_001)], "20000 atoms"),
        (5_000, [(n, m) for n in range(1, 1_001) for m in (n + 1, n + 2, n + 3)], "rings"),
        (2_000_000_000, [], "2000000000 atoms"),
    ],
)
def test_excessive_molecules_of_sd_files_raise(tmp_path, n_atoms, bonds, message):
    path = tmp_path / "m.sdf"
    write_v3000(path, min(n_atoms, 20_000), bonds)
    path.write_text(path.read_text().replace("COUNTS 20000 ", f"COUNTS {n_atoms} "))
    with pytest.raises(FileFormatError, match=f"molecule 0: .*{message}.* too many"):
        read_graphs(path)
    lines = path.read_text().replace("M  V30 COUNTS ", "M  V30 COU-\nM  V30 NTS ")
    path.write_text(lines)
    with pytest.raises(FileFormatError, match=f"molecule 0: .*{message}.* too many"):
        read_graphs(path)


def test_small_rings_of_sd_files_are_read(tmp_path):
    write_v3000(tmp_path / "m.sdf", 4, [(n, n % 4 + 1) for n in range(1, 5)])
    assert read_graphs(tmp_path / "m.sdf").n_edges == 4


@pytest.mark.parametrize(
    "content",
    [
        b"\n\n\n  2  1  0\n",
        b"\n\n\n 99 99  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n",
        (
            b"\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
            b"M  V30 COUNTS 2000000000 2000000000 0 0 0\n$$$$\n"
        ),
        b"\x00\xff\xfe\n" * 10,
    ],
)
def test_damaged_sd_files_raise_without_output(tmp_path, content, capfd):
    (tmp_path / "m.sdf").write_bytes(content)
    with pytest.raises(FileFormatError, match="RDKit cannot read molecule 0"):
        read_graphs(tmp_path / "m.sdf")
    assert capfd.readouterr() == ("", "")


def test_title_that_is_not_utf8_raises(tmp_path):
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("CC"))
    (tmp_path / "m.sdf").write_bytes(f"caf\xe9{block}$$$$\n".encode("latin-1"))
    with pytest.raises(FileFormatError, match="RDKit cannot read molecule 0: .*utf-8"):
        read_graphs(tmp_path / "m.sdf")


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c"])
def test_names_may_contain_unicode_line_breaks(tmp_path, separator):
    (tmp_path / "m.smi").write_text(f"CC a{separator}b\nCO\n", encoding="utf-8")
    assert read_graphs(tmp_path / "m.smi").graph_names.tolist() == [f"a{separator}b", "CO"]


def test_smiles_lines_may_end_in_cr(tmp_path):
    (tmp_path / "m.smi").write_bytes(b"# none\rCC a\rCO\r")
    assert read_graphs(tmp_path / "m.smi").graph_names.tolist() == ["a", "CO"]


# --- molecules as input of as_batch ------------------------------------------------------

SMILES = [
    "c1ccccc1",
    "CC(=O)[O-]",
    "C[C@H](N)C(=O)O",
    "[Na+].[Cl-]",
    "C#N",
    "OB(O)c1ccccc1",
]


def labels_by_definition(molecule, features=("type",)):
    """Return the label of every bond in both directions, from the bonds of RDKit."""
    values = {
        "type": lambda bond: str(bond.GetBondType()).lower(),
        "conjugated": lambda bond: bond.GetIsConjugated(),
    }
    labels = {}
    for bond in molecule.GetBonds():
        label = tuple(values[name](bond) for name in features)
        ends = (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        labels[ends] = labels[ends[::-1]] = label if len(features) > 1 else label[0]
    return labels


def check_bonds(graph, molecule, features=("type",)):
    entries = graph.adjacency.tocoo()
    pairs = zip(entries.row.tolist(), entries.col.tolist(), strict=True)
    labels = dict(zip(pairs, edge_labels_of(graph), strict=True))
    assert labels == labels_by_definition(molecule, features)


@pytest.mark.reference
@pytest.mark.parametrize("features", [("type",), ("type", "conjugated"), ("conjugated",)])
def test_bonds_match_their_definition(features):
    texts = [*SMILES, "N->B", "B<-N", "C~C", "C$C", "CCC1=[O+][Cu-3]2([O+]=C(CC)C1)[O+]C2"]
    texts.append("C1" + "CC=C" * 100 + "1")  # large molecules are converted bond by bond
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    for source in (texts, molecules):
        batch = as_batch(source, bond_features=features)
        for number, molecule in enumerate(molecules):
            check_bonds(batch[number], molecule, features)
            symbols = [atom.GetSymbol() for atom in molecule.GetAtoms()]
            assert labels_of(batch[number]) == symbols


def test_every_source_of_smiles_gives_the_same_batch(tmp_path):
    frame = pd.DataFrame({"SMILES": SMILES, "y": range(len(SMILES))})
    frame.to_csv(tmp_path / "m.csv", index=False)
    frame.to_csv(tmp_path / "m.csv.gz", index=False)
    frame.to_csv(tmp_path / "m.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "m.parquet")
    (tmp_path / "m.smi").write_text("\n".join(SMILES))
    (tmp_path / "m.smi.gz").write_bytes(gzip.compress("\n".join(SMILES).encode()))
    with Chem.SDWriter(str(tmp_path / "m.sdf")) as writer:
        for text in SMILES:
            writer.write(Chem.MolFromSmiles(text))
    (tmp_path / "m.sdf.gz").write_bytes(gzip.compress((tmp_path / "m.sdf").read_bytes()))
    batch = as_batch(SMILES)
    assert batch.graph_names.tolist() == SMILES
    sources = [frame, pa.Table.from_pandas(frame), frame["SMILES"], np.array(SMILES)]
    sources += [pa.array(SMILES), pa.chunked_array([SMILES]), tuple(SMILES)]
    sources += [[Chem.MolFromSmiles(text) for text in SMILES]]
    sources += sorted(tmp_path.iterdir())
    for source in sources:
        check_same(as_batch(source), batch)
    check_same(as_batch(frame.rename(columns={"SMILES": "s"}), smiles="s"), batch)
    with pytest.raises(InputError, match="no column 's' of SMILES"):
        as_batch(frame, smiles="s")


def test_tables_may_name_molecules(tmp_path):
    (tmp_path / "m.csv").write_text("id,smiles\n7,CC\n8,CO\n")
    assert read_graphs(tmp_path / "m.csv").graph_names.tolist() == ["7", "8"]
    frame = pd.DataFrame({"name": ["a"], "smiles": ["CC"]})
    assert as_batch(frame).graph_names.tolist() == ["a"]


def test_a_column_whose_name_ends_in_smiles_is_found():
    frame = pd.DataFrame({"Canonical_SMILES": ["CC", "CO"], "y": [1.0, 2.0]})
    check_same(as_batch(frame), as_batch(["CC", "CO"]))
    both = frame.assign(smiles=["C", "N"])
    check_same(as_batch(both), as_batch(["C", "N"]))
    ambiguous = frame.assign(isomeric_smiles=["C", "N"])
    with pytest.raises(InputError, match="several columns of SMILES: 'Canonical_SM"):
        as_batch(ambiguous)
    check_same(as_batch(ambiguous, smiles="isomeric_smiles"), as_batch(["C", "N"]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("structure,y\nCC(=O)O,1\nCC,2\n", "column 1 contains SMILES.*smiles='structure'"),
        ("y;mol\n1;CC(=O)O\n2;CC\n", "column 2 contains SMILES.*smiles='mol'"),
        ("CC=O,1\nC=C,2\n", "column 1 contains SMILES.*end in it$"),
        ("a_smiles,b_smiles\nCC,CO\n", "several columns of SMILES"),
    ],
)
def test_molecules_are_not_read_as_edges(tmp_path, content, message):
    path = tmp_path / "m.csv"
    path.write_text(content)
    with pytest.raises(FileFormatError, match=message):
        read_graphs(path)


@pytest.mark.parametrize(
    "content",
    ["C1,O2\nO2,C3\n", "C=O,C#N\nC=C,C=O\n", "from,to,weight\nC=O,1,2\nC=C,1,2\n"],
)
def test_nodes_with_names_like_smiles_are_read_as_edges(tmp_path, content):
    path = tmp_path / "m.csv"
    path.write_text(content)
    assert read_graphs(path).shape == (1,)
    assert read_graphs(path).n_edges == 2


def test_blanks_around_smiles_are_ignored():
    check_same(as_batch(["CC\n", " CO "], smiles=True), as_batch(["CC", "CO"]))
    assert as_batch(["CC\n", "CO\n"]).n_graphs == 2


def test_one_smiles_and_one_molecule():
    check_same(as_batch("CCO"), as_batch(Chem.MolFromSmiles("CCO")))
    assert as_batch("InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3").n_nodes == 3


def test_strings_that_are_not_smiles_are_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFileError, match="'graphs'"):
        as_batch("graphs")
    with pytest.raises(MissingFileError, match=r"'CC\.csv'"):
        as_batch("CC.csv")
    with pytest.raises(MissingFileError):
        as_batch("CC", smiles=False)
    with pytest.raises(MissingFileError, match="The path is empty"):
        as_batch("")
    (tmp_path / "CO").mkdir()
    (tmp_path / "CO" / "m.smi").write_text("CCCC\n")
    assert as_batch("CO").n_nodes == 4
    assert as_batch("CO", smiles=True).n_nodes == 2


def test_equal_molecules_with_another_order_of_atoms_have_equal_features():
    texts = ["C[C@H](N)C(=O)O", "OC(=O)[C@@H](N)C", "N[C@@H](C)C(O)=O"]
    batch = as_batch(texts, atom_features=ATOM_FEATURES, bond_features=BOND_FEATURES)
    signatures = []
    for graph in batch:
        rows = graph.adjacency.tocoo()
        ends = zip(rows.row, rows.col, edge_labels_of(graph), strict=True)
        atoms = labels_of(graph)
        signatures.append(sorted((atoms[u], bond, atoms[v]) for u, v, bond in ends))
    assert signatures[0] == signatures[1] == signatures[2]


def test_atom_features_are_joint_labels_or_columns():
    features = ("element", "charge", "aromatic", "hydrogens", "ring", "chirality")
    joint = as_batch("C[C@H]([NH3+])c1ccccc1", atom_features=features)
    labels = labels_of(joint)
    assert labels[0] == ("C", 0, False, 3, False, "none")
    assert labels[1][:5] == ("C", 0, False, 1, False)
    assert labels[1][5] in {"R", "S"}
    assert labels[2] == ("N", 1, False, 3, False, "none")
    assert labels[4] == ("C", 0, True, 1, True, "none")
    columns = as_batch(
        "C[C@H]([NH3+])c1ccccc1", atom_features=features, atom_encoding="columns"
    )
    assert labels_of(columns) == ["C", "C", "N", *"CCCCCC"]
    assert columns.node_attributes.shape == (9, 5 + 1 + 5 + 1 + 3)
    # charge -2 to 2, aromatic, hydrogens 0 to 4, ring, chirality none, R, S
    expected = [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]
    assert columns.node_attributes[2].tolist() == expected
    charges = as_batch("[Fe+3]", atom_features=["charge"], atom_encoding="columns")
    assert charges.node_attributes.tolist() == [[0, 0, 0, 0, 1]]
    assert charges.node_labels is None
    single = as_batch("CN", atom_features=["hydrogens"])
    assert labels_of(single) == [3, 2]


def test_columns_do_not_depend_on_the_molecules():
    options = {"atom_features": ("element", "charge"), "atom_encoding": "columns"}
    assert as_batch(["C", "[O-]C"], **options).n_attributes == 5
    assert as_batch(["C"], **options).n_attributes == 5
    assert as_batch(["C("], on_invalid="keep", **options).n_attributes == 5


def test_hydrogens_are_nodes_on_request():
    assert as_batch("C").n_nodes == 1
    assert as_batch("C", explicit_hydrogens=True).n_nodes == 5


@pytest.mark.parametrize(
    "options",
    [
        {"atom_features": ["mass"]},
        {"atom_features": ["element", "element"]},
        {"atom_features": "element"},
        {"atom_features": []},
        {"bond_features": ["order"]},
        {"atom_encoding": "both"},
        {"on_invalid": "drop"},
        {"smiles": 3},
        {"explicit_hydrogens": 1},
    ],
)
def test_invalid_options_raise(options):
    with pytest.raises(InputError, match=next(iter(options))):
        as_batch("CC", **options)


# --- molecules that cannot be read -------------------------------------------------------

BROKEN = ["CC", "C(", None, "", "xyz", "CO", float("nan")]


def test_invalid_molecules_raise_skip_or_stay():
    with pytest.raises(InputError, match=r"Graph 1: RDKit cannot read 'C\('.*on_invalid"):
        as_batch(BROKEN)
    with pytest.warns(GsknWarning, match=r"Skipped 5 of 7 molecules.*graph 1: .*'C\('"):
        skipped = as_batch(BROKEN, on_invalid="skip")
    assert skipped.graph_names.tolist() == ["CC", "CO"]
    kept = as_batch(BROKEN, on_invalid="keep")
    assert kept.graph_sizes.tolist() == [2, 0, 0, 0, 0, 2, 0]
    series = pd.Series(["CC", pd.NA, "CO"], dtype="string")
    assert as_batch(series, on_invalid="keep").graph_sizes.tolist() == [2, 0, 2]
    assert as_batch([None, None], smiles=True, on_invalid="keep").graph_sizes.tolist() == [
        0,
        0,
    ]
    with pytest.raises(InputError, match="Graph 1: .*its type is float"):
        as_batch(["CC", 1.5])
    molecules = [Chem.MolFromSmiles("CC"), None]
    assert as_batch(molecules, on_invalid="keep").graph_sizes.tolist() == [2, 0]


def test_invalid_molecules_of_files(tmp_path):
    (tmp_path / "m.csv").write_text("smiles,y\nCC,1\nC(,2\nCO,3\n")
    (tmp_path / "m.smi").write_text("CC\n\nC( bad\nCO\n")
    pd.DataFrame({"smiles": ["CC", None, "CO"]}).to_parquet(tmp_path / "m.parquet")
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("CC"))
    (tmp_path / "m.sdf").write_text(f"{block}$$$$\nbad\n$$$$\n{block}$$$$\n")
    for name, place in (
        ("m.csv", "m.csv, line 3"),
        ("m.smi", "m.smi, line 3"),
        ("m.parquet", "m.parquet, line 2"),
        ("m.sdf", "m.sdf.*molecule 1"),
    ):
        with pytest.raises(FileFormatError, match=place):
            read_graphs(tmp_path / name)
        with pytest.warns(GsknWarning, match=f"Skipped 1 of 3 molecules.*{place}"):
            assert as_batch(tmp_path / name, on_invalid="skip").n_graphs == 2
        kept = as_batch(tmp_path / name, on_invalid="keep")
        assert kept.graph_sizes.tolist() == [2, 0, 2]


def test_molecules_without_computed_properties_raise():
    molecule = Chem.MolFromSmiles("CC", sanitize=False)
    with pytest.raises(InputError, match="Graph 0: RDKit cannot read molecule 0"):
        as_batch([molecule], atom_features=["hydrogens"])


def test_long_smiles_are_shortened_and_large_ones_are_not_parsed():
    with pytest.raises(InputError, match="100000 atoms and 0 rings are too many") as caught:
        as_batch(["C" * 100_000])
    assert len(str(caught.value)) < 400
    with pytest.raises(InputError, match="InChI has more than"):
        as_batch(["InChI=" + "C" * 200_000])


def test_messages_of_rdkit_are_silenced_and_restored(capfd):
    assert as_batch(["C("], on_invalid="keep").n_nodes == 0
    assert capfd.readouterr().err == ""
    Chem.MolFromSmiles("C(")
    assert "C(" in capfd.readouterr().err


def test_damaged_gzip_files_raise(tmp_path):
    (tmp_path / "m.smi.gz").write_bytes(b"no gzip")
    with pytest.raises(FileFormatError, match="not gzip"):
        read_graphs(tmp_path / "m.smi.gz")
    (tmp_path / "m.smi.gz").write_bytes(gzip.compress(b"C\n" * 10**8, 9))
    with pytest.raises(FileFormatError, match="more than the limit"):
        read_graphs(tmp_path / "m.smi.gz")
