// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"time"
)

// Group is what a member of a group is told, and what it tells on standard output (../../README.md).
type Group struct {
	Bootstrap, Topic, Name string
	// Option is the assignor, by the name that the library's program gives it.
	Option string
	// Leaving is closed when the member shall leave.
	Leaving chan struct{}

	mutex sync.Mutex
	out   *bufio.Writer
}

// SessionTimeout and HeartbeatInterval are the same for all members of all libraries.
const (
	SessionTimeout    = 6 * time.Second
	HeartbeatInterval = 500 * time.Millisecond
)

func newGroup(args []string) *Group {
	group := &Group{Bootstrap: args[0], Topic: args[1], Name: args[2], Leaving: make(chan struct{}),
		out: bufio.NewWriter(os.Stdout)}
	if len(args) > 3 {
		group.Option = args[3]
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(group.Leaving)
	}()
	return group
}

// Changed tells that partitions were assigned, revoked or lost.
func (g *Group) Changed(what string, partitions []int32) {
	sort.Slice(partitions, func(a, b int) bool { return partitions[a] < partitions[b] })
	var words []string
	for _, partition := range partitions {
		words = append(words, fmt.Sprint(partition))
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	fmt.Fprintln(g.out, what, time.Now().UnixMicro(), strings.Join(words, ","))
	g.out.Flush()
}

// Record tells of one; Flush must follow before its offset is committed.
func (g *Group) Record(partition int32, offset int64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	fmt.Fprintln(g.out, "record", partition, offset)
}

// Flush lets what was told be read.
func (g *Group) Flush() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.out.Flush()
}
