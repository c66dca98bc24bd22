//go:build race

package network_test

func init() { raced = true }
