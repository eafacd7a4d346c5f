//go:build !percale_path

package percale

// #cgo pkg-config: percale
import "C"
