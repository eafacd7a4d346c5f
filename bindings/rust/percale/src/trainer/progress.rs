//! Reports of a training: its steps, evaluations and history.
use std::ffi::CStr;
use std::path::Path;

use crate::error::{check, path_text, Result};
use crate::sys;

/// Describes a completed step of [`Trainer::fit_with`](crate::Trainer::fit_with).
pub struct Progress<'a> {
    pub(super) raw: &'a sys::percale_progress,
    pub(super) trainer: *mut sys::percale_trainer,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl Progress<'_> { $(
            $(#[$doc])*
            pub fn $name(&self) -> $type {
                self.raw.$name
            }
        )* }
    };
}

fields! {
    /// The number of the epoch, from 1.
    epoch: i64;
    /// The number of epochs in all.
    epochs: i64;
    /// The number of the step in the whole run, from 1.
    step: i64;
    /// The number of steps in all; 0 if unknown.
    steps: i64;
    /// The number of the step in the epoch, from 1.
    step_in_epoch: i64;
    /// The number of steps in the epoch.
    steps_in_epoch: i64;
    /// The loss of this step's batch, before the update.
    loss: f64;
    /// The learning rate of this step.
    learning_rate: f64;
    /// The number of rows trained per second.
    rows_per_second: f64;
    /// Seconds since the training began.
    seconds: f64;
    /// The estimated number of seconds until the training ends.
    eta_seconds: f64;
    /// The mean loss over the rows of the epoch so far, each before its update.
    epoch_loss: f64;
}

impl Progress<'_> {
    /// Returns true if this step ended the epoch, so the metrics are set.
    pub fn epoch_ended(&self) -> bool {
        self.raw.epoch_ended != 0
    }

    /// Returns the names and values of the metrics, at the end of an epoch.
    pub fn metrics(&self) -> Vec<(&str, f64)> {
        // SAFETY: the arrays have the given length and live as long as the callback runs.
        unsafe {
            (0..self.raw.metric_count)
                .map(|index| {
                    let name = CStr::from_ptr(*self.raw.metric_names.add(index));
                    (name.to_str().unwrap_or("?"), *self.raw.metric_values.add(index))
                })
                .collect()
        }
    }

    /// Sets the learning rate of the optimizer from the next step on, like
    /// [`Trainer::set_learning_rate`](crate::Trainer::set_learning_rate).
    pub fn set_learning_rate(&self, rate: f64) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may set it.
        check(unsafe { sys::percale_trainer_set_learning_rate(self.trainer, rate) })
    }

    /// Publishes the trained values, like [`Trainer::publish`](crate::Trainer::publish).
    pub fn publish(&self) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may publish.
        check(unsafe { sys::percale_trainer_publish(self.trainer) })
    }

    /// Writes a checkpoint `folder`/step-N during the training.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the trainer waits for the callback, which may save it.
        check(unsafe { sys::percale_trainer_save(self.trainer, folder.as_ptr()) })
    }
}

/// The loss and the metrics of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub(super) json: String,
}

impl Evaluation {
    /// Returns the JSON of the library: `{"loss":0.03,"accuracy":0.99}`.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Returns the loss or a metric by its name, or `None` if there is none with this name. A value
    /// that is not finite is NaN.
    pub fn get(&self, name: &str) -> Option<f64> {
        // The JSON is flat and without spaces, and no name contains a quote. It has null for NaN
        // and infinities.
        let key = format!("\"{name}\":");
        let rest = self.json.split(&key).nth(1)?.trim_start();
        let end = rest.find([',', '}']).unwrap_or(rest.len());
        match rest.get(..end)?.trim() {
            "null" => Some(f64::NAN),
            number => number.parse().ok(),
        }
    }

    /// Returns the mean loss.
    pub fn loss(&self) -> f64 {
        self.get("loss").unwrap_or(f64::NAN)
    }
}

/// The format of [`Trainer::history`](crate::Trainer::history).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryFormat {
    /// CSV with one row per step.
    Csv,
    /// A plot of the loss.
    Svg,
    /// The bytes of a file `events.out.tfevents.*` for TensorBoard.
    Events,
}
