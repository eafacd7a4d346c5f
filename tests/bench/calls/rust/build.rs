//! `PERCALE_CALLS_DIR` names the folder of libpercale_calls, the call of calls.c.
fn main() {
    println!("cargo:rerun-if-env-changed=PERCALE_CALLS_DIR");
    let folder = std::env::var("PERCALE_CALLS_DIR").expect("PERCALE_CALLS_DIR is not set");
    println!("cargo:rustc-link-search=native={folder}");
}
