// SPDX-License-Identifier: Apache-2.0
// The env of a tool, from its first step to its last.
#include "cluster/session.h"

#include "command.h"
#include "console.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

/// The client's own lines, among the tool's errors.
class ToolLog final : public LogSink {
public:
    void write(const LogLine& line) override {
        print_error(log_line(line.level == LogLevel::error ? "ERROR" : "WARN", line.text(),
                             "org.apache.kafka.clients.NetworkClient"));
    }
};

env::Task<void> work_to_end(env::RealEnv& env, Session& session, const Work& work,
                            Result<void>& result) {
    result = co_await work(session);
    session.client().close();
    session.apart().client().close();
    env.stop();
}

}  // namespace

Result<void> in_session(const Connect& connect, const Work& work) {
    const auto env = env::make_real_env(1);
    TRY(auto properties, read_client_properties(env->files(), connect.config_file));
    TRY_VOID(add_properties(properties, connect.properties));
    TRY(auto options, client_options(properties));
    TRY(options.bootstrap,
        wire::parse_bootstrap(connect.bootstrap.empty()
                                  ? text_property(properties, "bootstrap.servers", "")
                                  : connect.bootstrap));
    options.to_controllers = connect.to_controllers;
    options.broker_timeout = connect.broker_timeout;
    if (connect.call_timeout) {
        options.call_timeout = *connect.call_timeout;
        options.request_timeout = std::min(options.request_timeout, options.call_timeout);
    }
    if (options.client_id.empty()) options.client_id = connect.client_id;
    const Logger log(std::make_shared<ToolLog>(), LogLevel::warn);
    wire::Client client(*env, env->core(0), options, log);
    wire::Client other_client(*env, env->core(0), std::move(options), log);
    Session apart(*env, other_client, properties, connect);
    Session session(*env, client, std::move(properties), connect, &apart);
    Result<void> result;
    env::spawn(env->core(0), work_to_end(*env, session, work, result));
    env->run();
    return result;
}

int run_in_session(const Connect& connect, const Work& work) {
    const auto done = in_session(connect, work);
    if (done) return kExitOk;
    const std::string text = exception_text(done.error());
    print_error(fmt::format("{}\njava.util.concurrent.ExecutionException: {}\nCaused by: {}\n",
                            text, text, text));
    return kExitFailed;
}

}  // namespace milena::cli
