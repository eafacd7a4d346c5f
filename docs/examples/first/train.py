import percale as pc


def on_step(progress):
    if progress.epoch_ended:
        print(f"epoch {progress.epoch}/{progress.epochs}  loss {progress.epoch_loss:.4f}")
    # returning False ends the training after this step


engine = pc.Engine()
trainer = pc.Trainer.from_spec(engine, "digits.json")
trainer.fit(callback=on_step)
print("test", trainer.evaluate())

trainer.model.save("digits.percale", trainer.variables)
