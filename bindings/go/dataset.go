package percale

// #include <percale.h>
// int32_t go_percale_row(void* user, int64_t row, void* const* columns);
// void go_percale_destroy(void* user);
import "C"

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Dataset is examples in batches. For one goroutine at a time. What is made of data sets keeps them.
type Dataset struct {
	owner
	sources sources
}

func releaseDataset(p unsafe.Pointer) { datasetRelease((*C.percale_dataset)(p)) }

func newDataset(p *C.percale_dataset, err error, of ...*Dataset) (*Dataset, error) {
	if err != nil {
		return nil, err
	}
	d := &Dataset{}
	for _, set := range of {
		d.sources = append(d.sources, set.sources...)
	}
	return own(d, &d.owner, "data set", unsafe.Pointer(p), releaseDataset), nil
}

func (d *Dataset) enter() (*C.percale_dataset, error) {
	if d == nil {
		return nil, errorf(InvalidArgument, "the data set is nil")
	}
	p, err := d.use()
	return (*C.percale_dataset)(p), err
}

func (d *Dataset) enterOrNil() (c *C.percale_dataset, leave func(), err error) {
	if d == nil {
		return nil, func() {}, nil
	}
	c, err = d.enter()
	return c, func() { d.done() }, err
}

// DatasetFromTensors gives rows of tensors in memory, which have the same first dim. The columns are in the names' order.
func DatasetFromTensors(engine *Engine, columns Feeds) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	names, tensors := columns.split()
	c, leave, err := enterTensors(tensors)
	if err != nil {
		return nil, err
	}
	defer leave()
	return newDataset(datasetFromTensors(e, names, c))
}

// Column is a file that gives a column.
type Column struct {
	Name, Path string // Name becomes that of a feed
}

// FileOptions say how DatasetFromFiles reads files.
type FileOptions struct {
	Scale float64 // what images of u8 are multiplied by when they become f32; 0: they are kept as they are
	CSV   string  // JSON with the rules for CSV files (SPEC.md, "CSV files"), or "": those of another set's CSVRules
}

// DatasetFromFiles gives rows of files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv; "file#name" says which
// tensor or columns. Rows of columns of one name follow each other. Paths are taken as they
// are: PERCALE_DATA and the cache are searched for the data of a SPEC alone.
func DatasetFromFiles(engine *Engine, options FileOptions, columns ...Column) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	var names, paths []string
	for _, c := range columns {
		names = append(names, c.Name)
		paths = append(paths, c.Path)
	}
	return newDataset(datasetFromFiles(e, names, paths, options.Scale, options.CSV))
}

// CSVRules is how the set reads its CSV files, as JSON: columns, types, categories, what stands for missing values. With it
// DatasetFromFiles reads other files alike. It is "" for a set of other files.
func (d *Dataset) CSVRules() (string, error) {
	c, err := d.enter()
	if err != nil {
		return "", err
	}
	defer d.done()
	return datasetCsvRules(c)
}

// DatasetRange gives rows of one i64 each: start, start + step, ... before stop.
func DatasetRange(engine *Engine, name string, start, stop, step int64) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newDataset(datasetRange(e, name, start, stop, step))
}

// Row is where a row that is made goes: RowColumn gives a column of it.
type Row struct {
	number  int64
	columns []unsafe.Pointer
	types   []TensorType
}

// Number is the row's, from 0.
func (r *Row) Number() int64 { return r.number }

// RowColumn is the memory of a column, which holds zeros. It must not be used after the row was made. It panics when the
// column has another dtype, which ends what wanted the batch with an error.
func RowColumn[T Element](r *Row, column int) []T {
	t := r.types[column]
	if t.DType != DTypeOf[T]() {
		panic(errorf(InvalidArgument, "column '%s' is %v, wanted are elements of %v", t.Name, t.DType, DTypeOf[T]()))
	}
	count := int64(1)
	for _, d := range t.Dims {
		count *= d
	}
	return unsafe.Slice((*T)(r.columns[column]), int(count))
}

// rowSource is the function behind a generated data set.
type rowSource struct {
	types  []TensorType
	make   func(*Row) error
	failed atomic.Pointer[error] // what the function gave last instead of a row, until somebody is told
}

// fill makes a row; a panic is an error, since it must not go through C.
func (s *rowSource) fill(number int64, columns *unsafe.Pointer) (made bool) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			if cause, ok := p.(error); ok {
				err = fmt.Errorf("panic: %w", cause)
			} else {
				err = fmt.Errorf("panic: %v", p)
			}
		}
		if made = err == nil; !made {
			s.failed.Store(&err)
		}
	}()
	err = s.make(&Row{number: number, columns: unsafe.Slice(columns, len(s.types)), types: s.types})
	return
}

// sources are the functions that a data set calls, to ask them what went wrong.
type sources []*rowSource

// functions are those of a data set, which may be nil.
func (d *Dataset) functions() sources {
	if d == nil {
		return nil
	}
	return slices.Clip(d.sources)
}

// explain gives an error of the library the cause that a function gave.
func (s sources) explain(err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	aborted := errors.As(err, &own) && own.Code == Aborted && own.cause == nil
	for _, source := range s {
		if cause := source.failed.Swap(nil); cause != nil && aborted {
			err = &Error{Code: Aborted, Message: own.Message + ": " + (*cause).Error(), cause: *cause}
			aborted = false
		}
	}
	return err
}

