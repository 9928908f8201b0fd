"""Training on inputs that were measured with noise: one objective, and two ways down from it.

`problem` has the evidence with its slopes in hyperparameters and inputs, `cleaning` and
`stochastic_em` the two methods of section 4.3 of Quinonero-Candela's thesis.
"""
