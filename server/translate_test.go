package server

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A translation is a file of a language of the page.
type translation struct {
	Direction string
	Nouns     map[string][]string
	Texts     map[string]string
}

func translationOf(t *testing.T, language string) (all translation) {
	t.Helper()
	text, err := fs.ReadFile(pageFiles, "page/"+language+".json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The languages have the same texts, which the page has in English, with the same values.
func TestTranslations(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(pageFiles, "page/*[sl]") // .js and .html
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	for _, name := range files {
		if text, err := fs.ReadFile(pageFiles, name); err != nil {
			t.Fatal(err)
		} else if path.Base(name) != "translate.js" {
			page.Write(text)
		}
	}
	value := regexp.MustCompile(`\{\d?\}`)
	de := translationOf(t, "de")
	for _, language := range []string{"de", "ar"} {
		l := translationOf(t, language)
		forms := map[string]int{"de": 2, "ar": 5}[language]
		for name, all := range l.Nouns {
			if len(all) != forms {
				t.Errorf("%s: %d forms of %s, not %d", language, len(all), name, forms)
			}
		}
		if !slices.Equal(slices.Sorted(maps.Keys(l.Nouns)), slices.Sorted(maps.Keys(de.Nouns))) {
			t.Errorf("%s counts other things", language)
		}
		for text, to := range l.Texts {
			if strings.TrimSpace(to) == "" || len(value.FindAllString(to, -1)) > strings.Count(text, "{}") || strings.Contains(to, "  ") {
				t.Errorf("%s: %q is %q", language, text, to)
			}
			for _, part := range strings.Split(text, "{}") {
				if part = strings.TrimSpace(part); !strings.Contains(page.String(), part) && !slices.Contains(assembled, text) {
					t.Errorf("%s: the page does not have %q, part of %q", language, part, text)
				}
			}
		}
	}
	ar := translationOf(t, "ar")
	for text := range ar.Texts {
		if _, ok := de.Texts[text]; !ok && !slices.Contains([]string{"Name", "Person", "Problem", "{} in {}"}, text) {
			t.Errorf("German does not have %q", text)
		}
	}
}

// assembled are texts of which the page has the parts, and advice of the service.
var assembled = []string{
	"All {} faces are badly lit: add well lit ones.",
	"All {} faces are blurred: add sharp ones.",
	"All {} photographs are frontal: add some with the head turned to the left and to the right.",
	"All {} faces are small: add larger ones.",
	"Few photographs ({}): add more.",
	"Many faces have no name yet; these are the largest groups. Type a name and press Enter. If a group shows two " +
		"people, first select the faces of one.",
	"No photograph shows the head turned to the left of the picture.",
	"No photograph shows the head turned to the right of the picture.",
	"Of strangers at random, one in two resembles somebody here as much; of people who look alike, more.",
	"Only one face is large: add more.",
	"Only one face is sharp: add more.",
	"Only one face is well lit: add more.",
	"The photographs are very alike: add some from other days.",
	"The two photographs do not look like one person: see whether one is of somebody else.",
	"{} face does not look like the other ones.",
	"{} face has no name yet: {}. Type a name and press Enter. If a group shows two people, first select the faces of one.",
	"{} face has no name yet: {}.",
	"{} face looks so much like somebody of the collection that it is probably no stranger. Select a face and press W " +
		"to see why, and delete those who are no strangers.",
	"{} faces do not look like the other ones.",
	"{} faces have no name yet: {}. Type a name and press Enter. If a group shows two people, first select the faces of one.",
	"{} faces have no name yet: {}.",
	"{} faces have no name yet; these are the largest groups. Type a name and press Enter. If a group shows two people, " +
		"first select the faces of one.",
	"{} faces have no name yet; these are the largest groups.",
	"{} faces look so much like somebody of the collection that they are probably no strangers. Select a face and press " +
		"W to see why, and delete those who are no strangers.",
	"{} of {} photographs are nearly copies of others: only {} differ.",
	"{} of {} photographs do not look like the others: see whether they are of somebody else.",
	"{} that are no images",
	"{} that is no image",
}

// Whoever wants German or Arabic finds no English on the screens, and Arabic is written from the right.
func testPageInLanguages(t *testing.T, ctx context.Context) {
	for _, language := range []string{"de", "ar"} {
		c, at, _ := mixed(t)
		b := browse(t, c, ctx)
		b.until(`document.querySelectorAll("#nav a").length === 7`)
		b.run(chromedp.Evaluate[chromedp.Void](`localStorage.setItem("nrdl-language", "`+language+`")`), chromedp.Reload())
		b.until(`document.documentElement.lang === "` + language + `" && document.querySelectorAll("#nav a").length === 7`)
		if dir := js[string](b, `document.documentElement.dir`); dir != translationOf(t, language).Direction {
			t.Errorf("%s is written %s", language, dir)
		}
		// Numbers are written as the language does; a name of digits stays, and so do names of people.
		b.run(chromedp.Evaluate[chromedp.Void](`document.body.append(Object.assign(document.createElement("p"), { id: "numbers" }));
			for (const text of ["1,234", "0.5 %", "2024", "1,234 faces"]) document.getElementById("numbers").append(Object.assign(document.createElement("i"), { textContent: text }))`))
		b.until(`!document.getElementById("numbers").textContent.includes("faces")`)
		wrote := js[string](b, `[...document.querySelectorAll("#numbers i")].slice(0, 3).map((i) => i.textContent).join("|")`)
		want := js[string](b, `[new Intl.NumberFormat("`+language+`").format(1234), new Intl.NumberFormat("`+language+
			`").format(0.5) + " %", "2024"].join("|")`)
		if wrote != want || language == "de" && wrote != "1.234|0,5 %|2024" {
			t.Errorf("%s: %s, not %s", language, wrote, want)
		}
		b.run(chromedp.Evaluate[chromedp.Void](`document.getElementById("numbers").remove()`))
		english := slices.Sorted(maps.Keys(translationOf(t, "ar").Texts))
		list, err := json.Marshal(english)
		if err != nil {
			t.Fatal(err)
		}
		left := func(where string) {
			b.named()
			found := js[[]string](b, `(() => {
				const english = new Set(`+string(list)+`), found = [];
				const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
				for (let n = walk.nextNode(); n; n = walk.nextNode()) {
					const text = n.data.trim();
					if (!n.parentElement.closest("[dir=auto], [translate=no], script, style, code, noscript, kbd") && (`+
				map[string]string{
					"de": `english.has(text) && !["Name", "Person", "Problem", "Export"].includes(text)`,
					"ar": `/[A-Za-z]{2,}/.test(text.replace(/JPEG|PNG|HEIC|WebP|TIFF|zip|nrdl|MIT|MB|Ctrl|Alt|Esc|Enter/g, ""))`,
				}[language]+`)) found.push(text);
				}
				return found;
			})()`)
			if len(found) > 0 {
				t.Errorf("%s, %s: %q", language, where, found)
			}
		}
		opened := func(button string, left func(string)) {
			b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("` + button + `").click()`))
			b.until(`document.querySelector("dialog[open]")`)
			left(button)
			b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("dialog .head button").click()`))
			b.until(`!document.querySelector("dialog")`)
		}
		for digit, selector := range map[string]string{
			"1": ".dropzone", "2": "h1", "3": ".dropzone",
			"4": ".people a", "5": "h1", "6": "[role=tabpanel]", "7": ".setting select",
		} {
			b.screen(digit, selector)
			b.until(`!document.querySelector("[aria-busy]")`)
			if digit == "7" {
				b.until(`document.querySelector("#refit li")`)
			}
			left(digit)
			if digit == "4" {
				b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector(".people a").click()`))
				b.until(`document.querySelector(".screen-person h1") && !document.querySelector("[aria-busy]")`)
				left("a person")
				opened(".menu button:nth-of-type(2)", left) // date of birth
				opened(".menu button:nth-of-type(3)", left) // not the same as
				opened(".menu button.danger", left)
				opened(".profile .row button:nth-of-type(1)", left)
				opened(".profile .row button:nth-of-type(2)", left)
			}
			if digit == "7" {
				opened(".setting:nth-of-type(4) > .row button", left) // a key
				opened(".setting:nth-of-type(5) > button", left)      // an address for messages
			}
		}
		_ = at
	}
}
