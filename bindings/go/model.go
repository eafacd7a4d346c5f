package percale

import (
	"encoding/json"
	"maps"
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

// Training says how a model is trained. Optimizer and Loss are names, or JSON objects.
type Training struct {
	Optimizer  string            // "" is "adam"
	Loss       string            // "sparse_categorical_crossentropy", "mean_squared_error", ...
	Metrics    []string          // "accuracy", ...
	FromLogits bool              // the model's output is not a probability yet
	Seed       int64             // of first weights, shuffling and Dropout
	Strategy   *MirroredStrategy // nil: the engine's devices share the shards of a batch
	More       Words             // further keys of a SPEC: "shards", ...
}

// Model is layers one after the other. The data's columns are "x" and the label "y", which are integers for a sparse loss.
type Model []Layer

// Sequential is a model of these layers.
func Sequential(layers ...Layer) Model { return layers }

// Compile makes a trainer with new variables.
func (m Model) Compile(engine *Engine, training Training) (*Trainer, error) {
	spec, err := m.Spec(training)
	if err != nil {
		return nil, err
	}
	return TrainerFromSpec(engine, spec, SpecFolders{}, nil)
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
	spec["model"] = layers
	if training.Optimizer == "" {
		training.Optimizer = "adam"
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

func nameOrObject(text string) any {
	if strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	return text
}
