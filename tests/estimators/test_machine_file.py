"""Files of classifiers and regressors; `test_persist` covers the part of the embedding."""

import json
import pickle

import numpy as np
import pytest

from gskn import GSKN, GSKNClassifier, GSKNRegressor, datasets
from gskn.exceptions import FileFormatError, InputError

GRAPHS = datasets.structure(n_per_class=6).graphs
Y = datasets.structure(n_per_class=6).y
EMBEDDING = GSKN(("walk", "anonymous"), n_landmarks=5, anonymous_length=4)


def classifier(**options):
    return GSKNClassifier(EMBEDDING, random_state=0, **options)


def regressor(**options):
    return GSKNRegressor(EMBEDDING, random_state=0, **options)


def output(model, graphs=GRAPHS):
    if isinstance(model, GSKNRegressor):
        return model.predict(graphs)
    return np.column_stack([model.decision_function(graphs), model.predict_proba(graphs)])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("make", [classifier, regressor])
def test_predictions_after_loading_are_bit_equal(make, kernel, tmp_path):
    for y in (Y, (Y > 1).astype(int)):
        model = make(kernel=kernel).fit(GRAPHS, y)
        model.save(tmp_path / "model.gskn")
        loaded = type(model).load(tmp_path / "model.gskn")
        np.testing.assert_array_equal(output(loaded), output(model))
        np.testing.assert_array_equal(loaded.predict(GRAPHS), model.predict(GRAPHS))
        assert loaded.selected_ == model.selected_
        assert loaded.kernel_ == model.kernel_
        assert repr(loaded.get_params()) == repr(model.get_params())
        loaded.save(tmp_path / "again.gskn")
        again = type(model).load(tmp_path / "again.gskn")
        np.testing.assert_array_equal(output(again), output(model))


def test_fitted_values_and_parameters_are_restored(tmp_path):
    model = GSKNClassifier(
        C=np.array([1.0, 10.0]), cv=2, class_weight="balanced", random_state=0
    )
    model.fit(GRAPHS, Y).save(tmp_path / "model.gskn")
    loaded = GSKNClassifier.load(tmp_path / "model.gskn")
    assert loaded.C == [1.0, 10.0]
    assert loaded.C_ == model.C_
    assert loaded.embedding is None
    assert loaded.class_weight == "balanced"
    assert len(loaded.selected_.to_frame()) == len(model.selected_.scores)
    linear = regressor(kernel="linear").fit(GRAPHS, Y)
    linear.save(tmp_path / "linear.gskn")
    loaded_linear = GSKNRegressor.load(tmp_path / "linear.gskn")
    np.testing.assert_array_equal(loaded_linear.coef_, linear.coef_)
    assert loaded_linear.alpha_ == linear.alpha_


CLASSES = {
    "integers": np.array([3, 5]),
    "small integers": np.array([3, 5], dtype=np.int8),
    "floats": np.array([0.0, 1.0]),
    "strings": np.array(["no", "yes, ü"]),
    "booleans": np.array([False, True]),
    "objects": np.array(["no", "yes"], dtype=object),
}


@pytest.mark.parametrize("case", CLASSES)
def test_classes_are_restored(case, tmp_path):
    y = CLASSES[case][(Y > 1).astype(int)]
    model = classifier(C=1.0, kernel="rbf").fit(GRAPHS, y)
    model.save(tmp_path / "model.gskn")
    loaded = GSKNClassifier.load(tmp_path / "model.gskn")
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert loaded.classes_.dtype.kind == model.classes_.dtype.kind
    np.testing.assert_array_equal(loaded.predict(GRAPHS), model.predict(GRAPHS))


def test_frequencies_of_classes_are_restored(tmp_path):
    y = np.where(np.arange(len(Y)) % 3, "often", "rare")
    weights = 1.0 + np.arange(len(Y))
    model = classifier(C=1.0, kernel="linear", class_weight="balanced")
    model.fit(GRAPHS, y, weights).save(tmp_path / "model.gskn")
    rare = weights[y == "rare"].sum() / weights.sum()
    np.testing.assert_allclose(model.class_frequencies_, [1 - rare, rare], rtol=1e-12)
    loaded = GSKNClassifier.load(tmp_path / "model.gskn")
    np.testing.assert_array_equal(loaded.class_frequencies_, model.class_frequencies_)


def test_files_without_frequencies_of_classes_are_loaded(saved):
    expected = output(GSKNClassifier.load(saved))
    rewrite(saved, lambda h, _: state(h).pop("frequencies"))
    for _ in range(2):
        loaded = GSKNClassifier.load(saved)
        assert loaded.class_frequencies_ is None
        np.testing.assert_array_equal(output(loaded), expected)
        loaded.save(saved)


@pytest.mark.parametrize("kernel", ["linear", "laplacian"])
def test_mean_target_is_restored(kernel, tmp_path):
    weights = 1.0 + np.arange(len(Y))
    model = regressor(kernel=kernel, alpha=0.1).fit(GRAPHS, Y, weights)
    assert model.mean_target_ == pytest.approx(np.average(Y, weights=weights))
    model.save(tmp_path / "model.gskn")
    loaded = GSKNRegressor.load(tmp_path / "model.gskn")
    assert loaded.mean_target_ == model.mean_target_


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.gskn"
    classifier(C=1.0, kernel="rbf").fit(GRAPHS, Y).save(path)
    return path


