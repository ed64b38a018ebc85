// SPDX-License-Identifier: Apache-2.0

// kafka-go. See ../../README.md for the commands.
package main

import (
	"context"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"

	"milena/compat/lines"
)

type client struct{}

var codecs = map[string]kafka.Compression{
	"gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

func (client) Write(bootstrap, topic, codec string, records []lines.Record) error {
	writer := &kafka.Writer{Addr: kafka.TCP(strings.Split(bootstrap, ",")...), Topic: topic, BatchTimeout: time.Millisecond,
		RequiredAcks: kafka.RequireAll, Compression: codecs[codec]}
	defer writer.Close()
	var all []kafka.Message
	for _, record := range records {
		out := kafka.Message{Key: record.Key, Value: record.Value, Time: time.UnixMilli(record.Time)}
		for _, header := range record.Headers {
			out.Headers = append(out.Headers, kafka.Header{Key: header.Name, Value: header.Value})
		}
		all = append(all, out)
	}
	return writer.WriteMessages(context.Background(), all...)
}

func (client) Read(bootstrap, topic string, count int) ([]lines.Record, error) {
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: strings.Split(bootstrap, ","), Topic: topic, Partition: 0,
		MaxWait: 500 * time.Millisecond})
	defer reader.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var records []lines.Record
	for len(records) < count {
		in, err := reader.ReadMessage(ctx)
		if err != nil {
			return nil, err
		}
		record := lines.Record{Time: in.Time.UnixMilli(), Key: in.Key, Value: in.Value}
		for _, header := range in.Headers {
			record.Headers = append(record.Headers, lines.Header{Name: header.Key, Value: header.Value})
		}
		records = append(records, record)
	}
	return records, nil
}

func (client) Find(bootstrap, topic string, at int64) (int64, error) {
	conn, err := kafka.DialLeader(context.Background(), "tcp", strings.Split(bootstrap, ",")[0], topic, 0)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return conn.ReadOffset(time.UnixMilli(at))
}

func main() { lines.Main(client{}) }
