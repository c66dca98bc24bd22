"""Nearest neighbour by cosine: an external contestant for nrdl bench."""
import io
import json
import sys
import time

import numpy as np

f = np.load(io.BytesIO(sys.stdin.buffer.read()))
train, classes, test = f["X_train"], f["y_train"], f["X_test"]
params = json.loads(str(f["params"][0]))


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)


start = time.perf_counter()
similar = unit(test) @ unit(train).T
k = int(params.get("neighbours", 1))
for row in similar:
    nearest = np.argsort(-row, kind="stable")[:k]
    votes = np.bincount(classes[nearest])
    print(int(np.argmax(votes)))
print("seconds", 0, time.perf_counter() - start)
