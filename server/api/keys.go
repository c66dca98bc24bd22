package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A Key lets a program use the service, or is that of somebody who has logged in.
type Key struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Scopes      []string   `json:"scopes"`
	Collections []string   `json:"collections,omitempty" doc:"Which it is for; missing: all"`
	Created     time.Time  `json:"created"`
	Expires     *time.Time `json:"expires,omitempty"`
	Subject     string     `json:"subject,omitempty" doc:"Of somebody who has logged in: id at the provider"`
	Email       string     `json:"email,omitempty" doc:"Of somebody who has logged in"`
}

func keyResponse(k store.Key) Key {
	response := Key{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes, Collections: k.Collections, Created: k.Created, Subject: k.Subject, Email: k.Email,
	}
	if !k.Expires.IsZero() {
		response.Expires = &k.Expires
	}
	return response
}

// keyRoutes are the routes of keys, sessions and the audit log.
type keyRoutes struct{ *Service }

func (v keyRoutes) register() {
	operation(v.Service, http.MethodGet, "/v1/keys", "List keys, and the people who have logged in", forAdmin, func(ctx context.Context, _ *struct{}) (*body[Page[Key]], error) {
		all, err := v.store.Keys(ctx)
		return page(all, len(all), nil, keyResponse), err
	})
	operation(v.Service, http.MethodPost, "/v1/keys", "Create a key; the first one needs the scope admin", forAdmin, v.createKey)
	operation(v.Service, http.MethodDelete, "/v1/keys/{key}", "Delete a key", forAdmin, func(ctx context.Context, in *struct {
		Key string `path:"key"`
	},
	) (*struct{}, error) {
		return nil, v.store.DeleteKey(ctx, requestOf(ctx).Actor, in.Key, false)
	})
	v.registerAudit()
	v.registerSessions()
}

func (v keyRoutes) registerAudit() {
	type log struct {
		Page[auditLine]
		Damaged string `json:"damaged,omitempty" doc:"With check: which line is not what was written; missing if all are"`
	}
	operation(v.Service, http.MethodGet, "/v1/audit", "List what was done and by whom, the latest first",
		forAdmin, func(ctx context.Context, in *struct {
			Cursor
			Check bool `query:"check" doc:"Whether to check that no line was changed or removed since"`
		},
		) (*body[log], error) {
			before, err := in.number()
			if err != nil {
				return nil, err
			}
			all, err := v.store.Audit(ctx, int64(before), in.Limit+1)
			if err != nil {
				return nil, err
			}
			var ids []string
			for _, l := range all {
				ids = append(ids, l.Object)
			}
			names, err := v.store.NamesOf(ctx, slices.DeleteFunc(ids, func(id string) bool { return !people.AnID.MatchString(id) }))
			if err != nil {
				return nil, err
			}
			response := log{Page: page(all, in.Limit, func(l store.Line) string { return strconv.FormatInt(l.Seq, 10) },
				func(l store.Line) auditLine { return auditLine{l, names[l.Object]} }).Body}
			if in.Check {
				if err := v.store.CheckAudit(ctx); errors.Is(err, store.ErrAudit) {
					response.Damaged = err.Error()
				} else if err != nil {
					return nil, err
				}
			}
			return answered(response, nil)
		})
}

// An auditLine is a line with a name of today, which is not in the log.
type auditLine struct {
	store.Line
	ObjectName string `json:"object_name,omitempty" doc:"Of the person, of whose face it is, of the collection or key, or the kind of the operation, as far as it is there"`
}

type newKey struct {
	Name        string     `json:"name" minLength:"1" maxLength:"200"`
	Scopes      []string   `json:"scopes" minItems:"1" enum:"identify,enrol,review,admin,metrics,vectors"`
	Expires     *time.Time `json:"expires,omitempty" doc:"A time to come; missing: never"`
	Collections []string   `json:"collections,omitempty" maxItems:"100" doc:"Ids of those that it is for; missing: all, and what is of none"`
}

type createdKey struct {
	Key
	Secret string `json:"key" doc:"For the header Authorization: Bearer …; it is not shown again"`
}

