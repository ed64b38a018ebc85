// SPDX-License-Identifier: Apache-2.0
// A member of a group that tells what it is given, what it gives up and what it reads, a line each, until its standard
// input ends. See ../README.md.
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Properties;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

public class GroupMember {
    private static final PrintStream OUT = System.out;
    private static volatile boolean stopping = false;

    /** BOOTSTRAP GROUP PROTOCOL TOPIC [KEY=VALUE …]; a topic that begins with ~ is a pattern for the coordinator. */
    public static void main(String[] args) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", args[0]);
        properties.put("group.id", args[1]);
        properties.put("group.protocol", args[2]);
        properties.put("auto.offset.reset", "earliest");
        properties.put("auto.commit.interval.ms", "100");
        for (int i = 4; i < args.length; i++) {
            String[] pair = args[i].split("=", 2);
            properties.put(pair[0], pair[1]);
        }
        endWithStandardInput();
        try (var consumer = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            Telling listener = new Telling();
            if (args[3].startsWith("~")) {
                consumer.subscribe(new SubscriptionPattern(args[3].substring(1)), listener);
            } else {
                consumer.subscribe(List.of(args[3]), listener);
            }
            while (!stopping) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    tell("read " + record.topic() + "-" + record.partition() + " " + record.value());
                }
            }
        }
        tell("closed");
    }

    private static synchronized void tell(String line) {
        OUT.println(System.currentTimeMillis() + " " + line);
        OUT.flush();
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

    private static final class Telling implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) tell("has " + partition);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) tell("gives " + partition);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) tell("lost " + partition);
        }
    }
}
