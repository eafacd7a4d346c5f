//! Loads a model and runs it once.
//!
//!     load_and_run MODEL.percale [INPUT.npy]
//!
//! Without an input file, the input is one row of zeros. Prints the type, shape and first elements
//! of each output.
use percale::{DType, Engine, Error, Graph, Session, Tensor, TensorMut, Variables};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().ok_or("usage: load_and_run MODEL.percale [INPUT.npy]")?;
    let engine = Engine::new()?;
    let graph = Graph::load_file(&engine, &model)?;
    let name = graph.input_names().first().cloned().ok_or("the model has no input")?;
    let input = match arguments.next() {
        Some(path) => Tensor::load(&engine, path)?,
        None => zeros_for(&engine, &graph, &name)?,
    };
    let variables = Variables::new(&engine, &graph, 0)?;
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;
    let outputs = graph.output_names();
    let fetches: Vec<&str> = outputs.iter().map(String::as_str).collect();
    for (name, result) in fetches.iter().zip(session.run(&[(&name, &input)], &fetches)?) {
        print!("{name} {:?} {:?}", result.dtype(), result.dims());
        match result.as_slice::<f32>() {
            Ok(elements) => println!(" {:?}", &elements[..elements.len().min(10)]),
            Err(_) => println!(),
        }
    }
    Ok(())
}

/// Returns one row of zeros. Unknown dims become 1.
fn zeros_for(engine: &Engine, graph: &Graph, input: &str) -> Result<Tensor, Error> {
    let input = graph.value_type(input)?;
    let dims: Vec<usize> =
        input.dims.unwrap_or_default().iter().map(|dim| usize::try_from(*dim).unwrap_or(1)).collect();
    Ok(TensorMut::zeros(engine, input.dtype.unwrap_or(DType::F32), &dims)?.freeze())
}
