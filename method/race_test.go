//go:build race

package method

func init() { raced = true }
