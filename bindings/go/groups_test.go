package percale_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"percale.alt/go/percale"
)

// message is what one rank sends to the other.
type message struct {
	tag   uint64
	bytes []byte
}

// pair is one of two ranks, which are goroutines of this process.
type pair struct {
	rank     int
	channels []chan message // by the rank that receives
	fails    func() error   // called in place of an exchange
	alone    bool           // the other rank has closed the channel
}

func (p *pair) Rank() int          { return p.rank }
func (p *pair) Size() int          { return 2 }
func (p *pair) Generation() uint64 { return 1 }

func (p *pair) Exchange(tag uint64, sends, receives [][]byte, timeout time.Duration) error {
	if p.fails != nil {
		return p.fails()
	}
	other := 1 - p.rank
	if len(sends) != 2 || len(receives) != 2 || len(sends[p.rank]) != 0 || len(receives[p.rank]) != 0 {
		return errors.New("the messages of a rank are not as documented")
	}
	p.channels[other] <- message{tag, slices.Clone(sends[other])}
	select {
	case m, open := <-p.channels[p.rank]:
		if !open {
			p.alone = true
			return errors.New("the other rank is gone")
		}
		if m.tag != tag || len(m.bytes) != len(receives[other]) {
			return errors.New("the ranks are out of step")
		}
		copy(receives[other], m.bytes)
		return nil
	case <-time.After(timeout):
		return errors.New("the other rank is late")
	}
}

// reportingPair is one of two ranks, which tells whether the other one is lost.
type reportingPair struct{ *pair }

func (p reportingPair) Lost() ([]int, error) {
	if p.alone {
		return []int{1 - p.rank}, nil
	}
	return nil, nil
}

// ofSize is a group that no trainer can join.
type ofSize struct{ rank, size int }

func (g ofSize) Rank() int          { return g.rank }
func (g ofSize) Size() int          { return g.size }
func (g ofSize) Generation() uint64 { return 1 }

func (g ofSize) Exchange(uint64, [][]byte, [][]byte, time.Duration) error {
	return errors.New("an exchange")
}

// twoShards trains with two shards, one for each rank.
func twoShards(t *testing.T, e *percale.Engine) *percale.Trainer {
	t.Helper()
	how := training
	how.More = percale.Words{"shards": 2}
	return good[*percale.Trainer](t)(twoLayers.Compile(e, how))
}

func digest(t *testing.T, trainer *percale.Trainer) string {
	t.Helper()
	return good[string](t)(good[*percale.Variables](t)(trainer.Variables()).Digest())
}

// rank is a trainer of a group and its data.
type rank struct {
	pair    *pair
	trainer *percale.Trainer
	data    *percale.Dataset
}

// twoRanks returns two trainers, which have joined a group.
func twoRanks(t *testing.T, reports bool) []rank {
	t.Helper()
	channels := []chan message{make(chan message, 1), make(chan message, 1)}
	ranks := make([]rank, 2)
	for i := range ranks {
		e := engine(t, percale.Options{"threads": 1})
		ranks[i] = rank{&pair{rank: i, channels: channels}, twoShards(t, e), signs(t, e)}
	}
	onBoth(t, func(i int) error {
		if reports {
			return ranks[i].trainer.Join(reportingPair{ranks[i].pair})
		}
		return ranks[i].trainer.Join(ranks[i].pair)
	})
	return ranks
}

// onBoth calls work in a goroutine per rank.
func onBoth(t *testing.T, work func(rank int) error) {
	t.Helper()
	for _, err := range inGoroutines(2, work) {
		t.Fatal(err)
	}
}

func TestTwoRanksComputeTheBitsOfOneTrainerAndSaveOneCheckpoint(t *testing.T) {
	ranks, folder := twoRanks(t, false), t.TempDir()
	onBoth(t, func(i int) error { return ranks[i].trainer.Fit(background, ranks[i].data, 3, nil) })
	onBoth(t, func(i int) error { return ranks[i].trainer.Save(folder) })
	e := engine(t, percale.Options{"threads": 1})
	alone, resumed := twoShards(t, e), twoShards(t, e)
	if err := alone.Fit(background, signs(t, e), 3, nil); err != nil {
		t.Fatal(err)
	}
	if err := resumed.Restore(folder); err != nil {
		t.Fatal(err)
	}
	want := digest(t, alone)
	for _, trainer := range []*percale.Trainer{ranks[0].trainer, ranks[1].trainer, resumed} {
		if got := digest(t, trainer); got != want {
			t.Errorf("the digest is %s, that of one trainer alone %s", got, want)
		}
	}
}

