package server

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/people"
)

// withSure is a service with three people, and faces of nobody that show them.
func withSure(t *testing.T) (c *client, at string, ids map[string]string) {
	c = newClient(t, Options{})
	at = c.collection()
	ids = c.enrol(at, everybody...)
	for _, name := range everybody {
		for _, f := range photos(t, "people/"+name) {
			c.add(at, "", f)
		}
	}
	c.publish(at)
	return c, at, ids
}

// What is sure is what identify calls known with such a probability; one call names all of it, one
// undo takes all of it back, and what somebody has denied is not sure.
func TestAcceptSure(t *testing.T) {
	t.Parallel()
	c, at, ids := withSure(t)
	const path = "/review/sure?probability=0.9"
	sure := func() map[string]string {
		t.Helper()
		var all api.Page[people.SurePerson]
		c.do(200, "GET", at+path, nil, &all)
		of := map[string]string{}
		for _, p := range all.Items {
			for _, f := range p.Faces {
				of[f.Face] = p.ID
			}
		}
		return of
	}
	nobodys := func() map[string]bool {
		t.Helper()
		var all api.Page[Face]
		c.do(200, "GET", at+"/faces?person=none&limit=500", nil, &all)
		ids := map[string]bool{}
		for _, f := range all.Items {
			ids[f.ID] = true
		}
		return ids
	}
	before, was := sure(), nobodys()
	for face := range was {
		var e Explained
		c.do(200, "GET", at+"/faces/"+face+"/why", nil, &e)
		want := ""
		if e.Decision == "known" && e.Probability != nil && *e.Probability >= 0.9 {
			want = e.Guess.ID
		}
		if before[face] != want {
			t.Errorf("face %s: sure is %q, and the reasons say %q", face, before[face], want)
		}
	}
	if len(before) < 3 {
		t.Fatalf("%d faces are sure", len(before))
	}
	var denied string
	for face, person := range before {
		c.do(200, "POST", at+"/faces/deny", object{"faces": []string{face}, "person": person}, nil)
		denied = face
		break
	}
	if _, ok := sure()[denied]; ok {
		t.Error("a face is sure that somebody has denied")
	}
	delete(before, denied)
	var one string
	for face := range before {
		one = face
	}
	type answer struct {
		Operation string
		Items     []people.SurePerson
	}
	var made answer
	c.do(200, "POST", at+"/review/sure", object{"probability": 0.9, "faces": []string{one, denied}}, &made)
	if len(made.Items) != 1 || len(made.Items[0].Faces) != 1 || made.Items[0].Faces[0].Face != one {
		t.Fatalf("%+v", made)
	}
	c.do(204, "POST", at+"/undo/"+made.Operation, nil, nil)
	c.do(200, "POST", at+"/review/sure", object{"probability": 0.9}, &made)
	left := nobodys()
	for face, person := range before {
		var e Explained
		if c.do(200, "GET", at+"/faces/"+face+"/why", nil, &e); e.Person != person || left[face] {
			t.Errorf("face %s is of %q, not of %s", face, e.Person, person)
		}
	}
	var again answer
	if c.do(200, "POST", at+"/review/sure", object{"probability": 0.9}, &again); again.Operation != "" || len(again.Items) != 0 {
		t.Errorf("%+v", again)
	}
	c.do(204, "POST", at+"/undo/"+made.Operation, nil, nil)
	if now := nobodys(); fmt.Sprint(now) != fmt.Sprint(was) {
		t.Errorf("after undo %v is of nobody, before %v", now, was)
	}
	for name, id := range ids {
		var p Person
		if c.do(200, "GET", at+"/people/"+id, nil, &p); p.Faces != 2 {
			t.Errorf("%s has %d faces", name, p.Faces)
		}
	}
	c.do(422, "GET", at+"/review/sure?probability=0.1", nil, nil)
}

// One button names what is sure after a preview, and Ctrl Z takes it back.
func testPageSure(t *testing.T, ctx context.Context) {
	c, at, _ := withSure(t)
	b := browse(t, c, ctx)
	b.until(`document.querySelectorAll("#nav a").length === 7`)
	b.screen("2", ".hint.row:not([hidden]) button")
	n := js[int](b, `Number(document.querySelector(".hint.row").innerText.match(/: (\d+) face/)[1])`)
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector(".hint.row button").click()`))
	b.until(`document.querySelectorAll("dialog .sure img").length === ` + fmt.Sprint(n))
	b.named()
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog button.main").click()`))
	b.until(fmt.Sprintf(`document.querySelector("#toasts").innerText.includes("%d faces named.")`, n))
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#toasts button").focus()`)) // then the message stays
	b.until(`document.querySelector(".hint.row").hidden`)
	count := func() (sum int) {
		for _, p := range b.people(at) {
			sum += p.Faces
		}
		return sum
	}
	if got := count(); got != 6+n {
		t.Errorf("%d faces have names, not %d", got, 6+n)
	}
	b.with(chromedp.ModifierCtrl, "z")
	b.until(`!document.querySelector(".hint.row").hidden`)
	if got := count(); got != 6 {
		t.Errorf("%d faces have names after undo", got)
	}
}
