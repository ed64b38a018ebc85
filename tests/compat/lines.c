// SPDX-License-Identifier: Apache-2.0
// librdkafka's C interface at work: the lines of standard input become records, or the records
// lines on standard output.
//
//   lines produce BOOTSTRAP TOPIC CODEC     every line one record of partition 0, acknowledged by
//   all lines consume BOOTSTRAP TOPIC           from the first record to the end of partition 0
#define _GNU_SOURCE
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long failed_deliveries = 0;

static void die(const char* what, const char* why) {
    fprintf(stderr, "lines: %s: %s\n", what, why);
    exit(1);
}

static void set(rd_kafka_conf_t* conf, const char* key, const char* value) {
    char why[256];
    if (rd_kafka_conf_set(conf, key, value, why, sizeof why) != RD_KAFKA_CONF_OK) die(key, why);
}

static void delivered(rd_kafka_t* client, const rd_kafka_message_t* message, void* opaque) {
    (void)client;
    (void)opaque;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    if (failed_deliveries++ == 0) fprintf(stderr, "lines: %s\n", rd_kafka_err2str(message->err));
}

static rd_kafka_t* make(rd_kafka_type_t type, rd_kafka_conf_t* conf) {
    char why[256];
    rd_kafka_t* const client = rd_kafka_new(type, conf, why, sizeof why);
    if (client == NULL) die("rd_kafka_new", why);
    return client;
}

static int produce(const char* bootstrap, const char* topic, const char* codec) {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "compression.codec", codec);
    set(conf, "linger.ms", "20");
    set(conf, "enable.idempotence", "false");
    set(conf, "queue.buffering.max.messages", "500000");
    // One connection, one request at a time: the order of the lines is the order of the records.
    set(conf, "max.in.flight.requests.per.connection", "1");
    rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    rd_kafka_t* const client = make(RD_KAFKA_PRODUCER, conf);

    char* line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n') --length;
        rd_kafka_resp_err_t error;
        while ((error = rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
                                          RD_KAFKA_V_VALUE(line, (size_t)length),
                                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                                          RD_KAFKA_V_END)) == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            rd_kafka_poll(client, 50);
        }
        if (error != RD_KAFKA_RESP_ERR_NO_ERROR) die("produce", rd_kafka_err2str(error));
        rd_kafka_poll(client, 0);
    }
    free(line);
    if (rd_kafka_flush(client, 60000) != RD_KAFKA_RESP_ERR_NO_ERROR) die("flush", "timed out");
    rd_kafka_destroy(client);
    return failed_deliveries == 0 ? 0 : 1;
}

static int consume(const char* bootstrap, const char* topic) {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "group.id", "lines");
    set(conf, "enable.auto.commit", "false");
    set(conf, "enable.partition.eof", "true");
    set(conf, "check.crcs", "true");
    set(conf, "queued.min.messages", "10000000");  // a full queue is looked at once a second only
    rd_kafka_t* const client = make(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(client);
    rd_kafka_topic_partition_list_t* const from = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(from, topic, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(client, from);
    rd_kafka_topic_partition_list_destroy(from);

    for (int silent = 0; silent < 60;) {
        rd_kafka_message_t* const message = rd_kafka_consumer_poll(client, 1000);
        if (message == NULL) {
            ++silent;
            continue;
        }
        silent = 0;
        const rd_kafka_resp_err_t error = message->err;
        if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
            fwrite(message->payload, 1, message->len, stdout);
            putchar('\n');
        }
        rd_kafka_message_destroy(message);
        if (error == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            rd_kafka_consumer_close(client);
            rd_kafka_destroy(client);
            return fflush(stdout) == 0 ? 0 : 1;
        }
        if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
            fprintf(stderr, "lines: %s\n", rd_kafka_err2str(error));
        }
    }
    die("consume", "nothing for a minute");
    return 1;
}

int main(int argc, char** argv) {
    if (argc == 5 && strcmp(argv[1], "produce") == 0) return produce(argv[2], argv[3], argv[4]);
    if (argc == 4 && strcmp(argv[1], "consume") == 0) return consume(argv[2], argv[3]);
    fprintf(stderr, "usage: lines produce BOOTSTRAP TOPIC CODEC | lines consume BOOTSTRAP TOPIC\n");
    return 2;
}
