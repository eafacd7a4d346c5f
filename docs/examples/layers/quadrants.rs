use percale::{DType, Dataset, Engine, Layer, Sequential, SpecValue};

// --8<-- [start:data]
/// Rows of a point and the number of its quadrant. Labels of sparse losses are integers.
fn points(engine: &Engine, count: i64, seed: u32) -> percale::Result<Dataset> {
    let columns = [("x", DType::F32, &[2][..]), ("y", DType::I64, &[])];
    let mut data = Dataset::generator(engine, &columns, count, move |number, row| {
        let (y, x) = ((7 * number + i64::from(seed)) as f64).sin_cos();
        row.column::<f32>(0)?.copy_from_slice(&[x as f32, y as f32]);
        row.column::<i64>(1)?[0] = i64::from(x < 0.0) + 2 * i64::from(y < 0.0);
        Ok(()) // an error ends the training
    })?;
    data.configure(50, Some(seed), false)?; // batches of 50 rows, shuffled
    Ok(data)
}
// --8<-- [end:data]

fn main() -> percale::Result<()> {
    // --8<-- [start:train]
    let engine = Engine::new()?;
    let adam = SpecValue::object([("name", "adam".into()), ("learning_rate", 0.01.into())]);
    let mut trainer = Sequential::new(&[2])
        .layer(Layer::new("Dense").set("units", 32).set("activation", "relu"))
        .layer(Layer::new("Dense").set("units", 4))
        .set("from_logits", true)
        .optimizer(adam)
        .loss("sparse_categorical_crossentropy")
        .metric("accuracy")
        .trainer(&engine)
        .build()?;
    let (mut data, mut validation) = (points(&engine, 1000, 1)?, points(&engine, 200, 3)?);
    trainer.set_validation(Some(&validation))?; // val_loss and val_accuracy join the history
    trainer.fit(Some(&mut data), 5)?;
    let metrics = trainer.evaluate(Some(&mut validation))?;
    println!("accuracy {:.4}", metrics.get("accuracy").unwrap_or_default());
    trainer.model()?.save_file(Some(&trainer.variables()?), "quadrants.percale")?;
    // --8<-- [end:train]
    Ok(())
}
