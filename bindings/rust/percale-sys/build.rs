//! Finds libpercale: in the folder `PERCALE_LIB_DIR`, or else through pkg-config, or else by
//! compiling the source that the package carries. `PERCALE_BUILD=1` compiles it in any case. With
//! the feature `load` nothing is linked.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["PERCALE_LIB_DIR", "PERCALE_BUILD", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("CARGO_FEATURE_LOAD").is_some() || env::var_os("DOCS_RS").is_some() {
        return;
    }
    let source = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("source");
    let found = match env::var("PERCALE_LIB_DIR") {
        Ok(folder) => link_shared(&[folder]),
        Err(_) if env::var_os("PERCALE_BUILD").is_some() => build(&source),
        Err(_) => match folders_of_pkg_config() {
            Ok(folders) => link_shared(&folders),
            Err(_) if source.exists() => build(&source),
            Err(why) => Err(why),
        },
    };
    if let Err(why) = found {
        eprintln!(
            "percale-sys: {why}\n\
             Put the folder of percale.pc on PKG_CONFIG_PATH, or name the library's own in PERCALE_LIB_DIR,\n\
             or use the feature `load`, which opens the library at run time."
        );
        std::process::exit(1);
    }
}

/// Links the shared library, which lies in a folder of the system if there are no folders.
fn link_shared(folders: &[String]) -> Result<(), String> {
    for folder in folders {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=percale");
    // For build scripts of dependents: DEP_PERCALE_LIBDIR.
    println!("cargo:libdir={}", folders.first().map_or("", String::as_str));
    Ok(())
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

/// Compiles the static library with Meson and links it. The program then needs no other file.
fn build(source: &Path) -> Result<(), String> {
    println!("cargo:rerun-if-changed={}", source.display());
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("build");
    if !folder.join("build.ninja").exists() {
        let plugins = ["onnx", "onednn", "cuda", "remote", "jni"].map(|name| format!("-D{name}=disabled"));
        run(Command::new("meson")
            .arg("setup")
            .arg(&folder)
            .arg(source)
            .args(["-Dtests=false", "-Dstatic=true"])
            .args(plugins))?;
    }
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    run(Command::new("meson")
        .args(["compile", "-j", &jobs, "-C"])
        .arg(&folder)
        .arg("c_api/static/percale:static_library"))?;
    println!("cargo:rustc-link-search=native={}", folder.join("c_api").join("static").display());
    println!("cargo:rustc-link-lib=static=percale");
    println!("cargo:rustc-link-lib=dylib=z");
    let runtime = if env::var("CARGO_CFG_TARGET_VENDOR").as_deref() == Ok("apple") { "c++" } else { "stdc++" };
    println!("cargo:rustc-link-lib=dylib={runtime}");
    println!("cargo:libdir=");
    Ok(())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| {
        format!(
            "{command:?} cannot be started, which compiles the library; install Meson 1.6 or newer and Ninja: {error}"
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed:\n{said}"))
}
