use percale::{DType, Engine, Graph, Session, TensorMut, Variables};
use std::time::Duration;

fn main() -> percale::Result<()> {
    let engine = Engine::new()?;
    let graph = Graph::load_file(&engine, "digits.percale")?;
    let variables = Variables::new(&engine, &graph, 0)?;
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;

    // --8<-- [start:call]
    let (input, output) = (&graph.input_names()[0], &graph.output_names()[0]);
    // One call per thread.
    let mut call = session.prepare(&[(input, DType::F32, &[1, 28, 28])], &[output])?;
    let mut x = TensorMut::zeros(&engine, DType::F32, &[1, 28, 28])?;
    let mut y = TensorMut::zeros(&engine, DType::F32, &[1, 10])?;

    for request in 0..3 {
        // Fills the input in place, and runs for at most 50 ms.
        x.as_mut_slice::<f32>()?[request] = 1.0;
        call.run_until(&[&x], &mut [&mut y], Some(Duration::from_millis(50)), None)?;
        println!("request {request}: first score {:.4}", y.as_slice::<f32>()?[0]);
    }
    // --8<-- [end:call]
    Ok(())
}
