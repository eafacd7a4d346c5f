//! Finds libpercale in the folder `PERCALE_LIB_DIR`, or else through pkg-config. With the feature
//! `load` nothing is linked.
use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["PERCALE_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("CARGO_FEATURE_LOAD").is_some() || env::var_os("DOCS_RS").is_some() {
        return;
    }
    match env::var("PERCALE_LIB_DIR").map(|folder| vec![folder]).or_else(|_| folders_of_pkg_config()) {
        Ok(folders) => {
            for folder in &folders {
                println!("cargo:rustc-link-search=native={folder}");
            }
            println!("cargo:rustc-link-lib=dylib=percale");
            // For build scripts of dependents: DEP_PERCALE_LIBDIR. Empty if the library is in a
            // folder of the system.
            println!("cargo:libdir={}", folders.first().map_or("", String::as_str));
        }
        Err(why) => {
            eprintln!(
                "percale-sys: {why}\n\
                 Put the folder of percale.pc on PKG_CONFIG_PATH, or name the library's own in PERCALE_LIB_DIR,\n\
                 or use the feature `load`, which opens the library at run time."
            );
            std::process::exit(1);
        }
    }
}

/// Returns the folders of `pkg-config --libs-only-L percale`.
fn folders_of_pkg_config() -> Result<Vec<String>, String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output = Command::new(&program)
        .args(["--libs-only-L", "percale >= 0.1"])
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    let flags = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")).map(str::to_owned).collect())
}
