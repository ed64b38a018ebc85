// SPDX-License-Identifier: Apache-2.0
// A class that Connect's connectors of files of 4.3.1 ask for the version, and that the jars of 4.4.0 have elsewhere.
package org.apache.kafka.common.utils;

public class AppInfoParser {
    public static String getVersion() {
        return "4.4.0";
    }
}
