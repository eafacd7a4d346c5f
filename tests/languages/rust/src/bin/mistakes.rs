//! See ../../../README.md. Usage: mistakes FOLDER
use std::time::Duration;

use percale::{Builder, CancelToken, Engine, Error, Graph, Result, Session, Tensor, Variables};

fn say<T>(mistake: &str, result: Result<T>) {
    match result {
        Ok(_) => println!("{mistake}\tOK\t"),
        Err(error) => println!("{mistake}\t{}\t{}", error.code(), error.message()),
    }
}

fn zeros(dims: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(dims, vec![0f32; dims.iter().product()])
}

fn main() -> std::result::Result<(), Error> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let engine = Engine::builder().threads(1).build()?;
    let graph = Graph::load_file(&engine, format!("{folder}/model.percale"))?;
    let lengthy = Graph::load_file(&engine, format!("{folder}/long.percale"))?;
    let variables = Variables::new(&engine, &graph, 1)?;
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;

    say("wrong shape", session.run(&[("x", &*zeros(&[2, 3])?)], &["y"]));
    say("wrong dtype", session.run(&[("x", &*Tensor::from_vec(&[1, 8, 8, 1], vec![0i64; 64])?)], &["y"]));
    say("unknown op", Builder::new(&engine)?.op("MatMull").finish());
    say("missing file", Graph::load_file(&engine, "/nowhere/model.percale"));
    say("no variables", Session::new(&engine, &graph));
    let slow = Session::new(&engine, &lengthy)?;
    let token = CancelToken::new();
    let other = token.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel();
    });
    say("cancelled run", slow.request().feed("x", &*zeros(&[400, 400])?).fetch("y").cancel_token(&token).run());
    let small = Session::builder(&engine, &graph).variables(&variables).memory_limit(4096).build()?;
    say("memory limit", small.run(&[("x", &*zeros(&[64, 8, 8, 1])?)], &["y"]));
    // A dropped value cannot be used: the crate's documentation has a test that must not compile.
    println!("use after close\tdoes not compile\t");
    let y = session.run(&[("x", &*zeros(&[1, 8, 8, 1])?)], &["y"])?;
    println!("lives\tOK\t{:08x}", y[0].as_slice::<f32>()?[0].to_bits());
    Ok(())
}
