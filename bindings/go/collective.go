package percale

// #include <percale.h>
// percale_status* go_percale_exchange(void* user, uint64_t tag, const percale_bytes* sends,
//     percale_bytes* recvs, int64_t timeout_ns);
// percale_status* go_percale_lost(void* user, int32_t* out_ranks, size_t* inout_count);
// void go_percale_destroy(void* user);
import "C"

import (
	"time"
	"unsafe"
)

// Collective is an exchange of bytes between the processes of a group, which a program supplies by
// its connections, MPI or a cluster's own means. Trainer.Join makes a trainer a member of the
// group, and reads Rank, Size and Generation once.
type Collective interface {
	// Rank returns the number of this process, from 0.
	Rank() int
	// Size returns the number of processes, at least 1.
	Size() int
	// Generation returns a number that grows when the group is formed anew. Exchange refuses
	// messages of older generations.
	Generation() uint64
	// Exchange sends sends[r] to rank r and fills receives[r] with what rank r sends, for all ranks;
	// the entries of the own rank are empty. All ranks call it in the same order and with the same
	// tag, and both sides know every size in advance: a message of another size, or with another
	// tag, is an error that Exchange returns.
	//
	// Tags grow on every rank. If a LossReporter gets a message with a smaller tag than that of the
	// call, the message is of an exchange that has failed: drop it. A larger tag says that the other
	// rank has given this exchange up: return an error with code Unavailable, and keep the message
	// for the call with its tag.
	//
	// The slices are memory of the library. They must not be used after the return, and sends must
	// not be written to. The library calls Exchange on one thread at a time. It may block for
	// timeout (negative: without limit), then it returns an error with code Unavailable. It must
	// not use the same trainer.
	//
	// The call that needed the exchange, such as Fit, returns an error that wraps the one of
	// Exchange and has its code. An error that is not of this package becomes Unavailable, a panic
	// Aborted.
	Exchange(tag uint64, sends, receives [][]byte, timeout time.Duration) error
}

// LossReporter is implemented by a Collective that knows which ranks are lost. Training then goes
// on without them and gives the same bits. Two ranks hold each part of the optimizer's state
// (option "collective_redundancy"); if both are lost, Fit returns an error with code DataLoss.
type LossReporter interface {
	// Lost returns all lost ranks in ascending order. It is called only after an exchange that
	// failed.
	//
	// If it returns no further rank, and the exchange has failed with code Unavailable, all ranks
	// repeat the step: the connections must work again. After eight repeats in a row without a
	// completed step it is called once more, without an exchange in between, to give a rank up;
	// otherwise the training ends. An error ends it as well.
	Lost() ([]int, error)
}

// membership is a collective as the library calls it.
type membership struct {
	collective Collective
	size       int
	failures   failures
}

// messages returns the memory of count messages.
func messages(all *C.percale_bytes, count int) [][]byte {
	out := make([][]byte, count)
	for i, message := range unsafe.Slice(all, count) {
		out[i] = unsafe.Slice((*byte)(message.data), int(message.size))
	}
	return out
}

func (m *membership) exchange(tag uint64, sends, receives *C.percale_bytes, timeout int64) *C.percale_status {
	return m.failures.status(withoutPanic(func() error {
		return m.collective.Exchange(tag, messages(sends, m.size), messages(receives, m.size), time.Duration(timeout))
	}))
}

func (m *membership) lost(ranks *C.int32_t, count *C.size_t) *C.percale_status {
	return m.failures.status(withoutPanic(func() error {
		found, err := m.collective.(LossReporter).Lost()
		if err != nil {
			return err
		}
		if len(found) > int(*count) {
			return errorf(Internal, "the collective has lost %d of %d ranks", len(found), m.size)
		}
		for i, rank := range found {
			unsafe.Slice(ranks, len(found))[i] = C.int32_t(rank)
		}
		*count = C.size_t(len(found))
		return nil
	}))
}

// explain adds the error of the collective, if there is one, as the cause of an error of the
// library.
func (m *membership) explain(err error) error {
	if m == nil {
		return err
	}
	return m.failures.explain(err)
}

// Join makes the trainer a member of a group of processes, for the rest of its life. All ranks call
// it with the same job, first values of variables and completed steps. What they call from then on
// must be the same on all of them, too: Fit, Step with the whole batch, Evaluate, Save and Restore.
// Save writes on rank 0, and any number of ranks can resume from it.
//
// With the option "collective_data" as "parts", each rank fits, steps and evaluates on its own part
// of the data.
//
// The option "collective_timeout" limits each exchange. An error with code FailedPrecondition names
// an option that a group cannot have (mode other than sync, parameters other than host), or the
// first setting in which a rank differs from rank 0.
func (t *Trainer) Join(collective Collective) error {
	if collective == nil {
		return errorf(InvalidArgument, "Join: the collective is nil")
	}
	c, err := t.begin()
	if err != nil {
		return err
	}
	defer t.end()
	group := &membership{collective: collective, size: collective.Size()}
	rank, generation := collective.Rank(), collective.Generation()
	var lost C.percale_lost_function
	if _, reports := collective.(LossReporter); reports {
		lost = C.percale_lost_function(C.go_percale_lost)
	}
	id := register(group)
	err = trainerJoin(c, id, int32(rank), int32(group.size), generation,
		C.percale_exchange_function(C.go_percale_exchange), lost, C.percale_destroy(C.go_percale_destroy))
	if err != nil {
		unregister(id)
		return group.explain(err)
	}
	t.group = group
	return nil
}

// JoinCluster makes the trainer a member of the group of the cluster's processes that train: the
// chief and the workers. A plug-in connects them: libpercale_remote.so by gRPC. JoinCluster returns
// when all of them have called it, or after the timeout (negative: without limit). All else is as
// with Join; training goes on without a worker that is lost. Close leaves the group.
//
// Addresses beyond this machine need certificates, see Cluster.SetCertificates. The code of an
// error is Unimplemented if no plug-in connects processes, Unavailable or DeadlineExceeded if the
// group was not complete in time, and FailedPrecondition if this process does not train, has
// another version or numerics fingerprint than the others, or lacks certificates.
func (t *Trainer) JoinCluster(cluster *Cluster, timeout time.Duration) error {
	if cluster == nil {
		return errorf(InvalidArgument, "JoinCluster: the cluster is nil")
	}
	c, err := t.begin()
	if err != nil {
		return err
	}
	defer t.end()
	return cluster.with(func(p *C.percale_cluster) error { return trainerJoinCluster(c, p, int64(max(timeout, -1))) })
}
