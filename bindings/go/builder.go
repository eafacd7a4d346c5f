package percale

// #include <percale.h>
import "C"

import "unsafe"

// Value is a value of a builder: what a node, an input or a constant gives.
type Value int32

// None is an absent optional input, and what a builder gives after an error.
const None Value = noValue

// Function names a function of the graph, as an attribute: the branches of If, the body of Loop.
type Function string

// Attr is an attribute of a node or layer. The value is an int, int64, float64, bool, string, Function, []int, []int64,
// []float64, []string or *Tensor.
type Attr struct {
	Name  string // as the op calls it
	Value any    // int, float64, string, bool, slices of them, DType, *Tensor or Function
}

// Node is a node of an op, "Conv" or "percale:ApplyAdam". Package ops has a function per op.
type Node struct {
	Op      string  // with its domain, unless that is ONNX's
	Name    string  // may be ""
	Inputs  []Value // None: an optional one that is absent
	Attrs   []Attr  // those that are left out have their defaults
	Outputs int     // how many are wanted
}

// Builder builds a graph. It keeps its first error: calls after it do nothing, and Finish gives it, so that a graph reads
// without a check in each line. For one goroutine at a time.
type Builder struct {
	owner
	err error
}

func releaseBuilder(p unsafe.Pointer) { builderRelease((*C.percale_builder)(p)) }

func newBuilder(p *C.percale_builder, err error) (*Builder, error) {
	if err != nil {
		return nil, err
	}
	b := &Builder{}
	return own(b, &b.owner, "builder", unsafe.Pointer(p), releaseBuilder), nil
}

// NewBuilder begins a graph.
func NewBuilder(engine *Engine) (*Builder, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newBuilder(builderCreate(e))
}

// BuilderFrom goes on from a finished graph.
func BuilderFrom(engine *Engine, graph *Graph) (*Builder, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	g, err := graph.enter()
	if err != nil {
		return nil, err
	}
	defer graph.done()
	return newBuilder(builderFromGraph(e, g))
}

// Err is the first error so far.
func (b *Builder) Err() error { return b.err }

// do calls f unless there was an error, and keeps its error.
func (b *Builder) do(f func(c *C.percale_builder) error) {
	if b.err != nil {
		return
	}
	p, err := b.use()
	if err != nil {
		b.err = err
		return
	}
	defer b.done()
	b.err = f((*C.percale_builder)(p))
}

func (b *Builder) one(f func(c *C.percale_builder) (Value, error)) Value {
	out := None
	b.do(func(c *C.percale_builder) (err error) {
		out, err = f(c)
		return err
	})
	if b.err != nil {
		return None
	}
	return out
}

// Find gives the value of that name in the current function.
func (b *Builder) Find(name string) Value {
	return b.one(func(c *C.percale_builder) (Value, error) { return builderFindValue(c, name) })
}

// Input is an input of the current function; -1 is an unknown dim.
func (b *Builder) Input(name string, dtype DType, dims ...int64) Value {
	return b.one(func(c *C.percale_builder) (Value, error) { return builderInput(c, name, dtype, dims) })
}

// Constant shares the tensor. The name may be "".
func (b *Builder) Constant(name string, tensor *Tensor) Value {
	return b.one(func(c *C.percale_builder) (Value, error) {
		t, err := tensor.enter()
		if err != nil {
			return None, err
		}
		defer tensor.done()
		return builderConstant(c, name, t)
	})
}

// Variable is trainable; its first value is the tensor.
func (b *Builder) Variable(name string, initial *Tensor) Value {
	return b.one(func(c *C.percale_builder) (Value, error) {
		t, err := initial.enter()
		if err != nil {
			return None, err
		}
		defer initial.done()
		return builderVariable(c, name, t)
	})
}

// VariableInitialized is trainable; an initializer draws its first value: "zeros", "ones", "glorot_uniform",
// "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal" or "orthogonal".
func (b *Builder) VariableInitialized(name string, dtype DType, initializer string, dims ...int64) Value {
	return b.one(func(c *C.percale_builder) (Value, error) {
		return builderVariableInitialized(c, name, dtype, dims, initializer)
	})
}

// Add adds a node and gives its outputs; after an error each is None.
func (b *Builder) Add(node Node) []Value {
	b.do(func(c *C.percale_builder) error { return builderNode(c, node.Op, node.Name) })
	return b.finishNode(node.Inputs, node.Attrs, node.Outputs)
}

// Op adds a node with one output.
func (b *Builder) Op(op string, inputs []Value, attrs ...Attr) Value {
	return b.Add(Node{Op: op, Inputs: inputs, Attrs: attrs, Outputs: 1})[0]
}

// Layer adds a composite such as "Dense" or "Conv2D", with Keras' words as attributes. The name may be "".
func (b *Builder) Layer(layer, name string, inputs []Value, attrs ...Attr) Value {
	b.do(func(c *C.percale_builder) error { return builderLayer(c, layer, name) })
	return b.finishNode(inputs, attrs, 1)[0]
}

