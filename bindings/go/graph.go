package percale

// #include <percale.h>
import "C"

import "unsafe"

// Graph is finished and immutable. Any goroutine may use it.
type Graph struct{ owner }

func releaseGraph(p unsafe.Pointer) { graphRelease((*C.percale_graph)(p)) }

func newGraph(p *C.percale_graph, err error) (*Graph, error) {
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	return own(g, &g.owner, "graph", unsafe.Pointer(p), releaseGraph), nil
}

func (g *Graph) enter() (*C.percale_graph, error) {
	if g == nil {
		return nil, errorf(InvalidArgument, "the graph is nil")
	}
	p, err := g.use()
	return (*C.percale_graph)(p), err
}

// LoadGraph reads a .percale file, its weights mapped.
func LoadGraph(engine *Engine, path string) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphLoadFile(e, path))
}

// ReadGraph reads the bytes of a .percale file, which are copied where they must live on.
func ReadGraph(engine *Engine, bytes []byte) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphLoad(e, bytes))
}

// ImportGraph reads a file of a foreign format ("onnx") through an importer plug-in.
func ImportGraph(engine *Engine, format, path string) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphImport(e, format, path))
}

// ImportGraphBytes does the same with bytes.
func ImportGraphBytes(engine *Engine, format string, bytes []byte) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphImportBytes(e, format, bytes))
}

// WithDims gives the graph with other dims of its inputs: "batch=?" (any size), "height=224", "x:0=8" (by input and axis).
func (g *Graph) WithDims(dims ...string) (*Graph, error) {
	c, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.done()
	return newGraph(graphWithDims(c, dims))
}

// Save writes a .percale file, whole or not at all. With variables (may be nil) the file's first values are theirs.
func (g *Graph) Save(variables *Variables, path string) error {
	c, err := g.enter()
	if err != nil {
		return err
	}
	defer g.done()
	v, leave, err := variables.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	return graphSaveFile(c, v, path)
}

// Bytes is what Save would write.
func (g *Graph) Bytes(variables *Variables) ([]byte, error) {
	c, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.done()
	v, leave, err := variables.enterOrNil()
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := graphSerialize(c, v)
	return []byte(out), err
}

// Export writes a model of a foreign format ("onnx") through an importer plug-in. Variables and options may be nil.
func (g *Graph) Export(engine *Engine, variables *Variables, format string, options Options, path string) error {
	c, err := g.enter()
	if err != nil {
		return err
	}
	defer g.done()
	e, err := engine.enter()
	if err != nil {
		return err
	}
	defer engine.done()
	v, leave, err := variables.enterOrNil()
	if err != nil {
		return err
	}
	defer leave()
	o, err := options.make("export")
	if err != nil {
		return err
	}
	defer optionsRelease(o)
	return graphExport(e, c, v, format, o, path)
}

// ExportBytes is what Export would write.
func (g *Graph) ExportBytes(engine *Engine, variables *Variables, format string) ([]byte, error) {
	c, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.done()
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	v, leave, err := variables.enterOrNil()
	if err != nil {
		return nil, err
	}
	defer leave()
	out, err := graphExportBytes(e, c, v, format)
	return []byte(out), err
}

func (g *Graph) names(name func(*C.percale_graph, int) string) []string {
	c, err := g.enter()
	if err != nil {
		return nil
	}
	defer g.done()
	var out []string
	for n := name(c, 0); n != ""; n = name(c, len(out)) {
		out = append(out, n)
	}
	return out
}

// ValueType is dtype and dims (-1 = unknown; nil when not even their number is known) of a value of "main": an input, an
// output, or one within, which can be fed and fetched as well.
func (g *Graph) ValueType(name string) (TensorType, error) {
	c, err := g.enter()
	if err != nil {
		return TensorType{}, err
	}
	defer g.done()
	dtype, dims, err := graphValueType(c, name)
	return TensorType{Name: name, DType: dtype, Dims: dims}, err
}

func (g *Graph) types(names []string) ([]TensorType, error) {
	out := make([]TensorType, len(names))
	for i, name := range names {
		var err error
		if out[i], err = g.ValueType(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// InputTypes are names, dtypes and dims of the inputs of "main", in order.
func (g *Graph) InputTypes() ([]TensorType, error) { return g.types(g.Inputs()) }

// OutputTypes are names, dtypes and dims of the outputs of "main", in order.
func (g *Graph) OutputTypes() ([]TensorType, error) { return g.types(g.Outputs()) }

// Inputs are the names of the inputs of "main", in order.
func (g *Graph) Inputs() []string { return g.names(graphGetInputName) }

// Outputs are the names of the outputs of "main", in order.
func (g *Graph) Outputs() []string { return g.names(graphGetOutputName) }

// Draw gives a drawing: "svg", or "html", a page to move, zoom, search and fold. The nodes show the
// times of trace, the JSON of a Trace; or "".
func (g *Graph) Draw(format, trace string) (string, error) {
	c, err := g.enter()
	if err != nil {
		return "", err
	}
	defer g.done()
	return graphDraw(c, format, trace)
}

// Describe gives "summary" or "nodes" (JSON).
func (g *Graph) Describe(what string) (string, error) {
	c, err := g.enter()
	if err != nil {
		return "", err
	}
	defer g.done()
	return graphDescribe(c, what)
}

// Variables makes a table with the first values of the graph's variables; seed feeds the initializers.
func (g *Graph) Variables(engine *Engine, seed int64) (*Variables, error) {
	c, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.done()
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newVariables(variablesCreate(e, c, seed))
}
