package coding

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"nrdl.example/nrdl/internal/config"
)

var codec = sync.OnceValue(func() *config.Codec { return config.New(slices.Concat(All, ofMethods())) })

// Marshal gives c as a JSON object: its name, then all its parameters in the
// order of its fields. Equal coders give equal bytes.
func Marshal(c Coder) (json.RawMessage, error) {
	if c == nil {
		return nil, errors.New("write the coder: there is none")
	}
	raw, err := codec().MarshalNamed(c)
	if err != nil {
		return nil, fmt.Errorf("write the coder: %w", err)
	}
	return raw, nil
}

// Unmarshal returns the coder that Marshal wrote. A parameter that is missing,
// unknown or there twice is an error: what a model was learned with is never
// guessed. Whether the values are in their range is Validate's to say.
func Unmarshal(raw json.RawMessage) (Coder, error) {
	c, err := codec().UnmarshalNamed(raw)
	if err != nil {
		return nil, fmt.Errorf("read the coder: %w", err)
	}
	return c.(Coder), nil
}
