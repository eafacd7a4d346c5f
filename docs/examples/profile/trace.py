import json

import percale as pc

engine = pc.Engine()
trainer = pc.Trainer.from_spec(engine, "digits.json")
# --8<-- [start:trace]
trace = pc.Trace(engine)
trainer.set_trace(trace)  # a session has set_trace(), too
trainer.fit(epochs=1)
trainer.set_trace(None)
with open("trace.json", "w", encoding="utf-8") as file:
    file.write(trace.json())  # opens in Perfetto and chrome://tracing
# --8<-- [end:trace]
print("spans are recorded:", len(json.loads(trace.json())["traceEvents"]) > 100)
