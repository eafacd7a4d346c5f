package percale

// #include <percale.h>
// int32_t go_percale_row(void* user, int64_t row, void* const* columns);
// void go_percale_destroy(void* user);
import "C"

import (
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Dataset yields rows in batches. Only one goroutine may use it at a time. A data set that is made
// from others keeps references to them.
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

// DatasetFromTensors returns a data set of rows of tensors in memory, which must have the same
// first dim. The columns are sorted by name.
func DatasetFromTensors(engine *Engine, columns Feeds) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	names, c, leave, err := columns.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	return newDataset(datasetFromTensors(e, names, c))
}

// Column names a file that supplies a column.
type Column struct {
	Name, Path string // Name becomes the name of a feed
}

// FileOptions configures how DatasetFromFiles reads files.
type FileOptions struct {
	Scale float64 // factor for u8 images, which become f32; 0 keeps them as u8
	CSV   string  // JSON rules for CSV files, as CSVRules returns them; "" infers them
}

// DatasetFromFiles returns a data set of rows in files: IDX (plain or gzip), .npy, .npz,
// .safetensors, .csv or .tsv. A path "file#name" selects a tensor, or columns of a CSV file.
// Several files with the same column name are concatenated. Paths are used as given; PERCALE_DATA
// and the cache are searched only for the data of a SPEC. Files are mapped into memory if possible.
// Truncating a file that is in use can end the process, unless the engine option "map_files" is
// off.
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

// CSVRules returns the rules by which the data set reads its CSV files, as JSON: columns, types,
// categories and the markers of missing values. Pass them in FileOptions to read other files the
// same way. The result is "" if the data set was not made from CSV files.
func (d *Dataset) CSVRules() (string, error) {
	c, err := d.enter()
	if err != nil {
		return "", err
	}
	defer d.done()
	return datasetCsvRules(c)
}

// DatasetRange returns a data set of rows with one i64 each: start, start + step, ... before stop.
func DatasetRange(engine *Engine, name string, start, stop, step int64) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	return newDataset(datasetRange(e, name, start, stop, step))
}

// Row is the destination of a generated row. RowColumn returns the memory of one of its columns.
type Row struct {
	number  int64
	columns []unsafe.Pointer
	types   []TensorType
}

// Number returns the number of the row, counted from 0.
func (r *Row) Number() int64 { return r.number }

// RowColumn returns the memory of a column, which initially holds zeros and must not be used after
// the row function returns. RowColumn panics if the column has another dtype. The call that
// requested the batch then returns an error.
func RowColumn[T Element](r *Row, column int) []T {
	return columnMemory[T](r.types[column], r.columns[column], 1)
}

// columnMemory returns the memory of some rows of a column.
func columnMemory[T Element](t TensorType, memory unsafe.Pointer, rows int64) []T {
	if t.DType != DTypeOf[T]() {
		panic(errorf(InvalidArgument, "column '%s' is %v, wanted are elements of %v", t.Name, t.DType, DTypeOf[T]()))
	}
	count := rows
	for _, d := range t.Dims {
		count *= d
	}
	return unsafe.Slice((*T)(memory), int(count))
}

// rowSource holds the function of a generated data set.
type rowSource struct {
	types  []TensorType
	make   func(*Row) error
	failed atomic.Pointer[error] // last error of the function, until it is reported
}

// fill generates a row.
func (s *rowSource) fill(number int64, columns *unsafe.Pointer) (made bool) {
	err := withoutPanic(func() error {
		return s.make(&Row{number: number, columns: unsafe.Slice(columns, len(s.types)), types: s.types})
	})
	if err != nil {
		s.failed.Store(&err)
	}
	return err == nil
}

// explain adds the error of the row function, if there is one, as the cause of an error of the
// library.
func (s *rowSource) explain(err error) error {
	cause := s.failed.Swap(nil)
	var own *Error
	if cause == nil || !errors.As(err, &own) || own.Code != Aborted || own.cause != nil {
		return err
	}
	return &Error{Code: Aborted, Message: own.Message + ": " + (*cause).Error(), cause: *cause}
}

