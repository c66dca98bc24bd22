package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server"
)

func (a *app) openCmd() *cobra.Command {
	s := &serving{app: a, listen: "127.0.0.1:0", input: "embedding", log: "text", level: "warn"}
	s.limits = server.Options{}.WithDefaults()
	browser := true
	c := &cobra.Command{
		Use:  "open DIR",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if err := checkPhotographs(args[0]); err != nil {
				return err
			}
			if s.data == "" && filepath.Dir(folder) == folder {
				return advice.Add(cli.Misuse("%s has no folder around it for the names", args[0]), "say where they are kept: --data FOLDER")
			}
			if s.data == "" {
				s.data = folder + "-nrdl"
			}
			if err := server.CheckFolder(s.data, true); err != nil {
				return cli.AsMisuse(err)
			}
			s.limits.Photos, s.limits.Tags, s.database = folder, true, filepath.Join(s.data, "nrdl.db")
			s.tell = func(ctx context.Context, v *server.Service, address string) error {
				return s.tellOpen(ctx, v, args[0], address, browser)
			}
			err = s.run(c.Context())
			if errors.Is(err, fs.ErrPermission) {
				err = advice.Add(err, "keep the names elsewhere: nrdl open %s --data FOLDER", legible.ShellWord(args[0]))
			}
			return err
		},
	}
	c.Flags().StringVar(&s.data, "data", "", "keep faces and names in `FOLDER` (default DIR-nrdl, beside DIR)")
	c.Flags().BoolVar(&browser, "browser", true, "open a browser, if there is one")
	detectorVar(c, &s.detector)
	cli.Complete(c, "data", cli.Folders)
	return c
}

// checkPhotographs returns an error unless there is a photograph in a folder.
func checkPhotographs(folder string) error {
	const example = "for example: nrdl open Pictures"
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return advice.Add(fmt.Errorf("open: there is no folder %s", folder), "check the path; "+example)
	} else if err != nil {
		return advice.Add(err, example)
	} else if !info.IsDir() {
		return advice.Add(cli.Misuse("open takes a folder of photographs, and %s is a file", folder), example)
	}
	found := errors.New("found")
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && dataset.IsImage(d.Name()) {
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return nil
	}
	return advice.Add(fmt.Errorf("open: %s holds no photographs", folder),
		"nrdl reads JPEG, PNG, HEIC, AVIF, WebP, TIFF and others: nrdl help data")
}

// tellOpen starts to look at the photographs of dir, says where their page and their data are, and opens the page.
func (s *serving) tellOpen(ctx context.Context, v *server.Service, dir, address string, browser bool) error {
	id, err := v.ImportPhotos(ctx, filepath.Base(s.limits.Photos))
	if err != nil {
		return err
	}
	address += "/#/" + id + "/groups"
	shown := browser && openBrowser(address)
	s.Tell("the faces in %s are found and grouped: give them names on this page, while it fills", legible.ShellWord(dir))
	if shown {
		s.Tell("%s (a browser shows it)", address)
	} else {
		s.Tell("%s (open it in a browser)", address)
	}
	s.Tell("faces and names are kept in %s; to forget them, end this and delete that folder",
		legible.ShellWord(s.data))
	s.Tell("Ctrl-C ends this; the same command goes on")
	return nil
}

// openBrowser lets the browser of the desktop show an address, and reports whether there is one.
func openBrowser(address string) bool {
	command := []string{"xdg-open", address}
	switch {
	case runtime.GOOS == "darwin":
		command[0] = "open"
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	case os.Getenv("DISPLAY")+os.Getenv("WAYLAND_DISPLAY") == "":
		return false // as in a terminal on another machine
	}
	c := exec.Command(command[0], command[1:]...)
	if c.Start() != nil {
		return false
	}
	go func() { _ = c.Wait() }()
	return true
}
