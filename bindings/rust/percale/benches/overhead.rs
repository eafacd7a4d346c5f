//! What a prepared call costs beyond what it costs in C: the same call through the raw layer and through `Call::run`, in
//! turns, the smallest of many means. Prints nanoseconds.
use std::hint::black_box;
use std::time::Instant;

use percale::{Builder, DType, Engine, Session, Tensor};
use percale_sys as sys;

const RUNS: u32 = 20_000;
const TURNS: u32 = 60;

fn mean_of(mut run: impl FnMut()) -> f64 {
    let began = Instant::now();
    for _ in 0..RUNS {
        run();
    }
    began.elapsed().as_nanos() as f64 / f64::from(RUNS)
}

fn main() -> percale::Result<()> {
    let engine = Engine::builder().threads(1).build()?;
    let mut builder = Builder::new(&engine)?;
    let x = builder.input("x", DType::F32, &[1])?;
    let y = builder.op("Add").name("y").inputs([x, x]).finish()?;
    builder.set_outputs(&[y])?;
    let session = Session::new(&engine, &builder.finish()?)?;
    let mut call = session.prepare(&[("x", DType::F32, &[1])], &["y"])?;
    let mut outputs = call.new_outputs()?;
    let x = Tensor::from_vec(&[1], vec![1f32])?;
    let raw = call.raw();
    let raw_inputs = [x.raw()];
    let raw_outputs = [outputs[0].raw()];
    let (mut c, mut rust) = (f64::MAX, f64::MAX);
    for _ in 0..TURNS {
        c = c.min(mean_of(|| unsafe {
            let status = sys::percale_call_run(black_box(raw), raw_inputs.as_ptr(), raw_outputs.as_ptr());
            assert!(status.is_null());
        }));
        rust = rust.min(mean_of(|| black_box(&mut call).run(&[&x], &mut [&mut outputs[0]]).unwrap()));
    }
    println!("C {c:.1} ns, Rust {rust:.1} ns, more by {:.1} ns", rust - c);
    Ok(())
}
