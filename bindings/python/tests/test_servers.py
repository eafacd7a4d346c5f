"""Servers of the devices of an engine, and engines that use them. All are in this process."""
import unittest

import numpy as np

import percale as pc

from support import affine, connects, engine, in_threads, needs_transport


def client_of(port, connect_timeout=60):  # a busy machine can take seconds to answer
    return engine(devices=f"remote:127.0.0.1:{port}/cpu:0", connect_timeout=connect_timeout)


def computed(e):
    """Returns the bytes of y = x w + 1."""
    graph = affine(e)
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2)
    return pc.Session(e, graph, pc.Variables.of(e, graph)).run({"x": x}, "y").numpy().tobytes()


class Servers(unittest.TestCase):
    def setUp(self):
        self.engine = engine()

    def tearDown(self):
        self.assertEqual(pc.live_statuses(), 0)

    def serve(self, *arguments):
        return pc.Server(self.engine, "127.0.0.1:0", *arguments)

    @unittest.skipIf(connects(engine()), "a plug-in connects processes")
    def test_without_a_plugin_the_message_names_it(self):
        with self.assertRaisesRegex(pc.Unimplemented, "libpercale_remote.so"):
            self.serve()

    def test_only_an_engine_has_devices_to_serve(self):
        with self.assertRaisesRegex(TypeError, "the engine is None, wanted a percale.Engine"):
            pc.Server(None, "127.0.0.1:0")

    @needs_transport
    def test_a_device_of_a_server_computes_the_bits_of_this_process(self):
        with self.serve() as server:
            with client_of(server.port) as client:
                self.assertEqual(client.devices[0], f"remote:127.0.0.1:{server.port}/cpu:0")
                self.assertEqual(computed(client), computed(self.engine))

    @needs_transport
    def test_wait_ends_when_all_clients_have_gone(self):
        with self.serve() as server:
            with self.assertRaisesRegex(pc.DeadlineExceeded, "no client has come"):
                server.wait(0.2)
            client = client_of(server.port)
            with self.assertRaisesRegex(pc.DeadlineExceeded, "1 client"):
                server.wait(-1)
            in_threads(server.wait, client.close)

    @needs_transport
    def test_close_ends_the_waits(self):
        server = self.serve()

        def wait():
            with self.assertRaisesRegex(pc.Closed, "this server is closed"):
                server.wait()

        in_threads(wait, wait, server.close)
        with self.assertRaises(pc.Closed):
            server.port

    @needs_transport
    def test_addresses_that_it_cannot_have_are_refused(self):
        with self.serve() as server:
            with self.assertRaises(pc.Unavailable):
                pc.Server(self.engine, f"127.0.0.1:{server.port}")
            with self.assertRaisesRegex(pc.FailedPrecondition, "192.0.2.1"):
                pc.Server(self.engine, "192.0.2.1:0")
            with self.assertRaisesRegex(pc.NotFound, "no/such/ca.pem"):
                self.serve("no/such")

    @needs_transport
    def test_a_client_of_a_server_that_has_ended_is_told_so(self):
        with self.serve() as server:
            port = server.port
        with self.assertRaises(pc.Unavailable):
            client_of(port, connect_timeout=1)


if __name__ == "__main__":
    unittest.main()
