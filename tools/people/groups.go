package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/openset"
)

// reportGroups prints how package group divides the faces of sets: a face is in a false group if the group has
// somebody else, and B³ is the mean over faces of how its group agrees with its person.
func (p people) reportGroups(l *openset.Impostors) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "groups of faces\tfaces\tpeople\tin a group with others, %\tB³ precision\trecall\tF\t")
	var sets []stratum
	for _, b := range bands {
		sets = append(sets, stratum{"", b.String(), p.aged(b.min, b.max)})
	}
	for _, name := range []string{"lfw_cohort", "lfw_several", "lfw86", "gt_db", "alike50"} {
		sets = append(sets, stratum{"", name, p[name]})
	}
	sets = append(sets, stratum{"", "famous people in childhood", p.young()}, stratum{"", "the same, young and adult", p["ages"]})
	for _, s := range sets {
		groups, err := group.Faces(context.Background(), columns(s.faces), nil, l, group.Default)
		if err != nil {
			return err
		}
		of := map[string]float64{} // faces of a person
		for _, f := range s.faces {
			of[f.person]++
		}
		var mixed, precision, recall float64
		for _, g := range groups {
			here := map[string]float64{}
			for _, j := range g.Faces {
				here[s.faces[j].person]++
			}
			for who, n := range here {
				precision += n * n / float64(len(g.Faces))
				recall += n * n / of[who]
				if len(here) > 1 {
					mixed += n
				}
			}
		}
		n := float64(len(s.faces))
		precision, recall = precision/n, recall/n
		fmt.Fprintf(w, "%s\t%.0f\t%d\t%.2f\t%.1f\t%.1f\t%.1f\t\n", s.name, n, len(of), 100*mixed/n,
			100*precision, 100*recall, 200*precision*recall/(precision+recall))
	}
	return w.Flush()
}
