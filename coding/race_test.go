//go:build race

package coding_test

func init() { raced = true }
