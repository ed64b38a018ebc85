// SPDX-License-Identifier: Apache-2.0
// The program behind each links_<module> target: it only has to link (see add_module.cmake).
int main() {
    return 0;
}
