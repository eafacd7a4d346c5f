//! Sets the run path so that tests and examples of this crate find the library that they are linked
//! to.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("DEP_PERCALE_LIBDIR") {
        if !folder.is_empty() {
            println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
        }
    }
}
