"""Optimizers, schedules, losses and metrics as objects: a name of the library with arguments."""
import functools

from .layers import _engine, _hint, _placed


class Named:
    """An object that compile() accepts instead of a name. `config` is its dict in a SPEC.

    Invalid arguments raise when it is created.
    """

    def __init__(self, config):
        self.config = config

    def __repr__(self):
        words = ", ".join(f"{key}={value!r}" for key, value in self.config.items() if key != "name")
        return f"{self.config['name']}({words})"


def plain(value):
    """Returns the config of a Named object, and any other value unchanged."""
    return value.config if isinstance(value, Named) else value


@functools.lru_cache(maxsize=None)
def described(kind):
    """Returns {name: description} of all entries of a kind, such as "losses"."""
    return {entry["name"]: entry for entry in _engine().describe(kind)}


def _documentation(entry):
    """Returns a docstring: the description, then the arguments with types and defaults."""
    lines = [entry["doc"]]
    for key in entry["keys"]:
        said = "required" if key["required"] else f"default: {key['default']}" if "default" in key else "optional"
        lines.append(f"    {key['name']} ({key['type']}, {said}): {key['doc']}")
    return "\n".join(lines[:1] + [""] * (len(lines) > 1) + lines[1:])


def spelled(name):
    """Returns the Keras class name for a name: "SparseCategoricalCrossentropy", "RMSprop"."""
    short = {"sgd": "SGD", "adamw": "AdamW", "rmsprop": "RMSprop", "auc": "AUC"}
    return short.get(name) or "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def classes(kind, check, positional):
    """Returns {Keras class name: function that creates the object} for all names of a kind.

    `check(config)` raises for invalid arguments. `positional` is {name: its positional arguments}.
    """
    found = {}
    for name, entry in described(kind).items():

        def make(*values, _name=name, **words):
            words = _placed(spelled(_name), positional.get(_name, []), values, words)
            config = {"name": _name, **{key: value for key, value in words.items() if value is not None}}
            check(config)
            return Named(config)

        make.__name__ = make.__qualname__ = spelled(name)
        make.__doc__ = _documentation(entry)
        if name in positional:
            make.__doc__ += f"\n\nWithout a keyword: {', '.join(positional[name])}."
        found[spelled(name)] = make
    return found


def find(module, known, name):
    """Implements the __getattr__ of a module. `known` is a function that returns {name: value}."""
    if name.startswith("_"):
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    if name not in known():
        raise AttributeError(f"module '{module}' has no '{name}'" + _hint(name, known(), f"; there are {', '.join(sorted(known()))}"))
    return known()[name]
