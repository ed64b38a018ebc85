// SPDX-License-Identifier: Apache-2.0
// The program behind each links_<module> target, which only has to link (see add_module.cmake), and
// the source of those that are nothing but a precompiled header.
int main() {
    return 0;
}
