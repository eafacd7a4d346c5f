//! Says what a library was built for, for the message about one that the system refuses to load.
//! `core/file/library_platform` does the same for plug-ins.
use std::path::Path;

/// By the processor's number in ELF, PE and Mach-O files.
const ELF: &[(u32, &str)] =
    &[(0x3e, "x86-64"), (0xb7, "arm64"), (0x03, "x86 of 32 bits"), (0x28, "arm of 32 bits"), (0xf3, "RISC-V")];
const PE: &[(u32, &str)] = &[(0x8664, "x86-64"), (0xaa64, "arm64"), (0x014c, "x86 of 32 bits")];
const MACH_O: &[(u32, &str)] = &[(0x0100_0007, "x86-64"), (0x0100_000c, "arm64")];

/// Returns the little-endian number of `size` bytes at `at`; 0 beyond the end.
fn number(bytes: &[u8], at: usize, size: usize) -> u32 {
    let part = at.checked_add(size).and_then(|end| bytes.get(at..end)).unwrap_or_default();
    part.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte))
}

fn named(system: &str, processors: &[(u32, &str)], number: u32) -> String {
    let name = processors.iter().find(|processor| processor.0 == number).map_or("another processor", |found| found.1);
    format!("{system} on {name}")
}

/// The names of needed libraries are texts of the file, each with a NUL before and after it.
fn c_library(bytes: &[u8]) -> &'static str {
    let contains = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    if contains("\0libc.so.6\0") {
        " with glibc"
    } else if contains("\0libc.so\0") || contains("\0libc.musl-") {
        " with musl"
    } else {
        ""
    }
}

/// Returns such as "Linux on arm64 with musl"; "" for a file that is no library or program.
fn platform_of(bytes: &[u8]) -> String {
    if bytes.starts_with(b"\x7fELF") {
        return named("Linux", ELF, number(bytes, 18, 2)) + c_library(bytes);
    }
    if number(bytes, 0, 4) == 0xfeed_facf {
        return named("macOS", MACH_O, number(bytes, 4, 4));
    }
    let header = number(bytes, 0x3c, 4) as usize;
    if bytes.starts_with(b"MZ") && number(bytes, header, 4) == 0x4550 {
        return named("Windows", PE, number(bytes, header + 4, 2));
    }
    String::new()
}

/// Returns "it is for ..., and this process runs on ..." if the library at `path` is for another
/// platform than this program, else "".
pub(crate) fn other_platform(path: &str) -> String {
    let read = |path: &Path| std::fs::read(path).map_or(String::new(), |bytes| platform_of(&bytes));
    let found = read(Path::new(path));
    let wanted = std::env::current_exe().map_or(String::new(), |program| read(&program));
    // A file that names no C library does not differ by it.
    if found.is_empty() || wanted.is_empty() || found.starts_with(&wanted) || wanted.starts_with(&found) {
        return String::new();
    }
    format!("it is for {found}, and this process runs on {wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of an ELF file for a processor, and the name of a library that it needs.
    fn elf(processor: u8, needed: &str) -> Vec<u8> {
        let mut out = vec![0; 64];
        out[..6].copy_from_slice(b"\x7fELF\x02\x01");
        out[18] = processor;
        out.extend_from_slice(format!("\0{needed}\0").as_bytes());
        out
    }

    #[test]
    fn headers_name_the_system_and_the_processor() {
        assert_eq!(platform_of(&elf(0x3e, "libc.so.6")), "Linux on x86-64 with glibc");
        assert_eq!(platform_of(&elf(0xb7, "libc.so")), "Linux on arm64 with musl");
        assert_eq!(platform_of(&elf(0xf3, "libm.so.6")), "Linux on RISC-V");
        assert_eq!(platform_of(b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01"), "macOS on arm64");
        let mut pe = vec![0; 128];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x40;
        pe[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        assert_eq!(platform_of(&pe), "Windows on x86-64");
    }

    #[test]
    fn other_files_have_no_platform() {
        for bytes in [&b""[..], b"MZ", b"#!/bin/sh\n", &[b'M', b'Z'].repeat(64)] {
            assert_eq!(platform_of(bytes), "");
        }
    }

    #[test]
    fn a_library_for_another_processor_is_named_with_both_platforms() {
        let path = std::env::temp_dir().join(format!("percale-{}.so", std::process::id()));
        std::fs::write(&path, elf(0xf3, "libc.so.6")).unwrap();
        let said = crate::load(Some(&path)).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(said.contains(" cannot be opened: "), "{said}");
        assert!(said.contains(": it is for Linux on RISC-V with glibc, and this process runs on "), "{said}");
    }
}
