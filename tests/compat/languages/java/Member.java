// SPDX-License-Identifier: Apache-2.0
// A member of a group with Apache Kafka's own Java client. See ../README.md for what it prints.
import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public class Member implements ConsumerRebalanceListener {
    private static final PrintStream OUT = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false);
    private static volatile boolean leaving = false;
    private final KafkaConsumer<byte[], byte[]> consumer;

    private Member(Properties properties) {
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    public static void main(String[] args) throws Exception {
        System.setOut(System.err);  // where the log goes
        Properties properties = new Properties();
        properties.put("bootstrap.servers", args[1]);
        properties.put("group.id", args[3]);
        properties.put("auto.offset.reset", "earliest");
        properties.put("enable.auto.commit", "false");
        properties.put("heartbeat.interval.ms", "500");
        properties.put("session.timeout.ms", "6000");
        for (String option : List.of(args).subList(4, args.length)) {
            String[] words = option.split("=", 2);
            properties.put(words[0], words[1]);
        }
        leaveWithStandardInput();
        new Member(properties).run(args[2]);
        OUT.flush();
    }

    private static void leaveWithStandardInput() {
        Thread listener = new Thread(() -> {
            try {
                while (System.in.read() >= 0) { }
            } catch (java.io.IOException ended) {
                // As good as its end.
            }
            leaving = true;
        });
        listener.setDaemon(true);
        listener.start();
    }

    private void run(String topic) {
        try (consumer) {
            consumer.subscribe(List.of(topic), this);
            while (!leaving) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                for (ConsumerRecord<byte[], byte[]> one : records) {
                    OUT.println("record " + one.partition() + " " + one.offset());
                }
                OUT.flush();
                if (!records.isEmpty()) commit();
            }
        }
    }

    private void commit() {
        try {
            consumer.commitSync();
        } catch (RebalanceInProgressException later) {
            // It goes with the next one, or with the revocation.
        }
    }

    private static void tell(String what, Collection<TopicPartition> partitions) {
        String list = partitions.stream().map(one -> String.valueOf(one.partition())).collect(Collectors.joining(","));
        OUT.println(what + " " + ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + " " + list);
        OUT.flush();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        tell("assigned", partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        consumer.commitSync();
        tell("revoked", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        tell("lost", partitions);
    }
}
