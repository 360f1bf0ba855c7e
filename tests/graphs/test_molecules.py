import networkx as nx
import pytest
from rdkit import Chem

from gskn import read_graphs
from gskn.exceptions import FileFormatError


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
