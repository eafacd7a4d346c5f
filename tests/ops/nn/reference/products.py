"""MatMul and Gemm."""
import torch

from reference.case import case, draw


def add():
    for a, b in [([3, 4], [4, 5]), ([4], [4]), ([4], [4, 3]), ([3, 4], [4]), ([2, 3, 4], [4, 5]), ([2, 3, 4], [2, 4, 5]),
                 ([2, 1, 3, 4], [3, 4, 2]), ([3, 4], [2, 4, 2]), ([2, 3, 4], [4]), ([4], [2, 4, 3]), ([0, 4], [4, 3]),
                 ([3, 0], [0, 2]), ([1, 7], [7, 1]), ([17, 9], [9, 33]), ([5, 1, 2, 3], [1, 4, 3, 2])]:
        case("MatMul", [draw(*a), draw(*b)], torch.matmul)
    for dtype in (torch.int32, torch.int64):
        case("MatMul", [torch.randint(-9, 9, (3, 4), dtype=dtype), torch.randint(-9, 9, (4, 2), dtype=dtype)], torch.matmul)
    case("percale:BatchMatMul", [draw(2, 3, 4), draw(4, 5)], torch.matmul)
    for ta in (0, 1):
        for tb in (0, 1):
            a, b = draw(*([2, 4, 3] if ta else [2, 3, 4])), draw(*([1, 5, 4] if tb else [1, 4, 5]))
            case("percale:BatchMatMul", [a, b], lambda a, b, ta=ta, tb=tb: torch.matmul(a.mT if ta else a, b.mT if tb else b),
                 {"transA": ta, "transB": tb})
            for alpha, beta, c in [(1.0, 1.0, [5]), (0.5, 2.0, [3, 5]), (1.0, 1.0, None), (1.5, 0.5, [3, 1]), (1.0, 1.0, []),
                                   (2.0, 1.0, [1, 5])]:
                inputs = [draw(*([4, 3] if ta else [3, 4])), draw(*([5, 4] if tb else [4, 5]))]
                if c is not None:
                    inputs.append(draw(*c))
                case("Gemm", inputs,
                     lambda a, b, c=None, ta=ta, tb=tb, al=alpha, be=beta:
                     al * ((a.T if ta else a) @ (b.T if tb else b)) + (0 if c is None else be * c),
                     {"transA": ta, "transB": tb, "alpha": alpha, "beta": beta})
    case("Gemm", [torch.randint(-9, 9, (3, 4)), torch.randint(-9, 9, (4, 2)), torch.randint(-9, 9, (2,))],
         lambda a, b, c: a @ b + c)
