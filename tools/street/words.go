package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// literals finds the edits of paths in the calls filepath.Join("..", "..", "doc") of a Go file.
func (c *checkout) literals(name string, text []byte) (edits []edit) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && path.Dir(name) != path.Dir(place(name)) {
			edits = append(edits, c.ofRoot(name, set, l)...)
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); !ok || s.Sel.Name != "Join" || len(call.Args) == 0 {
			return true
		}
		var parts []string
		last, arguments := token.NoPos, call.Args
		if x, ok := arguments[0].(*ast.Ident); ok && x.Name == "root" && len(arguments) > 1 {
			arguments = arguments[1:]
		}
		for _, a := range arguments {
			l, ok := a.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				break
			}
			part, err := strconv.Unquote(l.Value)
			if err != nil {
				break
			}
			parts, last = append(parts, part), l.End()
		}
		p := path.Join(parts...)
		if len(parts) == 0 || len(arguments) == len(call.Args) && !strings.HasPrefix(p, "..") {
			return true
		}
		to, ok := place(p), c.known[p] && place(p) != p
		if len(arguments) == len(call.Args) {
			to, ok = c.relative(path.Dir(name), path.Dir(place(name)), p)
		}
		if !ok {
			return true
		}
		var quoted []string
		for part := range strings.SplitSeq(to, "/") {
			quoted = append(quoted, strconv.Quote(part))
		}
		edits = append(edits, edit{set.Position(arguments[0].Pos()).Offset, set.Position(last).Offset, strings.Join(quoted, ", ")})
		return false
	})
	return edits
}

// ofRoot is the edit of a string in a Go file of the root, if it is the path of a file.
func (c *checkout) ofRoot(name string, set *token.FileSet, l *ast.BasicLit) []edit {
	p, err := strconv.Unquote(l.Value)
	if err != nil || path.Dir(name) != "." || !c.known[p] || !strings.ContainsAny(p, "./") || p == "." {
		return nil
	}
	out, err := filepath.Rel("/faces", filepath.FromSlash("/"+place(p)))
	if err != nil || out == p {
		return nil
	}
	return []edit{{set.Position(l.Pos()).Offset, set.Position(l.End()).Offset, strconv.Quote(filepath.ToSlash(out))}}
}

// relative is a path that counts from the folder dir, as it counts from the folder to after the move.
// It is false where nothing is to change.
func (c *checkout) relative(dir, to, p string) (string, bool) {
	at := path.Join(dir, p)
	if at == ".." || strings.HasPrefix(at, "../") {
		return "", false
	}
	there, ok := c.placed(at)
	if !ok || there == "." && len(p) < len("../..") {
		return "", false
	}
	out, err := filepath.Rel(filepath.FromSlash("/"+to), filepath.FromSlash("/"+there))
	out = filepath.ToSlash(out)
	return out, err == nil && out != path.Clean(p)
}

// placed is the place of a path that is there, or of a pattern whose folder is.
func (c *checkout) placed(at string) (string, bool) {
	if at == "." {
		return ".", true
	}
	folder, _, _ := strings.Cut(at, "*")
	if folder != at {
		folder = path.Dir(folder + "x")
	}
	if folder == "." {
		return at, true
	}
	if first, rest, ok := strings.Cut(at, "/NAME"); ok && c.known[first] {
		return place(first) + "/NAME" + rest, true
	}
	return place(folder) + strings.TrimPrefix(at, folder), c.known[folder]
}

var (
	inGo     = regexp.MustCompile(`"(\.\.(?:/\.\.)+)"`)
	pathLike = regexp.MustCompile(`[\w.\-]+(?:/[\w.\-*]+)*/?`)
	ownPath  = regexp.MustCompile(`nrdl\.example/nrdl(/[\w\-]+)*`)
	ofStudy  = regexp.MustCompile(`(-C (?:\.\./)*)studies( (?:run (?:-[a-z]+ )*\./(\w+)|(?:vet|test|mod|build)\b.*))`)
	names    = regexp.MustCompile(`\b(nrdl|service|worker)\.([A-Z]\w*)`)
	pythonic = regexp.MustCompile(`(?s)` + "```python.*?```")
)