// DatasetGenerate gives rows that a function makes: the same row for the same number, whenever it is asked for. It may be
// called on any thread; an error, or a panic, ends what wanted the batch with an error of code Aborted that wraps it. Dims are
// those of one row.
func DatasetGenerate(engine *Engine, rows int64, columns []TensorType, row func(*Row) error) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	names, dtypes, dims := splitTypes(columns)
	source := &rowSource{types: columns, make: row}
	id := remember(source)
	d, err := newDataset(datasetGeneratorOwned(e, names, dtypes, dims, ranksOf(dims), rows,
		C.percale_row_callback(C.go_percale_row), id, C.percale_destroy(C.go_percale_destroy)))
	if err != nil {
		forgetSink(id)
		return nil, err
	}
	d.sources = sources{source}
	return d, nil
}

func enterDatasets(all []*Dataset) (c []*C.percale_dataset, leave func(), err error) {
	entered := 0
	leave = func() {
		for _, d := range all[:entered] {
			d.done()
		}
	}
	for _, d := range all {
		p, err := d.enter()
		if err != nil {
			leave()
			return nil, nil, err
		}
		entered++
		c = append(c, p)
	}
	return c, leave, nil
}

// Zip sets the columns of several data sets side by side: as many rows in all, no two columns of one name.
func Zip(datasets ...*Dataset) (*Dataset, error) {
	c, leave, err := enterDatasets(datasets)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := datasetZip(c)
	return newDataset(p, err, datasets...)
}

// Concatenate gives the rows of several data sets with the same columns, one set after the other.
func Concatenate(datasets ...*Dataset) (*Dataset, error) {
	c, leave, err := enterDatasets(datasets)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := datasetConcatenate(c)
	return newDataset(p, err, datasets...)
}

// Repeat gives the rows several times over.
func (d *Dataset) Repeat(times int64) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	p, err := datasetRepeat(c, times)
	return newDataset(p, err, d)
}

// Rename gives the same rows with other names of their columns, one for each, in order.
func (d *Dataset) Rename(names ...string) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	p, err := datasetRename(c, names)
	return newDataset(p, err, d)
}

// Map gives rows that went through a graph without variables: its inputs are columns by name, its outputs the new columns.
func (d *Dataset) Map(graph *Graph) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	g, err := graph.enter()
	if err != nil {
		return nil, err
	}
	defer graph.done()
	p, err := datasetMap(c, g)
	return newDataset(p, err, d)
}

// Batch sets how many rows come at once, and gives the data set back.
func (d *Dataset) Batch(size int64, options ...BatchOption) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	how := batching{shuffle: -1}
	for _, option := range options {
		option(&how)
	}
	if err := datasetConfigure(c, size, how.shuffle, flag(how.drop)); err != nil {
		return nil, err
	}
	return d, nil
}

type batching struct {
	shuffle int64
	drop    bool
}

// BatchOption is a choice of Batch.
type BatchOption func(*batching)

// Shuffled gives another order of rows in each epoch, drawn from the seed.
func Shuffled(seed int64) BatchOption { return func(b *batching) { b.shuffle = seed } }

// DropRemainder drops a short last batch.
func DropRemainder() BatchOption { return func(b *batching) { b.drop = true } }

// Distribute gives the parts of each batch for so many replicas, each for a goroutine of its own.
func (d *Dataset) Distribute(replicas int) ([]*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	if replicas < 0 {
		return nil, errorf(InvalidArgument, "%d replicas", replicas)
	}
	parts, err := datasetDistribute(c, replicas)
	if err != nil {
		return nil, err
	}
	out := make([]*Dataset, len(parts))
	for i, p := range parts {
		out[i], _ = newDataset(p, nil, d)
	}
	return out, nil
}

// Rows of the data set; of a part those that an epoch gives it.
func (d *Dataset) Rows() int64 {
	c, err := d.enter()
	if err != nil {
		return 0
	}
	defer d.done()
	return datasetRows(c)
}

// Columns are the names, in the order of a batch's tensors.
func (d *Dataset) Columns() []string {
	c, err := d.enter()
	if err != nil {
		return nil
	}
	defer d.done()
	out := make([]string, datasetColumnCount(c))
	for i := range out {
		out[i] = datasetGetColumnName(c, i)
	}
	return out
}

// ColumnTypes are names and dtypes of the columns, and the dims of one row of each.
func (d *Dataset) ColumnTypes() ([]TensorType, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	out := make([]TensorType, datasetColumnCount(c))
	for i := range out {
		dtype, dims, err := datasetColumnType(c, i)
		if err != nil {
			return nil, err
		}
		out[i] = TensorType{Name: datasetGetColumnName(c, i), DType: dtype, Dims: dims}
	}
	return out, nil
}

// Next is the next batch, a tensor per column; an error with code OutOfRange at the end of the epoch, after which the next
// one begins.
func (d *Dataset) Next() ([]*Tensor, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	out := make([]*C.percale_tensor, datasetColumnCount(c))
	if err := datasetNext(c, out); err != nil {
		return nil, d.sources.explain(err)
	}
	return newTensors(out), nil
}

// Epoch goes through the batches of one epoch. The tensors of a batch are closed after its turn: Retain keeps one. An error
// is the last that comes.
func (d *Dataset) Epoch() iter.Seq2[[]*Tensor, error] {
	return func(yield func([]*Tensor, error) bool) {
		for {
			batch, err := d.Next()
			if errors.Is(err, OutOfRange) {
				return
			}
			more := yield(batch, err)
			for _, t := range batch {
				t.Close()
			}
			if !more || err != nil {
				return
			}
		}
	}
}