func (v keyRoutes) createKey(ctx context.Context, in *body[newKey]) (*body[createdKey], error) {
	b := in.Body
	k, s, err := createKey(ctx, v.store, requestOf(ctx).Actor,
		store.Key{Name: b.Name, Scopes: b.Scopes, Collections: b.Collections}, b.Expires)
	if errors.Is(err, errFirstKey) {
		err = coded("first_key", people.Invalid("%s", err.Error()))
	}
	return answered(createdKey{keyResponse(k), s}, err)
}

// CreateKey adds a key with the Name, Scopes and Collections of k to the database of a service and
// returns its secret, which is not stored. The key ends at expires; nil is never. A key with the
// scope admin that does not expire and is for all collections must be there before others.
func CreateKey(ctx context.Context, db *store.Store, k store.Key, expires *time.Time) (secret string, err error) {
	_, secret, err = createKey(ctx, db, "operator", k, expires)
	return secret, err
}

// createKey stores k with a new id and new times, for actor.
func createKey(ctx context.Context, db *store.Store, actor string, k store.Key, expires *time.Time) (store.Key, string, error) {
	if err := checkKey(k, expires); err != nil {
		return k, "", people.Unusable(err)
	}
	if expires != nil {
		k.Expires = *expires
	}
	all, err := db.Keys(ctx)
	if err != nil {
		return k, "", err
	}
	if !k.Manages() && !slices.ContainsFunc(all, store.Key.Manages) {
		return k, "", errFirstKey
	}
	for _, c := range k.Collections {
		if _, err := db.Collection(ctx, c); err != nil {
			return k, "", fmt.Errorf("collection %.80q: %w", c, err)
		}
	}
	return db.CreateKey(ctx, actor, k.Name, k.Scopes, k.Collections, k.Expires)
}

// checkKey returns an error for a key that nobody could use, or that no list could show.
func checkKey(k store.Key, expires *time.Time) error {
	const longest, limit = 200, 100
	switch n := utf8.RuneCountInString(k.Name); {
	case !utf8.ValidString(k.Name) || strings.TrimSpace(k.Name) == "" || n > longest || strings.ContainsFunc(k.Name, unicode.IsControl):
		return fmt.Errorf("the name of a key has 1 to %d characters in one line", longest)
	case len(k.Scopes) == 0:
		return errors.New("a key needs a scope")
	case len(k.Collections) > limit:
		return fmt.Errorf("the key is for %d collections, and %d are possible: leave them out for all", len(k.Collections), limit)
	case expires != nil && !expires.After(time.Now()):
		return fmt.Errorf("the key would have expired on %s: name a later day", expires.Format(time.DateOnly))
	}
	return CheckScopes(k.Scopes)
}

// registerSessions registers the operations of sessions. The page uses them, so that it has the key only
// while somebody signs in.
func (v keyRoutes) registerSessions() {
	type set struct {
		Cookie   string `header:"Set-Cookie"`
		Location string `header:"Location"`
	}
	cookie := func(ctx context.Context, value string) *set {
		value = cookieName + "=" + value + "; Path=" + requestOf(ctx).prefix + "/; HttpOnly; SameSite=Strict"
		if requestOf(ctx).isSecure {
			value += "; Secure"
		}
		return &set{Cookie: value}
	}
	operation(v.Service, http.MethodPost, "/v1/session",
		"Start a session with the key of the header Authorization, for a page: it is in a cookie, and ends after 12 hours without use",
		Scopes, func(ctx context.Context, _ *struct{}) (*set, error) {
			if !requestOf(ctx).bearer {
				return nil, errNoKey
			}
			secret, err := v.store.CreateSession(ctx, requestOf(ctx).Actor)
			return cookie(ctx, secret), err
		})
	operation(v.Service, http.MethodGet, "/v1/session", "Say who sends the request, and what that key or person may do", Scopes, whoAsks)
	operation(v.Service, http.MethodDelete, "/v1/session",
		"End the session of the cookie; the header Location of the answer is where a browser ends the one at the provider of the login", Scopes,
		func(ctx context.Context, _ *struct{}) (*set, error) {
			answer := cookie(ctx, "; Max-Age=0")
			token, err := v.store.EndSession(ctx, requestOf(ctx).session)
			if token != "" && v.Login != nil {
				answer.Location = v.Login.End(ctx, token, requestOf(ctx).base+"/")
			}
			return answer, err
		})
}

var errFirstKey = errors.New(
	"the first key needs the scope admin, and must not expire or be for some collections only: otherwise nobody could create another")
