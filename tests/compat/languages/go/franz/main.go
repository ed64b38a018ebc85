// SPDX-License-Identifier: Apache-2.0

// franz-go. See ../../README.md for the commands.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"milena/compat/lines"
)

type franz struct{}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func (franz) Write(bootstrap, topic, codec string, records []lines.Record) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.ProducerBatchCompression(codecs[codec]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer client.Close()
	var all []*kgo.Record
	for _, record := range records {
		out := &kgo.Record{Topic: topic, Key: record.Key, Value: record.Value, Timestamp: time.UnixMilli(record.Time)}
		for _, header := range record.Headers {
			out.Headers = append(out.Headers, kgo.RecordHeader{Key: header.Name, Value: header.Value})
		}
		all = append(all, out)
	}
	return client.ProduceSync(context.Background(), all...).FirstErr()
}

func (franz) Read(bootstrap, topic string, count int) ([]lines.Record, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		topic: {0: kgo.NewOffset().AtStart()}}))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var records []lines.Record
	for len(records) < count {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("%d of %d records: %w", len(records), count, err)
		}
		fetches.EachRecord(func(in *kgo.Record) {
			record := lines.Record{Time: in.Timestamp.UnixMilli(), Key: in.Key, Value: in.Value}
			for _, header := range in.Headers {
				record.Headers = append(record.Headers, lines.Header{Name: header.Key, Value: header.Value})
			}
			records = append(records, record)
		})
	}
	return records[:count], nil
}

func (franz) Find(bootstrap, topic string, at int64) (int64, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	offsets, err := kadm.NewClient(client).ListOffsetsAfterMilli(context.Background(), at, topic)
	if err != nil {
		return 0, err
	}
	found, _ := offsets.Lookup(topic, 0)
	if found.Err == nil && found.Timestamp == -1 {
		return -1, nil
	}
	return found.Offset, found.Err
}

func main() { lines.Main(franz{}) }