// sources are the functions that a data set depends on. They supply the causes of its errors.
type sources []interface{ explain(err error) error }

// functions returns the functions of a data set, which may be nil.
func (d *Dataset) functions() sources {
	if d == nil {
		return nil
	}
	return slices.Clip(d.sources)
}

// explain adds the error of a function, if there is one, as the cause of an error of the library.
func (s sources) explain(err error) error {
	if err == nil {
		return nil
	}
	for _, source := range s {
		err = source.explain(err)
	}
	return err
}

// DatasetGenerate returns a data set whose rows a function generates. The function must write the
// same row whenever it is called with the same number. It may be called on any thread. If it
// returns an error or panics, the call that requested the batch returns an error with code Aborted
// that wraps it. The dims of the columns are those of one row.
func DatasetGenerate(engine *Engine, rows int64, columns []TensorType, row func(*Row) error) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	names, dtypes, dims := splitTypes(columns)
	source := &rowSource{types: columns, make: row}
	id := register(source)
	d, err := newDataset(datasetGeneratorOwned(e, names, dtypes, dims, ranksOf(dims), rows,
		C.percale_row_callback(C.go_percale_row), id, C.percale_destroy(C.go_percale_destroy)))
	if err != nil {
		unregister(id)
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

// Zip returns a data set with the columns of several data sets side by side. All must have the same
// number of rows, and no two columns the same name.
func Zip(datasets ...*Dataset) (*Dataset, error) {
	c, leave, err := enterDatasets(datasets)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := datasetZip(c)
	return newDataset(p, err, datasets...)
}

// Concatenate returns the rows of several data sets with the same columns, one data set after the
// other.
func Concatenate(datasets ...*Dataset) (*Dataset, error) {
	c, leave, err := enterDatasets(datasets)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := datasetConcatenate(c)
	return newDataset(p, err, datasets...)
}

// Repeat returns a data set with the rows repeated this many times.
func (d *Dataset) Repeat(times int64) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	p, err := datasetRepeat(c, times)
	return newDataset(p, err, d)
}

// Rename returns a data set with the same rows and new column names, one per column in order.
func (d *Dataset) Rename(names ...string) (*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	p, err := datasetRename(c, names)
	return newDataset(p, err, d)
}

// Map returns a data set whose rows have passed through a graph without variables. The inputs of
// the graph are columns, by name; its outputs are the new columns.
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

// Batch sets the number of rows per batch and returns the data set.
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

// BatchOption is an option of Batch.
type BatchOption func(*batching)

// Shuffled draws a new order of the rows in each epoch from the seed.
func Shuffled(seed int64) BatchOption { return func(b *batching) { b.shuffle = seed } }

// DropRemainder drops a last batch that is shorter than the others.
func DropRemainder() BatchOption { return func(b *batching) { b.drop = true } }

// Distribute splits each batch into parts for this number of replicas and returns one data set per
// replica. Each part may be used by its own goroutine.
func (d *Dataset) Distribute(replicas int) ([]*Dataset, error) {
	c, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer d.done()
	if replicas < 0 {
		return nil, errorf(InvalidArgument, "Distribute: %d replicas, wanted at least 1", replicas)
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

// Rows returns the number of rows, or -1 for a stream. For a part of a distributed data set, these
// are the rows that the part yields per epoch.
func (d *Dataset) Rows() int64 {
	c, err := d.enter()
	if err != nil {
		return 0
	}
	defer d.done()
	return datasetRows(c)
}

// Columns returns the names of the columns, in the order of the tensors of a batch.
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

// ColumnTypes returns the name and dtype of each column, and the dims of one row.
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

// Next returns the next batch, one tensor per column. At the end of the epoch it returns an error
// with code OutOfRange; the call after that starts the next epoch.
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

// Epoch returns an iterator over the batches of one epoch. The tensors of a batch are closed after
// the loop body; call Retain to keep one. Iteration ends after an error.
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
