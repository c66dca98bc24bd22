package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
)

//go:embed agreement.md
var head string

// A comparison is a method, its published program, and the sets on which both learn.
type comparison struct {
	method, title, program string
	params                 [][2]string // beside the defaults and the preset of the set
	data                   []string
	reason                 string // of what differs
	weight                 string // the parameter whose value depends on the set
	values                 map[string]string
	rates                  map[string]float64 // rates in percent that the program's authors print, or the script that comes with it
}

// The sets: those of pixels of faces, the two smallest of them, and eigenfaces of AR.
var (
	faces = []string{"orl", "gt", "lfw", "yaleb"}
	small = faces[:2]
	ar    = []string{"ar54", "ar120", "ar300"}
)

// passes makes so many passes on both sides.
func passes(n string) [][2]string { return [][2]string{{"passes", n}, {"tol", "0"}} }

var comparisons = []comparison{
	{
		"nrdl", "NRDL", "chenzhe207/NRDL",
		[][2]string{{"coder.solver", "authors"}},
		faces,
		"both with the program's query coder, which is not optimal; nrdl's default is the optimal one", "", nil, nil,
	},
	{"nrc", "NRC", "csjunxu/NSCR", nil, faces, "", "", nil, nil},
	{"llc", "LLC", "charlesfuture/LLC_SPM", nil, faces, "", "", nil, nil},
	{"src", "SRC", "tiepvupsu/DICTOL", nil, faces, "the program makes 300 steps of FISTA, which are not always enough", "", nil, nil},
	{"lcle", "LCLE", "mjLi0403/Joint-Dictionary-Learning", nil, faces, "", "", nil, nil},
	{"dpl", "DPL", "csjunxu/NIPS2017_20170519", nil, faces, "a start at random; nrdl is nearer to a minimum " +
		"after as many passes", "", nil, nil},
	{
		"fddl", "FDDL", "tiepvupsu/DICTOL", passes("15"),
		[]string{"orl", "gt", "lfw"},
		"another start; nrdl is nearer to a minimum after as many passes", "", nil, nil,
	},
	{"d2l2r2", "D²L²R²", "tiepvupsu/DICTOL", passes("15"), small, "another start", "", nil, nil},
	{"lrsdl", "LRSDL", "tiepvupsu/DICTOL", passes("15"), small, "another start; the program codes queries with " +
		"weights of its own", "", nil, nil},
	{"dlsi", "DLSI", "tiepvupsu/DICTOL", passes("10"), small, "another start", "", nil, nil},
	{"copar", "COPAR", "tiepvupsu/DICTOL", passes("10"), small, "another start; the program solves for the codes, nrdl " +
		"makes 7 steps a pass", "", nil, nil},
	{"sbd2l", "SBD²L", "chenzhe207/SBD2L", nil, []string{"orl"}, "the program codes all test images together, nrdl each alone", "", nil, nil},
	{"ksvd", "K-SVD", "tiepvupsu/DICTOL", nil, small, "the program replaces atoms after it has coded, and returns the " +
		"codes of the atoms before; which it replaces, rounding errors decide", "", nil, nil},
	{"lcksvd2", "LC-KSVD2", "tiepvupsu/DICTOL", nil, small, "the start of the program pairs atoms with rows of W of " +
		"other classes ([equations.md](equations.md))", "", nil, nil},
	{
		"ksvd", "K-SVD, 10 atoms a class", "tiepvupsu/DICTOL",
		[][2]string{{"atoms", "10"}},
		[]string{"digits"},
		"as with an atom for each image", "", nil, nil,
	},
	{
		"lcksvd2", "LC-KSVD2, 10 atoms a class", "tiepvupsu/DICTOL",
		[][2]string{{"atoms", "10"}},
		[]string{"digits"},
		"another start; on both sides LC-KSVD2 is below K-SVD", "", nil, nil,
	},
	{
		"crnrc", "CRNRC", "yinhefeng/CRNRC", nil, ar, "", "coder.nu",
		map[string]string{"ar54": "0.001", "ar120": "0.01", "ar300": "0.001"},
		map[string]float64{"ar54": 85.69, "ar120": 91.27, "ar300": 93.99},
	},
	{
		"dnrc", "DNRC", "yinhefeng/DNRC", nil, ar, "", "coder.tau",
		map[string]string{"ar54": "0.1", "ar120": "0.1", "ar300": "1"},
		map[string]float64{"ar54": 85.41, "ar120": 91.42, "ar300": 93.85},
	},
	{"ancr", "ANCR", "yinhefeng/ANCR", nil, ar, "", "", nil, map[string]float64{"ar54": 85.98, "ar120": 91.27, "ar300": 93.99}},
	{"sa-procrc", "SA-ProCRC", "yinhefeng/SAProCRC", nil, small, "", "", nil, nil},
	{"lrc-nrc", "LRC + NRC", "yinhefeng/Score-level-fusion-of-LRC-and-NRC", nil, small, "", "", nil, nil},
}

