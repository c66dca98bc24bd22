// Command reference writes databases.json of package lab/reference from the files of the databases
// in the folder that NRDL_DATA names. Where there is none it changes nothing. It runs in the folder
// tools, by go generate.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/reference"
)

var databases = []struct{ name, title, file string }{
	{"orl", "ORL", "sets/orl_56x46.mat"},
	{"gt", "Georgia Tech", "sets/gt_50x40.mat"},
	{"pie", "CMU PIE", "sets/pie_32x32.mat"},
	{"yaleb", "Extended Yale B", "sets/yaleb_32x32.mat"},
	{"lfw", "LFW", "sets/lfw86_32x32.mat"},
}

func main() {
	root := os.Getenv("NRDL_DATA")
	if root == "" {
		return
	}
	if err := write(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(root string) error {
	if !filepath.IsAbs(root) {
		root = filepath.Join("..", root) // from the root of the repository
	}
	var all []*reference.Database
	for _, d := range databases {
		set, err := dataset.Open(context.Background(), filepath.Join(root, d.file), dataset.Options{})
		if err != nil {
			return err
		}
		db := reference.Of(d.name, set)
		db.Title, db.File = d.title, d.file
		all = append(all, db)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile("../lab/reference/databases.json", append(text, '\n'), 0o666)
}
