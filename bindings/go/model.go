package percale

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
)

// Words maps the names of Keras arguments to values: the settings of a layer, an optimizer, a loss
// or a SPEC.
type Words map[string]any

// Layer is a layer of a model, such as Layer{"LSTM", Words{"units": 32}}. As in Keras, the first
// layer may have the argument "input_shape".
type Layer struct {
	Type  string // Keras class name: "Dense"
	Words Words  // Keras arguments
}

// NewLayer returns a layer by its Keras name. The arguments of all words are merged; later ones
// win.
func NewLayer(layer string, words ...Words) Layer {
	out := Layer{layer, Words{}}
	for _, w := range words {
		maps.Copy(out.Words, w)
	}
	return out
}

// Dense returns a fully connected layer.
func Dense(units int, words ...Words) Layer {
	return NewLayer("Dense", append([]Words{{"units": units}}, words...)...)
}

// Conv2D returns a 2D convolution of images with channels last.
func Conv2D(filters, kernelSize int, words ...Words) Layer {
	return NewLayer("Conv2D", append([]Words{{"filters": filters, "kernel_size": kernelSize}}, words...)...)
}

// MaxPooling2D returns a layer that takes the maximum of each window.
func MaxPooling2D(poolSize int, words ...Words) Layer {
	return NewLayer("MaxPooling2D", append([]Words{{"pool_size": poolSize}}, words...)...)
}

// Flatten returns a layer that flattens all dims but the batch.
func Flatten(words ...Words) Layer { return NewLayer("Flatten", words...) }

// Dropout returns a layer that sets this fraction of its inputs to zero in training.
func Dropout(rate float64, words ...Words) Layer {
	return NewLayer("Dropout", append([]Words{{"rate": rate}}, words...)...)
}

// BatchNormalization returns a layer that normalizes over the batch.
func BatchNormalization(words ...Words) Layer { return NewLayer("BatchNormalization", words...) }

// LayerNormalization returns a layer that normalizes each row.
func LayerNormalization(words ...Words) Layer { return NewLayer("LayerNormalization", words...) }

// Activation returns a layer that applies only an activation.
func Activation(activation string) Layer {
	return NewLayer("Activation", Words{"activation": activation})
}

// Embedding returns a layer that maps ids to rows of a trainable table.
func Embedding(inputDim, outputDim int, words ...Words) Layer {
	return NewLayer("Embedding", append([]Words{{"input_dim": inputDim, "output_dim": outputDim}}, words...)...)
}

// LSTM returns an LSTM layer.
func LSTM(units int, words ...Words) Layer {
	return NewLayer("LSTM", append([]Words{{"units": units}}, words...)...)
}

// GRU returns a GRU layer.
func GRU(units int, words ...Words) Layer {
	return NewLayer("GRU", append([]Words{{"units": units}}, words...)...)
}

// MirroredStrategy distributes the shards of a batch over devices. Each device that gets a shard
// holds a replica of the model. The number of shards depends only on the sizes of the model and the
// batch, so the result does not depend on the devices. To keep all devices busy, set "shards" in
// Training.More to the number of devices or a multiple of it.
type MirroredStrategy struct {
	Devices string // names separated by commas; "" and "all" mean all
}

// Training configures how a model is trained. Optimizer, Loss and Schedule are names, Words such as
// {"name": "sgd", "learning_rate": 0.1}, or the same objects as JSON.
type Training struct {
	Optimizer  any               // nil and "" mean "adam"
	Loss       any               // "sparse_categorical_crossentropy", "mean_squared_error", ...
	Schedule   any               // of the learning rate; a slice or JSON array: in turn; nil: constant
	Metrics    []string          // "accuracy", ...
	FromLogits bool              // the model outputs logits, not probabilities
	Seed       int64             // for initial weights, shuffling and Dropout
	Strategy   *MirroredStrategy // nil: the devices of the engine share the shards of a batch
	ModelFile  string            // .percale or .onnx, with weights; the layers, if any, are appended
	WeightsOf  *Trainer          // trainer whose weights, but not optimizer state, are taken over
	More       Words             // further keys of the SPEC: "shards", ...
}

// Model is a list of layers, applied in order. The data must have a column "x" and a column "y"
// with the labels. For a sparse loss the labels are integers.
type Model []Layer

// Sequential returns a model of these layers.
func Sequential(layers ...Layer) Model { return layers }

// Compile creates a trainer with new variables. If Training.WeightsOf is set, variables with the
// same name and shape take their values from it.
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

// Spec returns the SPEC that Compile passes to the library, as JSON.
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
