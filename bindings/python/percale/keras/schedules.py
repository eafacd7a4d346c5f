"""Learning rate schedules, for the `learning_rate` of an optimizer or the `schedule` of compile().
"""
from . import _named


def CosineDecay(initial_learning_rate, decay_steps=None, alpha=0.0):
    """Decays to `alpha` times the rate over `decay_steps` steps. None means the whole fit()."""
    words = {} if decay_steps is None else {"decay_steps": decay_steps}
    return _named.Named({"name": "cosine", "initial_learning_rate": initial_learning_rate, "alpha": alpha, **words})


def ExponentialDecay(initial_learning_rate, decay_steps, decay_rate, staircase=False):
    """Multiplies the rate by `decay_rate` every `decay_steps` steps. Requires staircase=True."""
    if not staircase:
        raise NotImplementedError("ExponentialDecay has no continuous form; pass staircase=True")
    return _named.Named({"name": "step", "initial_learning_rate": initial_learning_rate, "step_size": decay_steps, "gamma": decay_rate})


def Schedule(name, initial_learning_rate=None, **words):
    """Creates any schedule of the library by its name: Schedule("one_cycle",
    max_learning_rate=0.01).
    """
    rate = {} if initial_learning_rate is None else {"initial_learning_rate": initial_learning_rate}
    known = _named.described("schedules")
    if name not in known:
        raise ValueError(f"no schedule '{name}'; there are {', '.join(known)}")
    keys = [key["name"] for key in known[name]["keys"]]
    for word in words:
        if word not in keys:
            raise TypeError(f"schedule '{name}' takes no '{word}', only {', '.join(keys)}")
    return _named.Named({"name": name, **rate, **words})
