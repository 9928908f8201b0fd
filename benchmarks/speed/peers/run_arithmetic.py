"""The multiply-adds that one call of exact moments must cost, and nothing else, in a process."""

import sys
from pathlib import Path

from protocol import serve

sys.path.insert(0, str(Path(__file__).parents[1]))


def load():
    import machine

    def moments(p):
        n, d = p["X"].shape
        flops = sum(machine.moments_flops(n, d).values())
        return machine.multiply_adds(flops)

    return {"moments": moments}


if __name__ == "__main__":
    serve(load)
