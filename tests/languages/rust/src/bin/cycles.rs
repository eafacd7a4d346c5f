//! See ../../../README.md. Usage: cycles MODEL
use percale::{Engine, Graph, Result, Session, Tensor, Trainer, Variables};

fn numbers(step: usize, modulus: usize, dims: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(dims, (0..dims.iter().product()).map(|i| (i * step % modulus) as f32 / 64.0).collect())
}

fn live(path: &str) -> Result<(f64, f32)> {
    let engine = Engine::builder().threads(2).build()?;
    let graph = Graph::load_file(&engine, path)?;
    let variables = Variables::new(&engine, &graph, 1)?;
    let mut trainer = Trainer::builder(&engine, &graph, &variables).loss("loss").optimizer("adam").build()?;
    let (x, t) = (numbers(37, 101, &[16, 8, 8, 1])?, numbers(11, 13, &[16, 3])?);
    let loss = trainer.step(&[("x", &x), ("t", &t)])?;
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;
    let y = session.run(&[("x", &x)], &["y"])?;
    Ok((loss, y[0].as_slice::<f32>()?[0]))
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: cycles MODEL")?;
    for line in std::io::stdin().lines() {
        let mut seen = (0.0, 0.0);
        for _ in 0..line?.trim().parse::<u64>()? {
            seen = live(&path)?;
        }
        println!("{:016x} {:08x}", seen.0.to_bits(), seen.1.to_bits());
    }
    Ok(())
}
