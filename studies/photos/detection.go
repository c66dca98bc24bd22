package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/parallel"
)

// A found is in how many photographs of a folder a face is found.
type found struct {
	Data        string   `json:"data"`
	Photographs int      `json:"photographs"`
	One         int      `json:"one"`
	None        []string `json:"none"`    // files
	Several     []string `json:"several"` // files
	Refused     []string `json:"refused"` // files, with the reason
}

// folders have the photographs in which faces are looked for.
var folders = []string{"gt_db", "lfw_colour15", "lfw86", "lfw_strangers"}

func detection(root string) (all []found, err error) {
	for _, name := range folders {
		folder := filepath.Join(root, "photos", name)
		files, err := dataset.ImageFiles(folder)
		if err != nil {
			return nil, err
		}
		f := found{Data: "photos/" + name, Photographs: len(files), None: []string{}, Several: []string{}, Refused: []string{}}
		faces, errs := make([][]face.Face, len(files)), make([]error, len(files))
		parallel.For(len(files), 1, func(first, last int) {
			for i := first; i < last; i++ {
				var img *image.Gray
				if img, errs[i] = dataset.ReadGrey(context.Background(), files[i]); errs[i] == nil {
					faces[i] = face.DefaultFinder.Find(img)
				}
			}
		})
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for i, file := range files {
			short, err := filepath.Rel(folder, file)
			if err != nil {
				return nil, err
			}
			f.add(filepath.ToSlash(short), faces[i])
		}
		all = append(all, f)
	}
	return all, nil
}

func (f *found) add(file string, faces []face.Face) {
	switch len(faces) {
	case 0:
		f.None = append(f.None, file)
		return
	case 1:
		f.One++
	default:
		f.Several = append(f.Several, file)
	}
	if err := face.DefaultLimits.Refusal(faces[0]); err != nil {
		f.Refused = append(f.Refused, fmt.Sprintf("%s: %v", file, err))
	}
}

// A pupils is how far found pupils lie from those that were marked by hand, in
// shares of the distance between the eyes; the farther of the two of a face
// counts.
type pupils struct {
	Marks  string   `json:"marks"` // file
	About  string   `json:"about"`
	Faces  int      `json:"faces"`
	Near   int      `json:"near"` // both pupils within a tenth
	Median float64  `json:"median"`
	P90    float64  `json:"p90"`
	Far    []string `json:"far"` // files with pupils farther off, or no face
}

func pupilErrors(root string) (all []pupils, err error) {
	for _, marks := range []struct{ file, about string }{
		{"pupils.csv", "the first 40, by which the finder was adjusted"},
		{"pupils-held-out.csv", "40 others, marked afterwards"},
	} {
		p, err := pupilError(root, filepath.Join("..", "face", "testdata", marks.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Marks, p.About = marks.file, marks.about
		all = append(all, p)
	}
	return all, nil
}

const nearPupil = 0.1

func pupilError(root, marks string) (p pupils, err error) {
	f, err := os.Open(marks)
	if err != nil {
		return p, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return p, err
	}
	p.Far = []string{}
	var errs []float64
	for _, row := range rows[1:] {
		img, err := dataset.ReadGrey(context.Background(), filepath.Join(root, "photos", filepath.FromSlash(row[0])))
		if err != nil {
			return p, err
		}
		e, err := farther(face.DefaultFinder.Find(img), row[1:])
		if err != nil {
			return p, err
		}
		errs = append(errs, e)
		if e > nearPupil {
			p.Far = append(p.Far, fmt.Sprintf("%s (%.2f)", row[0], e))
		}
	}
	slices.Sort(errs)
	p.Faces, p.Near = len(errs), len(errs)-len(p.Far)
	p.Median, p.P90 = errs[len(errs)/2], errs[len(errs)*9/10]
	return p, nil
}

// farther is the error of the worse pupil of the only face; +Inf where there is
// none or are several.
func farther(faces []face.Face, marks []string) (float64, error) {
	var at [4]float64
	for i := range at {
		v, err := strconv.ParseFloat(marks[i], 64)
		if err != nil {
			return 0, err
		}
		at[i] = v
	}
	if len(faces) != 1 {
		return math.Inf(1), nil
	}
	p := faces[0].Pupils
	left, right := math.Hypot(p[0].X-at[0], p[0].Y-at[1]), math.Hypot(p[1].X-at[2], p[1].Y-at[3])
	return max(left, right) / math.Hypot(at[2]-at[0], at[3]-at[1]), nil
}

// strangers reads the photographs in a folder; those without a face are black.
func strangers(folder string, f dataset.Frame) (*dataset.Images, error) {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return nil, err
	}
	set := dataset.Unlabelled(mat.NewDense(f.Size.Len(), len(files), nil), f)
	for j, file := range files {
		img, err := dataset.ReadGrey(context.Background(), file)
		if err != nil {
			return nil, err
		}
		if faces := face.DefaultFinder.Find(img); len(faces) > 0 && face.DefaultLimits.Refusal(faces[0]) == nil {
			set.X.SetCol(j, face.Crop(img, faces[0].Pupils, f))
		}
	}
	return set, nil
}
