package main

// meanings are those of fields that many objects have, by the name in JSON. The others have a
// comment where they are declared.
var meanings = map[string]string{
	"file":   "Path of the photograph",
	"height": "In pixels",
	"input":  "How images become samples",
	"mean":   "Mean",
	"method": "Name of the method",
	"name":   "Name",
	"params": "Parameters and their values",
	"people": "People",
	"person": "Name of the person",
	"sd":     "Standard deviation",
	"seed":   "Seed of the random numbers",
	"split":  "How images are divided into training and test images",
	"width":  "In pixels",
	"x":      "From the left, in pixels",
	"y":      "From the top, in pixels",
}
