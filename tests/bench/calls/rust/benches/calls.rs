//! A prepared call, run in C and in Rust.
use std::time::Instant;

use criterion::{criterion_group, criterion_main, Criterion};
use percale::{Builder, DType, Engine, Session, Tensor};
use percale_calls::run_in_c;

fn calls(criterion: &mut Criterion) {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut builder = Builder::new(&engine).unwrap();
    let x = builder.input("x", DType::F32, &[1]).unwrap();
    let y = builder.op("Add").name("y").inputs([x, x]).finish().unwrap();
    builder.rename(y, "y").unwrap();
    builder.set_outputs(&[y]).unwrap();
    let session = Session::new(&engine, &builder.finish().unwrap()).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[1])], &["y"]).unwrap();
    let mut outputs = call.new_outputs().unwrap();
    let x = Tensor::from_vec(&[1], vec![1.5f32]).unwrap();

    let (raw, raw_inputs, raw_outputs) = (call.raw().cast(), [x.raw().cast()], [outputs[0].raw().cast()]);
    criterion.bench_function("c", |bencher| {
        bencher.iter_custom(|times| {
            let began = Instant::now();
            assert!(unsafe { run_in_c(raw, &raw_inputs, &raw_outputs, times) });
            began.elapsed()
        });
    });
    criterion.bench_function("rust", |bencher| bencher.iter(|| call.run(&[&x], &mut [&mut outputs[0]]).unwrap()));
    assert_eq!(outputs[0].as_slice::<f32>().unwrap(), [3.0]);
}

criterion_group!(benches, calls);
criterion_main!(benches);
