import percale as pc

engine = pc.Engine()
trainer = pc.Trainer.from_spec(engine, "samples/mnist/lenet.json")
trainer.fit(epochs=1)
print(trainer.evaluate())  # {'loss': ..., 'accuracy': ...}
trainer.model.save("digits.percale", trainer.variables)
