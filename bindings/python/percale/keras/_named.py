"""Optimizers, schedules, losses and metrics as objects: a name of the library's with words that it takes."""
import difflib
import functools

from .layers import _engine, _placed


class Named:
    """A thing that compile() takes by name, with words: `config` is what a SPEC says of it. Wrong words are refused when it is made."""

    def __init__(self, config):
        self.config = config

    def __repr__(self):
        words = ", ".join(f"{key}={value!r}" for key, value in self.config.items() if key != "name")
        return f"{self.config['name']}({words})"


def plain(value):
    """What a SPEC says: of an object its config, of anything else itself."""
    return value.config if isinstance(value, Named) else value


@functools.lru_cache(maxsize=None)
def described(kind):
    """{name: description} of all that the library has of a kind ("losses")."""
    return {entry["name"]: entry for entry in _engine().describe(kind)}


def _documentation(entry):
    """A docstring: the description, then the words with types and defaults."""
    lines = [entry["doc"]]
    for key in entry["keys"]:
        said = "required" if key["required"] else f"default: {key['default']}" if "default" in key else "optional"
        lines.append(f"    {key['name']} ({key['type']}, {said}): {key['doc']}")
    return "\n".join(lines[:1] + [""] * (len(lines) > 1) + lines[1:])


def spelled(name):
    """Keras' spelling of a name as that of a class: "SparseCategoricalCrossentropy", "RMSprop"."""
    short = {"sgd": "SGD", "adamw": "AdamW", "rmsprop": "RMSprop", "auc": "AUC"}
    return short.get(name) or "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def classes(kind, check, positional):
    """{Keras' name of a class: what makes it} for all names of a kind; `check(config)` raises for wrong words.
    `positional`: {name: the words that it takes without a keyword}."""
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
    """For a module's __getattr__."""
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise AttributeError(f"module '{module}' has no '{name}'" + (f", did you mean '{near[0]}'?" if near else
                                                                     f"; there are {', '.join(sorted(known))}"))
    return known[name]
