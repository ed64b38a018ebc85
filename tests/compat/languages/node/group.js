// SPDX-License-Identifier: Apache-2.0
// A member of a group with kafkajs. See ../README.md for what it prints.
const { Kafka, logLevel, PartitionAssigners } = require('kafkajs');

const changed = (what, partitions) => console.log(what, Math.round((performance.timeOrigin + performance.now()) * 1000),
  partitions.join(','));

exports.group = async (bootstrap, topic, groupId) => {
  const kafka = new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.ERROR });
  const consumer = kafka.consumer({ groupId, sessionTimeout: 6000, heartbeatInterval: 500, maxWaitTimeInMs: 200,
    partitionAssigners: [PartitionAssigners.roundRobin] });
  const { GROUP_JOIN, REBALANCING } = consumer.events;
  let owned = [];
  const gone = () => {
    if (owned.length > 0) changed('revoked', owned);
    owned = [];
  };
  consumer.on(REBALANCING, gone);
  consumer.on(GROUP_JOIN, ({ payload }) => {
    gone();
    owned = payload.memberAssignment[topic] ?? [];
    changed('assigned', owned);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch, resolveOffset, commitOffsetsIfNecessary, uncommittedOffsets, heartbeat }) => {
      for (const message of batch.messages) console.log('record', batch.partition, message.offset);
      resolveOffset(batch.lastOffset());
      await commitOffsetsIfNecessary(uncommittedOffsets());
      await heartbeat();
    },
  });
  await new Promise((resolve) => process.stdin.on('end', resolve).resume());
  await consumer.stop();
  gone();
  await consumer.disconnect();
};
