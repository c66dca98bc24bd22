//go:build race

package feature

func init() { raced = true }
