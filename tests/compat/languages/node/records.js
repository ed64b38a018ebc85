// SPDX-License-Identifier: Apache-2.0
// kafkajs. See ../README.md for the commands. It has gzip alone of the codecs.
const { Kafka, CompressionTypes, logLevel } = require('kafkajs');
const readline = require('readline');
const { group } = require('./group');

const bytes = (text) => (text === null ? null : Buffer.from(text, 'base64'));
const text = (value) => (value === null || value === undefined ? null : Buffer.from(value).toString('base64'));

const client = (bootstrap) => new Kafka({ brokers: bootstrap.split(','), logLevel: logLevel.ERROR });

async function write(bootstrap, topic, codec) {
  const messages = [];
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const record = JSON.parse(line);
    const headers = {};
    for (const [name, value] of record.h) headers[name] = bytes(value);
    messages.push({ partition: 0, timestamp: String(record.t), key: bytes(record.k), value: bytes(record.v), headers });
  }
  const producer = client(bootstrap).producer();
  await producer.connect();
  const compression = codec === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None;
  for (let at = 0; at < messages.length; at += 100) {
    await producer.send({ topic, acks: -1, compression, messages: messages.slice(at, at + 100) });
  }
  await producer.disconnect();
}

async function find(bootstrap, topic, time) {
  const admin = client(bootstrap).admin();
  await admin.connect();
  const [high] = await admin.fetchTopicOffsets(topic);
  const [found] = await admin.fetchTopicOffsetsByTimestamp(topic, Number(time));
  // It answers the end of the log where nothing is that late.
  console.log(found.offset === high.high ? -1 : found.offset);
  await admin.disconnect();
}

const [command, ...rest] = process.argv.slice(2);
({ write, find, group })[command](...rest).catch((error) => {
  console.error(error);
  process.exit(1);
});
