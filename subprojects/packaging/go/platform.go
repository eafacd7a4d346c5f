//go:build !cgo

package percale

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
)

// This file says what a library was built for, for the message about one that the system refuses to
// load. core/file/library_platform does the same for plug-ins.

// By the processor's number in ELF, PE and Mach-O files.
var (
	elfProcessors = map[uint32]string{0x3e: "x86-64", 0xb7: "arm64", 0x03: "x86 of 32 bits", 0x28: "arm of 32 bits", 0xf3: "RISC-V"}
	peProcessors  = map[uint32]string{0x8664: "x86-64", 0xaa64: "arm64", 0x014c: "x86 of 32 bits"}
	machOs        = map[uint32]string{0x01000007: "x86-64", 0x0100000c: "arm64"}
)

// number returns the little-endian number of size bytes at a place; 0 beyond the end.
func number(data []byte, at uint32, size uint32) uint32 {
	if uint64(at)+uint64(size) > uint64(len(data)) {
		return 0
	}
	var whole [4]byte
	copy(whole[:], data[at:at+size])
	return binary.LittleEndian.Uint32(whole[:])
}

func named(system string, processors map[uint32]string, number uint32) string {
	name, known := processors[number]
	if !known {
		name = "another processor"
	}
	return system + " on " + name
}

// libraryOfC returns " with glibc", " with musl" or "". The names of needed libraries are texts of
// the file, each with a NUL before and after it.
func libraryOfC(data []byte) string {
	contains := func(text string) bool { return bytes.Contains(data, []byte(text)) }
	if contains("\x00libc.so.6\x00") {
		return " with glibc"
	}
	if contains("\x00libc.so\x00") || contains("\x00libc.musl-") {
		return " with musl"
	}
	return ""
}

// platformOf returns such as "Linux on arm64 with musl"; "" for a file that is no library.
func platformOf(data []byte) string {
	if bytes.HasPrefix(data, []byte("\x7fELF")) {
		return named("Linux", elfProcessors, number(data, 18, 2)) + libraryOfC(data)
	}
	if number(data, 0, 4) == 0xfeedfacf {
		return named("macOS", machOs, number(data, 4, 4))
	}
	header := number(data, 0x3c, 4)
	if bytes.HasPrefix(data, []byte("MZ")) && number(data, header, 4) == 0x4550 {
		return named("Windows", peProcessors, number(data, header+4, 2))
	}
	return ""
}

// otherPlatform returns "it is for ..., and this process runs on ..." if the library at a path is
// for another platform than this program, else "".
func otherPlatform(path string) string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	own, _ := os.ReadFile(program)
	other, _ := os.ReadFile(path)
	found, wanted := platformOf(other), platformOf(own)
	// A file that names no C library does not differ by it.
	if found == "" || wanted == "" || strings.HasPrefix(found, wanted) || strings.HasPrefix(wanted, found) {
		return ""
	}
	return "it is for " + found + ", and this process runs on " + wanted
}
