use percale::{Code, Engine, Graph};

fn main() -> percale::Result<()> {
    let engine = Engine::new()?;
    match Graph::load_file(&engine, "no-such-model.percale") {
        Err(error) if error.code() == Code::NotFound => println!("NOT_FOUND: {}", error.message()),
        Err(error) => return Err(error),
        Ok(graph) => println!("{:?}", graph.input_names()),
    }
    Ok(())
}
