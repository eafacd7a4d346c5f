"""The model of a header of the C API: its types, constants and functions, with their comments."""
import dataclasses

SCALARS = ("char", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "float", "double")


@dataclasses.dataclass(frozen=True)
class CType:
    """A C type.

    `const char* const*` has base "char", const True and stars (True, False). `stars` has one entry
    per pointer, innermost first: True if the pointer itself is const.
    """
    base: str
    const: bool = False
    stars: tuple = ()

    @property
    def depth(self):
        return len(self.stars)

    def __str__(self):
        return ("const " if self.const else "") + self.base + "".join("* const" if s else "*" for s in self.stars)


@dataclasses.dataclass
class Param:
    """A parameter.

    - `role`: "in"; "text" (UTF-8, NUL-terminated, or sized by `count`); "array" (of `count`
      entries); "memory" (of `count` bytes); "out"; "out_array"; "callback"; "user"; "table" (a
      struct that the host fills, with its own "user"); "destroy" (releases the "user" before it).
    - `count`: the name of the parameter with the count, or None.
    - `owned`: an output with a new reference.
    - `nullable`: the comment says that NULL is allowed.
    """
    name: str
    type: CType
    role: str = "in"
    count: str = None
    owned: bool = False
    nullable: bool = False


@dataclasses.dataclass
class Function:
    """A function.

    - `fails`: it returns percale_status* to report an error, NULL on success.
    - `handle`: the type whose name it contains ("percale_tensor"), or "".
    - `returns_owned`, `returns_borrowed`: ownership of the returned pointer.
    """
    name: str
    returns: CType
    params: list
    doc: str
    since: str
    section: str
    handle: str
    fails: bool
    returns_owned: bool
    returns_borrowed: bool
    line: int


@dataclasses.dataclass
class Callback:
    """A type of pointers to functions, which the library calls."""
    name: str
    returns: CType
    params: list
    doc: str
    since: str
    line: int


@dataclasses.dataclass
class Handle:
    """An opaque type.

    `thread` is one of THREAD_WORDS. `any_thread` lists functions that are exempt from it.
    """
    name: str
    thread: str
    any_thread: list
    doc: str
    since: str


@dataclasses.dataclass
class Constant:
    """A constant. `value` is an int; the `type` of a macro is "size_t", "int64_t" or
    "percale_value".
    """
    name: str
    value: int
    doc: str = ""
    type: str = ""


@dataclasses.dataclass
class Enum:
    """An integer type, with its constants (none for percale_value)."""
    name: str
    base: str
    constants: list
    doc: str
    since: str


@dataclasses.dataclass
class Field:
    """A field of a struct."""
    name: str
    type: CType
    doc: str = ""


@dataclasses.dataclass
class Struct:
    """A struct with its fields in their order."""
    name: str
    fields: list
    doc: str
    since: str


@dataclasses.dataclass
class Header:
    """The model of a header. All lists are in its order."""
    doc: str = ""
    enums: list = dataclasses.field(default_factory=list)
    handles: list = dataclasses.field(default_factory=list)
    macros: list = dataclasses.field(default_factory=list)
    callbacks: list = dataclasses.field(default_factory=list)
    structs: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    sections: list = dataclasses.field(default_factory=list)

    def kind(self, name):
        """Returns "handle", "enum", "callback", "struct" or "scalar"."""
        for kind in ("handle", "enum", "callback", "struct"):
            if any(entry.name == name for entry in getattr(self, kind + "s")):
                return kind
        if name in SCALARS or name == "void":
            return "scalar"
        raise KeyError(name)

    def function(self, name):
        return next(f for f in self.functions if f.name == name)
