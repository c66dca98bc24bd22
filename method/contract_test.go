package method_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// small and single are for sets of 20 samples, and of one sample for each of four classes: what
// shows a property there, or takes less time than the defaults, which are for hundreds of samples.
var (
	small = map[string]map[string]string{
		"blocks":                 twoWide,
		"ksvd":                   sparse,
		"dksvd":                  sparse,
		"lcksvd1":                sparse,
		"lcksvd2":                sparse,
		"llc":                    {"coder.neighbours": "6"},
		"lcle":                   {"coder.sparsity": "3"},
		"fddl":                   fewPasses,
		"d2l2r2":                 fewPasses,
		"lrsdl":                  fewPasses,
		"dlsi":                   fewPasses,
		"copar":                  fewPasses,
		"ledl":                   fewPasses,
		"nrdl-online":            {"atoms": "2", "online.batch": "16", "init.sparsity": "2"},
		"sdrerdl-reconstruction": {"coder.sparsity": "3"},
		"sbd2l":                  fewSteps,
	}
	single = map[string]map[string]string{
		"copar":       fewPasses,
		"lrsdl":       fewPasses,
		"nrdl-online": {"atoms": "0"},
		"sbd2l":       fewSteps,
	}
)

// fewPasses are enough of methods that stop by their objective.
var fewPasses = map[string]string{"passes": "10", "tol": "0"}

// fewSteps has the splitting end after a third of its passes.
var fewSteps = map[string]string{"coder.growth": "1.4"}

// twoWide is for images that are two pixels wide.
var twoWide = map[string]string{"coder.side": "2", "coder.step": "2"}

var sparse = map[string]string{"sparsity": "5", "init.sparsity": "3", "min_uses": "1", "passes": "10"}

