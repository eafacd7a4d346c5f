//go:build !cgo && !windows

package percale

import "github.com/ebitengine/purego"

func openLibrary(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
