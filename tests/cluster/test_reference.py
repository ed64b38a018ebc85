# SPDX-License-Identifier: Apache-2.0
"""The pages in docs/reference that the binary prints are the ones that it prints."""
import subprocess
import unittest

from support import node


class ReferenceTest(unittest.TestCase):
    maxDiff = None

    def test_the_page_about_configuration_is_current(self):
        page = (node.ROOT / 'docs' / 'reference' / 'configuration.md').read_text()
        printed = subprocess.run([node.MILENA, 'config-reference'], check=True, stdout=subprocess.PIPE,
                                 text=True)
        self.assertEqual(page, printed.stdout, 'milena config-reference makes it anew')


if __name__ == '__main__':
    unittest.main()
