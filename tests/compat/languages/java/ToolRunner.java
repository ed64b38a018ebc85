// SPDX-License-Identifier: Apache-2.0
// Runs Apache Kafka's tools one after the other in one JVM, since starting one takes longer than most of them run. A
// line of standard input is a tool's class and its arguments, with tabs between them; the line that answers it has the
// exit code, and what was printed on standard output and on standard error, both in base64.
//
// A tool that ends the process ends its thread instead: the thread never comes back from the call, as it would not.
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.utils.internals.Exit;

public final class ToolRunner {
    private static CompletableFuture<Integer> exit;

    private static void end(int code, String message) {
        exit.complete(code);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void run(String name, String[] arguments) {
        try {
            Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) arguments);
            exit.complete(0);
        } catch (Throwable e) {
            e.printStackTrace();
            exit.complete(1);
        }
    }

    private static String encoded(ByteArrayOutputStream bytes) {
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    public static void main(String[] unused) throws Exception {
        PrintStream answers = System.out;
        Exit.setExitProcedure(ToolRunner::end);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t", -1);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            System.setOut(new PrintStream(out, true, "UTF-8"));
            System.setErr(new PrintStream(err, true, "UTF-8"));
            exit = new CompletableFuture<>();
            Thread thread = new Thread(() -> run(words[0], Arrays.copyOfRange(words, 1, words.length)));
            thread.setDaemon(true);
            thread.start();
            int code = exit.get();
            System.out.flush();
            System.err.flush();
            answers.println(code + "\t" + encoded(out) + "\t" + encoded(err));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }
}
