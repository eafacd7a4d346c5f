//! The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
//! file, and run an op of a plug-in.
//!
//!     cargo run --release --bin life -- ./libpercale_square.so
//!
//! Run it in samples/rust. Writes checkpoints/ and life.onnx into the current folder.
use percale::{Builder, DType, Dataset, Engine, Graph, Layer, Sequential, Session, Tensor, Trainer, Variables};
use std::error::Error;
use std::ops::ControlFlow::{Break, Continue};

const EPOCHS: i64 = 20;
const TUNE_EPOCHS: i64 = 10;
const STOP: i64 = 300;
const ADAM: &str = r#"{"name": "adam", "learning_rate": 0.02}"#;

fn check(holds: bool, what: &str) -> Result<(), Box<dyn Error>> {
    if holds {
        Ok(())
    } else {
        Err(format!("failed: {what}").into())
    }
}

/// Returns points (a, b) of a square, labelled with factor * ab + offset.
fn points(engine: &Engine, factor: f32, offset: f32) -> percale::Result<Dataset> {
    let columns = [("x", DType::F32, &[2][..]), ("y", DType::F32, &[1])];
    let mut data = Dataset::generator(engine, &columns, 32 * 32, move |number, row| {
        let (a, b) = ((number % 32) as f32 / 16.0 - 1.0, (number / 32) as f32 / 16.0 - 1.0);
        row.column::<f32>(0)?.copy_from_slice(&[a, b]);
        row.column::<f32>(1)?[0] = factor * a * b + offset;
        Ok(())
    })?;
    data.configure(32, Some(1), false)?; // batches of 32 rows, shuffled
    Ok(data)
}

fn new_trainer(engine: &Engine) -> percale::Result<Trainer> {
    Sequential::new(&[2])
        .layer(Layer::new("Dense").set("name", "hidden").set("units", 16).set("activation", "tanh"))
        .layer(Layer::new("Dense").set("name", "out").set("units", 1))
        .schedule(r#"[{"name": "warm_up", "steps": 64}, {"name": "cosine", "decay_steps": 576}]"#)
        .optimizer(ADAM)
        .loss("mse")
        .set("seed", 1)
        .trainer(engine)
        .build()
}

/// Trains until the epochs are done, or until the step `stop`. Returns the loss of the first step
/// and the mean loss of the last epoch.
fn fit(trainer: &mut Trainer, mut data: Dataset, epochs: i64, stop: i64) -> percale::Result<(f64, f64)> {
    let (mut first, mut last) = (0.0, 0.0);
    trainer.fit_with(Some(&mut data), epochs, |progress| {
        if progress.step() == 1 {
            first = progress.loss();
        }
        last = progress.epoch_loss();
        if progress.step() == stop {
            Break(()) // ends the training
        } else {
            Continue(())
        }
    })?;
    Ok((first, last))
}

/// Checks that a training that stops and is resumed gives the weights of one that does not stop.
fn resume(engine: &Engine, digest: &str) -> Result<(), Box<dyn Error>> {
    // --8<-- [start:resume]
    let mut first = new_trainer(engine)?;
    fit(&mut first, points(engine, 1.0, 0.0)?, EPOCHS, STOP)?; // ends after step 300 of 640
    first.save("checkpoints")?;

    let mut second = new_trainer(engine)?; // perhaps in another process, after a crash
    second.restore("checkpoints")?;
    fit(&mut second, points(engine, 1.0, 0.0)?, EPOCHS, 0)?;
    // --8<-- [end:resume]
    check(first.steps() == STOP, "the first trainer does not stop")?;
    check(second.variables()?.digest()? == digest, "the digests differ")?;
    println!("resumed: same digest");
    Ok(())
}

fn serve(engine: &Engine) -> Result<(), Box<dyn Error>> {
    let graph = Graph::import_file(engine, "onnx", "life.onnx")?;
    let variables = Variables::new(engine, &graph, 0)?;
    let session = Session::builder(engine, &graph).variables(&variables).build()?;
    let output = &graph.output_names()[0];
    let requests: [&[[f32; 2]]; 3] =
        [&[[0.3, -0.7]], &[[0.5, 0.5], [-0.6, -0.2]], &[[0.75, -0.75], [0.1, 0.9], [-0.25, 0.75]]];
    let (mut count, mut worst) = (0, 0f32);
    for request in requests {
        let x = Tensor::from_vec(&[request.len(), 2], request.concat())?;
        let results = session.run(&[("x", &x)], &[output])?;
        for (answer, [a, b]) in results[0].as_slice::<f32>()?.iter().zip(request) {
            worst = worst.max((answer - a * b).abs());
            count += 1;
        }
    }
    println!("served: {count} answers, at most {worst:.4} off");
    check(worst < 0.15, "the answers are not a * b")
}

/// Trains the model of the file. The layer "hidden" keeps its values.
fn tune(engine: &Engine) -> Result<(), Box<dyn Error>> {
    // --8<-- [start:tune]
    let whole = Sequential::from_file("life.onnx").set("freeze", "hidden/*").optimizer(ADAM).loss("mse");
    let mut trainer = whole.trainer(engine).build()?;
    let (first, last) = fit(&mut trainer, points(engine, -2.0, 1.0)?, TUNE_EPOCHS, 0)?;
    // --8<-- [end:tune]
    println!("tuned: loss {first:.4} -> {last:.4}");
    check(last < first / 10.0, "the loss does not fall to a tenth")
}

fn square(plugin: &str) -> Result<(), Box<dyn Error>> {
    // --8<-- [start:plugin]
    let engine = Engine::builder().plugin_path(plugin).build()?;
    let mut builder = Builder::new(&engine)?;
    let x = builder.input("x", DType::F32, &[3])?;
    let y = builder.op("sample:Square").name("y").input(x).finish()?;
    builder.set_outputs(&[y])?;
    let session = Session::new(&engine, &builder.finish()?)?;
    let numbers = Tensor::from_vec(&[3], vec![1f32, -2.0, 3.0])?;
    let results = session.run(&[("x", &numbers)], &["y"])?;
    // --8<-- [end:plugin]
    let found = results[0].as_slice::<f32>()?;
    println!("plug-in: 1, -2, 3 squared are {}, {}, {}", found[0], found[1], found[2]);
    check(found == [1.0, 4.0, 9.0], "the squares are wrong")
}

fn main() -> Result<(), Box<dyn Error>> {
    let plugin = std::env::args().nth(1).ok_or("usage: life PLUGIN.so")?;
    let engine = Engine::new()?;
    let mut trainer = new_trainer(&engine)?;
    let (first, last) = fit(&mut trainer, points(&engine, 1.0, 0.0)?, EPOCHS, 0)?;
    println!("trained: loss {first:.4} -> {last:.4}");
    check(last < 0.01, "the loss does not fall below 0.01")?;
    let variables = trainer.variables()?;
    resume(&engine, &variables.digest()?)?;
    // --8<-- [start:export]
    let model = trainer.model()?; // from "x" to the predictions
    model.export_file(&engine, Some(&variables), "onnx", &[], "life.onnx")?;
    // --8<-- [end:export]
    serve(&engine)?;
    tune(&engine)?;
    square(&plugin)
}