func (b *Builder) finishNode(inputs []Value, attrs []Attr, outputs int) []Value {
	for _, input := range inputs {
		b.do(func(c *C.percale_builder) error { return builderAddInput(c, input) })
	}
	for _, attr := range attrs {
		b.do(func(c *C.percale_builder) error { return setAttr(c, attr) })
	}
	var out []Value
	b.do(func(c *C.percale_builder) (err error) {
		out, err = builderFinishNode(c, outputs)
		return err
	})
	if b.err != nil {
		out = make([]Value, outputs)
		for i := range out {
			out[i] = None
		}
	}
	return out
}

func setAttr(c *C.percale_builder, attr Attr) error {
	switch value := attr.Value.(type) {
	case int:
		return builderSetInt(c, attr.Name, int64(value))
	case int64:
		return builderSetInt(c, attr.Name, value)
	case DType:
		return builderSetInt(c, attr.Name, int64(value))
	case bool:
		return builderSetInt(c, attr.Name, int64(flag(value)))
	case float64:
		return builderSetFloat(c, attr.Name, value)
	case float32:
		return builderSetFloat(c, attr.Name, float64(value))
	case string:
		return builderSetString(c, attr.Name, value)
	case Function:
		return builderSetFunction(c, attr.Name, string(value))
	case []int:
		wide := make([]int64, len(value))
		for i, v := range value {
			wide[i] = int64(v)
		}
		return builderSetInts(c, attr.Name, wide)
	case []int64:
		return builderSetInts(c, attr.Name, value)
	case []float64:
		return builderSetFloats(c, attr.Name, value)
	case []string:
		return builderSetStrings(c, attr.Name, value)
	case *Tensor:
		t, err := value.enter()
		if err != nil {
			return err
		}
		defer value.done()
		return builderSetTensor(c, attr.Name, t)
	}
	return errorf(InvalidArgument, "attribute '%s' cannot be a %T", attr.Name, attr.Value)
}

// InFunction builds a new function with what f adds; functions nest.
func (b *Builder) InFunction(name string, f func()) {
	b.do(func(c *C.percale_builder) error { return builderBeginFunction(c, name) })
	if b.err != nil {
		return
	}
	f()
	b.do(func(c *C.percale_builder) error { return builderEndFunction(c) })
}

// SetOutputs names the outputs of the current function.
func (b *Builder) SetOutputs(values ...Value) {
	b.do(func(c *C.percale_builder) error { return builderSetOutputs(c, values) })
}

// Rename gives a value another name.
func (b *Builder) Rename(value Value, name string) {
	b.do(func(c *C.percale_builder) error { return builderRename(c, value, name) })
}

// OnDevice gives the nodes that f adds a device hint, "cuda:0".
func (b *Builder) OnDevice(device string, f func()) {
	b.do(func(c *C.percale_builder) error { return builderSetDevice(c, device) })
	f()
	b.do(func(c *C.percale_builder) error { return builderSetDevice(c, "") })
}

// ControlDependency lets the node of after run only when the node of before has.
func (b *Builder) ControlDependency(before, after Value) {
	b.do(func(c *C.percale_builder) error { return builderControlDependency(c, before, after) })
}

// Type is the dtype and dims of a value; dims are nil when not even the rank is known.
func (b *Builder) Type(value Value) (dtype DType, dims []int64) {
	b.do(func(c *C.percale_builder) (err error) {
		dtype, dims, err = builderValueType(c, value)
		return err
	})
	return dtype, dims
}

// Gradients of the sum of ys with respect to each of xs, as new nodes.
func (b *Builder) Gradients(ys, xs []Value) []Value {
	out := make([]Value, len(xs))
	b.do(func(c *C.percale_builder) (err error) {
		out, err = builderGradients(c, ys, xs)
		return err
	})
	if b.err != nil {
		out = make([]Value, len(xs))
		for i := range out {
			out[i] = None
		}
	}
	return out
}

// Minimize adds what one training step does and gives the name of the target to run for one. The optimizer is a name, or
// JSON such as {"name":"adam","learning_rate":0.001}.
func (b *Builder) Minimize(loss Value, optimizer string) string {
	target := ""
	b.do(func(c *C.percale_builder) (err error) {
		target, err = builderMinimize(c, loss, optimizer)
		return err
	})
	return target
}

// Finish gives the finished, validated graph, or the first error, and leaves the builder empty.
func (b *Builder) Finish() (*Graph, error) {
	var out *Graph
	b.do(func(c *C.percale_builder) (err error) {
		out, err = newGraph(builderFinish(c))
		return err
	})
	err := b.err
	b.err = nil
	return out, err
}

// Ptr is the address of a value, for attributes whose default is not zero.
func Ptr[T any](value T) *T { return &value }
