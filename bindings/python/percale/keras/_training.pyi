from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Union

from ..engine import Engine
from ..session import Cancellation
from ..training import Progress, Trainer
from .callbacks import Callback, History

class Training:
    def __init__(self, engine: Optional[Engine]) -> None: ...
    @property
    def engine(self) -> Engine: ...
    def compile(
        self,
        optimizer: Any = "adam",
        loss: Any = None,
        metrics: Any = (),
        *,
        loss_weights: Any = None,
        shards: Optional[int] = None,
        **settings: Any,
    ) -> None: ...
    @property
    def trainer(self) -> Trainer: ...
    @property
    def learning_rate(self) -> float: ...
    @learning_rate.setter
    def learning_rate(self, rate: float) -> None: ...
    def fit(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Union[None, Callback, Iterable[Callback]] = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = 0,
        class_weight: Optional[Mapping[int, float]] = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        *,
        callback: Optional[Callable[[Progress], Optional[bool]]] = None,
        cancellation: Optional[Cancellation] = None,
    ) -> History: ...
    def evaluate(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        sample_weight: Any = None,
        *,
        verbose: Any = 0,
    ) -> Dict[str, float]: ...
