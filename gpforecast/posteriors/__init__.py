"""What trained models become: frozen posteriors that predict at known and at Gaussian inputs.

No training: the models make these, the propagation methods ask them.
"""
