//go:build race

package lin_test

func init() { raced = true }
