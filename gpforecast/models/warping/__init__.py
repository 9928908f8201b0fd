"""Warps that are learned: sums of tanh, and the evidence of targets seen through one."""
