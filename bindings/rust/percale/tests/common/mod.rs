//! Helpers of several test programs.
#![allow(dead_code)]
use percale::{Builder, DType, Engine, Graph, Result, Session, Tensor, Trainer};

/// Creates an engine with one thread.
pub fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

/// Returns y = x * w with x [?, 4] and w a constant [4, 2] of ones.
pub fn product(engine: &Engine) -> Graph {
    let mut builder = Builder::new(engine).unwrap();
    let x = builder.input("x", DType::F32, &[-1, 4]).unwrap();
    let w = builder.constant(&Tensor::from_vec(&[4, 2], vec![1f32; 8]).unwrap()).unwrap();
    let y = builder.op("MatMul").name("y").inputs([x, w]).finish().unwrap();
    builder.set_outputs(&[y]).unwrap();
    builder.finish().unwrap()
}

/// Creates a session over [`product`].
pub fn session(engine: &Engine) -> Session {
    Session::new(engine, &product(engine)).unwrap()
}

/// Returns a graph that multiplies matrices this many times, for a run that takes long; x is [n,
/// n].
pub fn long_run(engine: &Engine) -> Result<Graph> {
    let mut builder = Builder::new(engine)?;
    let mut x = builder.input("x", DType::F32, &[-1, -1])?;
    for _ in 0..2000 {
        let square = builder.op("MatMul").inputs([x, x]).finish()?;
        x = builder.op("Tanh").input(square).finish()?;
    }
    builder.rename(x, "y")?;
    builder.set_outputs(&[x])?;
    builder.finish()
}

/// A SPEC with one dense layer that predicts one number from two.
pub const LINE: &str = r#"{"model": [{"layer": "Dense", "units": 1}], "input_shape": [2], "loss": "mean_squared_error",
                           "optimizer": {"name": "adam", "learning_rate": 0.1}, "batch_size": 4, "epochs": 5, "seed": 1}"#;

/// Returns a trainer of [`LINE`] with two shards, which two processes can train.
pub fn two_shards(engine: &Engine) -> Trainer {
    Trainer::from_spec(engine, LINE).option("shards", 2).option("collective_timeout", 30).build().unwrap()
}

/// Returns the digest of the trainer's variables.
pub fn digest(trainer: &Trainer) -> String {
    trainer.variables().unwrap().digest().unwrap()
}

/// Returns sixteen rows for [`LINE`].
pub fn line_data(engine: &Engine) -> percale::Dataset {
    let inputs: Vec<f32> = (0..16).flat_map(|i| [(i % 4) as f32 / 4.0, (i / 4) as f32 / 4.0]).collect();
    let targets = inputs.chunks(2).map(|row| 2.0 * row[0] - 3.0 * row[1] + 1.0).collect();
    let x = Tensor::from_vec(&[16, 2], inputs).unwrap();
    let y = Tensor::from_vec(&[16, 1], targets).unwrap();
    let mut data = percale::Dataset::from_tensors(engine, &[("x", &x), ("y", &y)]).unwrap();
    data.configure(4, None, false).unwrap();
    data
}
