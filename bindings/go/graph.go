package percale

// #include <percale.h>
import "C"

import "unsafe"

// Graph is a finished, immutable graph. Any number of goroutines may use it.
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

// LoadGraph reads a .percale file. Its weights are mapped into memory unless the engine option
// "map_files" is off. A mapped file may be replaced by a rename, or removed; truncating it can end
// the process.
func LoadGraph(engine *Engine, path string) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphLoadFile(e, path))
}

// ReadGraph reads the bytes of a .percale file. It copies the parts that the graph needs later.
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

// ImportGraphBytes reads the bytes of a foreign format, like ImportGraph.
func ImportGraphBytes(engine *Engine, format string, bytes []byte) (*Graph, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newGraph(graphImportBytes(e, format, bytes))
}

// WithDims returns the graph with other dims of its inputs. Each entry is "batch=?" (any size),
// "height=224" (by name), or "x:0=8" (by input and axis).
func (g *Graph) WithDims(dims ...string) (*Graph, error) {
	c, err := g.enter()
	if err != nil {
		return nil, err
	}
	defer g.done()
	return newGraph(graphWithDims(c, dims))
}

// Save writes a .percale file atomically. With variables (may be nil), the file has their values as
// initial values.
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

// Bytes returns the bytes that Save would write.
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

// Export writes a model of a foreign format ("onnx") through an importer plug-in. Variables and
// options may be nil.
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

// ExportBytes returns the bytes that Export would write.
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

// ValueType returns the dtype and dims of a value of "main": an input, an output, or an inner
// value, which can be fed and fetched as well. A dim of -1 is unknown; the dims are nil if not even
// the rank is known.
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

// InputTypes returns the names, dtypes and dims of the inputs of "main", in order.
func (g *Graph) InputTypes() ([]TensorType, error) { return g.types(g.Inputs()) }

// OutputTypes returns the names, dtypes and dims of the outputs of "main", in order.
func (g *Graph) OutputTypes() ([]TensorType, error) { return g.types(g.Outputs()) }

// Inputs returns the names of the inputs of "main", in order.
func (g *Graph) Inputs() []string { return g.names(graphGetInputName) }

// Outputs returns the names of the outputs of "main", in order.
func (g *Graph) Outputs() []string { return g.names(graphGetOutputName) }

// Draw returns a drawing of the graph. The format is "svg" or "html"; the HTML page supports
// panning, zoom, search and folding. Trace is "" or the JSON of a Trace, whose times are then shown
// at the nodes.
func (g *Graph) Draw(format, trace string) (string, error) {
	c, err := g.enter()
	if err != nil {
		return "", err
	}
	defer g.done()
	return graphDraw(c, format, trace)
}

// Describe returns facts as JSON. What is "summary" or "nodes".
func (g *Graph) Describe(what string) (string, error) {
	c, err := g.enter()
	if err != nil {
		return "", err
	}
	defer g.done()
	return graphDescribe(c, what)
}

// Variables creates a table with the initial values of the graph's variables. The seed is for the
// initializers.
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
