// SPDX-License-Identifier: Apache-2.0
// A producer at full speed on librdkafka: records of 1 KiB that do not compress, in batches of 128
// KiB, acks=1.
//
//   load BOOTSTRAP TOPIC MB     writes so many 10^6 bytes of records and prints the seconds that it
//   took
#define _GNU_SOURCE
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRecord = 1024, kRecords = 1024 };

static long failed = 0;

static void die(const char* what, const char* why) {
    fprintf(stderr, "load: %s: %s\n", what, why);
    exit(1);
}

static void delivered(rd_kafka_t* client, const rd_kafka_message_t* message, void* opaque) {
    (void)client;
    (void)opaque;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR && failed++ == 0) {
        fprintf(stderr, "load: %s\n", rd_kafka_err2str(message->err));
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static rd_kafka_t* connect_to(const char* bootstrap) {
    static const char* const kSettings[][2] = {
        {"acks", "1"},
        {"batch.size", "131072"},
        {"linger.ms", "50"},
        {"batch.num.messages", "100000"},
        {"enable.idempotence", "false"},
        {"compression.codec", "none"},
        {"queue.buffering.max.kbytes", "65536"},
    };
    char why[256];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    if (rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap, why, sizeof why) !=
        RD_KAFKA_CONF_OK) {
        die(bootstrap, why);
    }
    for (size_t i = 0; i < sizeof kSettings / sizeof *kSettings; ++i) {
        const char* const key = kSettings[i][0];
        if (rd_kafka_conf_set(conf, key, kSettings[i][1], why, sizeof why) != RD_KAFKA_CONF_OK) {
            die(key, why);
        }
    }
    rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    rd_kafka_t* const client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
    if (client == NULL) die("rd_kafka_new", why);
    return client;
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: load BOOTSTRAP TOPIC MB\n");
        return 2;
    }
    const long records = atol(argv[3]) * 1000000 / kRecord;
    // Records point into this block, which is random and outlives them: nothing is copied on our
    // side.
    static char block[kRecord * kRecords];
    srand(1);
    for (size_t i = 0; i < sizeof block; ++i) block[i] = (char)rand();

    rd_kafka_t* const client = connect_to(argv[1]);
    rd_kafka_topic_t* const topic = rd_kafka_topic_new(client, argv[2], NULL);
    const double began = now();
    for (long n = 0; n < records; ++n) {
        char* const record = block + (n % kRecords) * kRecord;
        while (rd_kafka_produce(topic, 0, 0, record, kRecord, NULL, 0, NULL) != 0) {
            if (rd_kafka_last_error() != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
                die("produce", rd_kafka_err2str(rd_kafka_last_error()));
            }
            rd_kafka_poll(client, 10);
        }
        if (n % 128 == 0) rd_kafka_poll(client, 0);
    }
    if (rd_kafka_flush(client, 120000) != RD_KAFKA_RESP_ERR_NO_ERROR) die("flush", "timed out");
    printf("%.3f\n", now() - began);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(client);
    return failed == 0 ? 0 : 1;
}
