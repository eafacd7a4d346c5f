"""Tests `percale info` on machines whose GPU cannot be used.

    absent_test.py PERCALE FOLDER

FOLDER is the folder of the emulated driver."""
import os
import subprocess
import sys

CASES = [
    ({"PERCALE_CUDA_LIBRARIES": "/nowhere"}, "no NVIDIA driver ("),
    ({"PERCALE_CUDA_EMULATOR": "devices=0"}, "no NVIDIA GPU\n"),
    ({"PERCALE_CUDA_EMULATOR": "version=12080"},
     "the NVIDIA driver supports CUDA 12.8; the plug-in was built with CUDA 13 and needs a driver for CUDA 13.0 or newer\n"),
]


def main(percale, folder):
    for settings, wanted in CASES:
        environment = {**os.environ, "PERCALE_CUDA_LIBRARIES": folder, **settings}
        told = subprocess.run([percale, "info"], env=environment, check=True, capture_output=True, text=True).stdout
        assert f"absent        cuda: {wanted}" in told, (settings, told)


if __name__ == "__main__":
    main(*sys.argv[1:])
