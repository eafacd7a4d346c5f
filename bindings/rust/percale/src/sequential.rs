//! Models as a list of layers, with the names of the Keras API.
use crate::engine::Engine;
use crate::trainer::{Trainer, TrainerBuilder};

/// A model as a list of layers, and how it is trained. It writes a SPEC.
///
/// ```
/// use percale::{Dataset, Engine, Layer, Sequential, Tensor};
/// let engine = Engine::builder().devices("cpu=2x1").build()?;
/// let mut trainer = Sequential::new(&[4])
///     .layer(Layer::new("Dense").set("units", 16).set("activation", "relu"))
///     .layer(Layer::new("Dense").set("units", 3).set("activation", "softmax"))
///     .optimizer("adam")
///     .loss("sparse_categorical_crossentropy")
///     .metric("accuracy")
///     .trainer(&engine)
///     .option("strategy", "mirrored")
///     .option("devices", "all")
///     .option("shards", 2) // of each batch, one per device
///     .build()?;
/// let x = Tensor::from_vec(&[6, 4], (0..24).map(|i| i as f32 / 24.0).collect())?;
/// let y = Tensor::from_vec(&[6], vec![0i64, 0, 1, 1, 2, 2])?;
/// let mut data = Dataset::from_tensors(&engine, &[("x", &x), ("y", &y)])?;
/// trainer.fit(Some(&mut data), 10)?;
/// assert!(trainer.evaluate(Some(&mut data))?.get("accuracy").is_some());
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sequential {
    file: Option<String>,
    layers: Vec<Layer>,
    metrics: Vec<SpecValue>,
    keys: Object,
}

/// A layer of a [`Sequential`].
#[derive(Clone, Debug)]
pub struct Layer {
    keys: Object,
}

/// A value of a SPEC.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SpecValue {
    /// Text.
    Text(String),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// A list of integers.
    Ints(Vec<i64>),
    /// A list of texts.
    Texts(Vec<String>),
    /// An object with named values.
    Object(Vec<(String, SpecValue)>),
    /// A list of values.
    List(Vec<SpecValue>),
    /// JSON that is used unchanged: `{"name": "sgd", "momentum": 0.9}`.
    Json(String),
}

