"""The results of training: frozen posteriors that predict at known and at Gaussian inputs.

Models make them, and propagation methods use them; nothing is trained here.
"""
