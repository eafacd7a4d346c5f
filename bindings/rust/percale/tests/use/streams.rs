//! Data sets of rows that come one after the other.
use std::error::Error as _;
use std::sync::{Arc, Mutex};

use percale::*;

use crate::common::{engine, line_data, LINE};

const COLUMNS: [(&str, DType, &[usize]); 2] = [("x", DType::F32, &[2]), ("y", DType::F32, &[1])];

type Asked = Arc<Mutex<Vec<(i64, i64)>>>;
type Fails = fn(&Rows<'_>) -> StreamResult;

/// Writes rows of [`line_data`], 3 at most, and notes epoch and row.
fn read(asked: &Asked, rows: &mut Rows<'_>) -> StreamResult {
    asked.lock().unwrap().push((rows.epoch(), rows.first()));
    let count = rows.max().min(3).min(16 - rows.first() as usize);
    let first = rows.first() as usize;
    let values: Vec<_> = (first..first + count).map(|row| ((row % 4) as f32 / 4.0, (row / 4) as f32 / 4.0)).collect();
    for (to, (a, b)) in rows.column::<f32>(0)?.chunks_mut(2).zip(&values) {
        to.copy_from_slice(&[*a, *b]);
    }
    for (to, (a, b)) in rows.column::<f32>(1)?.iter_mut().zip(&values) {
        *to = 2.0 * a - 3.0 * b + 1.0;
    }
    Ok(count)
}

/// Returns rows in batches of 4, and what they have been asked for.
fn line_stream(engine: &Engine) -> (Dataset, Asked) {
    let asked = Asked::default();
    let noted = asked.clone();
    let mut data = Dataset::stream(engine, &COLUMNS, move |rows| read(&noted, rows)).unwrap();
    data.configure(4, None, false).unwrap();
    (data, asked)
}

fn trainer(engine: &Engine) -> Trainer {
    Trainer::from_spec(engine, LINE).build().unwrap()
}

fn digest(trainer: &Trainer) -> String {
    trainer.variables().unwrap().digest().unwrap()
}

#[test]
fn a_stream_gives_its_rows_in_batches_epoch_after_epoch() {
    let engine = engine();
    let (mut data, asked) = line_stream(&engine);
    assert_eq!((data.rows(), data.names()), (None, &["x".to_owned(), "y".to_owned()][..]));
    data.configure(6, None, false).unwrap();
    for epoch in 0..2 {
        let batches: Vec<_> = data.epoch().map(|batch| batch.unwrap()).collect();
        let sizes: Vec<_> = batches.iter().map(|batch| batch.get("x").unwrap().dims()[0]).collect();
        assert_eq!(sizes, [6, 6, 4]);
        assert_eq!(batches[1].get("x").unwrap().as_slice::<f32>().unwrap()[..2], [0.5, 0.25]);
        assert_eq!(asked.lock().unwrap().last().unwrap().0, epoch);
    }
    assert_eq!(data.repeat(2).err().unwrap().code(), Code::FailedPrecondition);
    assert_eq!(data.configure(6, Some(1), false).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(Arc::strong_count(&asked), 2);
    drop(data);
    assert_eq!(Arc::strong_count(&asked), 1);
    assert!(Dataset::stream(&engine, &[], |_| Ok(0)).is_err());
}

#[test]
fn a_stream_trains_to_the_bits_of_a_data_set_with_the_same_rows() {
    let engine = engine();
    let (mut one, mut other) = (trainer(&engine), trainer(&engine));
    let (mut data, (mut stream, _)) = (line_data(&engine), line_stream(&engine));
    one.fit(Some(&mut data), 2).unwrap();
    other.fit(Some(&mut stream), 2).unwrap();
    assert_eq!(digest(&one), digest(&other));
    let loss = |trainer: &mut Trainer, data| trainer.evaluate(Some(data)).unwrap().get("loss").unwrap();
    assert_eq!(loss(&mut one, &mut data), loss(&mut other, &mut stream));
}

#[derive(Debug)]
struct TornPage;

impl std::fmt::Display for TornPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a torn page")
    }
}

impl std::error::Error for TornPage {}

#[test]
fn an_error_or_a_panic_of_a_stream_is_the_source_of_the_error() {
    let engine = engine();
    let fails: [(Code, &str, Fails); 6] = [
        (Code::Aborted, "a torn page", |_| Err(TornPage.into())),
        (Code::Unavailable, "the cable is cut", |_| Err(std::io::Error::other("the cable is cut").into())),
        (Code::DataLoss, "a lost page", |_| Err(Error::new(Code::DataLoss, "a lost page").into())),
        (Code::Aborted, "no such page", |_| Err(Error::new(Code::OutOfRange, "no such page").into())),
        (Code::Aborted, "text alone", |_| Err("text alone".into())),
        (Code::Aborted, "panic: row 0", |rows| panic!("row {}", rows.first())),
    ];
    for (code, says, fail) in fails {
        let told = |error: Error| {
            assert_eq!(error.code(), code, "{error}");
            assert!(error.message().contains(says), "{error}");
            let source = error.source().expect("a source");
            assert!(source.to_string().contains(says), "{source}");
            assert_eq!(source.is::<TornPage>(), says == "a torn page");
        };
        let mut stream = Dataset::stream(&engine, &COLUMNS, move |rows| fail(rows)).unwrap();
        told(stream.next_batch().unwrap_err());
        told(trainer(&engine).fit(Some(&mut stream), 1).unwrap_err());
        told(trainer(&engine).evaluate(Some(&mut stream)).unwrap_err());
        let mut validated = trainer(&engine);
        validated.set_validation(Some(&stream)).unwrap();
        told(validated.fit(Some(&mut line_data(&engine)), 1).unwrap_err());
    }
}

#[test]
fn a_stream_that_fails_is_read_again_from_the_batch_that_failed() {
    let engine = engine();
    let asked = Asked::default();
    let (noted, mut fails) = (asked.clone(), true);
    let mut stream = Dataset::stream(&engine, &COLUMNS, move |rows| {
        if rows.first() >= 11 && std::mem::take(&mut fails) {
            noted.lock().unwrap().clear();
            return Err(TornPage.into());
        }
        read(&noted, rows)
    })
    .unwrap();
    stream.configure(4, None, false).unwrap();
    let (mut again, mut whole) = (trainer(&engine), trainer(&engine));
    assert!(again.fit(Some(&mut stream), 1).is_err());
    assert_eq!(again.steps(), 1); // the third batch tells whether the second is the last one
    again.fit(Some(&mut stream), 1).unwrap();
    assert_eq!(asked.lock().unwrap()[0], (0, 8));
    whole.fit(Some(&mut stream), 1).unwrap();
    assert_eq!(digest(&again), digest(&whole));
}

#[test]
fn too_many_rows_and_another_type_are_errors() {
    let engine = engine();
    let mut many = Dataset::stream(&engine, &COLUMNS, |rows| Ok(rows.max() + 1)).unwrap();
    assert_eq!(many.next_batch().unwrap_err().code(), Code::InvalidArgument);
    let mut wrong = Dataset::stream(&engine, &COLUMNS, |rows| Ok(rows.column::<i64>(0)?.len())).unwrap();
    let error = wrong.next_batch().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("column 0 has elements of F32"), "{error}");
}
