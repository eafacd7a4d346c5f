"""Serves a model file over HTTP with Ray Serve.

    serve.py MODEL [PORT [REPLICAS]]

POST a JSON object with rows for each input: {"x": [[0.5, 1], [0, 2]]}. The answer has the rows of
each output. MODEL: a .percale file that all machines see.
"""
import asyncio
import os
import sys

import percale as pc
from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse

# The status of errors that a request causes. That of others is 500.
STATUS = {"INVALID_ARGUMENT": 400, "NOT_FOUND": 400, "DEADLINE_EXCEEDED": 504, "RESOURCE_EXHAUSTED": 507}


# --8<-- [start:model]
@serve.deployment(max_ongoing_requests=16, ray_actor_options={"num_cpus": 1})
class Model:
    def __init__(self, path):
        engine = pc.Engine(threads=1, memory_limit=1 << 30)  # as many threads as num_cpus
        graph = pc.Graph.load(engine, path)
        self.types = graph.input_types
        self.session = pc.Session(engine, graph, pc.Variables.of(engine, graph))

    async def predict(self, rows):
        run = self.session.run_async({name: self.tensor(name, values) for name, values in rows.items()}, timeout=10)
        try:
            found = await asyncio.to_thread(run.result)
        except asyncio.CancelledError:  # the client has disconnected
            run.cancel()
            raise
        return {name: tensor.numpy().tolist() for name, tensor in found.items()}
    # --8<-- [end:model]

    def tensor(self, name, values):
        if name not in self.types:
            raise ValueError(f"there is no input '{name}', only {', '.join(self.types)}")
        try:
            return pc.Tensor.of(values, self.types[name][0])
        except (ArithmeticError, TypeError, ValueError) as error:
            raise ValueError(f"the input '{name}' has other values than numbers, or rows of unequal size: {error}") from error

    async def __call__(self, request: Request):
        try:
            rows = await request.json()
            if not isinstance(rows, dict):
                raise ValueError("wanted a JSON object with the rows of each input")
            return await self.predict(rows)
        except pc.Error as error:
            return JSONResponse({"error": str(error)}, STATUS.get(error.name, 500))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)


def main(path, port="8000", replicas="2"):
    # --8<-- [start:serve]
    serve.start(http_options={"port": int(port)})
    serve.run(Model.options(num_replicas=int(replicas)).bind(os.path.abspath(path)), blocking=True)
    # --8<-- [end:serve]


if __name__ == "__main__":
    main(*sys.argv[1:])
