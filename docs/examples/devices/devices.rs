use percale::{Engine, Trainer};

// --8<-- [start:devices]
/// Trains a job on some devices and returns the digest of its weights.
fn train(spec: &str, devices: &str) -> percale::Result<String> {
    // "cpu=2x1" makes two devices with a thread each. Each batch is cut into four parts.
    let engine = Engine::builder().devices(devices).build()?;
    let mut trainer = Trainer::from_spec(&engine, spec).option("shards", 4).build()?;
    trainer.fit(None, 1)?;
    trainer.variables()?.digest()
}
// --8<-- [end:devices]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = std::fs::read_to_string("digits.json")?;
    println!("the same bits: {}", train(&spec, "cpu:0")? == train(&spec, "cpu=2x1")?);
    Ok(())
}
