//! Servers of the devices of an engine, and engines that use them. All are in this process.
use std::path::Path;
use std::time::Duration;

use percale::*;

use crate::common::{engine, session};

/// Returns a server at a free port and its address; `None` if no plug-in connects processes.
fn served(engine: &Engine) -> Option<(Server, String)> {
    match Server::new(engine, "127.0.0.1:0", None) {
        Err(error) if error.code() == Code::Unimplemented => {
            assert!(error.message().contains("libpercale_remote.so"), "{error}");
            println!("skipped: {error}");
            None
        }
        server => {
            let server = server.unwrap();
            let address = format!("127.0.0.1:{}", server.port());
            Some((server, address))
        }
    }
}

// A busy machine can take seconds to answer.
fn client_of(address: &str, connect_seconds: i64) -> Result<Engine> {
    let devices = format!("remote:{address}/cpu:0");
    Engine::builder().threads(1).devices(&devices).option("connect_timeout", connect_seconds).build()
}

/// Returns the bits of a graph's result for fixed numbers.
fn computed(engine: &Engine) -> Vec<u32> {
    let numbers: Vec<f32> = (0..64).map(|i| (i % 7) as f32 / 9.0 - 0.3).collect();
    let x = Tensor::from_vec(&[16, 4], numbers).unwrap();
    let y = session(engine).run(&[("x", &x)], &["y"]).unwrap();
    y[0].as_slice::<f32>().unwrap().iter().map(|element| element.to_bits()).collect()
}

#[test]
fn a_device_of_a_server_computes_the_bits_of_this_process_and_the_server_waits_for_the_clients_end() {
    let engine = engine();
    let Some((server, address)) = served(&engine) else { return };
    assert_eq!(server.wait(Some(Duration::ZERO)).unwrap_err().code(), Code::DeadlineExceeded);
    let client = client_of(&address, 60).unwrap();
    assert_eq!(client.device_names()[0], format!("remote:{address}/cpu:0"));
    assert_eq!(computed(&client), computed(&engine));
    let error = server.wait(Some(Duration::from_millis(10))).unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error}");
    std::thread::scope(|scope| {
        let waits = [(); 2].map(|()| scope.spawn(|| server.wait(Some(Duration::from_secs(60)))));
        drop(client);
        for wait in waits {
            wait.join().unwrap().unwrap();
        }
    });
}

#[test]
fn a_server_refuses_addresses_that_it_cannot_have() {
    let engine = engine();
    let Some((_server, address)) = served(&engine) else { return };
    let code = |address, certificates| Server::new(&engine, address, certificates).unwrap_err().code();
    assert_eq!(code(&address, None), Code::Unavailable);
    assert_eq!(code("192.0.2.1:0", None), Code::FailedPrecondition);
    assert_eq!(code("127.0.0.1:0", Some(Path::new("no/such"))), Code::NotFound);
    assert_eq!(code("a\0b", None), Code::InvalidArgument);
}

#[test]
fn a_client_of_a_server_that_was_dropped_is_told_so() {
    let engine = engine();
    let Some((server, address)) = served(&engine) else { return };
    drop(server);
    assert_eq!(client_of(&address, 1).unwrap_err().code(), Code::Unavailable);
}
