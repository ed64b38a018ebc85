# SPDX-License-Identifier: Apache-2.0
"""The metrics of nodes of a cluster, as a scrape finds them."""
import re
import urllib.request

from . import node

SAMPLE = re.compile(r'([a-z_][a-z0-9_]*)(?:\{((?:[A-Za-z]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.e+-]+)')


def add_pages(cluster):
    """Every node gets admin pages; before they start."""
    for one in cluster.nodes:
        one.admin_port = node.free_port()
        with open(one.properties, 'a', encoding='utf-8') as properties:
            properties.write(f'milena.admin.listener=127.0.0.1:{one.admin_port}\n')


def metrics(one):
    """Samples by name and labels."""
    with urllib.request.urlopen(f'http://127.0.0.1:{one.admin_port}/metrics', timeout=10) as answer:
        text = answer.read().decode()
    found = (SAMPLE.fullmatch(line) for line in text.splitlines() if not line.startswith('#'))
    return {(sample[1], sample[2] or ''): float(sample[3]) for sample in found if sample}
