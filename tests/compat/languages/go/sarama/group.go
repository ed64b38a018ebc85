// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"

	"github.com/IBM/sarama"

	"milena/compat/lines"
)

var strategies = map[string]sarama.BalanceStrategy{
	"range": sarama.NewBalanceStrategyRange(), "roundrobin": sarama.NewBalanceStrategyRoundRobin(),
	"sticky": sarama.NewBalanceStrategySticky(),
}

type member struct{ group *lines.Group }

func (m member) Setup(session sarama.ConsumerGroupSession) error {
	m.group.Changed("assigned", session.Claims()[m.group.Topic])
	return nil
}

func (m member) Cleanup(session sarama.ConsumerGroupSession) error {
	session.Commit()
	m.group.Changed("revoked", session.Claims()[m.group.Topic])
	return nil
}

func (m member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for record := range claim.Messages() {
		m.group.Record(record.Partition, record.Offset)
		m.group.Flush()
		session.MarkMessage(record, "")
		if len(claim.Messages()) == 0 {
			session.Commit()
		}
	}
	return nil
}

func (client) Member(group *lines.Group) error {
	settings := config()
	settings.Consumer.Group.Session.Timeout = lines.SessionTimeout
	settings.Consumer.Group.Heartbeat.Interval = lines.HeartbeatInterval
	settings.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{strategies[group.Option]}
	settings.Consumer.Offsets.Initial = sarama.OffsetOldest
	settings.Consumer.Offsets.AutoCommit.Enable = false
	consumer, err := sarama.NewConsumerGroup(strings.Split(group.Bootstrap, ","), group.Name, settings)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-group.Leaving
		cancel()
	}()
	for ctx.Err() == nil {
		if err := consumer.Consume(ctx, []string{group.Topic}, member{group}); err != nil {
			return err
		}
	}
	return consumer.Close()
}
