// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"milena/compat/lines"
)

var balancers = map[string]kafka.GroupBalancer{
	"range": kafka.RangeGroupBalancer{}, "roundrobin": kafka.RoundRobinGroupBalancer{},
}

// readPartition reads until the generation ends, and commits what it has told.
func readPartition(ctx context.Context, group *lines.Group, generation *kafka.Generation,
	from kafka.PartitionAssignment) error {
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: strings.Split(group.Bootstrap, ","), Topic: group.Topic,
		Partition: from.ID, MaxWait: 200 * time.Millisecond})
	defer reader.Close()
	if err := reader.SetOffset(from.Offset); err != nil {
		return err
	}
	for {
		record, err := reader.ReadMessage(ctx)
		if errors.Is(err, kafka.ErrGenerationEnded) {
			return nil
		}
		if err != nil {
			return err
		}
		group.Record(int32(record.Partition), record.Offset)
		group.Flush()
		offsets := map[string]map[int]int64{group.Topic: {record.Partition: record.Offset + 1}}
		if err := generation.CommitOffsets(offsets); err != nil {
			return err
		}
	}
}

// runGeneration is one function of the generation, so that the next one waits until all of it has ended.
func runGeneration(ctx context.Context, group *lines.Group, generation *kafka.Generation) {
	if ctx.Err() != nil {
		return // it ended before it began
	}
	assigned := generation.Assignments[group.Topic]
	var partitions []int32
	for _, one := range assigned {
		partitions = append(partitions, int32(one.ID))
	}
	group.Changed("assigned", partitions)
	var readers sync.WaitGroup
	for _, one := range assigned {
		readers.Add(1)
		go func() {
			defer readers.Done()
			if err := readPartition(ctx, group, generation, one); err != nil {
				fmt.Fprintln(os.Stderr, "partition", one.ID, err)
				os.Exit(1)
			}
		}()
	}
	readers.Wait()
	<-ctx.Done()
	group.Changed("revoked", partitions)
}

func (client) Member(group *lines.Group) error {
	consumer, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: group.Name,
		Brokers: strings.Split(group.Bootstrap, ","), Topics: []string{group.Topic},
		GroupBalancers: []kafka.GroupBalancer{balancers[group.Option]}, SessionTimeout: lines.SessionTimeout,
		HeartbeatInterval: lines.HeartbeatInterval, StartOffset: kafka.FirstOffset})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-group.Leaving
		cancel()
	}()
	for {
		generation, err := consumer.Next(ctx)
		if errors.Is(err, context.Canceled) {
			return consumer.Close()
		}
		if err != nil {
			return err
		}
		generation.Start(func(ctx context.Context) { runGeneration(ctx, group, generation) })
	}
}
