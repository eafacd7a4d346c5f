//go:build race

package percale_test

func init() { raceDetector = true }
