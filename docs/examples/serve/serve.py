import threading

import numpy as np

import percale as pc

engine = pc.Engine()
# --8<-- [start:serve]
trainer = pc.Trainer.from_spec(engine, "digits.json", publish="step")
model = trainer.model  # the inference graph
session = pc.Session(engine, model, trainer.variables)  # the table that the trainer publishes to

training = threading.Thread(target=trainer.fit)
training.start()
image = np.zeros((1, 28, 28), np.float32)
call = session.prepare({"x": ("f32", (1, 28, 28))}, model.outputs[0])
for request in range(100):
    call(image)
training.join()
call(image)
print("answered by version", call.variables_version)
# --8<-- [end:serve]
