"""Estimators with the API of scikit-learn."""

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.estimators._any_model import Predictor as Predictor
from gskn.estimators._any_model import load_any as load_any
from gskn.estimators._any_model import predict_once as predict_once
from gskn.estimators._base import read_graphs_and_targets as read_graphs_and_targets
from gskn.estimators._classifier import GSKNClassifier
from gskn.estimators._color_histogram import ColorHistogram
from gskn.estimators._gram import LAPLACIAN as LAPLACIAN
from gskn.estimators._gram import LINEAR as LINEAR
from gskn.estimators._gram import PRECOMPUTED as PRECOMPUTED
from gskn.estimators._gram import RBF as RBF
from gskn.estimators._gram import gram as gram
from gskn.estimators._gram import standardize as standardize
from gskn.estimators._grid import GRID as GRID
from gskn.estimators._grid import selection_grid as selection_grid
from gskn.estimators._gskn import GSKN
from gskn.estimators._gskn import encode as encode
from gskn.estimators._header import ENCODER_SCHEMA as ENCODER_SCHEMA
from gskn.estimators._header import check_types as check_types
from gskn.estimators._header import read_header as read_header
from gskn.estimators._header import untag as untag
from gskn.estimators._header import untag_encoder as untag_encoder
from gskn.estimators._header import write_header as write_header
from gskn.estimators._kernel_machines import KernelMachine as KernelMachine
from gskn.estimators._kernel_machines import class_means as class_means
from gskn.estimators._kernel_machines import class_votes as class_votes
from gskn.estimators._kernel_machines import ignore_convergence as ignore_convergence
from gskn.estimators._machine_file import load_classes as load_classes
from gskn.estimators._machine_file import save_classes as save_classes
from gskn.estimators._nearest import NearestGraphs
from gskn.estimators._node_embedding import NodeEmbedding
from gskn.estimators._persist import check_names as check_names
from gskn.estimators._persist import load_encoder as load_encoder
from gskn.estimators._persist import model_parts as model_parts
from gskn.estimators._persist import plain_parameters as plain_parameters
from gskn.estimators._persist import save_encoder as save_encoder
from gskn.estimators._precomputation import Precomputation as Precomputation
from gskn.estimators._precomputation import RefitSplit as RefitSplit
from gskn.estimators._precomputation import Split as Split
from gskn.estimators._precomputation import SplitPair as SplitPair
from gskn.estimators._progress import progress as progress
from gskn.estimators._regressor import GSKNRegressor
from gskn.estimators._sample import check_nodes as check_nodes
from gskn.estimators._sample import draw_graphs as draw_graphs
from gskn.estimators._search import Selection as Selection
from gskn.estimators._search import fit_outputs as fit_outputs
from gskn.estimators._search import screening_machines as screening_machines
from gskn.estimators._search import select as select
from gskn.estimators._selected import Selected as Selected
from gskn.estimators._tasks import N_FOLDS as N_FOLDS
from gskn.estimators._tasks import ClassTask as ClassTask
from gskn.estimators._tasks import Task as Task
from gskn.estimators._tasks import ValueTask as ValueTask
from gskn.estimators._tasks import most_likely as most_likely

__all__ = [
    "GSKN",
    "ColorHistogram",
    "GSKNClassifier",
    "GSKNRegressor",
    "NearestGraphs",
    "NodeEmbedding",
]
