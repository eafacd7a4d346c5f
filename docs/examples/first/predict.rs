use percale::{Dataset, Engine, Graph, Session, Variables};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new()?;
    let graph = Graph::load_file(&engine, "digits.percale")?;
    let variables = Variables::new(&engine, &graph, 0)?; // the values of the file
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;

    let files = [("x", "t10k-images-idx3-ubyte"), ("y", "t10k-labels-idx1-ubyte")];
    let mut digits = Dataset::from_files(&engine, &files, 1.0 / 255.0)?;
    digits.configure(1, None, false)?;
    let row = digits.next_batch()?.ok_or("the data set is empty")?;
    let (image, label) = (row.get("x").unwrap(), row.get("y").unwrap());

    let (input, output) = (&graph.input_names()[0], &graph.output_names()[0]);
    let results = session.run(&[(input, image)], &[output])?;
    let scores = results[0].as_slice::<f32>()?; // [1, 10]
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
    println!("the label is {}, the model says {best}", label.item::<i64>()?);
    Ok(())
}
