import os
from typing import Any, Callable, ContextManager, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from .data import Dataset
from .engine import Engine
from .session import Cancellation, Variables
from .training import Progress, Trainer

class Layer:
    kind: str
    attributes: Dict[str, Any]
    def __init__(self, kind: str, **attributes: Any) -> None: ...
    def spec(self) -> Dict[str, Any]: ...

def __getattr__(name: str) -> Callable[..., Layer]: ...

class Strategy:
    preset: Optional[str]
    engine: Engine
    def __init__(self, **settings: Any) -> None: ...
    @property
    def num_replicas_in_sync(self) -> int: ...
    def scope(self) -> ContextManager[None]: ...
    def experimental_distribute_dataset(self, dataset: Dataset) -> Dataset: ...

class MirroredStrategy(Strategy):
    def __init__(self, devices: Optional[str] = None, **settings: Any) -> None: ...

class ParameterServerStrategy(Strategy): ...

class History:
    epoch: List[int]
    history: Dict[str, List[float]]
    def __init__(self) -> None: ...
    def add(self, epoch: int, numbers: Mapping[str, float]) -> None: ...

class Sequential:
    layers: List[Layer]
    input_shape: Optional[Sequence[int]]
    def __init__(
        self, layers: Iterable[Layer] = (), *, engine: Optional[Engine] = None, input_shape: Optional[Sequence[int]] = None
    ) -> None: ...
    def add(self, layer: Layer) -> None: ...
    @property
    def engine(self) -> Engine: ...
    def compile(
        self,
        optimizer: Union[str, Mapping[str, Any]] = "adam",
        loss: Optional[Union[str, Mapping[str, Any]]] = None,
        metrics: Sequence[str] = (),
        *,
        shards: Optional[int] = None,
        **settings: Any,
    ) -> None: ...
    def spec(self, row_shape: Sequence[int], batch_size: int = 32) -> Dict[str, Any]: ...
    def fit(
        self,
        x: Any,
        y: Any = None,
        *,
        epochs: int = 1,
        batch_size: int = 32,
        shuffle: Optional[int] = 0,
        validation_data: Optional[Union[Dataset, Tuple[Any, Any]]] = None,
        verbose: Union[str, int] = "auto",
        callback: Optional[Callable[[Progress], Optional[bool]]] = None,
        cancellation: Optional[Cancellation] = None,
    ) -> History: ...
    @property
    def trainer(self) -> Trainer: ...
    def evaluate(self, x: Any, y: Any = None, *, batch_size: int = 32) -> Dict[str, float]: ...
    def predict(self, x: Any) -> Any: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    @property
    def variables(self) -> Variables: ...

class ProgressBar:
    WIDTH: int
    def __call__(self, p: Progress) -> None: ...
