"""Runs a script of MATLAB or Octave as an external program of nrdl bench (doc/external.md):

    {"command": ["python3", "matlab.py", "octave-cli", "mine.m"], "label": "Mine"}

The script finds X_train, y_train, X_test, seed, shape and params (a text in JSON; jsondecode reads it) as
variables, and sets y: the class of each row of X_test, -1 for none. Pixels are column after column there, as
MATLAB's reshape takes them. In place of octave-cli: matlab.
"""
import io, os, subprocess, sys, tempfile

import numpy as np
from scipy.io import loadmat, savemat

program, script = sys.argv[1], os.path.abspath(sys.argv[2])
data = dict(np.load(io.BytesIO(sys.stdin.buffer.read())))
planes, height, width = data["shape"]
if planes:
    for name in "X_train", "X_test":
        data[name] = data[name].reshape(-1, planes, height, width).swapaxes(2, 3).reshape(len(data[name]), -1)
with tempfile.TemporaryDirectory() as folder:
    task, answers = os.path.join(folder, "task.mat"), os.path.join(folder, "answers.mat")
    savemat(task, data)
    commands = f"load('{task}'); run('{script}'); save('-v7', '{answers}', 'y');"
    flag = "-batch" if os.path.basename(program).startswith("matlab") else "--eval"
    subprocess.run([program, flag, commands], stdout=sys.stderr, check=True)
    for answer in loadmat(answers)["y"].ravel():
        print(int(answer))
