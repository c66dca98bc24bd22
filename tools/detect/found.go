package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// found prints in how many photographs of each folder the search finds one face, none
// and several, and how many of the largest faces are refused; with names, those too.
func found(ctx context.Context, by *face.Search, root string, folders []string, names bool) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\tphotographs\tone face %\tnone\tseveral\trefused\tcalled covered\t")
	var list []string
	for _, folder := range folders {
		files, err := dataset.ImageFiles(filepath.Join(root, "photos", folder))
		if err != nil {
			return err
		}
		var one, none, several, refused, covers int
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			photo, err := dataset.DecodeColour(ctx, data, file)
			if err != nil {
				return err
			}
			faces, err := by.Find(ctx, photo)
			if err != nil {
				return err
			}
			what := ""
			switch len(faces) {
			case 0:
				none++
				what = "none"
			case 1:
				one++
			default:
				several++
				what = fmt.Sprint("several: ", faces)
			}
			if len(faces) > 0 {
				if err := face.NetworkLimits.Refusal(faces[0]); err != nil {
					refused++
					what += " " + err.Error()
				}
			}
			covered, err := coveredIn(ctx, by, photo)
			if err != nil {
				return err
			}
			if covered != "" {
				covers++
				what += " covered: " + covered
			}
			if what != "" {
				list = append(list, fmt.Sprintf("%s: %s", file, what))
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%d\t%d\t%d\t\n", folder, len(files), 100*float64(one)/float64(len(files)),
			none, several, refused, covers)
	}
	if err := w.Flush(); err != nil || !names {
		return err
	}
	for _, line := range list {
		fmt.Println(line)
	}
	return nil
}
