//! Data sets.

use percale::*;

use crate::common::engine;

#[test]
fn data_sets_are_zipped_repeated_concatenated_mapped_and_distributed() {
    let engine = engine();
    let a = Dataset::range(&engine, "a", 0, 4, 1).unwrap();
    let b = Dataset::generator(&engine, &[("b", DType::F32, &[2])], 4, |number, row| {
        row.column::<f32>(0)?[1] = number as f32;
        assert!(row.column::<i64>(0).is_err());
        Ok(())
    })
    .unwrap();
    let zipped = Dataset::zip(&[&a, &b]).unwrap();
    drop((a, b));
    let types = zipped.column_types().unwrap();
    assert_eq!(
        (types[0].0.as_str(), types[0].1.dtype, types[0].1.dims.as_deref()),
        ("a", Some(DType::I64), Some(&[][..]))
    );
    assert_eq!(
        (types[1].0.as_str(), types[1].1.dtype, types[1].1.dims.as_deref()),
        ("b", Some(DType::F32), Some(&[2][..]))
    );
    assert_eq!(zipped.rename(&["x", "y"]).unwrap().names(), ["x", "y"]);
    let mut all = Dataset::concatenate(&[&zipped.repeat(2).unwrap(), &zipped]).unwrap();
    assert_eq!((all.rows(), all.names()), (Some(12), &["a".to_owned(), "b".to_owned()][..]));
    all.configure(3, None, true).unwrap();
    let batches: Vec<_> = all.epoch().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.len(), 4);
    assert_eq!(batches[1].get("a").unwrap().as_slice::<i64>().unwrap(), [3, 0, 1]);
    let mut parts = all.distribute(3).unwrap();
    let first = parts[0].next_batch().unwrap().unwrap();
    assert_eq!(first.get("b").unwrap().dims(), [1, 2]);

    let mut builder = Builder::new(&engine).unwrap();
    let b = builder.input("b", DType::F32, &[-1, 2]).unwrap();
    let double = builder.op("Add").name("double").inputs([b, b]).finish().unwrap();
    builder.set_outputs(&[double]).unwrap();
    let graph = builder.finish().unwrap();
    let inputs = graph.input_types().unwrap();
    assert_eq!((inputs[0].0.as_str(), inputs[0].1.dims.as_deref()), ("b", Some(&[-1, 2][..])));
    assert_eq!(graph.output_types().unwrap()[0].1.dtype, Some(DType::F32));
    assert_eq!(graph.value_type("doubel").unwrap_err().code(), Code::NotFound);
    let mut mapped = zipped.map(&graph).unwrap();
    mapped.configure(4, None, false).unwrap();
    let batch = mapped.next_batch().unwrap().unwrap();
    assert_eq!(batch.get("double").unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0, 0.0, 2.0, 0.0, 4.0, 0.0, 6.0]);
}

#[test]
fn functions_are_dropped_when_the_library_can_call_them_no_more() {
    let token = std::sync::Arc::new(());
    let held = || std::sync::Arc::strong_count(&token) - 1;
    let (for_log, for_rows, refused) = (token.clone(), token.clone(), token.clone());
    let engine = Engine::builder().log(LogLevel::Info, move |_, _| drop(for_log.clone())).build().unwrap();
    let rows = Dataset::generator(&engine, &[("x", DType::F32, &[1])], 4, move |_, _| {
        drop(for_rows.clone());
        Ok(())
    })
    .unwrap();
    let none = Dataset::generator(&engine, &[("x", DType::F32, &[1])], 0, move |_, _| {
        drop(refused.clone());
        Ok(())
    });
    assert_eq!(none.err().unwrap().code(), Code::InvalidArgument);
    assert_eq!(held(), 2);
    let mut twice = rows.repeat(2).unwrap();
    drop(rows);
    assert!(twice.next_batch().unwrap().is_some());
    assert_eq!(held(), 2);
    drop(twice);
    assert_eq!(held(), 1);
    drop(engine);
    assert_eq!(held(), 0);
}
