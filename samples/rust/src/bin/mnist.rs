//! Trains a SPEC on two devices of one process, with a progress bar.
//!
//!     mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]
//!
//! The data is looked up in PERCALE_DATA, in the cache, and next to the SPEC. The weights do not
//! depend on the number of devices. FILE gets a line per step: its number and the 64 bits of its
//! loss.
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use percale::{Engine, Progress, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (arguments, losses) = match &arguments[..] {
        [rest @ .., flag, file] if flag == "--losses" => (rest, Some(file)),
        all => (all, None),
    };
    let (spec, out, epochs) = match arguments {
        [spec, out] => (spec, out, None),
        [spec, out, epochs] => (spec, out, Some(epochs)),
        _ => return Err("usage: mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]".into()),
    };
    let engine = Engine::builder().devices("cpu=2x1").build()?;
    let mut builder = Trainer::from_spec(&engine, &std::fs::read_to_string(spec)?)
        .spec_folder(Path::new(spec).parent().unwrap_or(Path::new(".")))
        .devices("all");
    if let Some(epochs) = epochs {
        builder = builder.epochs(epochs.parse()?);
    }
    let mut trainer = builder.build()?;
    let mut trace: Box<dyn Write> = match losses {
        Some(path) => Box::new(BufWriter::new(File::create(path)?)),
        None => Box::new(std::io::sink()),
    };
    let mut written = Ok(());
    trainer.fit_with(None, 0, |p| {
        written = writeln!(trace, "{} {:016x}", p.step(), p.loss().to_bits());
        if written.is_err() {
            return ControlFlow::Break(());
        }
        draw(p)
    })?;
    written.and_then(|()| trace.flush())?;
    let evaluation = trainer.evaluate(None)?;
    let variables = trainer.variables()?;
    trainer.model()?.save_file(Some(&variables), out)?;
    println!("test loss {:.4}, accuracy {:.4}", evaluation.loss(), evaluation.get("accuracy").unwrap_or(f64::NAN));
    println!("{out} {}", variables.digest()?);
    Ok(())
}

/// Draws a progress line that is overwritten until the epoch ends.
fn draw(p: &Progress<'_>) -> ControlFlow<()> {
    const WIDTH: i64 = 30;
    if p.step_in_epoch() % 20 == 0 || p.epoch_ended() {
        let done = usize::try_from(WIDTH * p.step_in_epoch() / p.steps_in_epoch().max(1)).unwrap_or(0);
        eprint!(
            "\repoch {}/{} [{:<30}] loss {:.4}  {:.0} rows/s  {:.0} s left  ",
            p.epoch(),
            p.epochs(),
            "=".repeat(done),
            p.loss(),
            p.rows_per_second(),
            p.eta_seconds()
        );
        for (name, value) in p.metrics() {
            eprint!("{name} {value:.4}  ");
        }
        if p.epoch_ended() {
            eprintln!();
        }
        let _ = std::io::stderr().flush();
    }
    ControlFlow::Continue(())
}
