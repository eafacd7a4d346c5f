from typing import ContextManager

from .engine import Engine

def unpickling(engine: Engine) -> ContextManager[Engine]: ...
