// SPDX-License-Identifier: Apache-2.0
// An idempotent producer that writes a numbered record into each partition, again and again, and tells of each
// acknowledgement. See ../README.md.
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class SteadyWriter {
    private static final PrintStream OUT = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false);
    private static volatile boolean stopping = false;

    public static void main(String[] args) throws Exception {
        String topic = args[1];
        int partitions = Integer.parseInt(args[2]);
        long periodNanos = Long.parseLong(args[3]) * 1_000_000;
        String padding = " " + ".".repeat(Integer.parseInt(args[4]));
        Properties properties = new Properties();
        properties.put("bootstrap.servers", args[0]);
        properties.put("acks", "all");
        properties.put("enable.idempotence", "true");
        properties.put("retry.backoff.ms", "100");
        endWithStandardInput();
        try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            long number = 0;
            for (long due = System.nanoTime(); !stopping; due += periodNanos) {
                for (int partition = 0; partition < partitions; partition++, number++) {
                    byte[] value = (args[5] + " " + number + padding).getBytes(StandardCharsets.UTF_8);
                    send(producer, new ProducerRecord<>(topic, partition, null, value), number);
                }
                flush();
                LockSupport.parkNanos(due + periodNanos - System.nanoTime());
            }
            producer.flush();
        }
        flush();
    }

    private static void endWithStandardInput() {
        Thread listener = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (java.io.IOException ended) {
                // As good as its end.
            }
            stopping = true;
        });
        listener.setDaemon(true);
        listener.start();
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record,
                             long number) {
        long sent = System.nanoTime();
        producer.send(record, (RecordMetadata told, Exception failure) -> {
            String line = failure != null
                ? "failed " + failure
                : told.partition() + " " + told.offset() + " " + number + " " + sent + " " + System.nanoTime();
            synchronized (OUT) {
                OUT.println(line);
            }
        });
    }

    private static void flush() {
        synchronized (OUT) {
            OUT.flush();
        }
    }
}
