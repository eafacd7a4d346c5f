use percale::{Engine, Trainer};
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = std::fs::read_to_string("digits.json")?;
    let engine = Engine::new()?;
    let mut trainer = Trainer::from_spec(&engine, &spec).build()?;
    // 0: as many epochs as the job says.
    trainer.fit_with(None, 0, |progress| {
        if progress.epoch_ended() {
            println!("epoch {}/{}  loss {:.4}", progress.epoch(), progress.epochs(), progress.epoch_loss());
        }
        ControlFlow::Continue(()) // Break(()) ends the training after this step
    })?;
    println!("test {}", trainer.evaluate(None)?.json());

    trainer.model()?.save_file(Some(&trainer.variables()?), "digits.percale")?;
    Ok(())
}
