"""Runs a script of MATLAB or Octave as an external program of nrdl bench (doc/external.md):

    {"command": ["python3", "matlab.py", "octave-cli", "mine.m"], "label": "Mine"}

The script finds X_train, y_train, X_test, seed, shape and params (a text in JSON; jsondecode reads it) as
variables, and sets y: the class of each row of X_test, -1 for none. In place of octave-cli: matlab.
"""
import io, os, subprocess, sys, tempfile

import numpy as np
from scipy.io import loadmat, savemat

program, script = sys.argv[1], os.path.abspath(sys.argv[2])
data = np.load(io.BytesIO(sys.stdin.buffer.read()))
with tempfile.TemporaryDirectory() as folder:
    task, answers = os.path.join(folder, "task.mat"), os.path.join(folder, "answers.mat")
    savemat(task, {name: data[name] for name in data.files})
    commands = f"load('{task}'); run('{script}'); save('-v7', '{answers}', 'y');"
    flag = "-batch" if os.path.basename(program).startswith("matlab") else "--eval"
    subprocess.run([program, flag, commands], stdout=sys.stderr, check=True)
    for answer in loadmat(answers)["y"].ravel():
        print(int(answer))
