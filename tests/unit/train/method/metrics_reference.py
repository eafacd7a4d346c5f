"""Writes metrics.inc: metrics by the formulas of Keras and scikit-learn, written out in numpy in
f64.

    python tests/unit/train/method/metrics_reference.py > tests/unit/train/method/metrics.inc

Scores and labels come from the formula that metrics_test.cc repeats. Rows: loss, from_logits, JSON
of the metric, value.
"""
import numpy as np

ROWS, CLASSES = 57, 4


def values(shape, salt, scale=1.0):
    n = int(np.prod(shape))
    return np.sin(0.7 * np.arange(n, dtype=np.float64) + salt).reshape(shape) * scale


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


scores = values((ROWS, CLASSES), 1, 2)
numbers = np.array([(5 * i + i // 3) % CLASSES for i in range(ROWS)])
hot = np.eye(CLASSES)[numbers]
binary_scores = values((ROWS, 1), 3, 3)
binary = np.array([[(i * i + i // 2) % 3 == 0] for i in range(ROWS)], dtype=np.float64)


def top_k(s, n, k):
    own = s[np.arange(len(s)), n]
    return np.mean((s > own[:, None]).sum(1) < k)


def cross_entropy(p, n):
    return -np.mean(np.log(p[np.arange(len(p)), n]))


def precision(p, t, threshold=0.5):
    said = p > threshold
    return (said * t).sum() / max(said.sum(), 1)


def recall(p, t, threshold=0.5):
    return ((p > threshold) * t).sum() / max(t.sum(), 1)


def f1(said, t, average):
    hits, given, wanted = (said * t).sum(0), said.sum(0), t.sum(0)
    each = np.divide(2 * hits, given + wanted, out=np.zeros_like(hits, dtype=float), where=given + wanted > 0)
    return {"macro": each.mean(), "micro": 2 * hits.sum() / (given.sum() + wanted.sum()),
            "weighted": (each * wanted).sum() / wanted.sum()}[average]


def auc(p, t, count=200):
    """keras.metrics.AUC(curve="ROC", summation_method="interpolation"); from_logits is already
    undone."""
    thresholds = np.array([-1e-7] + [(i + 1) / (count - 1) for i in range(count - 2)] + [1 + 1e-7])
    p, t = p.reshape(-1), t.reshape(-1)
    tp = np.array([((p > h) * t).sum() for h in thresholds])
    fp = np.array([((p > h) * (1 - t)).sum() for h in thresholds])
    x, y = fp / (1 - t).sum(), tp / t.sum()
    return ((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2).sum()


def rows():
    sparse, p = "sparse_categorical_crossentropy", softmax(scores)
    argmax = np.eye(CLASSES)[scores.argmax(1)]
    yield sparse, 1, '"accuracy"', np.mean(scores.argmax(1) == numbers)
    yield sparse, 1, '{"name": "sparse_top_k_categorical_accuracy", "k": 2}', top_k(scores, numbers, 2)
    yield sparse, 1, '{"name": "sparse_top_k_categorical_accuracy", "k": 3}', top_k(scores, numbers, 3)
    yield sparse, 1, '"perplexity"', np.exp(cross_entropy(p, numbers))
    yield sparse, 0, '"perplexity"', np.exp(cross_entropy(p, numbers))
    yield sparse, 1, '"sparse_categorical_crossentropy"', cross_entropy(p, numbers)
    yield sparse, 1, '"precision"', precision(p, hot)
    yield sparse, 1, '{"name": "precision", "threshold": 0.3}', precision(p, hot, 0.3)
    yield sparse, 0, '"recall"', recall(p, hot)
    for average in ("macro", "micro", "weighted"):
        yield sparse, 1, f'{{"name": "f1_score", "average": "{average}"}}', f1(argmax, hot, average)
    yield sparse, 1, '{"name": "f1_score", "threshold": 0.4}', f1(p > 0.4, hot, "macro")
    yield sparse, 1, '"auc"', auc(p, hot)
    categorical = "categorical_crossentropy"
    yield categorical, 1, '"categorical_accuracy"', np.mean(scores.argmax(1) == numbers)
    yield categorical, 1, '{"name": "top_k_categorical_accuracy", "k": 2}', top_k(scores, numbers, 2)
    yield categorical, 0, '"categorical_crossentropy"', cross_entropy(p, numbers)
    yield categorical, 0, '{"name": "auc", "num_thresholds": 11}', auc(p, hot, 11)
    yield categorical, 1, '"f1_score"', f1(argmax, hot, "macro")
    yield categorical, 0, '"mean_squared_error"', np.mean((p - hot) ** 2)
    yield categorical, 0, '"mae"', np.mean(np.abs(p - hot))
    yield categorical, 0, '"root_mean_squared_error"', np.sqrt(np.mean((p - hot) ** 2))
    one, q = "binary_crossentropy", sigmoid(binary_scores)
    yield one, 1, '"accuracy"', np.mean((q > 0.5) == binary)
    yield one, 1, '"precision"', precision(q, binary)
    yield one, 0, '"recall"', recall(q, binary)
    yield one, 1, '"f1_score"', f1(q > 0.5, binary, "macro")
    yield one, 1, '"auc"', auc(q, binary)
    yield one, 0, '"auc"', auc(q, binary)
    yield one, 0, '"binary_crossentropy"', -np.mean(binary * np.log(q) + (1 - binary) * np.log(1 - q))


for loss, from_logits, metric, value in rows():
    text = metric.replace('"', '\\"')
    print(f'{{"{loss}", {str(bool(from_logits)).lower()}, "{text}", {float(value)!r}}},')
