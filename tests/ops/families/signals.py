"""Fourier transforms and mel bands, by numpy's own transforms."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def pairs(z, dtype=F32):
    return np.stack([z.real, z.imag], -1).astype(dtype)


def signal(t):
    number = lambda n: np.array(n, np.int64)
    for n in [1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 97]:
        x, z = floats((2, n, 1), n), floats((2, n, 2), n + 1)
        complex_z = z[..., 0].astype(F64) + 1j * z[..., 1]
        t.row("DFT", x, out=pairs(np.fft.fft(x[..., 0].astype(F64))), tol=2e-6)
        t.row("DFT", z, inverse=1, out=pairs(np.fft.ifft(complex_z)), tol=2e-6)
        t.row("DFT", x, onesided=1, out=pairs(np.fft.rfft(x[..., 0].astype(F64))), tol=2e-6)
        if n > 1:
            t.row("DFT", z, inverse=1, onesided=1, out=np.fft.irfft(complex_z)[..., None].astype(F32), tol=2e-6)
    x = floats((2, 5, 3, 2), 3)
    z = x[..., 0].astype(F64) + 1j * x[..., 1]
    for axis, length in [(0, 3), (1, 4), (1, 9), (-3, 5), (-2, 2), (2, 7)]:
        at = axis if axis >= 0 else axis + 1
        t.row("DFT", x, number(length), number(axis), out=pairs(np.fft.fft(z, length, at)), tol=2e-6, note="cut or filled")
        t.row("DFT", x, number(length), number(axis), inverse=1, out=pairs(np.fft.ifft(z, length, at)), tol=2e-6)
        t.row("DFT", x, number(length), number(axis), inverse=1, onesided=1, out=np.fft.irfft(z, length, at)[..., None].astype(F32), tol=2e-6)
        t.row("DFT", x[..., :1], number(length), number(axis), onesided=1, out=pairs(np.fft.rfft(z.real, length, at)), tol=2e-6)
    for dtype in FLOATS:
        v = floats((1, 6, 1), 4, dtype=dtype)
        t.row("DFT", v, np.array(6, np.int32), out=pairs(np.fft.fft(v[..., 0].astype(F64)), dtype), tol=TOLERANCE[np.dtype(dtype).name] * 4)
    for attrs in [{}, {"inverse": 1}]:
        t.row("DFT", floats((2, 3, 2), 5), grad=[0], grad2=True, out=False, **attrs)
        t.row("DFT", floats((2, 3, 1), 6), number(5), grad=[0], out=False, **attrs)
        t.row("DFT", floats((2, 5, 2), 7), number(3), grad=[0], out=False, **attrs)
    for length in [4, 5, 8, 2]:
        t.row("DFT", floats((2, 5, 1), 8), number(length), onesided=1, grad=[0], out=False)
        t.row("DFT", floats((4, 2, 2), 9), number(length), number(0), onesided=1, inverse=1, grad=[0], out=False)
    t.row("DFT", floats((3, 1, 2), 9), None, number(-3), onesided=1, inverse=1, grad=[0], out=False)
    t.row("DFT", empty(0, 4, 1), out=empty(0, 4, 2))
    t.row("DFT", floats((2, 3, 3), 1), error="neither 1 nor 2")
    t.row("DFT", floats((2, 3, 2), 1), onesided=1, error="requires a last dim of 1")
    t.row("DFT", floats((2, 3, 1), 1), onesided=1, inverse=1, error="requires a last dim of 2")
    t.row("DFT", floats((2, 3, 1), 1), number(0), error="cannot transform 0 numbers")
    t.row("DFT", floats((2, 1, 2), 1), onesided=1, inverse=1, error="cannot transform 0 numbers")
    t.row("DFT", floats((2, 3, 1), 1), None, number(2), error="holds the real and imaginary parts")
    t.row("DFT", floats((2, 3, 1), 1), None, number(3), error="out of range")
    t.row("DFT", floats((2, 3, 1), 1), i64(1, 2), error="must be one number")
    t.row("DFT", floats((3,), 1), error="wanted input of rank 2")

    x, window = floats((2, 20, 1), 10), floats((6,), 11, 0.1, 1)
    z = floats((2, 20, 2), 12)

    def stft(x, step, length, window=None, transform=np.fft.rfft):
        x = x[..., 0].astype(F64) + (1j * x[..., 1] if x.shape[2] == 2 else 0)
        frames = np.stack([x[:, i:i + length] * (1 if window is None else window) for i in range(0, x.shape[1] - length + 1, step)], 1)
        return pairs(transform(frames.real if transform is np.fft.rfft else frames))

    t.row("STFT", x, number(3), window, out=stft(x, 3, 6, window), tol=2e-6)
    t.row("STFT", x, number(5), None, number(8), out=stft(x, 5, 8), tol=2e-6)
    t.row("STFT", x, number(1), window, number(6), onesided=0, out=stft(x, 1, 6, window, np.fft.fft), tol=2e-6)
    t.row("STFT", z, number(4), window, onesided=0, out=stft(z, 4, 6, window, np.fft.fft), tol=2e-6)
    t.row("STFT", x, number(1), out=stft(x, 1, 20), tol=4e-6, note="one frame of all")
    for dtype in FLOATS:
        t.row("STFT", x.astype(dtype), np.array(7, np.int32), None, np.array(6, np.int32), out=stft(x.astype(dtype), 7, 6).astype(dtype),
              tol=TOLERANCE[np.dtype(dtype).name] * 8 if dtype is not F64 else 2e-6)
    t.row("STFT", floats((1, 9, 1), 13), number(2), floats((4,), 14), grad=[0, 2], out=False)
    t.row("STFT", x, number(0), window, error="frame_step must be at least 1, got 0")
    t.row("STFT", x, number(1), window, number(5), error="frame_length is 5, but the window is [6]")
    t.row("STFT", x, number(1), None, number(21), error="frame_length is 21, which does not fit the signal")
    t.row("STFT", x, number(1), None, number(0), error="frame_length must be at least 1, got 0")
    t.row("STFT", z, number(1), window, error="requires a real signal")

    def mel(bands, length, rate, low, high, dtype=1, edge=F32, kind=np.int64, **more):
        t.row("MelWeightMatrix", *[np.array(v, kind) for v in (bands, length, rate)], np.array(low, edge), np.array(high, edge),
              output_datatype=dtype, **more)

    for dtype in [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 16]:
        mel(3, 32, 8192, 0, 4096, dtype, tol={10: 1e-3, 16: 8e-3}.get(dtype, 2e-7))
    for edge in FLOATS:
        mel(4, 64, 16000, 100, 8000, edge=edge, tol=2e-7)
    mel(8, 16, 8192, 0, 4096, kind=np.int32, tol=2e-7, note="bands narrower than a bin")
    mel(0, 16, 8192, 0, 4096, error="num_mel_bins is out of range: 0")
    mel(4, 0, 8192, 0, 4096, error="dft_length is out of range: 0")
    mel(4, 16, 0, 0, 4096, error="sample_rate must be at least 1, got 0")
    mel(4, 16, 8192, 100, 50, error="the bands need 0 <=")
    mel(4, 16, 8192, 0, 4096, 9, error="must be a number type, got 9")
