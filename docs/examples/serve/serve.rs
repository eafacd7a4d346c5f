use percale::{DType, Engine, Session, TensorMut, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = std::fs::read_to_string("digits.json")?;
    let engine = Engine::new()?;
    // --8<-- [start:serve]
    let mut trainer = Trainer::from_spec(&engine, &spec).option("publish", "step").build()?;
    // The inference graph, and the table that the trainer publishes to.
    let (model, variables) = (trainer.model()?, trainer.variables()?);
    let session = Session::builder(&engine, &model).variables(&variables).build()?;

    let training = std::thread::spawn(move || trainer.fit(None, 0));
    let image = TensorMut::zeros(&engine, DType::F32, &[1, 28, 28])?;
    let mut scores = TensorMut::zeros(&engine, DType::F32, &[1, 10])?;
    let (input, output) = (&model.input_names()[0], &model.output_names()[0]);
    let mut call = session.prepare(&[(input, DType::F32, &[1, 28, 28])], &[output])?;
    for _request in 0..100 {
        call.run(&[&image], &mut [&mut scores])?;
    }
    training.join().expect("the training does not panic")?;
    call.run(&[&image], &mut [&mut scores])?;
    println!("answered by version {}", call.variables_version());
    // --8<-- [end:serve]
    Ok(())
}