// conditional says under which conditions a parameter matters, and which
// change of it can be seen on a small set.
var conditional = map[string]map[string]methodtest.Exception{
	"nrdl": {
		"lambda":         {Value: "0.1"},
		"gamma":          {Value: "0.1"},
		"tol":            {Value: "0.01"},
		"passes":         {Value: "20"},
		"mu_max":         {Value: "0.001"},
		"init.sparsity":  {Params: map[string]string{"atoms": "4"}, Value: "1"},
		"init.passes":    {Params: map[string]string{"atoms": "4"}, Value: "1"},
		"init.min_uses":  {Params: map[string]string{"atoms": "4", "init.sparsity": "2"}, Value: "0"},
		"init.error":     {Params: map[string]string{"atoms": "4"}, Value: "0.1"},
		"init.coherence": {Params: map[string]string{"atoms": "4", "init.min_uses": "0"}, Value: "0.5"},
		"init.monotone":  {Params: map[string]string{"atoms": "4", "init.sparsity": "2", "init.min_uses": "0", "init.coherence": "1"}},
		"coder":          {Value: "ridge"},
		"coder.solver":   {Value: "admm"},
		"ridge.lambda":   {Params: map[string]string{"signed": "true"}, Value: "0.1"},
		"coder.rho":      {Params: map[string]string{"coder.solver": "admm"}, Value: "0.01"},
		"coder.passes":   {Params: map[string]string{"coder.solver": "admm"}, Value: "3"},
		"coder.l1":       {Value: "0.1"},
		"coder.l2":       {Value: "0.1"},
		"proximity":      {Skip: "the systems of this set are regular: TestProximitiesMatter has singular ones"},
		"warm_mu":        {Warm: true},
		"warm_growth":    {Warm: true},
		"warm_proximity": {Skip: "the systems of this set are regular: TestProximitiesMatter has singular ones"},
		"few_l2":         {Params: map[string]string{"atoms": "3"}, Value: "200"},
		"refit":          {Params: map[string]string{"atoms": "3"}, Value: "40"},
	},
	"sa-procrc": {"coder.sparsity": {Value: "2"}},
	"lrc-nrc":   {"coder.weight": {Value: "0.3"}},
	"nrc":       {"coder.solver": {Value: "exact"}, "coder.l1": {Value: "0.1"}, "coder.l2": {Value: "0.1"}},
	"representation": {
		"coder": {Value: "ridge"}, "coder.solver": {Value: "exact"}, "coder.l1": {Value: "0.1"}, "coder.l2": {Value: "0.1"},
	},
	"robust": {
		"coder.lambda":    {Value: "0.02"},
		"coder.weights":   {Params: reweighted},
		"coder.quantile":  {Params: reweighted, Value: "0.3"},
		"coder.steepness": {Params: reweighted},
		"coder.l2":        {Params: reweighted},
	},
	"blocks": {
		"coder.side": {Value: "1"}, "coder.step": {Value: "1"}, "coder.inner": {Value: "ridge"},
		"coder.inner.solver": {Value: "exact"}, "coder.inner.l1": {Value: "0.1"}, "coder.inner.l2": {Value: "0.1"},
	},
	"ksvd": ofSparse, "dksvd": ofSparse, "lcksvd1": ofSparse, "lcksvd2": ofSparse,
	"fddl":   {"tol": {Value: "0.1"}, "omega": {Value: "1"}},
	"d2l2r2": {"atoms": {Value: "3"}, "tol": {Value: "0.1"}, "omega": {Value: "1"}, "alpha": {Value: "0.5"}, "beta": {Value: "0.01"}},
	"lrsdl":  {"atoms": {Value: "3"}, "tol": {Value: "0.1"}, "omega": {Value: "1"}, "eta": {Value: "0.5"}},
	"src":    {"coder.gap": {Value: "0.01"}},
	"knrc": {
		"degree": {Params: polynomial}, "offset": {Params: polynomial},
		"coder.solver": {Value: "exact"}, "coder.l1": {Value: "0.1"}, "coder.l2": {Value: "0.1"},
	},
	"kcrc":  {"degree": {Params: polynomial}, "offset": {Params: polynomial}},
	"ksrc":  {"degree": {Params: polynomial}, "offset": {Params: polynomial}, "coder.gap": {Value: "0.01"}},
	"copar": {"atoms": {Value: "3"}, "tol": {Value: "0.5"}, "eta": {Value: "0.1"}},
	"ledl":  {"atoms": {Value: "3"}, "tol": {Value: "0.5"}},
	"sbd2l": {"atoms": {Value: "4"}, "coder.passes": {Value: "20"}, "coder.tol": {Value: "0.01"}},
	"dlsi":  {"atoms": {Value: "3"}, "tol": {Value: "0.5"}, "gap": {Value: "0.1"}},
	"dpl":   {"atoms": {Value: "3"}, "tol": {Value: "0.5"}},
	"lcle": {
		"init.sparsity": {Params: map[string]string{"atoms": "4"}, Value: "1"},
		"init.passes":   {Params: map[string]string{"atoms": "4"}, Value: "3"},
		"init.min_uses": {Params: map[string]string{"atoms": "4", "init.sparsity": "2", "init.passes": "3"}, Value: "0"},
		"init.coherence": {Params: map[string]string{
			"atoms": "4", "init.passes": "20", "init.sparsity": "2",
			"init.min_uses": "0",
		}, Value: "0.5"},
		"init.monotone": {Params: map[string]string{"atoms": "4", "init.passes": "20", "init.sparsity": "2", "init.min_uses": "0"}},
		"init.error":    {Params: map[string]string{"atoms": "4"}, Value: "0.1"},
		"atoms":         {Value: "4"},
		"tol":           {Value: "0.5"},
		"coder.error":   {Value: "0.1"},
	},
	"nrdl-online": {
		"coder":           {Value: "ridge"},
		"coder.solver":    {Value: "admm"},
		"coder.rho":       {Params: map[string]string{"coder.solver": "admm"}, Value: "0.01"},
		"coder.passes":    {Params: map[string]string{"coder.solver": "admm"}, Value: "3"},
		"coder.l1":        {Value: "0.1"},
		"coder.l2":        {Value: "0.1"},
		"atoms":           {Value: "3"},
		"gamma":           {Value: "0.1"},
		"init.sparsity":   {Value: "1"},
		"init.error":      {Value: "0.1"},
		"init.passes":     {Value: "1"},
		"init.min_uses":   {Params: map[string]string{"atoms": "4", "init.sparsity": "2"}, Value: "0"},
		"init.coherence":  {Params: map[string]string{"init.min_uses": "0"}, Value: "0.5"},
		"init.monotone":   {Params: map[string]string{"init.min_uses": "0", "init.coherence": "1"}},
		"online.coder":    {Value: "ridge"},
		"online.coder.l1": {Value: "0.1"},
		"online.coder.l2": {Value: "0.1"},
		"online.idle":     {Params: map[string]string{"online.coder.l1": "0.5", "online.batch": "4"}, Value: "1"},
		"online.tol":      {Value: "0.5"},
		"online.rho":      {Value: "3"},
	},
	"sdrerdl-reconstruction": {
		"init.sparsity": {Params: map[string]string{"atoms": "4"}, Value: "1"},
		"init.passes":   {Params: map[string]string{"atoms": "4"}, Value: "3"},
		"init.min_uses": {Params: map[string]string{"atoms": "4", "init.sparsity": "2", "init.passes": "3"}, Value: "0"},
		"init.coherence": {Params: map[string]string{
			"atoms": "4", "init.passes": "20", "init.sparsity": "2",
			"init.min_uses": "0",
		}, Value: "0.5"},
		"init.monotone": {Params: map[string]string{"atoms": "4", "init.passes": "20", "init.sparsity": "2", "init.min_uses": "0"}},
		"init.error":    {Params: map[string]string{"atoms": "4"}, Value: "0.1"},
		"atoms":         {Value: "4"},
		"tol":           {Value: "0.5"},
		"coder.error":   {Value: "0.4"},
	},
}

