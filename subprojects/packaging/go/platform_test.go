//go:build !cgo

package percale

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elf returns the beginning of an ELF file for a processor that needs a library.
func elf(processor byte, needed string) []byte {
	out := make([]byte, 64)
	copy(out, "\x7fELF\x02\x01")
	out[18] = processor
	return append(out, "\x00"+needed+"\x00"...)
}

func TestHeadersNameTheSystemAndTheProcessor(t *testing.T) {
	windows := make([]byte, 128)
	copy(windows, "MZ")
	windows[0x3c] = 0x40
	copy(windows[0x40:], "PE\x00\x00\x64\x86")
	for want, data := range map[string][]byte{
		"Linux on x86-64 with glibc": elf(0x3e, "libc.so.6"),
		"Linux on arm64 with musl":   elf(0xb7, "libc.so"),
		"Linux on RISC-V":            elf(0xf3, "libm.so.6"),
		"macOS on arm64":             []byte("\xcf\xfa\xed\xfe\x0c\x00\x00\x01"),
		"Windows on x86-64":          windows,
	} {
		if found := platformOf(data); found != want {
			t.Errorf("found %q, want %q", found, want)
		}
	}
	for _, text := range []string{"", "MZ", "#!/bin/sh\n", strings.Repeat("MZ", 64)} {
		if found := platformOf([]byte(text)); found != "" {
			t.Errorf("%q has the platform %q", text, found)
		}
	}
}

func TestTheErrorOfAnotherPlatformNamesBoth(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libpercale.so.0")
	if err := os.WriteFile(library, elf(0xf3, "libc.so.6"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PERCALE_LIBRARY", library)
	err := open()
	if err == nil {
		t.Fatal("a library for another processor was opened")
	}
	for _, want := range []string{library + " cannot be opened; ", ": it is for Linux on RISC-V with glibc, and this process runs on "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
