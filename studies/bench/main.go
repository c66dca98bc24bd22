// Command bench measures the speed and the memory of the project on the
// machine that it runs on and prints a table in Markdown. Run it from the root
// of the module, on an idle machine:
//
//	go -C studies run ./bench > table.md
//
// Where NRDL_DATA names the face databases it uses Extended Yale B and PIE,
// else drawn faces of the same sizes.
package main

import (
	"encoding/json"
	"flag"
	"os"

	"nrdl.example/nrdl/internal/hint"
)

func main() {
	child := flag.String("child", "", "measure one fit, described in JSON, and print the result as JSON")
	inputs := flag.Bool("inputs", false, "measure only what makes samples of faces, and robust coding")
	quick := flag.Bool("quick", false, "leave out the curves of growth, which take minutes")
	flag.Parse()
	var err error
	switch {
	case *child != "":
		err = runChild(*child)
	case *inputs:
		err = inputTable(os.Stdout)
	default:
		err = table(os.Stdout, *quick)
	}
	hint.Exit("bench", err)
}

func runChild(request string) error {
	var f fit
	if err := json.Unmarshal([]byte(request), &f); err != nil {
		return err
	}
	m, err := f.measure()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m)
}
