package login

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// roles are what groups may do, from the most on: scopes of keys.
var roles = []struct {
	name   string
	scopes []string
}{
	{"admin", []string{"admin"}},
	{"editor", []string{"identify", "enrol", "review"}},
	{"reader", []string{"identify"}},
}

// Roles has the groups of each role: reader, editor and admin. The group * is everybody.
type Roles map[string][]string

var (
	roleBegins = regexp.MustCompile(`(?:^|,\s*)(reader|editor|admin)=`)
	partBegins = regexp.MustCompile(`,\s*([A-Za-z]+)=`)
)

// partsOfNames are what parts of a distinguished name begin with, such as cn=it,ou=groups (RFC 4514).
var partsOfNames = []string{"cn", "l", "st", "o", "ou", "c", "street", "dc", "uid"}

// ParseRoles reads the groups of roles, such as reader=staff,editor=photographers,admin=it. A role can be
// there several times; names of groups may have commas, but not begin or end with spaces.
func ParseRoles(text string) (Roles, error) {
	r := Roles{}
	at := roleBegins.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 || at[0][0] != 0 {
		return nil, fmt.Errorf("%.80q is not such as reader=staff,editor=photographers,admin=it", text)
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		role, group := text[m[2]:m[3]], strings.TrimSpace(text[m[1]:end])
		if group == "" || strings.HasSuffix(group, ",") {
			return nil, fmt.Errorf("the role %s has no group, or one too few: it is %.80q", role, group)
		}
		for _, part := range partBegins.FindAllStringSubmatch(group, -1) {
			if !slices.Contains(partsOfNames, strings.ToLower(part[1])) {
				return nil, fmt.Errorf("%.80q is no role: there are reader, editor and admin", part[1])
			}
		}
		r[role] = append(r[role], group)
	}
	return r, nil
}

// String writes r as ParseRoles reads it.
func (r Roles) String() string {
	var all []string
	for _, role := range slices.Backward(roles) {
		for _, group := range r[role.name] {
			all = append(all, role.name+"="+group)
		}
	}
	return strings.Join(all, ",")
}

// scopes are those of the highest role of somebody in groups.
func (r Roles) scopes(groups []string) []string {
	for _, role := range roles {
		if slices.ContainsFunc(r[role.name], func(g string) bool { return g == "*" || slices.Contains(groups, g) }) {
			return role.scopes
		}
	}
	return nil
}
