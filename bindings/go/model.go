package percale

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
)

// Words are the settings of a layer, in Keras' words.
type Words map[string]any

// Layer is a layer by its Keras name: Layer{"LSTM", Words{"units": 32}}. The first layer of a model may say its
// "input_shape", as in Keras.
type Layer struct {
	Type  string // "Dense"
	Words Words  // Keras' attributes
}

// NewLayer is a layer by name, its words joined.
func NewLayer(layer string, words ...Words) Layer {
	out := Layer{layer, Words{}}
	for _, w := range words {
		maps.Copy(out.Words, w)
	}
	return out
}

// Dense is a densely connected layer.
func Dense(units int, words ...Words) Layer {
	return NewLayer("Dense", append([]Words{{"units": units}}, words...)...)
}

// Conv2D is a convolution of images, channels last.
func Conv2D(filters, kernelSize int, words ...Words) Layer {
	return NewLayer("Conv2D", append([]Words{{"filters": filters, "kernel_size": kernelSize}}, words...)...)
}

// MaxPooling2D takes the greatest of each window.
func MaxPooling2D(poolSize int, words ...Words) Layer {
	return NewLayer("MaxPooling2D", append([]Words{{"pool_size": poolSize}}, words...)...)
}

// Flatten makes rows of everything but the batch.
func Flatten(words ...Words) Layer { return NewLayer("Flatten", words...) }

// Dropout drops this part in training.
func Dropout(rate float64, words ...Words) Layer {
	return NewLayer("Dropout", append([]Words{{"rate": rate}}, words...)...)
}

// BatchNormalization normalises over the batch.
func BatchNormalization(words ...Words) Layer { return NewLayer("BatchNormalization", words...) }

// LayerNormalization normalises each row.
func LayerNormalization(words ...Words) Layer { return NewLayer("LayerNormalization", words...) }

// Activation is an activation alone.
func Activation(activation string) Layer {
	return NewLayer("Activation", Words{"activation": activation})
}

// Embedding looks rows of a table up.
func Embedding(inputDim, outputDim int, words ...Words) Layer {
	return NewLayer("Embedding", append([]Words{{"input_dim": inputDim, "output_dim": outputDim}}, words...)...)
}

// LSTM is a recurrent layer.
func LSTM(units int, words ...Words) Layer {
	return NewLayer("LSTM", append([]Words{{"units": units}}, words...)...)
}

// GRU is a recurrent layer.
func GRU(units int, words ...Words) Layer {
	return NewLayer("GRU", append([]Words{{"units": units}}, words...)...)
}

// MirroredStrategy lets devices share the shards of a batch, each on a replica of the model: "all" (also ""), or names with commas. A device
// without a shard gets no replica. Without Training.More's "shards" their number follows from the sizes of model and batch alone, so
// that the result does not depend on the devices: for all of them to work say as many shards as there are devices, or a multiple.
type MirroredStrategy struct {
	Devices string // names with commas; "" is all
}

// Training says how a model is trained. Optimizer, Loss and Schedule are names, Words such as
// {"name": "sgd", "learning_rate": 0.1}, or such objects as JSON.
type Training struct {
	Optimizer  any               // nil and "" are "adam"
	Loss       any               // "sparse_categorical_crossentropy", "mean_squared_error", ...
	Schedule   any               // of the learning rate; also a slice of them, or a JSON array, one after the other; nil: constant
	Metrics    []string          // "accuracy", ...
	FromLogits bool              // the model's output is not a probability yet
	Seed       int64             // of first weights, shuffling and Dropout
	Strategy   *MirroredStrategy // nil: the engine's devices share the shards of a batch
	ModelFile  string            // a file whose model, with its weights, the layers follow: they are its head, and may be none
	WeightsOf  *Trainer          // begins with its weights, as Keras' compile() after fit() does; the optimizer begins anew
	More       Words             // further keys of a SPEC: "shards", ...
}

// Model is layers one after the other. The data's columns are "x" and the label "y", which are integers for a sparse loss.
type Model []Layer

// Sequential is a model of these layers.
func Sequential(layers ...Layer) Model { return layers }

// Compile makes a trainer with new variables, which take the weights of Training.WeightsOf where
// both have one of that name and shape.
func (m Model) Compile(engine *Engine, training Training) (*Trainer, error) {
	spec, err := m.Spec(training)
	if err != nil {
		return nil, err
	}
	t, err := TrainerFromSpec(engine, spec, SpecFolders{}, nil)
	if err != nil || training.WeightsOf == nil {
		return t, err
	}
	if err := t.takeWeights(training.WeightsOf); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Trainer) takeWeights(before *Trainer) error {
	if err := before.Publish(); err != nil {
		return err
	}
	theirs, err := before.Variables()
	if err != nil {
		return err
	}
	defer theirs.Close()
	own, err := t.Variables()
	if err != nil {
		return err
	}
	defer own.Close()
	return own.AssignAll(theirs)
}

// Spec is the SPEC that Compile hands over.
func (m Model) Spec(training Training) ([]byte, error) {
	spec := Words{}
	layers := make([]Words, len(m))
	for i, layer := range m {
		layers[i] = Words{"layer": layer.Type}
		for word, value := range layer.Words {
			if word == "input_shape" {
				spec[word] = value
			} else {
				layers[i][word] = value
			}
		}
	}
	if training.ModelFile == "" {
		spec["model"] = layers
	} else {
		path, err := filepath.Abs(training.ModelFile)
		if err != nil {
			return nil, errorf(InvalidArgument, "the file of the model: %v", err)
		}
		spec["model"] = path
		if len(layers) > 0 {
			spec["head"] = layers
		}
	}
	if training.Optimizer == nil || training.Optimizer == "" {
		training.Optimizer = "adam"
	}
	if training.Schedule != nil {
		if text, ok := training.Schedule.(string); ok && strings.HasPrefix(text, "[") {
			spec["schedule"] = json.RawMessage(text)
		} else {
			spec["schedule"] = nameOrObject(training.Schedule)
		}
	}
	spec["optimizer"] = nameOrObject(training.Optimizer)
	spec["loss"] = nameOrObject(training.Loss)
	spec["metrics"] = append([]string{}, training.Metrics...)
	spec["from_logits"] = training.FromLogits
	spec["seed"] = training.Seed
	if s := training.Strategy; s != nil {
		spec["strategy"] = "mirrored"
		spec["devices"] = s.Devices
		if s.Devices == "" {
			spec["devices"] = "all"
		}
	}
	maps.Copy(spec, training.More)
	out, err := json.Marshal(spec)
	if err != nil {
		return nil, errorf(InvalidArgument, "the model cannot be written as JSON: %v", err)
	}
	return out, nil
}

func nameOrObject(value any) any {
	if text, ok := value.(string); ok && strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	return value
}