// words changes the paths that a text names, and the names of packages in documents and comments.
func (c *checkout) words(name, text string) string {
	dir, to := path.Dir(name), path.Dir(place(name))
	if path.Ext(name) == ".go" {
		text = inGo.ReplaceAllStringFunc(text, func(m string) string {
			if p, ok := c.relative(dir, to, strings.Trim(m, `"`)); ok {
				return strconv.Quote(p)
			}
			return m
		})
		text = strings.ReplaceAll(text, `"studies"`, `"tools"`)
	}
	text = c.studies(text)
	text = replaced(pathLike, text, func(token string, before byte) string { return c.word(token, before, name) })
	text = strings.ReplaceAll(text, program, "./")
	if path.Ext(name) == ".go" || path.Ext(name) == ".md" || path.Ext(name) == ".tmpl" {
		text = replaced(ownPath, text, func(token string, before byte) string {
			if before == '/' || token == module && path.Ext(name) == ".go" {
				return token
			}
			return imported(token)
		})
		text = c.names(name, text)
	}
	return text
}

// program stands for the ./ of a program that keeps its name.
const program = "\x00"

// studies changes the folder in commands that run what is there.
func (c *checkout) studies(text string) string {
	return ofStudy.ReplaceAllStringFunc(text, func(m string) string {
		if _, name, ok := strings.Cut(m, "run "); ok {
			name = name[strings.LastIndex(name, "./")+2:]
			if name != "NAME" && !c.known["studies/"+name] {
				return m
			}
		}
		if !strings.Contains(m, "../") { // else the folder is a path that counts from the file
			m = strings.Replace(m, "studies", "tools", 1)
		}
		name := strings.LastIndex(m, " ./")
		if name < 0 {
			return m
		}
		return m[:name+1] + program + m[name+3:]
	})
}

func replaced(r *regexp.Regexp, text string, f func(token string, before byte) string) string {
	var b strings.Builder
	at := 0
	for _, m := range r.FindAllStringIndex(text, -1) {
		before := byte(' ')
		if m[0] > 0 {
			before = text[m[0]-1]
		}
		b.WriteString(text[at:m[0]])
		b.WriteString(f(text[m[0]:m[1]], before))
		at = m[1]
	}
	return b.String() + text[at:]
}

// word is a path after the move. It counts from the folder of the text if it begins with a dot and is
// there, else from the root of the repository.
func (c *checkout) word(token string, before byte, name string) string {
	dir, to := path.Dir(name), path.Dir(place(name))
	if !strings.Contains(token, "/") || strings.ContainsRune("/@:$~", rune(before)) || strings.HasPrefix(token, module) {
		return token
	}
	rest := ""
	for strings.HasSuffix(token, ".") && !strings.HasSuffix(token, "..") {
		token, rest = token[:len(token)-1], rest+"."
	}
	slash := strings.HasSuffix(token, "/")
	p := path.Clean(token)
	first, _, _ := strings.Cut(p, "/")
	switch {
	case strings.HasSuffix(token, "..."):
		p = strings.TrimSuffix(path.Clean(token), "/...")
		rest = "/..." + rest
		fallthrough
	case strings.HasPrefix(token, "./"):
		if slash {
			rest = "/" + rest
		}
		for _, base := range [][2]string{{dir, to}, {".", "."}, {"studies", "tools"}} {
			if at := path.Join(base[0], p); c.known[at] && at != "." {
				if out, ok := c.relative(base[0], base[1], p); ok {
					if !strings.HasPrefix(out, ".") {
						out = "./" + out
					}
					return out + rest
				}
				break
			}
		}
		return token + strings.TrimPrefix(strings.TrimPrefix(rest, "/..."), "/")
	case first == ".." && strings.Trim(p, "./") != "":
		if out, ok := c.relative(dir, to, p); ok {
			if slash {
				out += "/"
			}
			return out + rest
		}
	case first == "testdata", dir != "." && c.known[path.Join(dir, p)]:
	case first == p && first != "studies" && path.Ext(name) != ".md": // which is many other things too
	case c.known[first]:
		if out, ok := c.placed(p); ok {
			if slash {
				out += "/"
			}
			return out + rest
		}
	}
	return token + rest
}

// names changes the names of packages before what they export, in comments and documents.
func (c *checkout) names(name, text string) string {
	if strings.HasPrefix(name, "python/") || strings.HasPrefix(name, "client/") || strings.HasPrefix(name, "doc/python") {
		return text
	}
	f := func(text string) string {
		return names.ReplaceAllStringFunc(text, func(m string) string {
			of, what, _ := strings.Cut(m, ".")
			if c.exports[of][what] && !(of == "nrdl" && core[what]) {
				return map[string]string{"nrdl": "faces", "service": "server", "worker": "cluster"}[of] + "." + what
			}
			return m
		})
	}
	var b strings.Builder
	at := 0
	for _, m := range pythonic.FindAllStringIndex(text, -1) {
		b.WriteString(f(text[at:m[0]]) + text[m[0]:m[1]])
		at = m[1]
	}
	return b.String() + f(text[at:])
}