// near is the difference of two objectives, in percent, up to which the page calls them equal.
const near, equal, sameRate = 0.01, "equal", "the same rate"

// page is doc/agreement.md.
func page(rows []row) []byte {
	var b bytes.Buffer
	before, after, _ := strings.Cut(strings.Replace(head, "SUMMARY", summary(rows), 1), "TABLE\n")
	b.WriteString(before)
	var missing []string
	for _, c := range comparisons {
		title, program, last := c.title, fmt.Sprintf("[%s](https://github.com/%s)", c.program, c.program), ""
		for _, data := range c.data {
			at := slices.IndexFunc(rows, func(r row) bool { return r.Method == c.method && r.Data == data })
			if at < 0 {
				missing = append(missing, c.title+" on "+sets[data].title)
				continue
			}
			r := rows[at]
			alike, objective := fmt.Sprintf("%d of %d", r.Same, r.Images), "–"
			if r.Same < 0 {
				alike = "–"
			}
			if r.Objectives != [2]float64{} {
				objective = fmt.Sprintf("%.5g / %.5g", r.Objectives[0], r.Objectives[1])
			}
			verdict, reason := r.verdict(), c.reason
			if verdict == equal && c.params == nil {
				reason = ""
			} else if r.Mended != 0 {
				reason += fmt.Sprintf("; mended, it is right in %.2f %%", r.Mended)
			}
			if r.Started != 0 {
				reason += fmt.Sprintf("; from its first dictionary nrdl is right in %.2f %%", r.Started)
			}
			printed := "–"
			if r.Printed != 0 {
				printed = fmt.Sprint(r.Printed)
			}
			if reason == last {
				reason = ""
			} else {
				last = reason
			}
			fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | %.2f / %.2f | %s | %s | %.3g / %.3g s, %s × | %s | %s |\n", title,
				program, sets[data].title, r.Split, printed,
				r.Rates[0], r.Rates[1], alike, objective, r.Seconds[0], r.Seconds[1], times(r.Seconds[0]/r.Seconds[1]), verdict, reason)
			title, program = "", ""
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\nThe command makes these rows, too; they were not run to the end yet: %s.\n", strings.Join(missing, ", "))
	}
	b.WriteString("\n" + after)
	return b.Bytes()
}

// summary says what came out, method by method.
func summary(rows []row) string {
	var equals, nearer, differ []string
	programs := map[string]bool{}
	for _, c := range comparisons {
		same, lower := true, true
		n := 0
		for _, r := range rows {
			if r.Method != c.method || !slices.Contains(c.data, r.Data) {
				continue
			}
			n++
			v := r.verdict()
			same = same && (v == equal || v == sameRate && r.Same == r.Images-1)
			lower = lower && (v == equal || strings.HasPrefix(v, "objective of nrdl"))
		}
		if n == 0 {
			continue
		}
		programs[c.program] = true
		switch {
		case same:
			equals = append(equals, c.title)
		case lower:
			nearer = append(nearer, c.title)
		default:
			differ = append(differ, c.title)
		}
	}
	s := fmt.Sprintf("%d methods are compared with %d published programs. The same name for every test image, or for all but one: %s.",
		len(equals)+len(nearer)+len(differ), len(programs), strings.Join(equals, ", "))
	if len(nearer) > 0 {
		s += " Some other names, as nrdl comes nearer to the minimum: " + strings.Join(nearer, ", ") + "."
	}
	if len(differ) > 0 {
		s += " Other differences, with their reasons in the table: " + strings.Join(differ, ", ") + "."
	}
	return s
}

// verdict says who is nearer to a minimum where the two differ.
func (r row) verdict() string {
	part := 0.0
	if r.Objectives[1] != 0 {
		part = 100 * (r.Objectives[0] - r.Objectives[1]) / max(r.Objectives[0], r.Objectives[1])
	}
	switch {
	case math.Abs(part) >= near:
		return fmt.Sprintf("objective of %s %.2g %% lower", map[bool]string{true: "nrdl", false: "the program"}[part > 0], math.Abs(part))
	case r.Same == r.Images:
		return equal
	}
	if r.Rates[0] == r.Rates[1] {
		return sameRate
	}
	return fmt.Sprintf("%+.1f points", r.Rates[1]-r.Rates[0])
}

// times writes a ratio with at most a decimal.
func times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}
