//! Takes a model that classifies digits, keeps its body, and trains a new head that tells whether a
//! digit is odd.
//!
//!     fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS
//!
//! MODEL was written by `mnist`; the files are MNIST's. The body is frozen: its variables have the
//! same bits after the training.
use percale::{Attribute, Builder, DType, Dataset, Engine, Layer, Result, Sequential, SpecValue};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, images, labels, test_images, test_labels] = &arguments[..] else {
        return Err("usage: fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS".into());
    };
    let engine = Engine::new()?;
    let mut data = parity(&engine, images, labels)?;
    data.configure(64, Some(1), false)?;
    let mut test = parity(&engine, test_images, test_labels)?;
    test.configure(256, None, false)?;

    // --8<-- [start:tune]
    let head = Layer::new("Dense").set("name", "parity").set("units", 2);
    let mut trainer = Sequential::from_file(model)
        .set("outputs", "dense")
        .set("freeze", SpecValue::Texts(vec!["conv2d*".into(), "dense/*".into()]))
        .layer(head)
        .set("from_logits", true)
        .optimizer("adam")
        .loss("sparse_categorical_crossentropy")
        .metric("accuracy")
        .trainer(&engine)
        .build()?;
    // --8<-- [end:tune]
    let body = trainer.variables()?.value("dense/kernel")?;
    trainer.fit_with(Some(&mut data), 1, |progress| {
        if progress.step() % 100 == 0 {
            println!("step {:4}  loss {:.4}", progress.step(), progress.loss());
        }
        std::ops::ControlFlow::Continue(())
    })?;
    let kept = trainer.variables()?.value("dense/kernel")?.as_bytes() == body.as_bytes();
    println!("the body {}", if kept { "kept its bits" } else { "has changed" });
    println!("even or odd: {}", trainer.evaluate(Some(&mut test))?.json());
    Ok(())
}

/// Returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph whose
/// inputs are the columns of the files and whose outputs are the columns of the new set.
fn parity(engine: &Engine, images: &str, labels: &str) -> Result<Dataset> {
    let digits = Dataset::from_files(engine, &[("pixels", images), ("digit", labels)], 1.0 / 255.0)?;
    let mut builder = Builder::new(engine)?;
    let mut columns = Vec::new();
    for (name, column) in digits.column_types()? {
        // The number of rows is unknown
        let rows = [&[-1], &column.dims.unwrap_or_default()[..]].concat();
        columns.push(builder.input(&name, column.dtype.unwrap_or(DType::F32), &rows)?);
    }
    let shape = builder.constant(&percale::Tensor::from_vec(&[4], vec![0i64, 28, 28, 1])?)?;
    let image = builder.op("Reshape").name("x").input(columns[0]).input(shape).finish()?;
    let two = builder.constant(&percale::Tensor::from_vec(&[1], vec![2i64])?)?;
    let number = builder.op("Cast").input(columns[1]).set("to", Attribute::Int(DType::I64 as i64)).finish()?;
    let odd = builder.op("Mod").name("y").inputs([number, two]).finish()?;
    builder.set_outputs(&[image, odd])?;
    digits.map(&builder.finish()?)
}
