use std::fs::File;
use std::io::{BufRead, BufReader, Write};

use percale::{DType, Dataset, Engine, Layer, Sequential, SpecValue};

// --8<-- [start:stream]
/// Rows from the lines of a file, from its start in each epoch.
fn lines(engine: &Engine, path: &'static str) -> percale::Result<Dataset> {
    let columns = [("x", DType::F32, &[1][..]), ("y", DType::F32, &[1])];
    let (mut lines, mut next) = (None, 0);
    let mut data = Dataset::stream(engine, &columns, move |rows| {
        if rows.first() == 0 {
            lines = Some(BufReader::new(File::open(path)?).lines());
            next = 0;
        }
        let lines = lines.as_mut().filter(|_| rows.first() == next).ok_or("the file is read from its start")?;
        let mut count = 0;
        for line in lines.take(rows.max()) {
            let line = line?;
            let (x, y) = line.split_once(' ').ok_or("not two numbers")?;
            rows.column::<f32>(0)?[count] = x.parse()?;
            rows.column::<f32>(1)?[count] = y.parse()?;
            count += 1;
        }
        next += count as i64;
        Ok(count) // 0 ends the epoch
    })?;
    data.configure(32, None, false)?; // batches of 32 rows in their order
    Ok(data)
}
// --8<-- [end:stream]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = File::create("points.txt")?;
    for i in 0..1000 {
        writeln!(file, "{} {}", i as f32 / 1000.0, 2.0 * (i as f32 / 1000.0) - 1.0)?;
    }
    let engine = Engine::new()?;
    let adam = SpecValue::object([("name", "adam".into()), ("learning_rate", 0.05.into())]);
    let mut trainer = Sequential::new(&[1])
        .layer(Layer::new("Dense").set("units", 1))
        .optimizer(adam)
        .loss("mse")
        .trainer(&engine)
        .build()?;
    let mut data = lines(&engine, "points.txt")?;
    trainer.fit(Some(&mut data), 20)?;
    println!("it learns: {}", trainer.evaluate(Some(&mut data))?.get("loss").unwrap_or(1.0) < 0.001);
    Ok(())
}
