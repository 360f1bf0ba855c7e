"""Types of arrays, named by their content, and of parameters."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IndexArray: TypeAlias = NDArray[np.int64]
NodeArray: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]
NameArray: TypeAlias = NDArray[Any]
AnyArray: TypeAlias = NDArray[Any]
Params: TypeAlias = Mapping[str, Any]  # of an estimator or a classifier, by name
