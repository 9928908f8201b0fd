"""A stand-in for tqdm that takes down what is shown."""

from types import SimpleNamespace


class Recorder:
    """Stands for tqdm: every bar that is opened, what it counted, and how many were open."""

    def __init__(self) -> None:
        self.bars: list[SimpleNamespace] = []
        self.open = self.most_open = 0

    def __call__(self, **options):
        made = SimpleNamespace(**options, n=0)
        self.bars.append(made)
        recorder = self

        class Opened:
            def __enter__(self):
                recorder.open += 1
                recorder.most_open = max(recorder.most_open, recorder.open)
                return self

            def __exit__(self, *_):
                recorder.open -= 1

            def update(self, n):
                made.n += n

        return Opened()

    def named(self, name: str) -> list[SimpleNamespace]:
        return [one for one in self.bars if one.desc.startswith(name)]
