//go:build !cgo

package percale

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"
)

// Without cgo, the library is opened when it is first used: the one that PERCALE_LIBRARY names,
// else the one that the module carries, else the system's.
var (
	opening sync.Once
	openErr error
)

// nameOfSystem is the name by which the system searches for the library.
var nameOfSystem = map[string]string{"linux": "libpercale.so.0", "darwin": "libpercale.0.dylib", "windows": "percale.dll"}

// opened opens the library once. It panics if there is none, as a program that is linked to a
// library that is absent does not start at all.
func opened() {
	opening.Do(func() { openErr = open() })
	if openErr != nil {
		panic(openErr)
	}
}

func open() error {
	name := os.Getenv("PERCALE_LIBRARY")
	if name == "" {
		var err error
		if name, err = carried(); err != nil {
			return err
		}
	}
	library, err := openLibrary(name)
	if err != nil {
		if other := otherPlatform(name); other != "" {
			err = errors.New(other)
		}
		return fmt.Errorf("percale: %s cannot be opened; name another library in PERCALE_LIBRARY: %w", name, err)
	}
	bindAll(func(symbol string) (address uintptr) {
		if err == nil {
			address, err = findSymbol(library, symbol)
		}
		return address
	})
	if err != nil {
		return fmt.Errorf("percale: %s is older than the module: %w", name, err)
	}
	return nil
}

// carried returns the path of the library of the module, which it writes to the user's cache, in a
// folder named by its contents. Without one it returns the name by which the system searches.
func carried() (string, error) {
	if libraryName == "" {
		return nameOfSystem[runtime.GOOS], nil
	}
	library, err := natives.ReadFile(path.Join(nativesFolder, libraryName))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(library)
	folder := filepath.Join(cache, "percale", "go", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err != nil {
		if err := extract(folder); err != nil {
			return "", fmt.Errorf("percale: the library cannot be written to %s; set XDG_CACHE_HOME or PERCALE_LIBRARY: %w", folder, err)
		}
	}
	return filepath.Join(folder, libraryName), nil
}

// extract writes the files of the module to a folder, which exists as a whole or not at all.
func extract(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	files, err := fs.Sub(natives, nativesFolder)
	if err != nil {
		return err
	}
	if err := os.CopyFS(fresh, files); err != nil {
		return err
	}
	if err := os.Rename(fresh, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return err // and another process has not been faster
		}
	}
	return nil
}

// memory has the allocations of c_malloc.
var memory sync.Map

func c_malloc(size c_size_t) unsafe.Pointer {
	block := make([]uint64, size/8+1)
	start := unsafe.Pointer(unsafe.SliceData(block))
	memory.Store(start, block)
	return start
}

func c_free(start unsafe.Pointer) { memory.Delete(start) }

func c_GoStringN(text *c_char, size c_int) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(text)), int(size)))
}

func c_GoString(text *c_char) string {
	if text == nil {
		return ""
	}
	size := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), size)) != 0 {
		size++
	}
	return c_GoStringN(text, c_int(size))
}
