// Command photographs trains on a folder of photographs, one folder a person, and
// answers a photograph that is sent to it with the names in it:
//
//	photographs people 127.0.0.1:8081
//	curl --data-binary @photo.jpg http://127.0.0.1:8081/
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/heic"
)

func main() {
	heic.Register() // photographs of telephones too
	ctx := context.Background()
	images, err := faces.Read(ctx, os.Args[1], faces.ReadOptions{})
	check(err)
	people, err := faces.Train(ctx, images, faces.Defaults(images))
	check(err)
	listener, err := net.Listen("tcp", os.Args[2])
	check(err)
	log.Printf("listening on http://%s", listener.Addr())
	check(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		photo := faces.Photo{Name: "photo", Load: func() ([]byte, error) { return io.ReadAll(http.MaxBytesReader(w, r.Body, 20<<20)) }}
		names := []string{}
		for result, err := range people.IdentifyAll(r.Context(), func(yield func(faces.Photo) bool) { yield(photo) }) {
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			for _, face := range result.Faces {
				names = append(names, cmp.Or(face.Name, faces.Unknown))
			}
		}
		check(json.NewEncoder(w).Encode(names))
	})))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
