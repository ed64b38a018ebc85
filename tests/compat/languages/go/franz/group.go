// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"milena/compat/lines"
)

var balancers = map[string]kgo.GroupBalancer{
	"range": kgo.RangeBalancer(), "roundrobin": kgo.RoundRobinBalancer(), "sticky": kgo.StickyBalancer(),
	"cooperative": kgo.CooperativeStickyBalancer(),
}

func (franz) Member(group *lines.Group) error {
	tell := func(what string) func(context.Context, *kgo.Client, map[string][]int32) {
		return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
			group.Changed(what, topics[group.Topic])
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(group.Bootstrap), kgo.ConsumerGroup(group.Name),
		kgo.ConsumeTopics(group.Topic), kgo.Balancers(balancers[group.Option]), kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(), kgo.SessionTimeout(lines.SessionTimeout),
		kgo.HeartbeatInterval(lines.HeartbeatInterval), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.OnPartitionsAssigned(tell("assigned")), kgo.OnPartitionsRevoked(tell("revoked")),
		kgo.OnPartitionsLost(tell("lost")))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-group.Leaving
		cancel()
	}()
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		fetches.EachRecord(func(record *kgo.Record) { group.Record(record.Partition, record.Offset) })
		group.Flush()
		if err := fetches.Err(); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if err := client.CommitUncommittedOffsets(context.Background()); err != nil {
			return err
		}
		client.AllowRebalance()
	}
	client.CloseAllowingRebalance()
	return nil
}
