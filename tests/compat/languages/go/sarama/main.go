// SPDX-License-Identifier: Apache-2.0

// sarama. See ../../README.md for the commands.
package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"milena/compat/lines"
)

type client struct{}

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
	"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
}

func config() *sarama.Config {
	out := sarama.NewConfig()
	out.Version = sarama.MaxVersion
	out.Producer.Return.Successes = true
	out.Producer.RequiredAcks = sarama.WaitForAll
	out.Producer.Partitioner = sarama.NewManualPartitioner
	return out
}

func encoder(bytes []byte) sarama.Encoder {
	if bytes == nil {
		return nil
	}
	return sarama.ByteEncoder(bytes)
}

func (client) Write(bootstrap, topic, codec string, records []lines.Record) error {
	settings := config()
	settings.Producer.Compression = codecs[codec]
	producer, err := sarama.NewSyncProducer(strings.Split(bootstrap, ","), settings)
	if err != nil {
		return err
	}
	defer producer.Close()
	var all []*sarama.ProducerMessage
	for _, record := range records {
		out := &sarama.ProducerMessage{Topic: topic, Key: encoder(record.Key), Value: encoder(record.Value),
			Timestamp: time.UnixMilli(record.Time)}
		for _, header := range record.Headers {
			out.Headers = append(out.Headers, sarama.RecordHeader{Key: []byte(header.Name), Value: header.Value})
		}
		all = append(all, out)
	}
	return producer.SendMessages(all)
}

func (client) Read(bootstrap, topic string, count int) ([]lines.Record, error) {
	consumer, err := sarama.NewConsumer(strings.Split(bootstrap, ","), config())
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(topic, 0, sarama.OffsetOldest)
	if err != nil {
		return nil, err
	}
	defer partition.Close()
	var records []lines.Record
	for len(records) < count {
		select {
		case in := <-partition.Messages():
			record := lines.Record{Time: in.Timestamp.UnixMilli(), Key: in.Key, Value: in.Value}
			for _, header := range in.Headers {
				record.Headers = append(record.Headers, lines.Header{Name: string(header.Key), Value: header.Value})
			}
			records = append(records, record)
		case <-time.After(30 * time.Second):
			return nil, fmt.Errorf("%d of %d records came", len(records), count)
		}
	}
	return records, nil
}

func (client) Find(bootstrap, topic string, at int64) (int64, error) {
	found, err := sarama.NewClient(strings.Split(bootstrap, ","), config())
	if err != nil {
		return 0, err
	}
	defer found.Close()
	return found.GetOffset(topic, 0, at)
}

func main() { lines.Main(client{}) }
