"""Roles of parameters: which is a text, an array, an output, a callback."""
import re

# Output parameters that are arrays, with the parameter that counts them. None if the caller must
# know the count from the comment.
OUT_ARRAYS = {
    ("percale_builder_finish_node", "out_values"): "output_count",
    ("percale_builder_gradients", "out_gradients"): "x_count",
    ("percale_builder_value_type", "out_dims"): "out_rank",
    ("percale_call_output_type", "out_dims"): "out_rank",
    ("percale_dataset_distribute", "out_datasets"): "replicas",
    ("percale_dataset_column_type", "out_dims"): "out_rank",
    ("percale_dataset_next", "out_tensors"): None,
    ("percale_graph_value_type", "out_dims"): "out_rank",
    ("percale_session_run", "out_fetches"): "fetch_count",
    ("percale_session_run_versioned", "out_fetches"): "fetch_count",
    ("percale_trainer_step_fetch", "out_tensors"): "fetch_count",
}
# Output parameters with a plural name that are single values.
OUT_SINGLE = {"out_options", "out_variables", "out_bytes", "out_loss"}
# Input arrays without a count parameter: they have one entry per feed or fetch of the call.
IN_ARRAYS_UNCOUNTED = {(function, array) for function in ("percale_call_run", "percale_call_run_until")
                       for array in ("inputs", "outputs")}


def set_roles(function, header, fail):
    """Sets the role of each parameter. `fail` raises an error."""
    params = function.params
    is_output = [p.name.startswith("out_") for p in params]
    if is_output != sorted(is_output):
        fail(f"{function.name}: outs are not last")
    for i, p in enumerate(params):
        p.nullable = bool(p.type.stars) and bool(
            re.search(rf"`{p.name}` \(?may be NULL|`{p.name}` of kind \"\w+\",? or NULL", function.doc)
            or p.name == "options" and p.type.base == "percale_options" and p.type.const)
        if is_output[i]:
            set_output_role(function, p, header.kind(p.type.base), fail)
        else:
            set_input_role(function, i, header.kind(p.type.base), fail)


def set_output_role(function, p, kind, fail):
    """Sets the role of an output. `kind` is that of its type in the header."""
    if not p.type.stars or any(p.type.stars):
        fail(f"{function.name}: {p.name} is {p.type}, wanted a pointer to a value that is not const")
    p.owned = kind == "handle"
    p.role = "out"
    if p.owned and p.type.depth != 2 or kind != "handle" and p.type.depth > 1 and str(p.type) not in (
            "const char**", "void**"):
        fail(f"{function.name}: {p.name} has {p.type.depth} stars")
    key = (function.name, p.name)
    if key in OUT_ARRAYS:
        p.role, p.count = "out_array", OUT_ARRAYS[key]
        if p.count and p.count not in [q.name for q in function.params]:
            fail(f"{function.name} has no parameter {p.count}")
    elif p.name.endswith("s") and p.name not in OUT_SINGLE:
        fail(f"{function.name}: {p.name} may be one or several values; add it to OUT_ARRAYS or OUT_SINGLE")


def set_input_role(function, i, kind, fail):
    """Sets the role of the input with the number `i`. `kind` is that of its type in the header."""
    params = function.params
    p, following = params[i], params[i + 1] if i + 1 < len(params) else None
    if p.type.base == "percale_destroy":
        before = params[i - 1] if i else None
        if p.type.stars or before is None or before.name != "user" and before.role != "table":
            fail(f"{function.name}: {p.name} does not follow 'void* user'")
        p.role = "destroy"
    elif kind == "callback":
        if p.type.stars or following is None or following.name != "user":
            fail(f"{function.name}: no 'void* user' follows {p.name}")
        p.role = "callback"
    elif kind == "struct" and p.type.const and p.type.depth == 1:
        p.role = "table"
    elif p.name == "user" and str(p.type) == "void*":
        p.role = "user"
    elif str(p.type) == "const char*":
        p.role = "text"
        if following and str(following.type) == "size_t" and following.name in ("size", p.name + "_size"):
            p.count = following.name
    elif p.type.base == "void" and p.type.depth == 1:
        p.role = "memory"
        if following and str(following.type) == "size_t" and following.name in ("size", "bytes"):
            p.count = following.name
        elif function.name != "percale_tensor_from_dlpack":
            fail(f"{function.name}: how large is the memory at {p.name}?")
    elif kind == "handle" and p.type.depth == 1:
        p.role = "in"
    elif p.type.stars:
        p.role = "array"
        counts = [q.name for q in params[i + 1:] if str(q.type) == "size_t"]
        if counts:
            p.count = counts[0]
        elif (function.name, p.name) not in IN_ARRAYS_UNCOUNTED:
            fail(f"{function.name}: which parameter counts {p.name}?")
