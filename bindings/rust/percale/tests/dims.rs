//! Graphs with other dims of their inputs.
mod common;

use common::engine;
use percale::*;

/// Returns y = x * w with x [2, 2] and w the constant [[1, 2], [3, 4]].
fn fixed(engine: &Engine) -> Graph {
    let mut builder = Builder::new(engine).unwrap();
    let x = builder.input("x", DType::F32, &[2, 2]).unwrap();
    let w = builder.constant(&Tensor::from_vec(&[2, 2], vec![1f32, 2.0, 3.0, 4.0]).unwrap()).unwrap();
    let y = builder.op("MatMul").name("y").inputs([x, w]).finish().unwrap();
    builder.set_outputs(&[y]).unwrap();
    builder.finish().unwrap()
}

#[test]
fn a_fixed_dim_of_a_graph_is_freed_or_set() {
    let engine = engine();
    let graph = fixed(&engine);
    let dims = |graph: &Graph, name: &str| graph.value_type(name).unwrap().dims;
    let free = graph.with_dims(&["batch=?"]).unwrap();
    assert_eq!(dims(&free, "x").unwrap(), [-1, 2]);
    assert_eq!(dims(&free, "y").unwrap(), [-1, 2]);
    let rows = Tensor::from_vec(&[3, 2], vec![1f32, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
    let results = Session::new(&engine, &free).unwrap().run(&[("x", &*rows)], &["y"]).unwrap();
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 4.0, 6.0]);
    assert_eq!(dims(&graph.with_dims(&["x:0=5"]).unwrap(), "y").unwrap(), [5, 2]);
    // The graph itself stays as it is.
    assert_eq!(dims(&graph, "x").unwrap(), [2, 2]);
}

#[test]
fn a_dim_that_is_not_there_or_does_not_fit_is_named() {
    let graph = fixed(&engine());
    let typo = graph.with_dims(&["batc=?"]).err().unwrap();
    assert_eq!(typo.code(), Code::NotFound);
    assert!(typo.message().contains("did you mean 'batch'"), "{typo}");
    let unfit = graph.with_dims(&["x:1=3"]).err().unwrap();
    assert_eq!(unfit.code(), Code::InvalidArgument);
    assert!(unfit.message().contains("'y'"), "{unfit}");
}
