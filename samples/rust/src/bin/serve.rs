//! An HTTP service that answers with predictions while it trains in the background, using only std.
//!
//!     serve SPEC.json [PORT] [MEMORY_LIMIT]
//!
//! * `POST /predict` with the bytes of images, 784 per image: a JSON list of digits. If the client
//!   disconnects, its run is cancelled.
//! * `GET /status`: JSON: step, loss, version of the weights, predictions, cancelled runs, bytes
//!   used.
//! * `POST /stop`: ends the training and the service.
//!
//! The engine uses at most MEMORY_LIMIT bytes (512 MiB). A request that is too large gets status
//! 507; the training and other requests continue.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;

use percale::{CancelToken, Code, Engine, Session, Tensor, Trainer, Variables};

const PIXELS: usize = 28 * 28;
const MOST_BYTES: usize = 256 << 20;

struct Service {
    engine: Engine,
    session: Session,
    variables: Variables,
    output: String,
    stop: CancelToken,
    step: AtomicI64,
    loss: AtomicU64,
    predictions: AtomicI64,
    cancelled: AtomicI64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let spec = arguments.first().ok_or("usage: serve SPEC.json [PORT] [MEMORY_LIMIT]")?;
    let port: u16 = arguments.get(1).map_or(Ok(0), |text| text.parse())?;
    let limit: u64 = arguments.get(2).map_or(Ok(512 << 20), |text| text.parse())?;

    // --8<-- [start:open]
    let engine = Engine::builder().memory_limit(limit).build()?;
    let mut trainer = Trainer::from_spec(&engine, &std::fs::read_to_string(spec)?)
        .spec_folder(Path::new(spec).parent().unwrap_or(Path::new(".")))
        .option("publish", "20") // sessions see new weights every twenty steps
        .build()?;
    let (graph, variables) = (trainer.model()?, trainer.variables()?);
    let session = Session::builder(&engine, &graph).variables(&variables).build()?;
    let output = graph.output_names().remove(0);
    let stop = CancelToken::new();
    trainer.set_cancel_token(Some(stop.clone()));
    // --8<-- [end:open]
    let service = Arc::new(Service {
        engine,
        session,
        variables,
        output,
        stop,
        step: AtomicI64::new(0),
        loss: AtomicU64::new(0),
        predictions: AtomicI64::new(0),
        cancelled: AtomicI64::new(0),
    });

    let told = service.clone();
    let training = std::thread::spawn(move || {
        trainer.fit_with(None, 0, |progress| {
            told.step.store(progress.step(), Relaxed);
            told.loss.store(progress.loss().to_bits(), Relaxed);
            ControlFlow::Continue(())
        })
    });

    let listener = TcpListener::bind(("127.0.0.1", port))?;
    let address = listener.local_addr()?;
    println!("http://{address}");
    for stream in listener.incoming() {
        if service.stop.is_cancelled() {
            break;
        }
        let (service, stream) = (service.clone(), stream?);
        std::thread::spawn(move || {
            // If the client is gone, there is no one to report the error to.
            let _ = service.answer(&stream);
            if service.stop.is_cancelled() {
                // Wakes the loop above.
                let _ = TcpStream::connect(address);
            }
        });
    }
    match training.join().expect("the training does not panic") {
        Err(error) if error.code() != Code::Cancelled => Err(error.into()),
        _ => Ok(()),
    }
}

impl Service {
    fn answer(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let (mut header, mut size) = (String::new(), 0);
        while reader.read_line(&mut header)? > 2 {
            if let Some((name, value)) = header.split_once(':') {
                if name.eq_ignore_ascii_case("content-length") {
                    size = value.trim().parse().unwrap_or(0);
                }
            }
            header.clear();
        }
        let (status, body) = match line.split(' ').take(2).collect::<Vec<_>>()[..] {
            ["GET", "/status"] => (200, self.status()),
            ["POST", "/stop"] => {
                self.stop.cancel();
                (200, "{}".into())
            }
            ["POST", "/predict"] if size == 0 || size % PIXELS != 0 || size > MOST_BYTES => {
                (400, format!("{{\"error\": \"wanted {PIXELS} bytes per image\"}}"))
            }
            ["POST", "/predict"] => {
                let mut pixels = vec![0u8; size];
                reader.read_exact(&mut pixels)?;
                self.predict(stream, &pixels)
            }
            _ => (404, "{\"error\": \"POST /predict, GET /status, POST /stop\"}".into()),
        };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status} \r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    fn status(&self) -> String {
        format!(
            "{{\"step\": {}, \"loss\": {}, \"version\": {}, \"predictions\": {}, \"cancelled\": {}, \"bytes\": {}}}",
            self.step.load(Relaxed),
            f64::from_bits(self.loss.load(Relaxed)),
            self.variables.version(),
            self.predictions.load(Relaxed),
            self.cancelled.load(Relaxed),
            self.engine.memory_used()
        )
    }

    /// Predicts the digits of images, or returns an error. Ends when the client disconnects.
    fn predict(&self, stream: &TcpStream, pixels: &[u8]) -> (u16, String) {
        let token = CancelToken::new();
        let over = AtomicBool::new(false);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                // A client sends nothing after its request. The end of its stream means that it has
                // disconnected.
                let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
                while !over.load(Relaxed) {
                    if let Ok(0) = stream.peek(&mut [0]) {
                        token.cancel();
                        break;
                    }
                }
            });
            let result = self.run(&token, pixels);
            over.store(true, Relaxed);
            result
        });
        match result {
            Ok(digits) => {
                self.predictions.fetch_add(digits.len() as i64, Relaxed);
                (200, format!("{digits:?}"))
            }
            Err(error) => {
                self.cancelled.fetch_add((error.code() == Code::Cancelled).into(), Relaxed);
                let status = if error.code() == Code::ResourceExhausted { 507 } else { 500 };
                (status, format!("{{\"error\": {:?}}}", error.message()))
            }
        }
    }

    // --8<-- [start:answer]
    fn run(&self, token: &CancelToken, pixels: &[u8]) -> percale::Result<Vec<usize>> {
        let scaled = pixels.iter().map(|pixel| f32::from(*pixel) / 255.0).collect();
        let x = Tensor::from_vec(&[pixels.len() / PIXELS, 28, 28, 1], scaled)?;
        let scores = self.session.request().feed("x", &x).fetch(&self.output).cancel_token(token).run_one()?;
        let best = |row: &[f32]| (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap_or(0);
        Ok(scores.as_slice::<f32>()?.chunks(10).map(best).collect())
    }
    // --8<-- [end:answer]
}
