from typing import Any, ContextManager, Optional

from ..data import Dataset

class Strategy:
    preset: Any
    def __init__(self, **settings: Any) -> None: ...
    @property
    def num_replicas_in_sync(self) -> int: ...
    def scope(self) -> ContextManager[None]: ...
    def experimental_distribute_dataset(self, dataset: Dataset) -> Dataset: ...

class MirroredStrategy(Strategy):
    preset: Any
    def __init__(self, devices: Optional[str] = None, **settings: Any) -> None: ...

class ParameterServerStrategy(Strategy):
    preset: Any
