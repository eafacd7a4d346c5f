import percale as pc

engine = pc.Engine()


def new_trainer():
    return pc.Trainer.from_spec(engine, "digits.json")


# --8<-- [start:resume]
first = new_trainer()
first.fit(epochs=1)
first.save("checkpoints")  # weights, optimizer, place in the data

second = new_trainer()  # perhaps in another process, after a crash
second.restore("checkpoints")  # the newest whole checkpoint of the folder
second.fit(epochs=2)  # counts all epochs: one more
# --8<-- [end:resume]

whole = new_trainer()
whole.fit(epochs=2)
print("the same bits:", second.variables.digest() == whole.variables.digest())
