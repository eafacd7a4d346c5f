//! The settings of a trainer.
use std::ffi::CString;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Shared, Trainer};
use crate::engine::Engine;
use crate::error::{check, path_text, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::sys;
use crate::variables::Variables;

/// Collects the settings of a trainer; see [`Trainer::builder`] and [`Trainer::from_spec`].
#[must_use = "build() creates the trainer"]
pub struct TrainerBuilder<'a> {
    pub(super) engine: &'a Engine,
    pub(super) source: Source<'a>,
    pub(super) before: Option<&'a mut Trainer>,
    pub(super) settings: Settings,
}

pub(super) enum Source<'a> {
    Graph(&'a Graph, Option<&'a Variables>),
    Spec { text: String, spec_folder: Option<PathBuf>, data_folder: Option<PathBuf> },
}

impl<'a> TrainerBuilder<'a> {
    /// Takes the weights of another trainer as initial values, as `compile()` after `fit()` does in
    /// Keras. They are taken for all variables that exist in both with the same name and shape. The
    /// state of the optimizer is not taken.
    pub fn weights_of(mut self, trainer: &'a mut Trainer) -> Self {
        self.before = Some(trainer);
        self
    }

    /// Sets any option of a trainer by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// Sets the optimizer: a name, or JSON such as `{"name": "sgd", "momentum": 0.9}`. Not for a
    /// SPEC, which has its own.
    pub fn optimizer(self, optimizer: &str) -> Self {
        self.option("optimizer", optimizer)
    }

    /// Sets the output that is the mean loss of a batch. Not for a SPEC, which has its own.
    pub fn loss(self, output: &str) -> Self {
        self.option("loss", output)
    }

    /// Sets the devices of the engine that compute the shards of a batch. The number of shards
    /// depends only on the sizes of the model and the batch, so the result does not depend on the
    /// devices. To keep all devices busy, set the option `shards` to the number of devices or a
    /// multiple of it.
    pub fn devices(self, devices: &str) -> Self {
        self.option("devices", devices)
    }

    /// Selects variables that keep their values, by patterns of their names separated by commas.
    pub fn freeze(self, patterns: &str) -> Self {
        self.option("freeze", patterns)
    }

    /// Sets the number of epochs that [`Trainer::fit`] uses when it is called with 0.
    pub fn epochs(self, epochs: i64) -> Self {
        self.option("epochs", epochs)
    }

    /// Sets the memory limit of the trainer in bytes; 0 means no limit but that of the engine.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Sets a folder to search for relative paths of a SPEC, instead of the current folder.
    pub fn spec_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { spec_folder, .. } = &mut self.source {
            *spec_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// Sets the folder to search first for data files of a SPEC.
    pub fn data_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { data_folder, .. } = &mut self.source {
            *data_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// Creates the trainer.
    pub fn build(self) -> Result<Trainer> {
        let options = self.settings.make("trainer")?;
        let (engine, options) = (self.engine.handle.get(), options::raw(&options));
        let mut raw = std::ptr::null_mut();
        // SAFETY: the texts are NUL-terminated or passed with their size; the handle is wrapped at
        // once.
        unsafe {
            match &self.source {
                Source::Graph(graph, variables) => check(sys::percale_trainer_create(
                    engine,
                    graph.handle.get(),
                    variables.map_or(std::ptr::null_mut(), |variables| variables.handle.get()),
                    options,
                    &mut raw,
                ))?,
                Source::Spec { text, spec_folder, data_folder } => {
                    let folder = |folder: &Option<PathBuf>| folder.as_deref().map(path_text).transpose();
                    let (spec_folder, data_folder) = (folder(spec_folder)?, folder(data_folder)?);
                    let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
                    check(sys::percale_trainer_from_spec(
                        engine,
                        text.as_ptr().cast(),
                        text.len(),
                        pointer(&spec_folder),
                        pointer(&data_folder),
                        options,
                        &mut raw,
                    ))?;
                }
            }
        }
        let trainer = Trainer {
            engine: self.engine.clone(),
            // SAFETY: the handle was just created.
            shared: Arc::new(Shared(unsafe { Handle::new(raw) })),
            token: None,
            validation: None,
            group: None,
            not_sync: PhantomData,
        };
        if let Some(before) = self.before {
            before.publish()?;
            trainer.variables()?.assign_all(&before.variables()?)?;
        }
        Ok(trainer)
    }
}
