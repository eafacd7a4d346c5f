package percale

// #include <percale.h>
import "C"

import "unsafe"

// Value identifies a value inside a Builder: the output of a node, an input, a variable or a
// constant.
type Value int32

// None stands for an absent optional input. Builder methods also return it after an error.
const None Value = noValue

// Function is an attribute value that names a function of the graph, such as a branch of If or the
// body of Loop.
type Function string

// Attr is an attribute of a node or layer. The value is an int, int64, float32, float64, bool,
// string, DType, Function, *Tensor, []int, []int64, []float64 or []string.
type Attr struct {
	Name  string // name of the attribute in the schema of the op or layer
	Value any    // of one of the types above
}

// Node describes a node to add, such as a "Conv", a "percale:ApplyAdam", or a "sample:Square" of a
// plug-in. Package ops has one function per op of the library.
type Node struct {
	Op      string  // name of the op, with its domain unless that is ONNX's
	Name    string  // also of the first output; may be ""
	Inputs  []Value // None for an absent optional input
	Attrs   []Attr  // attributes that are left out have their defaults
	Outputs int     // number of outputs wanted
}

// Builder builds a graph. It keeps its first error. Later calls then do nothing, and Finish returns
// the error, so a graph can be written without a check on every line. Only one goroutine may use a
// Builder at a time.
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

// NewBuilder returns a builder of an empty graph.
func NewBuilder(engine *Engine) (*Builder, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newBuilder(builderCreate(e))
}

// BuilderFrom returns a builder that continues from a finished graph.
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

// Err returns the first error so far, or nil.
func (b *Builder) Err() error { return b.err }

// do calls f unless an error is already stored, and stores the error of f.
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

// Find returns the value with this name in the current function.
func (b *Builder) Find(name string) Value {
	return b.one(func(c *C.percale_builder) (Value, error) { return builderFindValue(c, name) })
}

// Input adds an input to the current function. A dim of -1 is unknown.
func (b *Builder) Input(name string, dtype DType, dims ...int64) Value {
	return b.one(func(c *C.percale_builder) (Value, error) { return builderInput(c, name, dtype, dims) })
}

// Constant adds a constant. The tensor is shared, not copied. The name may be "".
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

// Variable adds a trainable variable whose initial value is the tensor, and returns its value.
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

// VariableInitialized adds a trainable variable whose initial value an initializer draws: "zeros",
// "ones", "glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_normal",
// "random_uniform", "random_normal" or "orthogonal". The seed is the one passed to Graph.Variables.
func (b *Builder) VariableInitialized(name string, dtype DType, initializer string, dims ...int64) Value {
	return b.one(func(c *C.percale_builder) (Value, error) {
		return builderVariableInitialized(c, name, dtype, dims, initializer)
	})
}

// Add adds a node and returns its outputs. After an error each of them is None.
func (b *Builder) Add(node Node) []Value {
	b.do(func(c *C.percale_builder) error { return builderNode(c, node.Op, node.Name) })
	return b.finishNode(node.Inputs, node.Attrs, node.Outputs)
}

// Op adds a node with one output and returns that output. The builder chooses its name; Rename
// changes it.
func (b *Builder) Op(op string, inputs []Value, attrs ...Attr) Value {
	return b.Add(Node{Op: op, Inputs: inputs, Attrs: attrs, Outputs: 1})[0]
}

// Layer adds a composite such as "Dense" or "Conv2D" and returns its output. The attributes have
// the names of Keras arguments. The name may be "".
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
		return nones(outputs)
	}
	return out
}

// nones returns the values of outputs after an error.
func nones(count int) []Value {
	out := make([]Value, count)
	for i := range out {
		out[i] = None
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

// InFunction creates a function of the graph from everything that f adds. Functions can be nested.
func (b *Builder) InFunction(name string, f func()) {
	b.do(func(c *C.percale_builder) error { return builderBeginFunction(c, name) })
	if b.err != nil {
		return
	}
	f()
	b.do(func(c *C.percale_builder) error { return builderEndFunction(c) })
}

// SetOutputs sets the outputs of the current function.
func (b *Builder) SetOutputs(values ...Value) {
	b.do(func(c *C.percale_builder) error { return builderSetOutputs(c, values) })
}

// Rename gives a value another name, which feeds and fetches then use.
func (b *Builder) Rename(value Value, name string) {
	b.do(func(c *C.percale_builder) error { return builderRename(c, value, name) })
}

// OnDevice sets a device hint such as "cuda:0" on the nodes that f adds.
func (b *Builder) OnDevice(device string, f func()) {
	b.do(func(c *C.percale_builder) error { return builderSetDevice(c, device) })
	f()
	b.do(func(c *C.percale_builder) error { return builderSetDevice(c, "") })
}

// ControlDependency makes the node of after run only once the node of before has run.
func (b *Builder) ControlDependency(before, after Value) {
	b.do(func(c *C.percale_builder) error { return builderControlDependency(c, before, after) })
}

// Type returns the dtype and dims of a value. The dims are nil if not even the rank is known.
func (b *Builder) Type(value Value) (dtype DType, dims []int64) {
	b.do(func(c *C.percale_builder) (err error) {
		dtype, dims, err = builderValueType(c, value)
		return err
	})
	return dtype, dims
}

// Gradients adds nodes that compute the gradients of the sum of ys with respect to each of xs, and
// returns those gradients.
func (b *Builder) Gradients(ys, xs []Value) []Value {
	var out []Value
	b.do(func(c *C.percale_builder) (err error) {
		out, err = builderGradients(c, ys, xs)
		return err
	})
	if b.err != nil {
		return nones(len(xs))
	}
	return out
}

// Minimize adds the nodes of one training step and returns the name of the target that runs one
// step. The optimizer is a name, or JSON such as {"name":"adam","learning_rate":0.001}.
func (b *Builder) Minimize(loss Value, optimizer string) string {
	target := ""
	b.do(func(c *C.percale_builder) (err error) {
		target, err = builderMinimize(c, loss, optimizer)
		return err
	})
	return target
}

// Finish returns the validated graph, or the first error. The builder is empty afterwards.
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

// Ptr returns the address of a copy of value. It sets optional attributes whose default is not
// zero.
func Ptr[T any](value T) *T { return &value }
