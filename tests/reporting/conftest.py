"""Pages are drawn with few pixels: no test looks at their pictures."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture(autouse=True, scope="package")
def _few_pixels():
    with pytest.MonkeyPatch.context() as patch:
        whole = Figure.savefig

        def savefig(self, file, **options):
            self.set_layout_engine("none")
            whole(self, file, **options | {"dpi": 20})

        patch.setattr(Figure, "savefig", savefig)
        yield
