package main

import "nrdl.example/nrdl/face"

func detectors() []detector { return []detector{{"auto", face.DefaultSearch.Detect}} }
