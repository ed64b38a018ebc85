# SPDX-License-Identifier: Apache-2.0
"""SaslHandshake (17) and SaslAuthenticate (36) on a listener without SASL (B46): both are refused, and the connection
goes on."""
from . import conversation

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36


@conversation
def a_login_where_nobody_logs_in(talk):
    for version in range(2):
        for mechanism in ('PLAIN', 'SCRAM-SHA-256', 'FOO', ''):
            talk.ask(SASL_HANDSHAKE, version, f'mechanism {mechanism!r}', Mechanism=mechanism)
    for version in range(3):
        for token in (b'\0user\0secret', b''):
            talk.ask(SASL_AUTHENTICATE, version, f'token of {len(token)}', AuthBytes=token)
    talk.metadata(1, 'the connection goes on', [{'Name': 'a b'}])
