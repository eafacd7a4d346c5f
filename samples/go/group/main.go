// Trains a SPEC in several processes, which exchange bytes over TCP, and prints the digest: that of
// one process. Start one process per address, on one machine or many:
//
//	group SPEC.json RANK HOST:PORT HOST:PORT...
//
// Rank r listens at the address with number r. The connections are not encrypted.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"percale.alt/go/percale"
)

// --8<-- [start:exchange]

// ranks is a percale.Collective: a connection to each other rank.
type ranks struct {
	rank  int
	conns []net.Conn
}

func (r *ranks) Rank() int          { return r.rank }
func (r *ranks) Size() int          { return len(r.conns) }
func (r *ranks) Generation() uint64 { return 1 }

// Exchange sends and receives at the same time, so that no rank waits for another to read.
func (r *ranks) Exchange(tag uint64, sends, receives [][]byte, timeout time.Duration) error {
	var deadline time.Time // none
	if timeout >= 0 {
		deadline = time.Now().Add(timeout)
	}
	errs := make([]error, 2*len(r.conns))
	var all sync.WaitGroup
	for other, conn := range r.conns {
		if other == r.rank {
			continue
		}
		conn.SetDeadline(deadline)
		all.Add(2)
		go func() { defer all.Done(); errs[2*other] = send(conn, tag, sends[other]) }()
		go func() { defer all.Done(); errs[2*other+1] = receive(conn, tag, receives[other]) }()
	}
	all.Wait()
	return errors.Join(errs...)
}

func send(conn net.Conn, tag uint64, message []byte) error {
	head := binary.LittleEndian.AppendUint64(nil, tag)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(message)))
	buffers := net.Buffers{head, message}
	_, err := buffers.WriteTo(conn)
	return err
}

func receive(conn net.Conn, tag uint64, message []byte) error {
	var head [16]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(head[:]) != tag || binary.LittleEndian.Uint64(head[8:]) != uint64(len(message)) {
		return fmt.Errorf("%v is out of step", conn.RemoteAddr())
	}
	_, err := io.ReadFull(conn, message)
	return err
}

// --8<-- [end:exchange]

// connect listens for the ranks after this one, and calls those before it.
func connect(rank int, addresses []string) (*ranks, error) {
	out := &ranks{rank, make([]net.Conn, len(addresses))}
	listener, err := net.Listen("tcp", addresses[rank])
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	for other := range rank {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if out.conns[other], err = net.Dial("tcp", addresses[other]); err == nil {
				break
			}
			if time.Now().After(deadline) {
				return nil, err
			}
		}
		if err := binary.Write(out.conns[other], binary.LittleEndian, uint32(rank)); err != nil {
			return nil, err
		}
	}
	for range len(addresses) - rank - 1 {
		conn, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		var other uint32
		if err := binary.Read(conn, binary.LittleEndian, &other); err != nil {
			return nil, err
		}
		if int(other) <= rank || int(other) >= len(addresses) || out.conns[other] != nil {
			return nil, fmt.Errorf("%v says that it is rank %d", conn.RemoteAddr(), other)
		}
		out.conns[other] = conn
	}
	return out, nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: group SPEC.json RANK HOST:PORT HOST:PORT...")
	}
	rank, err := strconv.Atoi(os.Args[2])
	if err != nil || rank < 0 || rank >= len(os.Args)-3 {
		log.Fatalf("RANK is %s, wanted 0 to %d", os.Args[2], len(os.Args)-4)
	}
	if err := train(os.Args[1], rank, os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func train(path string, rank int, addresses []string) error {
	spec, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	engine, err := percale.NewEngine(percale.Options{"threads": "1"})
	if err != nil {
		return err
	}
	defer engine.Close()
	trainer, err := percale.TrainerFromSpec(engine, spec, percale.SpecFolders{Spec: filepath.Dir(path)}, nil)
	if err != nil {
		return err
	}
	defer trainer.Close()
	group, err := connect(rank, addresses)
	if err != nil {
		return err
	}
	// --8<-- [start:join]
	if err := trainer.Join(group); err != nil {
		return err
	}
	if err := trainer.Fit(context.Background(), nil, 0, nil); err != nil {
		return err
	}
	// --8<-- [end:join]
	variables, err := trainer.Variables()
	if err != nil {
		return err
	}
	defer variables.Close()
	digest, err := variables.Digest()
	fmt.Println(digest)
	return err
}