impl SpecValue {
    /// Returns an object: `SpecValue::object([("name", "sgd".into()), ("learning_rate",
    /// 0.1.into())])`.
    pub fn object<const N: usize>(members: [(&str, SpecValue); N]) -> SpecValue {
        SpecValue::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

macro_rules! spec_value {
    ($($type:ty => |$value:ident| $make:expr;)*) => { $(
        impl From<$type> for SpecValue {
            fn from($value: $type) -> SpecValue {
                $make
            }
        }
    )* };
}

spec_value! {
    &str => |value| SpecValue::Text(value.into());
    String => |value| SpecValue::Text(value);
    i32 => |value| SpecValue::Int(value.into());
    i64 => |value| SpecValue::Int(value);
    f64 => |value| SpecValue::Float(value);
    bool => |value| SpecValue::Bool(value);
    &[i64] => |value| SpecValue::Ints(value.into());
    Vec<SpecValue> => |value| SpecValue::List(value);
    Vec<String> => |value| SpecValue::Texts(value);
}

/// Keys and values, in order.
#[derive(Clone, Debug, Default)]
struct Object(Vec<(String, SpecValue)>);

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out.push('"');
}

fn write_list<T>(out: &mut String, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
    out.push(']');
}

impl SpecValue {
    fn write(&self, out: &mut String) {
        match self {
            SpecValue::Text(text) => write_text(out, text),
            SpecValue::Int(number) => out.push_str(&number.to_string()),
            SpecValue::Float(number) => out.push_str(&format!("{number:e}")),
            SpecValue::Bool(value) => out.push_str(&value.to_string()),
            SpecValue::Ints(numbers) => write_list(out, numbers, |out, number| out.push_str(&number.to_string())),
            SpecValue::Texts(texts) => write_list(out, texts, |out, text| write_text(out, text)),
            SpecValue::Object(members) => {
                out.push('{');
                write_members(out, members);
                out.push('}');
            }
            SpecValue::List(values) => write_list(out, values, |out, value| value.write(out)),
            SpecValue::Json(json) => out.push_str(json),
        }
    }
}

/// Returns text that begins with a brace as JSON, and any other value unchanged.
fn name_or_object(value: impl Into<SpecValue>) -> SpecValue {
    match value.into() {
        SpecValue::Text(text) if text.trim_start().starts_with('{') => SpecValue::Json(text),
        other => other,
    }
}

fn write_members(out: &mut String, members: &[(String, SpecValue)]) {
    for (index, (key, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_text(out, key);
        out.push_str(": ");
        value.write(out);
    }
}

impl Object {
    fn write(&self, out: &mut String) {
        out.push('{');
        write_members(out, &self.0);
        out.push('}');
    }
}

impl Layer {
    /// Creates a layer: `Dense`, `Conv2D`, `Flatten`, ...
    pub fn new(layer: &str) -> Layer {
        Layer { keys: Object(vec![("layer".into(), layer.into())]) }
    }

    /// Sets an argument: `units`, `activation`, `name`, ...
    pub fn set(mut self, key: &str, value: impl Into<SpecValue>) -> Layer {
        self.keys.0.push((key.into(), value.into()));
        self
    }
}

impl Sequential {
    /// Creates a model without layers. `input_shape` is the shape of a row, without the batch.
    pub fn new(input_shape: &[i64]) -> Sequential {
        Sequential {
            file: None,
            layers: Vec::new(),
            metrics: Vec::new(),
            keys: Object(vec![("input_shape".into(), input_shape.into())]),
        }
    }

    /// Creates a model from a file with its weights. Layers, if there are any, are its head.
    /// `set("outputs", ...)` names the values that the head takes as input. `set("freeze", ...)`
    /// selects variables that keep their values.
    pub fn from_file(path: impl AsRef<std::path::Path>) -> Sequential {
        let file = path.as_ref().to_string_lossy().into_owned();
        Sequential { file: Some(file), layers: Vec::new(), metrics: Vec::new(), keys: Object::default() }
    }

    /// Appends a layer.
    pub fn layer(mut self, layer: Layer) -> Sequential {
        self.layers.push(layer);
        self
    }

    /// Sets any other key of the SPEC.
    pub fn set(mut self, key: &str, value: impl Into<SpecValue>) -> Sequential {
        self.keys.0.push((key.into(), value.into()));
        self
    }

    /// Sets the optimizer: a name, a [`SpecValue::object`], or JSON such as `{"name": "sgd",
    /// "learning_rate": 0.1}`.
    pub fn optimizer(self, optimizer: impl Into<SpecValue>) -> Sequential {
        self.set("optimizer", name_or_object(optimizer))
    }

    /// Sets the loss, in the same forms as the optimizer. The labels of sparse losses are integers.
    pub fn loss(self, loss: impl Into<SpecValue>) -> Sequential {
        self.set("loss", name_or_object(loss))
    }

    /// Sets the learning rate schedule, in the same forms. A [`SpecValue::List`] or a JSON array
    /// runs several schedules one after the other.
    pub fn schedule(self, schedule: impl Into<SpecValue>) -> Sequential {
        self.set(
            "schedule",
            match name_or_object(schedule) {
                SpecValue::Text(text) if text.trim_start().starts_with('[') => SpecValue::Json(text),
                SpecValue::List(all) => SpecValue::List(all.into_iter().map(name_or_object).collect()),
                other => other,
            },
        )
    }

    /// Adds a metric, in the same forms.
    pub fn metric(mut self, metric: impl Into<SpecValue>) -> Sequential {
        self.metrics.push(name_or_object(metric));
        self
    }

    /// Returns the SPEC as JSON.
    pub fn spec(&self) -> String {
        let mut out = String::from("{\"model\": ");
        if let Some(file) = &self.file {
            write_text(&mut out, file);
        }
        if self.file.is_some() && !self.layers.is_empty() {
            out.push_str(", \"head\": ");
        }
        if self.file.is_none() || !self.layers.is_empty() {
            write_list(&mut out, &self.layers, |out, layer| layer.keys.write(out));
        }
        if !self.metrics.is_empty() {
            out.push_str(", \"metrics\": ");
            write_list(&mut out, &self.metrics, |out, metric| metric.write(out));
        }
        out.push_str(", ");
        write_members(&mut out, &self.keys.0);
        out.push('}');
        out
    }

    /// Returns a builder for a trainer of this model.
    pub fn trainer<'a>(&self, engine: &'a Engine) -> TrainerBuilder<'a> {
        Trainer::from_spec(engine, &self.spec())
    }
}
