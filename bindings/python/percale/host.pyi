import abc

class FileReader(abc.ABC):
    @abc.abstractmethod
    def size(self, name: str) -> int: ...
    @abc.abstractmethod
    def read(self, name: str, offset: int, size: int) -> bytes: ...