def test_file_of_another_class_raises(saved, tmp_path):
    with pytest.raises(FileFormatError, match="use GSKNClassifier.load"):
        GSKN.load(saved)
    with pytest.raises(FileFormatError, match="use GSKNClassifier.load"):
        GSKNRegressor.load(saved)
    regressor(alpha=1.0).fit(GRAPHS, Y).save(tmp_path / "values.gskn")
    with pytest.raises(FileFormatError, match="use GSKNRegressor.load"):
        GSKNClassifier.load(tmp_path / "values.gskn")
    GSKN(random_state=0).fit(GRAPHS).save(tmp_path / "embedding.gskn")
    with pytest.raises(FileFormatError, match="use GSKN.load"):
        GSKNClassifier.load(tmp_path / "embedding.gskn")


def rewrite(path, change):
    """Write the file again with changes of its header or arrays."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(bytes(arrays["header"]))
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, **arrays)


def state(header):
    return header["machine"]["state"]


DAMAGES = {
    "unknown class": (lambda h, _: h.update({"class": "Forest"}), "Forest"),
    "class that is a list": (lambda h, _: h.update({"class": [1]}), "contains"),
    "no machine": (lambda h, _: h.pop("machine"), "machine"),
    "no kernel": (lambda h, _: h["machine"].pop("kernel"), "kernel"),
    "unknown kernel": (lambda h, _: h["machine"].update(kernel="x"), "kernel must"),
    "unknown entry": (lambda h, _: h["machine"].update(more=1), "unknown entry"),
    "unknown parameter": (lambda h, _: h["machine"]["parameters"].update(evil=1), "evil"),
    "invalid parameter": (lambda h, _: h["machine"]["parameters"].update(cv=1), "cv must"),
    "missing parameter": (lambda h, _: h["machine"]["parameters"].pop("cv"), "'cv'"),
    "invalid embedding": (lambda h, _: h["machine"].update(embedding={"a": 1}), "'a'"),
    "invalid score": (
        lambda h, _: h["machine"]["selected"].update(scores=[1]),
        "scores",
    ),
    "no classes": (lambda h, _: state(h).pop("classes"), "classes"),
    "one class": (lambda h, _: state(h)["classes"].update(values=[1]), "fewer than two"),
    "unsorted classes": (
        lambda h, _: state(h)["classes"].update(values=[3, 2, 1, 0]),
        "not sorted",
    ),
    "mixed classes": (
        lambda h, _: state(h)["classes"].update(values=[0, "a", 1, 2]),
        "not of type",
    ),
    "huge class": (
        lambda h, _: state(h)["classes"].update(values=[0, 1, 2, 10**30]),
        "not of type",
    ),
    "a frequency too many": (lambda h, _: state(h)["frequencies"].append(0.0), "fractions"),
    "frequencies of text": (lambda h, _: state(h).update(frequencies=["x"]), "frequencies"),
    "frequencies that are not finite": (
        lambda h, _: state(h).update(frequencies=[float("nan")] * 4),
        "fractions",
    ),
    "unknown type": (lambda h, _: state(h)["classes"].update(type="V9"), "type must"),
    "missing points": (lambda _, a: a.pop("machine_points"), "machine_coef"),
    "missing intercept": (lambda _, a: a.pop("machine_intercept"), "machine_"),
    "missing calibration": (lambda _, a: a.pop("calibration_coef"), "calibration_coef"),
    "unknown array": (lambda _, a: a.update(machine_more=np.ones(3)), "machine_more"),
    "other unknown array": (lambda _, a: a.update(more=np.ones(3)), "'more'"),
    "wrong shape": (lambda _, a: a.update(machine_coef=np.ones((1, 9))), "shape"),
    "wrong type": (lambda _, a: a.update(machine_mean=np.ones(3, int)), "int64"),
    "not finite": (lambda _, a: a["machine_points"].fill(np.nan), "not finite"),
    "zero deviation": (lambda _, a: a["machine_deviation"].fill(0), "not positive"),
    "invalid parameter of the embedding": (
        lambda h, _: h["parameters"].update(alpha=-1),
        "alpha must be",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_incomplete_or_inconsistent_files_raise(damage, saved):
    change, message = DAMAGES[damage]
    rewrite(saved, change)
    with pytest.raises(FileFormatError, match=message) as error:
        GSKNClassifier.load(saved)
    assert str(error.value).isprintable()
    assert str(saved) in str(error.value)


def test_linear_model_contains_a_sample_of_training_embeddings(tmp_path):
    """It is drawn with the seed of the model, and bounded in rows and in bytes."""
    path = tmp_path / "linear.gskn"
    model = regressor(kernel="linear", selection="none").fit(GRAPHS, Y)
    machine = model.machine_
    rows = machine.scaling.apply(model.embedding_.transform(GRAPHS))
    np.testing.assert_allclose(machine.sample, rows, atol=1e-6)
    model.save(path)
    loaded = GSKNRegressor.load(path)
    assert loaded.machine_.sample.dtype == np.float32
    np.testing.assert_array_equal(loaded.machine_.sample, machine.sample)
    rewrite(path, lambda _, a: a.pop("machine_sample"))
    for _ in range(2):
        old = GSKNRegressor.load(path)
        assert old.machine_.sample is None
        np.testing.assert_array_equal(output(old), output(model))
        old.save(path)
    model.fit(GRAPHS[[0, 1] * 2000], [0.0, 1.0] * 2000)
    n_rows, n_columns = model.machine_.sample.shape
    assert n_rows == min(1000, 2**18 // n_columns)
    assert model.machine_.sample.nbytes <= 2**20
    again = regressor(kernel="linear", selection="none")
    again.fit(GRAPHS[[0, 1] * 2000], [0.0, 1.0] * 2000)
    np.testing.assert_array_equal(again.machine_.sample, model.machine_.sample)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.astype(float), "float64"),
        (lambda rows: rows[:, 1:], "shape"),
        (lambda rows: rows[0], "shape"),
        (lambda rows: rows * np.float32(np.nan), "not finite"),
    ],
)
def test_invalid_sample_of_a_linear_file_raises(change, message, tmp_path):
    path = tmp_path / "linear.gskn"
    regressor(kernel="linear", selection="none").fit(GRAPHS, Y).save(path)
    rewrite(path, lambda _, a: a.update(machine_sample=change(a["machine_sample"])))
    with pytest.raises(FileFormatError, match=message):
        GSKNRegressor.load(path)


def test_sample_of_a_file_that_is_not_linear_raises(saved):
    n_columns = np.load(saved)["machine_mean"].size
    rows = np.ones((2, n_columns), np.float32)
    rewrite(saved, lambda _, a: a.update(machine_sample=rows))
    with pytest.raises(FileFormatError, match="machine_sample"):
        GSKNClassifier.load(saved)


def test_linear_file_with_support_vectors_raises(tmp_path):
    path = tmp_path / "linear.gskn"
    regressor(kernel="linear").fit(GRAPHS, Y).save(path)
    n_columns = np.load(path)["machine_mean"].size
    rewrite(path, lambda _, a: a.update(machine_points=np.ones((2, n_columns))))
    with pytest.raises(FileFormatError, match="support vectors"):
        GSKNRegressor.load(path)


def test_constant_regression_is_restored(tmp_path):
    """It has no support vectors."""
    model = regressor(kernel="rbf").fit(GRAPHS, np.full(len(Y), 2.0))
    model.save(tmp_path / "constant.gskn")
    loaded = GSKNRegressor.load(tmp_path / "constant.gskn")
    np.testing.assert_array_equal(loaded.predict(GRAPHS), np.full(len(Y), 2.0))


def test_regressor_with_several_outputs_raises(saved):
    def change(header, arrays):
        machine = header["machine"]
        parameters = machine["parameters"]
        del parameters["class_weight"]
        parameters["alpha"] = parameters.pop("C")
        machine["state"] = {}
        header["class"] = "GSKNRegressor"
        del arrays["calibration_coef"], arrays["calibration_intercept"]

    rewrite(saved, change)
    with pytest.raises(FileFormatError, match="not a regression"):
        GSKNRegressor.load(saved)


def test_truncated_or_changed_files_raise(saved):
    whole = saved.read_bytes()
    expected = output(GSKNClassifier.load(saved))
    for end in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:end])
        with pytest.raises(FileFormatError):
            GSKNClassifier.load(saved)
    n_errors = 0
    for place in range(50, len(whole) - 50, len(whole) // 40):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        saved.write_bytes(bytes(changed))
        try:
            loaded = GSKNClassifier.load(saved)
        except FileFormatError:
            n_errors += 1
            continue
        # A byte of padding or of a date: the model must be the same.
        np.testing.assert_array_equal(output(loaded), expected)
    assert n_errors > 20


class Hostile:
    """Unpickling this would leave a mark."""

    called = False

    @staticmethod
    def mark():
        Hostile.called = True

    def __reduce__(self):
        return Hostile.mark, ()


def test_loading_runs_no_code(saved):
    rewrite(saved, lambda _, a: a.update(machine_mean=np.array([Hostile()], dtype=object)))
    with pytest.raises(FileFormatError):
        GSKNClassifier.load(saved)
    saved.write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(FileFormatError, match="not a model"):
        GSKNClassifier.load(saved)
    assert not Hostile.called


def test_classes_that_a_file_cannot_hold_raise_and_nothing_is_written(tmp_path):
    y = np.empty(len(Y), dtype=object)
    y[:] = [(int(value > 1),) for value in Y]
    model = classifier(C=1.0, kernel="rbf").fit(GRAPHS, (Y > 1).astype(int))
    model.classes_ = np.unique(y)
    with pytest.raises(InputError, match="class"):
        model.save(tmp_path / "model.gskn")
    assert list(tmp_path.iterdir()) == []


def test_model_that_is_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        GSKNClassifier().save(tmp_path / "model.gskn")
