// SPDX-License-Identifier: Apache-2.0
// What Apache Kafka puts into an Envelope: prints, as hex, the principal of each "type name token" on the command line,
// and reads back what it has printed.
import java.util.HexFormat;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;

public class Envelopes {
    public static void main(String[] args) throws Exception {
        DefaultKafkaPrincipalBuilder builder = new DefaultKafkaPrincipalBuilder(null, null);
        for (int at = 0; at < args.length; at += 3) {
            boolean token = Boolean.parseBoolean(args[at + 2]);
            byte[] bytes = builder.serialize(new KafkaPrincipal(args[at], args[at + 1], token));
            KafkaPrincipal back = builder.deserialize(bytes);
            if (!back.getName().equals(args[at + 1]) || back.tokenAuthenticated() != token)
                throw new IllegalStateException(back.toString());
            System.out.println(HexFormat.of().formatHex(bytes));
        }
    }
}
