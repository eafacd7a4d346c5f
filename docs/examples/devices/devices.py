import percale as pc


# --8<-- [start:devices]
def train(devices):
    """Trains a job on some devices and returns the digest of its weights."""
    engine = pc.Engine(devices=devices)  # "cpu=2x1": two devices with a thread each
    trainer = pc.Trainer.from_spec(engine, "digits.json", shards=4)  # four parts of each batch
    trainer.fit(epochs=1)
    return trainer.variables.digest()


# --8<-- [end:devices]
print("the same bits:", train("cpu:0") == train("cpu=2x1"))
