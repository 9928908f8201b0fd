"""Pages are drawn with few pixels: no test looks at their pictures."""

import pytest
from page_cases import few_pixels


@pytest.fixture(autouse=True, scope="module")
def _few_pixels():
    with pytest.MonkeyPatch.context() as patch:
        few_pixels(patch)
        yield
