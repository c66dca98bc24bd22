// Command methods measures the recognition rate of every method on the five
// databases of the paper's table 2, beside what the paper prints, and writes
// doc/methods.md. Run it from the root of the module, with NRDL_DATA naming the
// databases:
//
//	go run ./bench/methods
//	go run ./bench/methods -only lrc,src -data orl,gt
//	go run ./bench/methods -render
//
// What has been measured is in bench/methods/records.jsonl, a line for each
// method and database, and is not measured again while method, parameters,
// split and seeds are the same, unless -again is given; -render measures
// nothing. A rate that is more than two points off the paper's needs a sentence
// in bench/methods/notes.json.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
	"nrdl/method"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "methods: error:", err)
		if h := hint.Of(err); h != "" {
			fmt.Fprintln(os.Stderr, "methods: hint:", h)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("methods", flag.ContinueOnError)
	only := flags.String("only", "", "measure these `METHODS` only, joined by commas")
	data := flags.String("data", "", "measure on these `DATABASES` only, joined by commas")
	out := flags.String("o", "doc/methods.md", "write the tables to `FILE`")
	path := flags.String("records", "bench/methods/records.jsonl", "`FILE` of what has been measured")
	again := flags.Bool("again", false, "measure what has been measured, too")
	render := flags.Bool("render", false, "measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := selection(*only, *data)
	if err != nil {
		return err
	}
	cells, err := allCells()
	if err != nil {
		return err
	}
	records, err := readRecords(*path)
	if err != nil {
		return err
	}
	if !*render {
		records, err = measure(ctx, cells, wanted, records, *again, *path)
		if err != nil {
			return err
		}
	}
	t, err := newTable(cells, records)
	if err != nil {
		return err
	}
	if len(t.missing()) == 0 { // what is left are records of other parameters
		if err := writeRecords(ctx, *path, t.records()); err != nil {
			return err
		}
	}
	text, problems, err := t.render()
	if err != nil {
		return err
	}
	if _, err := atomicfile.Write(ctx, *out, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}); err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "methods: warning:", p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s is not complete: %d warnings", *out, len(problems))
	}
	return nil
}

// selection reads -only and -data; nothing stands for everything.
func selection(only, data string) (wanted func(cell) bool, err error) {
	names := make([]string, len(databases))
	for i, d := range databases {
		names[i] = d.name
	}
	methods, err := listed("method", only, method.Names())
	if err != nil {
		return nil, err
	}
	sets, err := listed("database", data, names)
	if err != nil {
		return nil, err
	}
	return func(c cell) bool {
		return slices.Contains(methods, c.method.Name()) && slices.Contains(sets, c.database.name)
	}, nil
}

// listed returns the names that text lists; "" lists all.
func listed(what, text string, all []string) ([]string, error) {
	if text == "" {
		return all, nil
	}
	names := strings.Split(text, ",")
	for _, n := range names {
		if !slices.Contains(all, n) {
			return nil, hint.Unknown(what, n, all)
		}
	}
	return names, nil
}