var polynomial = map[string]string{"kernel": "polynomial"}

var reweighted = map[string]string{"coder.estimator": "irls"}

// ofSparse is for K-SVD and its kin.
var ofSparse = map[string]methodtest.Exception{
	"error":          {Value: "0.1"},
	"atoms":          {Value: "3"},
	"min_uses":       {Params: map[string]string{"atoms": "3"}, Value: "9"},
	"coherence":      {Params: map[string]string{"atoms": "3"}, Value: "0.5"},
	"monotone":       {Params: map[string]string{"atoms": "2", "sparsity": "4"}},
	"init.sparsity":  {Params: map[string]string{"atoms": "3"}, Value: "1"},
	"init.error":     {Params: map[string]string{"atoms": "3"}, Value: "0.2"},
	"init.passes":    {Params: map[string]string{"atoms": "3"}, Value: "1"},
	"init.min_uses":  {Params: map[string]string{"atoms": "3"}, Value: "6"},
	"init.coherence": {Params: map[string]string{"atoms": "3"}, Value: "0.5"},
	"init.monotone": {Params: map[string]string{
		"atoms": "4", "init.sparsity": "3", "init.coherence": "1", "init.min_uses": "0", "init.passes": "60",
	}},
}

// contractOptions are those of methods that have them in their own test file, by init.
var contractOptions = map[string]methodtest.Options{}

// contracts has the options of all methods.
func contracts() map[string]methodtest.Options {
	all := maps.Clone(contractOptions)
	for _, name := range method.Names() {
		if _, ok := all[name]; ok {
			continue
		}
		all[name] = methodtest.Options{Small: small[name], Single: single[name], Exceptions: conditional[name]}
	}
	refit := maps.Clone(conditional["nrdl"])
	for path := range refit {
		if strings.HasPrefix(path, "warm_") {
			refit[path] = methodtest.Exception{Skip: "it starts from no model"}
		}
	}
	all["nrdl-refit"] = methodtest.Options{Exceptions: refit}
	signed := maps.Clone(conditional["nrdl"])
	signed["whole"] = methodtest.Exception{}
	for path, e := range signed {
		if strings.HasPrefix(path, "coder") || slices.Contains([]string{"few_l2", "refit", "whole"}, path) { // ridge codes instead
			given := map[string]string{"signed": "false"}
			maps.Copy(given, e.Params)
			signed[path] = methodtest.Exception{Params: given, Value: e.Value}
		}
	}
	all["nrdl-test"] = methodtest.Options{Exceptions: signed}
	ablation := maps.Clone(conditional["nrdl"])
	for path := range ablation {
		switch {
		case strings.HasPrefix(path, "warm_"):
			ablation[path] = methodtest.Exception{Skip: "it starts from no model"}
		case os.Getenv("NRDL_LONG") == "":
			ablation[path] = methodtest.Exception{Skip: "it is NRDL's, whose contract has it"}
		}
	}
	all["nrdl-ablation"] = methodtest.Options{Exceptions: ablation}
	return all
}

func TestContract(t *testing.T) {
	options := contracts()
	for _, m := range method.All() {
		t.Run(m.Name(), func(t *testing.T) { methodtest.Run(t, m, options[m.Name()]) })
	}
}
