use percale::{Engine, Graph, Session, Tensor, Variables};

fn main() -> percale::Result<()> {
    let engine = Engine::new()?;
    let graph = Graph::import_file(&engine, "onnx", "digits.onnx")?;
    let variables = Variables::new(&engine, &graph, 0)?;
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;

    let x = Tensor::from_vec(&[2, 28, 28], vec![0f32; 2 * 28 * 28])?; // two images, no copy
    let (input, output) = (&graph.input_names()[0], &graph.output_names()[0]);
    let results = session.run(&[(input, &x)], &[output])?;
    println!("{output}: {} x {} scores", results[0].dims()[0], results[0].dims()[1]);
    Ok(())
}
