"""Stage 2: colors of nodes and of pairs of nodes, refined by the Weisfeiler-Leman tests."""

# Names imported as themselves are shared with other packages of gskn; they are not public.
from gskn.colors._hashes import Hashes as Hashes
from gskn.colors._hashes import hash_rows as hash_rows
from gskn.colors._hashes import hash_value as hash_value
from gskn.colors._hashes import hash_values as hash_values
from gskn.colors._hashes import mix as mix
from gskn.colors._hashes import ranks as ranks
from gskn.colors._individual import individual_colors
from gskn.colors._individual import marked_hash as marked_hash
from gskn.colors._individual import smallest_class as smallest_class
from gskn.colors._nodes import color_rounds as color_rounds
from gskn.colors._nodes import initial_hashes as initial_hashes
from gskn.colors._nodes import refine_colors
from gskn.colors._pairs import pair_colors
from gskn.colors._pairs import pair_rounds as pair_rounds
from gskn.colors._rounds import hash_rounds as hash_rounds
from gskn.colors._steps import SaltedSteps as SaltedSteps
from gskn.colors._steps import Steps as Steps
from gskn.colors._steps import out_steps as out_steps
from gskn.colors._steps import refine as refine

__all__ = ["individual_colors", "pair_colors", "refine_colors"]
