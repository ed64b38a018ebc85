// SPDX-License-Identifier: Apache-2.0
// From a producer to a consumer through the cluster, at a steady rate: what time passes.
//
//   latency BOOTSTRAP TOPIC RATE SECONDS   sends RATE records of 100 bytes a second to partition 0
//   with acks=all, each alone, and reads them; prints the milliseconds of the middle one, of the
//   99th in a hundred, of the 999th in a thousand, and of the slowest
//
// The first two seconds are not counted: connections are made, a JVM gets warm.
#define _GNU_SOURCE
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRecord = 100, kWarmUpSeconds = 2, kSettings = 8 };

struct record {
    double sent;
    char rest[kRecord - sizeof(double)];
};

static const char* bootstrap;
static const char* topic_name;
static long wanted;
static double* took;
static atomic_long taken;

static void die(const char* what, const char* why) {
    fprintf(stderr, "latency: %s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static rd_kafka_t* client_of(rd_kafka_type_t type, const char* (*settings)[2]) {
    char why[256];
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap, why, sizeof why);
    for (size_t i = 0; settings[i][0] != NULL; ++i) {
        if (rd_kafka_conf_set(conf, settings[i][0], settings[i][1], why, sizeof why) !=
            RD_KAFKA_CONF_OK) {
            die(settings[i][0], why);
        }
    }
    rd_kafka_t* const client = rd_kafka_new(type, conf, why, sizeof why);
    if (client == NULL) die("rd_kafka_new", why);
    return client;
}

/// Reads until all have come.
static void* read_all(void* is_ready) {
    static const char* settings[kSettings][2] = {
        {"group.id", "latency"}, {"enable.auto.commit", "false"}, {"fetch.wait.max.ms", "500"}};
    rd_kafka_t* const client = client_of(RD_KAFKA_CONSUMER, settings);
    rd_kafka_topic_t* const topic = rd_kafka_topic_new(client, topic_name, NULL);
    rd_kafka_consume_start(topic, 0, RD_KAFKA_OFFSET_BEGINNING);
    atomic_store((atomic_bool*)is_ready, 1);
    while (atomic_load(&taken) < wanted) {
        rd_kafka_message_t* const message = rd_kafka_consume(topic, 0, 100);
        if (message == NULL) continue;
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            struct record record;
            memcpy(&record, message->payload, sizeof record);
            took[atomic_fetch_add(&taken, 1)] = now() - record.sent;
        }
        rd_kafka_message_destroy(message);
    }
    rd_kafka_consume_stop(topic, 0);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(client);
    return NULL;
}

static void send_all(long rate) {
    static const char* settings[kSettings][2] = {
        {"acks", "all"}, {"linger.ms", "0"}, {"enable.idempotence", "false"}};
    rd_kafka_t* const client = client_of(RD_KAFKA_PRODUCER, settings);
    rd_kafka_topic_t* const topic = rd_kafka_topic_new(client, topic_name, NULL);
    const double began = now();
    for (long n = 0; n < wanted; ++n) {
        const double due = began + (double)n / (double)rate;
        for (double left; (left = due - now()) > 0;) {
            const struct timespec pause = {0, (long)(left * 1e9) % 1000000000L};
            nanosleep(&pause, NULL);
        }
        struct record record = {due, {0}};
        if (rd_kafka_produce(topic, 0, RD_KAFKA_MSG_F_COPY, &record, sizeof record, NULL, 0,
                             NULL) != 0) {
            die("produce", rd_kafka_err2str(rd_kafka_last_error()));
        }
        rd_kafka_poll(client, 0);
    }
    rd_kafka_flush(client, 60000);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(client);
}

static int ascending(const void* left, const void* right) {
    const double difference = *(const double*)left - *(const double*)right;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char** argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: latency BOOTSTRAP TOPIC RATE SECONDS\n");
        return 2;
    }
    bootstrap = argv[1];
    topic_name = argv[2];
    const long rate = atol(argv[3]);
    wanted = rate * (atol(argv[4]) + kWarmUpSeconds);
    took = calloc((size_t)wanted, sizeof *took);
    atomic_bool is_ready = 0;
    pthread_t reader;
    if (took == NULL || pthread_create(&reader, NULL, &read_all, &is_ready) != 0)
        die("start", "no memory or no thread");
    while (!atomic_load(&is_ready)) nanosleep(&(struct timespec){0, 10000000}, NULL);
    send_all(rate);
    pthread_join(reader, NULL);

    const long first = rate * kWarmUpSeconds;
    const long count = wanted - first;
    qsort(took + first, (size_t)count, sizeof *took, &ascending);
    const double* const sorted = took + first;
    printf("%.2f %.2f %.2f %.2f\n", 1e3 * sorted[count / 2], 1e3 * sorted[count * 99 / 100],
           1e3 * sorted[count * 999 / 1000], 1e3 * sorted[count - 1]);
    return 0;
}
