// SPDX-License-Identifier: Apache-2.0
// Apache Kafka's own Java client. See ../README.md for the commands.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class Records {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "write" -> write(args[1], args[2], args[3]);
            case "read" -> read(args[1], args[2], Long.parseLong(args[3]));
            case "find" -> find(args[1], args[2], Long.parseLong(args[3]));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static byte[] bytes(JsonNode node) {
        return node == null || node.isNull() ? null : Base64.getDecoder().decode(node.textValue());
    }

    private static void write(String bootstrap, String topic, String codec) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("compression.type", codec);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
             var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode record = JSON.readTree(line);
                var out = new ProducerRecord<>(topic, 0, record.get("t").longValue(), bytes(record.get("k")),
                                               bytes(record.get("v")));
                for (JsonNode header : record.get("h")) out.headers().add(header.get(0).textValue(), bytes(header.get(1)));
                sent.add(producer.send(out));
            }
            for (var one : sent) one.get();
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void putBytes(ObjectNode out, String name, byte[] value) {
        if (value == null) out.putNull(name);
        else out.put(name, Base64.getEncoder().encodeToString(value));
    }

    private static void read(String bootstrap, String topic, long count) throws Exception {
        try (var consumer = consumer(bootstrap)) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (count > 0) {
                var records = consumer.poll(Duration.ofSeconds(30));
                if (records.isEmpty()) throw new IllegalStateException(count + " records did not come");
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    print(record);
                    count--;
                }
            }
        }
    }

    private static void print(ConsumerRecord<byte[], byte[]> record) throws Exception {
        ObjectNode out = JSON.createObjectNode();
        out.put("t", record.timestamp());
        putBytes(out, "k", record.key());
        putBytes(out, "v", record.value());
        ArrayNode headers = out.putArray("h");
        for (Header header : record.headers()) {
            ArrayNode one = headers.addArray().add(header.key());
            if (header.value() == null) one.addNull();
            else one.add(Base64.getEncoder().encodeToString(header.value()));
        }
        System.out.println(JSON.writeValueAsString(out));
    }

    private static void find(String bootstrap, String topic, long timestamp) {
        try (var consumer = consumer(bootstrap)) {
            var partition = new TopicPartition(topic, 0);
            OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(partition, timestamp)).get(partition);
            System.out.println(found == null ? -1 : found.offset());
        }
    }
}
