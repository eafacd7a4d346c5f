package percale

// #include <percale.h>
// percale_status* go_percale_stream(void* user, int64_t epoch, int64_t first_row, int64_t max_rows,
//     void* const* columns, int64_t* out_rows);
// void go_percale_destroy(void* user);
import "C"

import (
	"errors"
	"io"
	"unsafe"
)

// Rows is the destination of the next rows of a stream. RowsColumn returns the memory of one of its
// columns.
type Rows struct {
	epoch, first, most int64
	columns            []unsafe.Pointer
	types              []TensorType
}

// Epoch returns the number of the epoch, counted from 0.
func (r *Rows) Epoch() int64 { return r.epoch }

// First returns the number of the first row within the epoch, counted from 0.
func (r *Rows) First() int64 { return r.first }

// Max returns the largest number of rows that may be written, at least 1.
func (r *Rows) Max() int { return int(r.most) }

// RowsColumn returns the memory of a column for Max rows, one row behind the other. It initially
// holds zeros and must not be used after the function of the stream returns. RowsColumn panics if
// the column has another dtype. The call that requested the batch then returns an error.
func RowsColumn[T Element](r *Rows, column int) []T {
	return columnMemory[T](r.types[column], r.columns[column], r.most)
}

// rowStream holds the function of a stream.
type rowStream struct {
	types    []TensorType
	read     func(*Rows) (int, error)
	failures failures
}

// next reads the next rows, and stores their number.
func (s *rowStream) next(epoch, first, most int64, columns *unsafe.Pointer, count *C.int64_t) *C.percale_status {
	return s.failures.status(withoutPanic(func() error {
		rows, err := s.read(&Rows{epoch, first, most, unsafe.Slice(columns, len(s.types)), s.types})
		*count = C.int64_t(rows)
		switch {
		case err == io.EOF: // not one that is wrapped: an end where none is expected is an error
			return nil
		case errors.Is(err, OutOfRange): // which Next returns at the end of an epoch
			return errorf(Aborted, "%v", err)
		}
		return err
	}))
}

func (s *rowStream) explain(err error) error { return s.failures.explain(err) }

// DatasetStream returns a data set of rows that come one after the other and whose number only
// their end tells: from a queue, a network, a file that is read once. The dims of the columns are
// those of one row.
//
// The function read writes at most Max rows and returns their number; 0 ends the epoch. It may
// return io.EOF with the last rows or after them. First follows the rows written before, except
// that an epoch or an evaluation begins at row 0, a resumed training at its own row, and a call
// after an error at the first row of its batch. The function may be called on any thread, by one
// call at a time.
//
// If read returns another error or panics, the call that requested the batch returns an error that
// wraps it and has its code. An error that is not of this package becomes Unavailable, a panic
// Aborted. OutOfRange becomes Aborted, and its cause is lost.
//
// A stream cannot be shuffled, and no data set is made from it. The modes "async" and "bounded" do
// not train on it.
func DatasetStream(engine *Engine, columns []TensorType, read func(*Rows) (int, error)) (*Dataset, error) {
	e, err := engine.enter()
	if err != nil {
		return nil, err
	}
	defer engine.done()
	names, dtypes, dims := splitTypes(columns)
	stream := &rowStream{types: columns, read: read}
	id := register(stream)
	d, err := newDataset(datasetStream(e, names, dtypes, dims, ranksOf(dims),
		C.percale_stream_callback(C.go_percale_stream), id, C.percale_destroy(C.go_percale_destroy)))
	if err != nil {
		unregister(id)
		return nil, err
	}
	d.sources = sources{stream}
	return d, nil
}
