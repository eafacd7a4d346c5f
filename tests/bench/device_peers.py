"""The peers' side of the benchmark of several devices: device_peers.py PEER with a PEER of
  torch          one process, one thread
  torch-ddp      DistributedDataParallel over gloo: two processes of one thread, half of the batch
                 each
  tensorflow     one CPU of one thread
  tensorflow-mirrored  MirroredStrategy over two logical CPUs of one thread each
Workloads: step:resnet18, step:transformer: one training step on the whole batch."""
import os
import sys

PEER = sys.argv[1]
os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

import device_nets  # noqa: E402
from serve import serve  # noqa: E402


def torch_step(name, rank=0, ranks=1):
    import torch
    from torch.nn import functional as F
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net = device_nets.torch_net(name)
    if ranks > 1:
        net = torch.nn.parallel.DistributedDataParallel(net)
    x, y = (torch.from_numpy(a)[rank * len(a) // ranks:(rank + 1) * len(a) // ranks] for a in device_nets.batch(name))
    if x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), lr=device_nets.RATE, momentum=device_nets.MOMENTUM)

    def step():
        optimizer.zero_grad(set_to_none=True)
        out = net(x)
        loss = F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1))
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def second_rank(commands, file):
    import torch.distributed as dist
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=1, world_size=2)
    steps = {}
    while True:
        try:
            name = commands.recv()
        except EOFError:
            return
        if name not in steps:
            steps[name] = torch_step(name, 1, 2)
        steps[name]()


def start_ddp():
    import multiprocessing
    import tempfile

    import torch.distributed as dist
    file = os.path.join(tempfile.mkdtemp(), "ranks")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    context.Process(target=second_rank, args=(theirs, file), daemon=True).start()
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=0, world_size=2)

    def make(name):
        ours.send(name)  # it takes part in making the net, and in a first step
        step = torch_step(name, 0, 2)
        step()

        def both():
            ours.send(name)
            return step()
        return both
    return make


def tensorflow_step(name, strategy):
    import keras
    import tensorflow as tf
    x, y = device_nets.batch(name)
    if x.ndim == 4:
        x = x.transpose(0, 2, 3, 1).copy()
    count = strategy.num_replicas_in_sync
    with strategy.scope():
        net = device_nets.keras_net(name)
        optimizer = keras.optimizers.SGD(device_nets.RATE, device_nets.MOMENTUM)
        optimizer.build(net.trainable_variables)

    def part(values):
        def of(context):
            i = context.replica_id_in_sync_group
            return tf.constant(values[i * len(values) // count:(i + 1) * len(values) // count])
        return strategy.experimental_distribute_values_from_function(of)
    x, y = part(x), part(y)

    def replica(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, net(x, training=True))
            loss = tf.reduce_mean(losses) / count
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(gradients, net.trainable_variables))
        return loss

    @tf.function
    def step():
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica, args=(x, y)), axis=None)
    return lambda: float(step())


def start_tensorflow(count):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(count)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
    strategy = tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(count)]) if count > 1 else tf.distribute.get_strategy()
    return lambda name: tensorflow_step(name, strategy)


def main():
    make = {"torch": lambda: torch_step, "torch-ddp": start_ddp, "tensorflow": lambda: start_tensorflow(1),
            "tensorflow-mirrored": lambda: start_tensorflow(2)}[PEER]()

    def find(workload):
        kind, _, name = workload.partition(":")
        if kind != "step":
            raise LookupError("no workload of that name")
        return make(name)
    serve(find)


if __name__ == "__main__":
    main()