func TestErrorOrPanicOfAnExchangeIsTheCauseOfTheError(t *testing.T) {
	mine := errors.New("the cable is cut")
	for _, test := range []struct {
		fails func() error
		code  percale.Code
		cause error
	}{
		{func() error { return fmt.Errorf("exchange: %w", mine) }, percale.Unavailable, mine},
		{func() error { return &percale.Error{Code: percale.DataLoss, Message: mine.Error()} }, percale.DataLoss, percale.DataLoss},
		{func() error { return fmt.Errorf("%w: %w", percale.DeadlineExceeded, mine) }, percale.DeadlineExceeded, mine},
		{func() error { panic(mine) }, percale.Aborted, mine},
		{func() error { panic("the cable is cut") }, percale.Aborted, percale.Aborted},
	} {
		ranks := twoRanks(t, false)
		for _, r := range ranks {
			r.pair.fails = test.fails
		}
		failed := inGoroutines(2, func(i int) error { return ranks[i].trainer.Fit(background, ranks[i].data, 1, nil) })
		if len(failed) != 2 {
			t.Fatalf("%d ranks have failed", len(failed))
		}
		for i, err := range failed {
			wants(t, err, test.code, "the cable is cut")
			if !errors.Is(err, test.cause) {
				t.Errorf("'%v' has lost its cause", err)
			}
			wants(t, ranks[i].trainer.Fit(background, ranks[i].data, 1, nil), test.code, "the group has ended", "the cable is cut")
		}
	}
}

func TestTrainingGoesOnWithoutALostRankAndGivesTheSameBits(t *testing.T) {
	ranks, left := twoRanks(t, true), errors.New("this rank has left")
	failed := inGoroutines(2, func(i int) error {
		return ranks[i].trainer.Fit(background, ranks[i].data, 3, func(p percale.Progress) bool {
			if i == 1 && p.Step == 2 {
				close(ranks[1].pair.channels[0])
				ranks[1].pair.fails = func() error { return left }
			}
			return true
		})
	})
	if len(failed) != 1 || !errors.Is(failed[0], left) {
		t.Fatal(failed)
	}
	e := engine(t, percale.Options{"threads": 1})
	alone := twoShards(t, e)
	if err := alone.Fit(background, signs(t, e), 3, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := digest(t, ranks[0].trainer), digest(t, alone); got != want {
		t.Errorf("the digest is %s, that of one trainer alone %s", got, want)
	}
}

func TestErrorOfAnExchangeIsTheCauseOfTheErrorOfJoin(t *testing.T) {
	e := engine(t, nil)
	trainer, mine := twoShards(t, e), errors.New("the cable is cut")
	known := percale.KnownToC()
	err := trainer.Join(&pair{fails: func() error { return mine }})
	wants(t, err, percale.Unavailable, "the cable is cut")
	if !errors.Is(err, mine) || percale.KnownToC() > known {
		t.Errorf("'%v' has lost its cause, or C knows the collective", err)
	}
	if err := trainer.Fit(background, signs(t, e), 1, nil); err != nil { // alone
		t.Error(err)
	}
}

func TestCollectiveIsForgottenWithItsTrainer(t *testing.T) {
	ranks := twoRanks(t, false)
	known := percale.KnownToC()
	for _, r := range ranks {
		r.trainer.Close()
	}
	if now := percale.KnownToC(); now > known-2 {
		t.Errorf("C knows %d Go values, %d before the trainers were closed", now, known)
	}
}

func TestGroupOfNoRanksARankOutsideOfItAndNoGroupAreRefused(t *testing.T) {
	trainer := twoShards(t, engine(t, nil))
	wants(t, trainer.Join(ofSize{0, 0}), percale.InvalidArgument, "the group has 0 ranks")
	wants(t, trainer.Join(ofSize{2, 2}), percale.InvalidArgument, "the rank is 2")
	wants(t, trainer.Join(nil), percale.InvalidArgument, "the collective is nil")
}
