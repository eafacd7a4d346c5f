//go:build !cgo

package percale

import "syscall"

func openLibrary(name string) (uintptr, error) {
	library, err := syscall.LoadLibrary(name)
	return uintptr(library), err
}

func findSymbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
