from typing import Any, Dict, Union

BY_NAME: Dict[str, int]
NAMES: Dict[int, str]
NUMPY: Dict[str, str]
ML_DTYPES: Dict[str, str]

def number(dtype: Union[int, str, Any]) -> int: ...
def to_numpy(value: int) -> Any: ...
