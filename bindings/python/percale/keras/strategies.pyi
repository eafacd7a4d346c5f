from typing import Any, ContextManager, Optional

from ..data import Dataset
from ..groups.cluster import Cluster

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

class MultiWorkerMirroredStrategy(Strategy):
    preset: Any
    cluster: Cluster
    def __init__(self, cluster: Optional[Cluster] = None, timeout: Optional[float] = None, **settings: Any) -> None: ...
    @property
    def num_replicas_in_sync(self) -> int: ...
