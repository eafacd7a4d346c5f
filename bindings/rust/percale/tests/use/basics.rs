//! The library, its types, and the order in which they are dropped.
use percale::*;

use crate::common::{engine, product, session};

#[test]
fn the_library_says_its_version() {
    assert!(version().unwrap().starts_with("0."));
    assert!(abi_version().unwrap() >= 1);
    assert!(describe_options().unwrap().contains("\"memory_limit\""));
}

#[test]
fn types_are_send_and_sync_as_the_header_says() {
    fn thread_safe<T: Send + Sync>() {}
    fn thread_compatible<T: Send>() {}
    thread_safe::<Engine>();
    thread_safe::<Tensor>();
    thread_safe::<Graph>();
    thread_safe::<Variables>();
    thread_safe::<Session>();
    thread_safe::<Event>();
    thread_safe::<Trace>();
    thread_safe::<Server>();
    thread_safe::<CancelToken>();
    thread_safe::<Canceller>();
    thread_compatible::<Builder>();
    thread_compatible::<Call>();
    thread_compatible::<Dataset>();
    thread_compatible::<Trainer>();
    thread_compatible::<Cluster>();
}

#[test]
fn everything_may_be_dropped_in_any_order() {
    let engine = engine();
    let graph = product(&engine);
    let session = Session::new(&engine, &graph).unwrap();
    let mut call = session.prepare(&[("x", DType::F32, &[1, 4])], &["y"]).unwrap();
    drop((engine, graph, session));
    let mut outputs = call.new_outputs().unwrap();
    let row = [1f32; 4];
    call.run(&[&TensorView::new(&[1, 4], &row).unwrap()], &mut [&mut outputs[0]]).unwrap();
    drop(call);
    assert_eq!(outputs.remove(0).freeze().as_slice::<f32>().unwrap(), [4.0, 4.0]);
}

#[test]
fn logs_traces_and_clusters_are_within_reach() {
    let engine =
        Engine::builder().threads(1).log(LogLevel::Debug, |_, text| assert!(!text.is_empty())).build().unwrap();
    let trace = Trace::new(&engine).unwrap();
    let session = session(&engine);
    session.set_trace(Some(&trace));
    let x = Tensor::from_vec(&[1, 4], vec![1f32; 4]).unwrap();
    session.run(&[("x", &x)], &["y"]).unwrap();
    session.set_trace(None);
    assert!(trace.json().unwrap().contains("MatMul"));
    assert!(session.stats().unwrap().contains("planned_peak_bytes"));
    assert!(session.explain(&[("x", DType::F32, &[1, 4])], &["y"], PlanFacts::Plan).unwrap().contains("MatMul"));
    let drawing = session.draw(&[("x", DType::F32, &[1, 4])], &["y"], DrawingFormat::Svg, Some(&trace)).unwrap();
    assert!(drawing.contains("MatMul"));
    assert!(drawing.contains("in all"));
    assert!(engine.describe(EngineFacts::Info).unwrap().contains("cpu:0"));
    assert!(engine.memory_peak() >= engine.memory_used());
    let mut cluster = Cluster::new().unwrap();
    cluster.add_task("worker", 0, "host:1").unwrap();
    cluster.set_role("worker", 0).unwrap();
    assert_eq!((cluster.jobs(), cluster.task_count("worker")), (vec!["worker".to_owned()], 1));
    assert_eq!(cluster.address("worker", 0).as_deref(), Some("host:1"));
    assert_eq!(cluster.role(), ("worker".to_owned(), 0));
}
